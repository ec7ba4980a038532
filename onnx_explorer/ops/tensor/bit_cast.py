"""BitCast: the same bits, read as another type of the same width.

Nothing is converted: 1.0 in float32, which is 0x3F800000, becomes 1065353216 in int32. The new type
must have as many bits an element as the old one. As a bool, every byte other than 0 is true.

Spec: ai.onnx BitCast-26
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import EVERY_V13, STRING

BIT_CAST = Operator(
    "BitCast",
    doc=__doc__,
    history=(
        Change(
            26,
            "first version",
            inputs=(Port("input", "T1", "what to read anew", differentiable=False),),
            outputs=(
                Port("output", "T2", "the same bits, in the same shape", differentiable=False),
            ),
            attributes=(
                Attr(
                    "to",
                    "int",
                    required=True,
                    as_=DType,
                    doc="the new type, of the same width as that of `input`",
                ),
            ),
            types={"T1": EVERY_V13 - STRING, "T2": EVERY_V13 - STRING},
        ),
    ),
)


def _check(found: DType, to: DType) -> None:
    if found.bits != to.bits:
        raise Violation(
            f"{found.label} has {found.bits} bits an element",
            f"to = {to.label} has {to.bits}",
            port="input",
        )


@BIT_CAST.infer(since=26)
def infer(input: Abstract, *, to: DType | None) -> Abstract:
    if input.dtype is not None and to is not None:
        _check(input.dtype, to)
    return Abstract(to, input.shape)


@BIT_CAST.kernel(since=26, sizes=True)
def bit_cast(input: Array, *, to: DType) -> Array:
    _check(DType.from_numpy(input.dtype), to)
    # A bool of numpy that is neither 0 nor 1 is not equal to itself read as True.
    bits = np.not_equal(input.view(np.uint8), 0) if to is DType.BOOL else input
    return bits.view(to.numpy)


BIT_CAST.example((np.array([1, 255], np.uint8),), (np.array([1, -1], np.int8),), to="int8")
# The float 1 is 0x3F800000: its exponent, 127, above 23 bits of 0.
BIT_CAST.example(([1.0],), (np.array([0x3F800000], np.int32),), to="int32")
