"""Contents of small tensors: the kernels of operators that move sizes, run on what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Expr, Ratio
from onnx_explorer.inference.node import Inputs
from onnx_explorer.inference.site import Site
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.ops.sizes import content_of
from onnx_explorer.schema import (
    CONTENT_LIMIT,
    Abstract,
    AbstractValue,
    Content,
    PageFunction,
    Size,
)
from onnx_explorer.schema.attributes import arguments


def with_content(
    outputs: tuple[AbstractValue, ...],
    resolved: Resolved,
    inputs: Inputs,
    attributes: Mapping[str, object],
    site: Site,
) -> tuple[AbstractValue, ...]:
    """The outputs with their content, where the kernel can run on sizes and all inputs are known.

    A kernel that cannot decide something about a symbolic size leaves the content unknown.
    """
    kernel = resolved.operator.kernel_at(resolved.version)
    if kernel is None or kernel.on_sizes is None or not inputs:
        return outputs
    if any(isinstance(o, Abstract) and o.content is not None for o in outputs):
        return outputs
    known = [value for value in inputs if value is not None]
    if not all(isinstance(value, Abstract) and value.content is not None for value in known):
        return outputs
    first = outputs[0]
    if isinstance(first, Abstract) and first.shape is not None:
        sizes = [size for size in first.shape if isinstance(size, int)]
        if len(sizes) < len(first.shape) or prod(sizes) > CONTENT_LIMIT:
            return outputs
    try:
        raw = _run(kernel, cast("Sequence[Abstract | None]", inputs), attributes, site)
    except Exception:  # noqa: BLE001  whatever a kernel cannot do with symbols, its rule still holds
        return outputs
    results = cast("Sequence[object]", raw) if isinstance(raw, (tuple, list)) else (raw,)
    return tuple(
        _filled(output, np.asarray(result, dtype=object))
        if isinstance(output, Abstract) and result is not None
        else output
        for output, result in zip(outputs, [*results, *[None] * len(outputs)], strict=False)
    )


def _run(
    kernel: PageFunction,
    inputs: Sequence[Abstract | None],
    attributes: Mapping[str, object],
    site: Site,
) -> object:
    """The kernel on plain arrays where every element is a number, so that it rounds and wraps
    around as it does in a run; its counterpart for sizes otherwise.
    """
    if all(value is None or _is_concrete(value) for value in inputs):
        arrays = [None if value is None else _real_array(value) for value in inputs]
        function = kernel
    else:
        arrays = [None if value is None else _object_array(value) for value in inputs]
        function = kernel.on_sizes or kernel
    keywords = arguments(function, attributes)
    if function.takes_at:
        keywords["at"] = site
    if function.takes_dtype:
        first = inputs[0]
        keywords["dtype"] = None if first is None else first.dtype
    with np.errstate(all="ignore"):
        return function.function(*arrays, **keywords)


def _is_concrete(value: Abstract) -> bool:
    return value.dtype is not None and not any(
        isinstance(size, (Expr, Ratio)) for size in value.content or ()
    )


def _real_array(value: Abstract) -> NDArray[np.generic]:
    dtype = value.dtype.numpy if value.dtype else np.dtype(object)
    plain = [float(c) if isinstance(c, Fraction) else c for c in value.content or ()]
    return np.array(plain, dtype).reshape(cast("tuple[int, ...]", value.shape))


def _object_array(value: Abstract) -> NDArray[np.generic]:
    array = np.empty(len(value.content or ()), dtype=object)
    for i, size in enumerate(value.content or ()):
        array[i] = size
    return array.reshape(cast("tuple[int, ...]", value.shape))


def _filled(output: Abstract, result: NDArray[np.object_]) -> Abstract:
    if result.size > CONTENT_LIMIT:
        return output
    content = _as_content([_plain(element) for element in result.reshape(-1).tolist()])
    if content is None:
        return output
    family = output.dtype.family if output.dtype else "int"
    if family in {"string", "complex"}:
        return output
    shape = result.shape if output.shape is None else output.shape
    if result.shape != shape:
        return output
    if family in {"int", "uint"} and any(isinstance(c, bool) for c in content):
        content = tuple(int(c) if isinstance(c, bool) else c for c in content)
    return replace(output, shape=shape, content=content)


def _plain(element: object) -> object:
    """A Python number for a numpy one: object arrays keep what a kernel put into them."""
    if isinstance(element, np.generic):
        return cast("np.generic[object]", element).item()
    return element


def _as_content(elements: list[object]) -> Content | None:
    if all(type(e) is int or isinstance(e, Expr) for e in elements):
        return cast("Content", tuple(elements))
    sizes: list[Size] = []
    for element in elements:
        if isinstance(element, (bool, int, float)):
            plain = content_of([element])
            if plain is None:
                return None
            sizes.extend(plain)
        else:
            sizes.append(cast("Size", element))
    return tuple(sizes)
