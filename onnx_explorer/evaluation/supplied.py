"""Kernels that a person supplies: functions of arrays, by domain and operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.listed import array_of
from onnx_explorer.ir import Attribute, DType, Graph, Model, RunValue, SparseTensor, Tensor
from onnx_explorer.ir.expected import expect_dict, shown
from onnx_explorer.ir.tensor import is_writeable
from onnx_explorer.ops.registry import canonical_domain, operator
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


def only_supplied(
    model: Model, kernels: Kernels | None
) -> dict[tuple[str, str], Callable[..., object]]:
    """Those of the kernels without which the model would not run: of operators that neither the
    pages nor the model's functions define.
    """
    defined = {(canonical_domain(f.domain), f.name) for f in model.functions.values()}
    return {
        (domain, name): function
        for (domain, name), function in checked_kernels(kernels).items()
        if (domain, name) not in defined and operator(name, domain) is None
    }


def how_to_supply(domain: str, name: str) -> str:
    """What helps where an operator has no kernel."""
    return f"supply a kernel with kernels={{({domain!r}, {name!r}): function}}"


def as_kernel(function: Callable[..., object]) -> PageFunction:
    """The function as plans call it. It sees arrays that it cannot write into."""

    def kernel(*inputs: RunValue, **attributes: object) -> object:
        result = function(*map(handed_out, inputs), **attributes)
        if result is None:
            raise Violation("the supplied kernel returned None", "it returns an array, or a tuple")
        if isinstance(result, tuple):
            return tuple(map(_returned, cast("tuple[object, ...]", result)))
        return _returned(result)

    return PageFunction(kernel, 1, ())


def _returned(value: object) -> RunValue:
    """What a supplied kernel returned for one output, as kernels of pages take it.

    Raises:
        Violation: it is no value that a graph could have.
    """
    if value is None:
        return None
    if isinstance(value, list):
        return [_element(index, item) for index, item in enumerate(cast("list[object]", value))]
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {key: _returned(item) for key, item in items}
    try:
        array = array_of(value, DType.UNDEFINED)
        DType.from_numpy(array.dtype)
    except (TypeError, ValueError) as error:
        reason = f", which is no tensor: {error}" if hasattr(value, "dtype") else ""
        found = f"the supplied kernel returned {shown(value)}{reason}"
        raise Violation(found, "it returns an array, or a tuple") from error
    # A function may fill one array in every run: what is another value is another object here.
    return array.view()


def _element(index: int, item: object) -> RunValue:
    if isinstance(item, (int, float, complex, str)) and not isinstance(item, np.generic):
        found = f"the supplied kernel returned a list with {shown(item)} at {index}"
        raise Violation(found, "a list is a sequence of tensors; np.array(...) makes one tensor")
    return _returned(item)


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
