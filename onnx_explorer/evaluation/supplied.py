"""Kernels that a person supplies: functions of arrays, by domain and operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import Attribute, Graph, RunValue, SparseTensor, Tensor
from onnx_explorer.ir.expected import expect_dict, shown
from onnx_explorer.ir.tensor import is_writeable
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.tensor.constant import dense
from onnx_explorer.schema import OpSchema, PageFunction, Violation

Kernels = Mapping[tuple[str, str], Callable[..., object]]
"""Functions by (domain, operator): they take a node's inputs as arrays and its attributes by
keyword, and return an array, or a tuple of them.
"""


def checked_kernels(kernels: Kernels | None) -> dict[tuple[str, str], Callable[..., object]]:
    """The kernels by canonical domain.

    Raises:
        EvaluationError: a key is no pair of names, or a value cannot be called.
    """
    if kernels is None:
        return {}
    expect_dict("the kernels", kernels, "{('com.acme', 'Foo'): function}", EvaluationError)
    found: dict[tuple[str, str], Callable[..., object]] = {}
    for key, function in kernels.items():
        match cast("object", key):
            case (str(domain), str(name)):
                found[canonical_domain(domain), name] = function
            case other:
                expected = "expected a pair (domain, operator), as in ('com.acme', 'Foo')"
                raise EvaluationError(f"the kernels name {shown(other)}; {expected}")
        if not callable(cast("object", function)):
            given = shown(cast("object", function))
            raise EvaluationError(f"the kernel of {key!r} is {given}; expected a function")
    return found


def how_to_supply(domain: str, name: str) -> str:
    """What helps where an operator has no kernel."""
    return f"supply one with kernels={{({domain!r}, {name!r}): function}}"


def as_kernel(function: Callable[..., object]) -> PageFunction:
    """The function as plans call it. It sees arrays that it cannot write into."""

    def kernel(*inputs: RunValue, **attributes: object) -> object:
        result = function(*map(handed_out, inputs), **attributes)
        if result is None:
            raise Violation("the supplied kernel returned None", "it returns an array, or a tuple")
        return result

    return PageFunction(kernel, 1, ())


def given_attributes(
    attributes: Mapping[str, Attribute], schema: OpSchema | None
) -> dict[str, object]:
    """The attributes of a node as plain values: text, numbers, tuples, arrays. Those with a
    default that the node leaves out are there, where the operator is known.

    Raises:
        Violation: one holds a graph.
    """
    values: dict[str, object] = {}
    if schema is not None:
        known = schema.attributes.values()
        values.update({attr.name: attr.default for attr in known if attr.default is not None})
    values.update({name: _plain(attribute.value, name) for name, attribute in attributes.items()})
    return values


def _plain(value: object, name: str) -> object:
    match value:
        case bytes():
            return value.decode("utf-8", errors="surrogateescape")
        case Tensor():
            return value.numpy()
        case SparseTensor():
            return dense(value)
        case tuple():
            return tuple(_plain(item, name) for item in cast("tuple[object, ...]", value))
        case Graph():
            raise Violation(f"attribute {name!r} is a graph", "a function supplied cannot run one")
        case _:
            return value


def handed_out(value: RunValue) -> RunValue:
    """A value as people get it: arrays as read-only views."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, list):
        return [handed_out(item) for item in value]
    if isinstance(value, dict):
        return cast("RunValue", {key: handed_out(item) for key, item in value.items()})
    return value


def own(value: RunValue) -> RunValue:
    """A value that nobody outside can change."""
    if isinstance(value, np.ndarray):
        return value.copy() if is_writeable(value) else value
    if isinstance(value, list):
        return [own(item) for item in value]
    if isinstance(value, dict):
        return cast("RunValue", {key: own(item) for key, item in value.items()})
    return value
