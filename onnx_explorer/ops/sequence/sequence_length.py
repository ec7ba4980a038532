"""SequenceLength: how many tensors a list holds, as a scalar.

Spec: ai.onnx SequenceLength-11
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.schema import Abstract, AbstractSequence, Change, Operator, Port, scalar
from onnx_explorer.schema.typesets import INT64, SEQUENCES_V1

SEQUENCE_LENGTH = Operator(
    "SequenceLength",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("input_sequence", "S", "the list"),),
            outputs=(Port("length", "I", "a scalar: how many tensors it holds"),),
            types={"S": SEQUENCES_V1, "I": INT64},
        ),
    ),
)


@SEQUENCE_LENGTH.infer(since=11)
def infer(input_sequence: AbstractSequence) -> Abstract:
    return scalar(DType.INT64, input_sequence.length)


@SEQUENCE_LENGTH.kernel(since=11)
def sequence_length(input_sequence: list[object]) -> NDArray[np.int64]:
    return np.array(len(input_sequence), np.int64)


SEQUENCE_LENGTH.example((([1, 2], [3]),), (2,))
