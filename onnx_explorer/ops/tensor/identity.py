"""Identity: the input, unchanged.

Exporters write it where a value needs a second name, such as an output that is also an input. From
version 14 on it takes sequences, from 16 on optional values too; an empty optional stays empty.

Spec: ai.onnx Identity-25
"""

from __future__ import annotations

from onnx_explorer.schema import AbstractValue, Change, Cotangents, Operator, Port
from onnx_explorer.schema.typesets import (
    BF16,
    EVERY_V1,
    EVERY_V4,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    SEQUENCES_V1,
    optionals,
)

INPUT, OUTPUT = "anything", "the same as `input`"

IDENTITY = Operator(
    "Identity",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("input", "T", INPUT),),
            outputs=(Port("output", "T", OUTPUT),),
            types={"T": EVERY_V1},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"input": True, "output": True}),
        Change(
            14,
            "sequences",
            inputs=(Port("input", "V", INPUT, differentiable=True),),
            outputs=(Port("output", "V", OUTPUT, differentiable=True),),
            types={"V": EVERY_V4 | SEQUENCES_V1},
            drop_types=("T",),
        ),
        Change(16, "optional values", widen={"V": optionals(EVERY_V1 | SEQUENCES_V1)}),
        Change(19, "8-bit floats", widen={"V": FLOAT8}),
        Change(21, "4-bit integers", widen={"V": INT4}),
        Change(23, "4-bit floats", widen={"V": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"V": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"V": INT2}),
    ),
)


@IDENTITY.infer(since=1)
def infer(input: AbstractValue) -> AbstractValue:
    return input


@IDENTITY.kernel(since=1, sizes=True)
def identity(input: object) -> object:
    return input


@IDENTITY.vjp(since=1)
def vjp(cotangents: Cotangents, inputs: object, outputs: object) -> Cotangents:
    return cotangents


IDENTITY.example(([1, 2],), ([1, 2],))
