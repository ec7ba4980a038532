"""Short forms of long names of dims, for labels that have to stay narrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from onnx_explorer.dims import Dim, symbols
from onnx_explorer.ir import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
)

LONGEST = 14
"""Names up to this length stay as they are."""
_HEAD = 5


def aliases(types: Iterable[Type]) -> dict[str, str]:
    """Short forms of the long names in these types: `p2o.DynamicDimension.1` is `p2o…1`."""
    sizes = {size for type_ in types for size in _sizes(type_) if not isinstance(size, int)}
    names = {name for size in sizes for name in symbols(size) if len(name) > LONGEST}
    return short_forms(names)


def short_forms(names: Iterable[str]) -> dict[str, str]:
    """The first word of each name and as many of its last as tell it apart from the others; names
    that would hardly become shorter are left out.
    """
    forms: dict[str, str] = {}
    open_names = sorted(names)
    for n_words in range(1, 6):
        tried = {name: _form(name, n_words) for name in open_names}
        taken = list(tried.values())
        found = {n: form for n, form in tried.items() if form and taken.count(form) == 1}
        forms |= found
        open_names = [name for name in open_names if name not in found]
    return forms


def _form(name: str, n_words: int) -> str:
    """`first…last`; "" where that is no shorter."""
    words = list(re.finditer(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+", name))
    if len(words) <= n_words:
        return ""
    head = re.split(r"[\W_]", name.lstrip("/._"), maxsplit=1)[0][:_HEAD]
    form = f"{head}…{name[words[-n_words].start() :]}"
    return form if len(form) + 3 < len(name) else ""


def _sizes(type_: Type | None) -> Iterator[Dim]:
    match type_:
        case TensorType(_, shape) | SparseTensorType(_, shape):
            yield from shape or ()
        case SequenceType(element) | OptionalType(element):
            yield from _sizes(element)
        case MapType(_, value):
            yield from _sizes(value)
        case _:
            return
