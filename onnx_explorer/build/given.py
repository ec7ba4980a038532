"""What a builder is given, looked at before it keeps anything of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import cast

import numpy as np

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import Type
from onnx_explorer.ir.expected import expect_dict, shown
from onnx_explorer.ir.type_text import parse_type

MOST_OUTPUTS = 1 << 16
"""More outputs of one node nobody means."""


def checked_name(what: str, given: object) -> str:
    """A name of a value, a node or a graph.

    Raises:
        ModelError: it is no text, or empty.
    """
    if not isinstance(given, str) or not given:
        raise ModelError(f"{what} is called {shown(given)}; expected a name, a text")
    return given


def checked_type(what: str, given: object) -> Type | None:
    """A type, also as text.

    Raises:
        ModelError: it is none.
    """
    if given is None or isinstance(given, Type):
        return given
    if not isinstance(given, str):
        raise ModelError(f"{what} is of type {shown(given)}; expected one as in 'float32[N, 10]'")
    return parse_type(given)


def checked_imports(opset: object, imports: object) -> dict[str, int]:
    """Versions of operator sets by domain.

    Raises:
        ModelError: they are no whole numbers of 1 or more.
    """
    if imports is not None:
        expect_dict("the imports", imports, "{'ai.onnx.ml': 3}", ModelError)
    further = cast("Mapping[object, object]", imports or {})
    checked: dict[str, int] = {}
    for domain, version in {"": opset, **further}.items():
        if not isinstance(domain, str):
            raise ModelError(f"the imports name the domain {shown(domain)}; expected a text")
        if isinstance(version, bool) or not isinstance(version, Integral) or version < 1:
            what = f"the opset of domain {domain!r}" if domain else "the opset"
            raise ModelError(
                f"{what} is {shown(cast('object', version))}; expected a whole number, 1 or more"
            )
        checked[domain] = int(version)
    return checked


def checked_outputs(where: str, outputs: object) -> int | tuple[str, ...]:
    """How many outputs a node has, or their names, "" for one that is left out.

    Raises:
        ModelError: it is neither.
    """
    if isinstance(outputs, int | np.integer):
        count = int(cast("int", outputs))
        if 0 <= count <= MOST_OUTPUTS and not isinstance(outputs, bool):
            return count
    elif isinstance(outputs, Sequence) and not isinstance(outputs, str | bytes):
        names = cast("Sequence[object]", outputs)
        if all(isinstance(name, str) for name in names):
            return tuple(cast("Sequence[str]", names))
    expected = "how many outputs the node has, or a list of their names"
    raise ModelError(f"outputs = {shown(cast('object', outputs))} of {where}; expected {expected}")
