"""Runs the rule or the kernel of one page at one version, without a graph around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from onnx_explorer.dims import parse
from onnx_explorer.inference.site import Site
from onnx_explorer.ir import Attribute, DType
from onnx_explorer.ir.types import shape_text
from onnx_explorer.schema import Abstract, Operator, Violation
from onnx_explorer.schema.attributes import arguments, decoded


@dataclass(frozen=True)
class Ruled:
    """What a rule said: its outputs, and what it reported and assumed on the way."""

    outputs: tuple[Abstract, ...]
    violations: list[str]
    assumptions: list[str]

    @property
    def shape(self) -> str:
        """The shape of the only output, as it is printed."""
        (output,) = self.outputs
        return shape_text(output.shape)

    @property
    def shapes(self) -> list[str]:
        return [shape_text(output.shape) for output in self.outputs]


def tensor(*shape: int | str, content: tuple[object, ...] | None = None) -> Abstract:
    """An abstract tensor; symbolic sizes are text."""
    sizes = tuple(parse(size) if isinstance(size, str) else size for size in shape)
    return Abstract(DType.FLOAT32, sizes, content)


def ints(*content: int | str) -> Abstract:
    """A 1-D int64 tensor of known elements; symbolic ones are text."""
    sizes = tuple(parse(size) if isinstance(size, str) else size for size in content)
    return Abstract(DType.INT64, (len(content),), sizes)


def rule(
    op: Operator, version: int, *inputs: Abstract | None, n_outputs: int = 1, **attributes: object
) -> Ruled:
    """What the rule says; a violation is raised unless the rule kept what can be said all the same."""
    found = op.rule_at(version)
    assert found is not None, f"{op.name}-{version} has no rule"
    count = iter(range(1000))
    site = Site(
        (True,) * n_outputs,
        version,
        version,
        lambda hint, low, high: parse(f"{hint}_{next(count)}"),
    )
    try:
        result = found.function(*inputs, **_keywords(op, version, found, attributes, site))
    except Violation as violation:
        if site.kept is None:
            raise
        site.violations.append(violation)
        result = site.kept
    outputs = result if isinstance(result, tuple) else (result,)
    return Ruled(outputs, [str(v) for v in site.violations], site.assumptions)


def complaint(
    op: Operator, version: int, *inputs: Abstract | None, n_outputs: int = 1, **attributes: object
) -> str:
    """The one violation that the rule finds, whether it raises it or keeps its outputs."""
    try:
        found = rule(op, version, *inputs, n_outputs=n_outputs, **attributes).violations
    except Violation as violation:
        return str(violation)
    (text,) = found
    return text


def kernel(
    op: Operator, version: int, *inputs: object, n_outputs: int = 1, **attributes: object
) -> object:
    """What the kernel returns; lists among the inputs become arrays, tuples become sequences."""
    found = op.kernel_at(version)
    assert found is not None, f"{op.name}-{version} has no kernel"
    return _run(op, version, found, inputs, n_outputs, attributes)


def on_sizes(
    op: Operator, version: int, *inputs: object, n_outputs: int = 1, **attributes: object
) -> object:
    """What the kernel makes of sizes: each input is a list of ints and of arithmetic in text."""
    found = op.kernel_at(version)
    assert found is not None, f"{op.name}-{version} has no kernel"
    assert found.on_sizes is not None, f"{op.name}-{version} does not take sizes"
    arrays = [None if value is None else _sizes(value) for value in inputs]
    return _run(op, version, found.on_sizes, arrays, n_outputs, attributes)


def _run(op, version, found, inputs, n_outputs, attributes):
    values = [np.array(value) if isinstance(value, list) else value for value in inputs]
    arrays = [list(value) if isinstance(value, tuple) else value for value in values]
    site = Site((True,) * n_outputs, version, version, lambda *_: NotImplemented)
    return found.function(*arrays, **_keywords(op, version, found, attributes, site))


def _sizes(value):
    array = np.array(value, dtype=object)
    flat = [parse(size) if isinstance(size, str) else size for size in array.reshape(-1)]
    result = np.empty(len(flat), dtype=object)
    result[:] = flat
    return result.reshape(array.shape)


def _keywords(op, version, found, attributes, site):
    schema = op.schema(version)
    given = {
        name: Attribute(name, schema.attributes[name].type, value)
        for name, value in attributes.items()
    }
    keywords = arguments(found, decoded(given, schema, _no_subgraph, _raise))
    return {**keywords, "at": site} if found.takes_at else keywords


def _raise(violation: Violation) -> NoReturn:
    raise violation


def _no_subgraph(name, graph) -> NoReturn:
    raise AssertionError(f"attribute {name} is a graph")
