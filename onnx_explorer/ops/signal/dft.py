"""DFT: the discrete Fourier transform along one axis, which tells how much of each frequency a
signal holds.

`y[k] = sum over n of x[n] × e^(-2πi × k × n / N)` for k = 0 to N - 1; the inverse has no minus sign
and divides by N. N is `dft_length`: the signal is cut to it, or zeros follow. The last axis holds
the parts of each number: 1 (real) or 2 (real and imaginary).

A real signal has `y[N - k] = conjugate(y[k])`, so that floor(N / 2) + 1 frequencies say everything:
with `onesided` = 1 only these are computed, of real signals alone. The inverse with `onesided` = 1
takes these and gives the N real numbers, by default an even number, twice the steps between its
frequencies.

| onesided | inverse | input   | along the axis   | last axis |
|----------|---------|---------|------------------|-----------|
| 0        | 0 or 1  | 1 or 2  | N                | 2         |
| 1        | 0       | 1       | floor(N / 2) + 1 | 2         |
| 1        | 1       | 2       | N                | 1         |

The axis is an attribute (default 1) before version 20, then an input, by default the last one that
is no part of a number.

Spec: ai.onnx DFT-20
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, floordiv, known_different, minimum
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import ints_in, ints_of
from onnx_explorer.ops.costs import elements, input_at, sizes_at
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.ops.signal.fourier import check_parts, joined, split
from onnx_explorer.ops.signal.lengths import scalar_in, scalar_of
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16, INDICES

INPUT = Port("input", "T1", "the signal, (..., 1) or (..., 2)", differentiable=False)
LENGTH = Port(
    "dft_length",
    "T2",
    "a scalar: how many elements are transformed; default: all there are",
    option="optional",
    differentiable=False,
)

DFT = Operator(
    "DFT",
    doc=__doc__,
    history=(
        Change(
            17,
            "first version",
            inputs=(INPUT, LENGTH),
            outputs=(Port("output", "T1", "the transform"),),
            attributes=(
                Attr(
                    "axis", "int", 1, doc="the axis to transform; negative ones count from the end"
                ),
                Attr("inverse", "int", 0, one_of=(0, 1), doc="1: from frequencies to the signal"),
                Attr(
                    "onesided",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: of the frequencies of a real signal, the half that says everything",
                ),
            ),
            types={"T1": FLOATS_BF16, "T2": INDICES},
        ),
        Change(
            20,
            "the axis becomes an input",
            inputs=(
                INPUT,
                LENGTH,
                Port(
                    "axis",
                    "tensor(int64)",
                    "a scalar: the axis to transform; negative ones count from the end; default -2",
                    option="optional",
                    differentiable=False,
                ),
            ),
            drop=("axis",),
        ),
    ),
)


def _axis(axis: int, shape: Shape, inverse: int, onesided: int) -> int:
    """The axis from the front, after all checks of the input."""
    if len(shape) < 2:
        raise Violation(
            f"rank {len(shape)}",
            "(..., 1) or (..., 2) has rank 2 or more",
            port="input",
            code="wrong-rank",
        )
    found = axis_in(axis, len(shape))
    if found == len(shape) - 1:
        raise Violation(
            f"axis = {axis}", "the last axis holds the parts of a number", code="attribute-value"
        )
    check_parts(shape[-1], "input")
    parts = 2 if inverse else 1
    if onesided and known_different(shape[-1], parts):
        raise Violation(
            f"the last axis has size {shape[-1]}",
            f"with onesided = 1 and inverse = {inverse} it has size {parts}",
            port="input",
        )
    return found


def _default_length(size: Dim, inverse: int, onesided: int) -> Dim:
    return 2 * (size - 1) if inverse and onesided else size


def _shape(shape: Shape, axis: int, length: Dim, inverse: int, onesided: int) -> Shape:
    along = floordiv(length, 2) + 1 if onesided and not inverse else length
    parts = 1 if onesided and inverse else 2
    return (*shape[:axis], along, *shape[axis + 1 : -1], parts)


@DFT.infer(since=17)
def infer_by_attribute(
    input: Abstract,
    dft_length: Abstract | None = None,
    *,
    axis: int,
    inverse: int,
    onesided: int,
    at: RuleSite,
) -> Abstract:
    length = None
    if dft_length is not None:
        length = scalar_in(dft_length, "dft_length", low=1)
        length = at.fresh("dft_length", low=1) if length is None else length
    if input.shape is None:
        return Abstract()
    found = _axis(axis, input.shape, inverse, onesided)
    if length is None:
        length = _default_length(input.shape[found], inverse, onesided)
    return Abstract(None, _shape(input.shape, found, length, inverse, onesided))


@DFT.infer(since=20)
def infer(
    input: Abstract,
    dft_length: Abstract | None = None,
    axis: Abstract | None = None,
    *,
    inverse: int,
    onesided: int,
    at: RuleSite,
) -> Abstract:
    along = (-2,) if axis is None else ints_in(axis)
    if along is not None:
        return infer_by_attribute(
            input, dft_length, axis=_only(along), inverse=inverse, onesided=onesided, at=at
        )
    if input.shape is None:
        return Abstract()
    if dft_length is None and not onesided:
        return Abstract(None, (*input.shape[:-1], 2))  # no axis changes its size
    # Any axis but the last may be the one.
    sizes = [at.fresh(f"axis_{i}") for i in range(len(input.shape) - 1)]
    return Abstract(None, (*sizes, 1 if onesided and inverse else 2))


@DFT.cost(since=17)
def cost_by_attribute(
    inputs: Shapes, outputs: Shapes, *, axis: int, inverse: int, onesided: int
) -> Cost:
    """The sum that defines each element, of as many terms as there are numbers to take part, each of
    one or two factors; the inverse divides. A fast transform does with fewer.
    """
    signal, output = sizes_at(inputs, 0), sizes_at(outputs, 0)
    along = axis_in(axis, len(signal))
    terms = signal[along]
    if input_at(inputs, 1) is not None:
        # What is cut off takes no part. Of one side the length is taken for an even one.
        length = output[along]
        if onesided:
            length = floordiv(length, 2) + 1 if inverse else 2 * (length - 1)
        terms = minimum(terms, length)
    made = elements(output)
    return Cost(made * terms * signal[-1], made if inverse else 0)


@DFT.cost(since=20)
def cost(inputs: Shapes, outputs: Shapes, *, inverse: int, onesided: int) -> Cost:
    """As before; nothing is known where shapes leave open which axis it is."""
    signal, output = sizes_at(inputs, 0), sizes_at(outputs, 0)
    along = [len(signal) - 2]
    if input_at(inputs, 2) is not None:
        changed = [i for i, size in enumerate(signal[:-1]) if known_different(size, output[i])]
        long = [i for i, size in enumerate(signal[:-1]) if size != 1]
        along = changed or long or along
    if len(along) > 1:
        raise LookupError(f"one of the axes {along}")
    (axis,) = along
    return cost_by_attribute(inputs, outputs, axis=axis, inverse=inverse, onesided=onesided)


@DFT.kernel(since=17)
def dft_by_attribute(
    input: Floats,
    dft_length: Array | None = None,
    *,
    axis: int,
    inverse: int,
    onesided: int,
) -> Floats:
    found = _axis(axis, input.shape, inverse, onesided)
    length = (
        _default_length(input.shape[found], inverse, onesided)
        if dft_length is None
        else scalar_of(dft_length, "dft_length", low=1)
    )
    n = int(length)
    if n < 1:
        raise Violation(f"a transform of {n} elements", "expected 1 or more", port="input")
    numbers = joined(widened(input))
    if onesided and inverse:
        return narrowed(np.fft.irfft(numbers, n, found)[..., None], input)
    if onesided:
        return narrowed(split(np.fft.rfft(numbers, n, found)), input)
    transform = np.fft.ifft if inverse else np.fft.fft
    return narrowed(split(transform(numbers, n, found)), input)


@DFT.kernel(since=20)
def dft(
    input: Floats,
    dft_length: Array | None = None,
    axis: Array | None = None,
    *,
    inverse: int,
    onesided: int,
) -> Floats:
    along = -2 if axis is None else _only(ints_of(axis))
    return dft_by_attribute(input, dft_length, axis=along, inverse=inverse, onesided=onesided)


def _only(given: tuple[int, ...]) -> int:
    if len(given) != 1:
        raise Violation(
            f"{len(given)} elements {list(given)}",
            "1 axis, a scalar",
            port="axis",
            code="wrong-count",
        )
    return given[0]


DFT.example(([[[1.0], [0.0], [2.0]]],), ([[[3.0, 0.0], [0.0, 1.732051], [0.0, -1.732051]]],))
DFT.example(([[[1.0], [0.0], [2.0]]],), ([[[3.0, 0.0], [0.0, 1.732051]]],), onesided=1)
