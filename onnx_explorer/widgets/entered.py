"""What a person typed where a value or an attribute is asked for."""

from __future__ import annotations

import json
import re
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.feeds import check_elements

_FILLED = re.compile(r"(zeros|ones|random)\s*[\[(]([\d\s,]*)[\])]")
FORMS = "a number, a list such as [[1, 2], [3, 4]], zeros[2, 3], ones[2, 3] or random[2, 3]"


def entered_value(text: str, old: RunValue) -> object:
    """A value to put in the place of another one.

    Raises:
        EvaluationError: it is none of the forms that are understood.
    """
    if not isinstance(old, np.ndarray):
        raise EvaluationError("only tensors can be replaced here; use `stepper.set` in a cell")
    filled = entered_filling(text, old.dtype)
    return _json(text) if filled is None else filled


def entered_filling(text: str, dtype: np.dtype[np.generic]) -> NDArray[np.generic] | None:
    """What `zeros[2, 3]`, `ones[2, 3]` and `random[2, 3]` stand for; None for anything else."""
    filled = _FILLED.fullmatch(text.strip())
    if filled is None:
        return None
    shape = [int(size) for size in re.findall(r"\d+", filled[2])]
    check_elements(shape)
    match filled[1]:
        case "zeros":
            made = np.zeros(shape)
        case "ones":
            made = np.ones(shape)
        case _:
            made = np.random.default_rng(0).standard_normal(shape)
    return made.astype(dtype)


def entered_attribute(text: str) -> object:
    """An attribute's value: JSON, or the text itself."""
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return text


def _json(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError as error:
        raise EvaluationError(f"{text!r} is no value; expected {FORMS}") from error
