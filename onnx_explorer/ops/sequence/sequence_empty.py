"""SequenceEmpty: a list without tensors, to which a loop can add some.

An empty list still has a type: `dtype` says what the tensors will be, float32 if it is left out.

Spec: ai.onnx SequenceEmpty-11
"""

from __future__ import annotations

from onnx_explorer.ir import DType
from onnx_explorer.schema import Abstract, AbstractSequence, Attr, Change, Operator, Port
from onnx_explorer.schema.typesets import SEQUENCES_V1

SEQUENCE_EMPTY = Operator(
    "SequenceEmpty",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(),
            outputs=(Port("output", "S", "the list without tensors"),),
            attributes=(
                Attr("dtype", "int", as_=DType, doc="the dtype of its tensors; default: float32"),
            ),
            types={"S": SEQUENCES_V1},
        ),
    ),
)


@SEQUENCE_EMPTY.infer(since=11)
def infer(*, dtype: DType | None = None) -> AbstractSequence:
    return AbstractSequence(Abstract(dtype or DType.FLOAT32), 0)


@SEQUENCE_EMPTY.kernel(since=11)
def sequence_empty(*, dtype: DType | None = None) -> list[object]:
    return []


SEQUENCE_EMPTY.example((), ((),), dtype=7)
