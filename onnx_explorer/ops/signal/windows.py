"""HannWindow, HammingWindow and BlackmanWindow: bells by which a stretch of a signal is multiplied
before a Fourier transform, so that its cut ends do not show as frequencies.

With `x = 2π × n / N` for n = 0, 1, ... up to `size`:

- Hann: `1/2 - 1/2 × cos(x)`, 0 at the ends
- Hamming: `25/46 - 21/46 × cos(x)`, 2/23 at the ends
- Blackman: `0.42 - 0.5 × cos(x) + 0.08 × cos(2x)`, 0 at the ends, and narrower

N is `size` with `periodic` = 1, for windows that overlap; with 0 it is `size - 1`, so that the
window is symmetric. A symmetric window of size 1 is [1]. Types of integers cut off the fractions.

Spec: ai.onnx HannWindow-17, HammingWindow-17, BlackmanWindow-17
"""

from __future__ import annotations

from math import pi

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.signal.lengths import scalar_in, scalar_of
from onnx_explorer.schema import Abstract, Attr, Body, BodyValue, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import INDICES, NUMBERS_BF16

OUTPUT_DATATYPE = Attr("output_datatype", "int", 1, as_=DType, doc="the type of the output")


def window(name: str, weights: tuple[float, ...]) -> Operator:
    """The sum of `weights[k] × cos(k × x)`."""
    op = Operator(
        name,
        doc=f"{name}: a window of cosines.\n\n{__doc__}",
        history=(
            Change(
                17,
                "first version",
                inputs=(Port("size", "T1", "a scalar: the length", differentiable=False),),
                outputs=(Port("output", "T2", "the window, (size,)", differentiable=False),),
                attributes=(
                    OUTPUT_DATATYPE,
                    Attr(
                        "periodic",
                        "int",
                        1,
                        one_of=(0, 1),
                        doc="1: the window goes on at its start; 0: it is symmetric",
                    ),
                ),
                types={"T1": INDICES, "T2": NUMBERS_BF16},
            ),
        ),
    )

    @op.infer(since=17)
    def infer(size: Abstract, *, output_datatype: DType, at: RuleSite) -> Abstract:
        length = scalar_in(size, "size", low=0)
        return Abstract(output_datatype, (at.fresh("size") if length is None else length,))

    @op.kernel(since=17)
    def kernel(size: Array, *, output_datatype: DType, periodic: int) -> Array:
        length = scalar_of(size, "size", low=0)
        period = length if periodic else length - 1
        if length == 1 and not periodic:
            return np.ones(1, output_datatype.numpy)
        x = np.arange(length) * (2 * pi / max(period, 1))
        # From the fastest wave on: the tips of the bells are 1 then, and 1 as an integer too.
        values = sum(weights[k] * np.cos(k * x) for k in reversed(range(len(weights))))
        return np.asarray(values).astype(output_datatype.numpy)

    @op.body(since=17)
    def body(f: Body, size: BodyValue, *, output_datatype: DType, periodic: int) -> BodyValue:
        def number(value: float) -> BodyValue:
            return f.constant(value, DType.FLOAT64)

        length = f.Cast(size, to=DType.FLOAT64)
        n = f.Range(number(0.0), length, number(1.0))
        period = length if periodic else f.Sub(length, number(1.0))
        part = f.Div(n, period)
        values = None
        for k in reversed(range(1, len(weights))):
            wave = f.Mul(f.Cos(f.Mul(part, number(2 * pi * k))), number(weights[k]))
            values = wave if values is None else f.Add(values, wave)
        values = f.Add(values, number(weights[0]))
        if not periodic:
            values = f.Where(f.Equal(period, number(0.0)), number(1.0), values)
        return f.Cast(values, to=output_datatype)

    return op


HANN_WINDOW = window("HannWindow", (0.5, -0.5))
HAMMING_WINDOW = window("HammingWindow", (25 / 46, -21 / 46))
BLACKMAN_WINDOW = window("BlackmanWindow", (0.42, -0.5, 0.08))

HANN_WINDOW.example((4,), ([0.0, 0.5, 1.0, 0.5],))
HANN_WINDOW.example((4,), ([0.0, 0.75, 0.75, 0.0],), periodic=0)
HAMMING_WINDOW.example((2,), ([2 / 23, 1.0],))
BLACKMAN_WINDOW.example((4,), ([0.0, 0.34, 1.0, 0.34],))
