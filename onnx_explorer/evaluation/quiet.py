"""How numpy computes in a run: without warnings, and with short buffers."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

SHORT = 1 << 10
"""Elements of numpy's buffers in a run. With the usual 8192, a factor for each channel is copied into
them for every row of fewer elements, which takes longer than the product.
"""


def _settle() -> None:
    np.seterr(all="ignore")
    np.setbufsize(SHORT)


def _settled() -> list[tuple[ContextVar[object], object]]:
    """What changes in a context when numpy is told this: numpy keeps it all in one variable. To
    set that costs a tenth of `np.errstate`, which makes its value anew each time it is entered.
    """
    context = copy_context()
    before = dict(context)
    context.run(_settle)
    return [(kept, now) for kept, now in context.items() if before.get(kept) is not now]


_SETTLED = _settled()


def quiet(function: Callable[P, T]) -> Callable[P, T]:
    """The function as a part of a run: numpy's settings are those of runs until it returns."""
    if len(_SETTLED) != 1:
        return _settled_each_time(function)
    ((kept, settings),) = _SETTLED

    @wraps(function)
    def inner(*args: P.args, **keywords: P.kwargs) -> T:
        before = kept.set(settings)
        try:
            return function(*args, **keywords)
        finally:
            kept.reset(before)

    return inner


def _settled_each_time(function: Callable[P, T]) -> Callable[P, T]:
    """The same for a numpy that keeps its settings in another way."""

    @wraps(function)
    def inner(*args: P.args, **keywords: P.kwargs) -> T:
        with np.errstate():  # which also puts the size of buffers back
            _settle()
            return function(*args, **keywords)

    return inner
