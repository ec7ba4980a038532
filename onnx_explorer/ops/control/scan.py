"""Scan: a subgraph that walks along tensors, entry by entry, and carries values on.

The last `num_scan_inputs` inputs are walked along; those before are the initial carried values. In
each iteration the body takes the carried values and the next entry of each scan input, without the
axis that is walked along. It returns the next carried values, and entries of the scan outputs. The
node returns the last carried values, and each scan output stacked along an axis. All scan inputs
have the same length. `scan_input_axes` and `scan_output_axes` name the axes (the first ones by
default); a direction of 1 walks from the end, or fills from the end.

In version 8 every tensor has a batch axis in front, each batch is a walk of its own along axis 1,
and `sequence_lens` may end it early; the rest of the scan outputs is then filled with zeros.

Spec: ai.onnx Scan-25
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim
from onnx_explorer.ir import Graph, Node, Value
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.control.backwards import arguments_of, back_through, stacked_cotangents
from onnx_explorer.ops.control.rounds import stacked, steady, with_rounds
from onnx_explorer.ops.cotangents import Floats
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import (
    Abstract,
    AbstractSubgraph,
    AbstractValue,
    Attr,
    Call,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Steps,
    Subgraph,
    Violation,
)
from onnx_explorer.schema.typesets import (
    BF16,
    EVERY_V1,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    INT64,
)

INPUTS = Port(
    "initial_state_and_scan_inputs",
    "V",
    "the carried values before the first iteration, then the scan inputs",
    option="variadic",
    homogeneous=False,
)
RESULTS = Port(
    "final_state_and_scan_outputs",
    "V",
    "the carried values after the last iteration, then the scan outputs",
    option="variadic",
    homogeneous=False,
)

SCAN = Operator(
    "Scan",
    doc=__doc__,
    history=(
        Change(
            8,
            "first version",
            inputs=(
                Port(
                    "sequence_lens",
                    "I",
                    "(batch,): how many iterations each batch has; default: as many as entries",
                    option="optional",
                ),
                INPUTS,
            ),
            outputs=(RESULTS,),
            attributes=(
                Attr(
                    "body",
                    "graph",
                    required=True,
                    doc="inputs: carried values, an entry of each scan input; outputs: carried "
                    "values, an entry of each scan output",
                ),
                Attr(
                    "directions",
                    "ints",
                    doc="for each scan input, 0: from the front, 1: from the end; default: 0",
                ),
                Attr("num_scan_inputs", "int", required=True, doc="how many inputs are scanned"),
            ),
            types={"I": INT64, "V": EVERY_V1},
        ),
        Change(
            9,
            "no batches; axes and directions of inputs and outputs",
            inputs=(INPUTS,),
            attributes=(
                Attr(
                    "scan_input_axes",
                    "ints",
                    doc="for each scan input, the axis to walk along; default: 0",
                ),
                Attr(
                    "scan_input_directions",
                    "ints",
                    doc="for each scan input, 0: from the front, 1: from the end; default: 0",
                ),
                Attr(
                    "scan_output_axes",
                    "ints",
                    doc="for each scan output, the axis to stack along; default: 0",
                ),
                Attr(
                    "scan_output_directions",
                    "ints",
                    doc="for each scan output, 0: in order, 1: the last entry first; default: 0",
                ),
            ),
            drop=("directions",),
            drop_types=("I",),
        ),
        Change(11, "negative axes count from the end"),
        Change(16, "bfloat16", widen={"V": BF16}),
        Change(19, "8-bit floats", widen={"V": FLOAT8}),
        Change(21, "4-bit integers", widen={"V": INT4}),
        Change(23, "4-bit floats", widen={"V": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"V": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"V": INT2}),
    ),
)


def _n_carried(body: Subgraph, n_inputs: int, n_scanned: int, n_outputs: int) -> int:
    """How many values are carried on."""
    if not 1 <= n_scanned <= n_inputs:
        raise Violation(
            f"num_scan_inputs = {n_scanned}",
            f"the node has {n_inputs} inputs: 1 to {n_inputs}",
            code="attribute-value",
        )
    for what, found, wanted in (
        ("inputs", body.n_inputs, n_inputs),
        ("outputs", body.n_outputs, n_outputs),
    ):
        if found != wanted:
            raise Violation(
                f"a body with {found} {what}", f"the node has {wanted}", code="subgraph-arity"
            )
    n_carried = n_inputs - n_scanned
    if n_carried > n_outputs:
        raise Violation(
            f"{n_outputs} outputs", f"{n_carried} values are carried on", code="wrong-count"
        )
    return n_carried


def _each(name: str, given: Sequence[int] | None, count: int, what: str) -> tuple[int, ...]:
    if not given:
        return (0,) * count
    if len(given) != count:
        raise Violation(
            f"{name} = {list(given)}",
            f"one for each of {count} scan {what}",
            code="attribute-value",
        )
    return tuple(given)


def _same_size(sizes: Sequence[Dim], what: str, at: RuleSite) -> Dim:
    size = sizes[0] if sizes else at.fresh(what)
    for other in sizes[1:]:
        both = at.same(size, other)
        if both is None:
            raise Violation(f"a {what} of {other}", f"another input has {size}")
        size = both
    return size


def _inner(value: AbstractValue, axes: Sequence[int]) -> AbstractValue:
    """A tensor without some of its axes: an entry along them."""
    if not isinstance(value, Abstract):
        return value
    if value.shape is None:
        return value.like(None)
    return value.like(tuple(s for axis, s in enumerate(value.shape) if axis not in axes))


@SCAN.infer(since=8)
def infer_batches(
    sequence_lens: Abstract | None = None,
    *inputs: AbstractValue,
    body: AbstractSubgraph,
    num_scan_inputs: int,
    directions: tuple[int, ...] | None = None,
    at: RuleSite,
) -> Steps[AbstractValue]:
    n = _n_carried(body, len(inputs), num_scan_inputs, len(at.wanted))
    _each("directions", directions, num_scan_inputs, "inputs")
    batches: list[Dim] = []
    lengths: list[Dim] = []
    for place, value in enumerate(inputs):
        if isinstance(value, Abstract) and value.shape is not None:
            _check_rank(value.shape, place, scanned=place >= n)
            batches.append(value.shape[0])
            if place >= n:
                lengths.append(value.shape[1])
    if sequence_lens is not None and sequence_lens.shape:
        batches.append(sequence_lens.shape[0])
    batch = _same_size(batches, "batch", at)
    length = _same_size(lengths, "length", at)
    entries = tuple(_inner(value, (0, 1)) for value in inputs[n:])
    carried, results = yield from steady(
        lambda values: (*values, *entries),
        tuple(_inner(value, (0,)) for value in inputs[:n]),
        0,
        body,
        at,
    )
    scans = (with_rounds(scan, length) for scan in results[n:])
    return tuple(with_rounds(value, batch) for value in (*carried, *scans))


def _check_rank(shape: Sequence[Dim], place: int, *, scanned: bool) -> None:
    least = 2 if scanned else 1
    if len(shape) < least:
        raise Violation(
            f"input {place} of rank {len(shape)}",
            "a batch axis and an axis to walk along" if scanned else "a batch axis",
        )


@SCAN.infer(since=9)
def infer(
    *inputs: AbstractValue,
    body: AbstractSubgraph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] | None,
    scan_output_axes: tuple[int, ...] | None,
    at: RuleSite,
) -> Steps[AbstractValue]:
    n = _n_carried(body, len(inputs), num_scan_inputs, len(at.wanted))
    axes = _each("scan_input_axes", scan_input_axes, num_scan_inputs, "inputs")
    out_axes = _each("scan_output_axes", scan_output_axes, len(at.wanted) - n, "outputs")
    entries: list[AbstractValue] = []
    lengths: list[Dim] = []
    for value, axis in zip(inputs[n:], axes, strict=True):
        if isinstance(value, Abstract) and value.shape is not None:
            along = axis_in(axis, len(value.shape), name="scan input axis")
            lengths.append(value.shape[along])
            entries.append(_inner(value, (along,)))
        else:
            entries.append(_inner(value, ()))
    length = _same_size(lengths, "length", at)
    carried, results = yield from steady(
        lambda values: (*values, *entries), inputs[:n], 0, body, at
    )
    scans = zip(results[n:], out_axes, strict=True)
    return (*carried, *(with_rounds(scan, length, axis) for scan, axis in scans))


@SCAN.kernel(since=8)
def scan_batches(
    sequence_lens: NDArray[np.int64] | None = None,
    *inputs: Array,
    body: Subgraph,
    num_scan_inputs: int,
    directions: tuple[int, ...] | None = None,
    at: RunSite,
) -> Steps[object]:
    n = _n_carried(body, len(inputs), num_scan_inputs, len(at.wanted))
    turned = _each("directions", directions, num_scan_inputs, "inputs")
    for place, value in enumerate(inputs):
        _check_rank(value.shape, place, scanned=place >= n)
    batch, length = inputs[n].shape[:2]
    _check_sizes([value.shape[0] for value in inputs], batch, "batch")
    _check_sizes([value.shape[1] for value in inputs[n:]], length, "length")
    rounds = (length,) * batch if sequence_lens is None else ints_of(sequence_lens)
    if len(rounds) != batch or any(not 0 <= count <= length for count in rounds):
        raise Violation(
            f"lengths {list(rounds)}",
            f"one of 0 to {length} for each of {batch} batches",
            port="sequence_lens",
        )
    states: list[list[Array]] = [[] for _ in range(n)]
    scans: list[list[Array]] = [[] for _ in at.wanted[n:]]
    for b, count in enumerate(rounds):
        walked = [value[b] for value in inputs[n:]]
        carried: tuple[object, ...] = tuple(value[b, ...] for value in inputs[:n])
        entries: list[list[object]] = [[] for _ in scans]
        for t in range(count):
            now = (
                value[count - 1 - t if back else t, ...]
                for value, back in zip(walked, turned, strict=True)
            )
            results = yield Call(body, (*carried, *now))
            carried = results[:n]
            for entry, value in zip(entries, results[n:], strict=True):
                entry.append(value)
        for state, value in zip(states, carried, strict=True):
            state.append(cast("Array", value))
        for scan, entry, declared in zip(scans, entries, body.output_types[n:], strict=True):
            made = stacked(entry, declared)
            filled = np.zeros((length, *made.shape[1:]), made.dtype)
            filled[:count] = made
            scan.append(filled)
    return tuple(
        stacked(values, declared)
        for values, declared in zip((*states, *scans), body.output_types, strict=True)
    )


@SCAN.kernel(since=9)
def scan(
    *inputs: Array,
    body: Subgraph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] | None,
    scan_input_directions: tuple[int, ...] | None,
    scan_output_axes: tuple[int, ...] | None,
    scan_output_directions: tuple[int, ...] | None,
    at: RunSite,
) -> Steps[object]:
    n = _n_carried(body, len(inputs), num_scan_inputs, len(at.wanted))
    n_scans = len(at.wanted) - n
    axes = _each("scan_input_axes", scan_input_axes, num_scan_inputs, "inputs")
    turned = _each("scan_input_directions", scan_input_directions, num_scan_inputs, "inputs")
    out_axes = _each("scan_output_axes", scan_output_axes, n_scans, "outputs")
    out_turned = _each("scan_output_directions", scan_output_directions, n_scans, "outputs")
    walked: list[Array] = []
    for value, axis, back in zip(inputs[n:], axes, turned, strict=True):
        entries = np.moveaxis(value, axis_in(axis, value.ndim, name="scan input axis"), 0)
        walked.append(entries[::-1] if back else entries)
    length = len(walked[0])
    _check_sizes([len(entries) for entries in walked], length, "length")
    carried: tuple[object, ...] = inputs[:n]
    scans: list[list[object]] = [[] for _ in range(n_scans)]
    for t in range(length):
        results = yield Call(body, (*carried, *(entries[t, ...] for entries in walked)))
        carried = results[:n]
        for values, value in zip(scans, results[n:], strict=True):
            values.append(value)
    return (
        *carried,
        *(
            stacked(values[::-1] if back else values, declared, axis)
            for values, declared, axis, back in zip(
                scans, body.output_types[n:], out_axes, out_turned, strict=True
            )
        ),
    )


@SCAN.vjp(since=9)
def vjp(
    cotangents: Cotangents,
    inputs: tuple[Array, ...],
    outputs: tuple[Array, ...],
    *,
    body: Subgraph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] | None,
    scan_input_directions: tuple[int, ...] | None,
    scan_output_axes: tuple[int, ...] | None,
    scan_output_directions: tuple[int, ...] | None,
    at: DerivativeSite,
) -> Cotangents:
    n = len(inputs) - num_scan_inputs
    axes = _each("scan_input_axes", scan_input_axes, num_scan_inputs, "inputs")
    turned = _each("scan_input_directions", scan_input_directions, num_scan_inputs, "inputs")
    out_axes = _each("scan_output_axes", scan_output_axes, len(cotangents) - n, "outputs")
    out_turned = _each("scan_output_directions", scan_output_directions, len(out_axes), "outputs")
    entries = [
        None if c is None else np.moveaxis(c, axis, 0)[:: -1 if back else 1]
        for c, axis, back in zip(cotangents[n:], out_axes, out_turned, strict=True)
    ]
    steps = scan(
        *inputs,
        body=body,
        num_scan_inputs=num_scan_inputs,
        scan_input_axes=scan_input_axes,
        scan_input_directions=scan_input_directions,
        scan_output_axes=scan_output_axes,
        scan_output_directions=scan_output_directions,
        at=at,
    )
    rounds = arguments_of(steps, at)
    carried, each = back_through(body, rounds, cotangents[:n], entries, (0, 0), at)
    walked: list[Floats | None] = []
    for place, (axis, back) in enumerate(zip(axes, turned, strict=True), n):
        found = stacked_cotangents([round_[place] for round_ in each])
        walked.append(None if found is None else np.moveaxis(found[:: -1 if back else 1], 0, axis))
    return (*carried, *walked)


def _check_sizes(sizes: Sequence[int], wanted: int, what: str) -> None:
    for size in sizes:
        if size != wanted:
            raise Violation(f"a {what} of {size}", f"another input has {wanted}")


# The sum so far is carried, and scanned.
ADDING = Graph(
    "adding",
    (Node("Add", ("before", "x"), ("sum",)), Node("Identity", ("sum",), ("scanned",))),
    inputs=(Value("before"), Value("x")),
    outputs=(Value("sum"), Value("scanned")),
)
SCAN.example((0, [1, 2, 3]), (6, [1, 3, 6]), body=ADDING, num_scan_inputs=1)
SCAN.example(
    (0, [1, 2, 3]), (6, [3, 5, 6]), body=ADDING, num_scan_inputs=1, scan_input_directions=[1]
)
