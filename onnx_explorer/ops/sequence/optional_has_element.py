"""OptionalHasElement: whether a value is there, as one boolean.

True for an optional that holds something, false for an empty one. From version 18 on tensors and
sequences may come too, which are always there, and an input left out is not.

Spec: ai.onnx OptionalHasElement-28
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.sequence.optional import LATER
from onnx_explorer.schema import (
    Abstract,
    AbstractOptional,
    AbstractValue,
    Change,
    Operator,
    Port,
    scalar,
)
from onnx_explorer.schema.typesets import BOOL, EVERY_V1, SEQUENCES_V1, optionals, sequences

OPTIONAL_HAS_ELEMENT = Operator(
    "OptionalHasElement",
    doc=__doc__,
    history=(
        Change(
            15,
            "first version",
            inputs=(Port("input", "O", "the value that may be missing"),),
            outputs=(Port("output", "B", "a scalar: whether it is there"),),
            types={"O": optionals(EVERY_V1) | optionals(SEQUENCES_V1), "B": BOOL},
        ),
        Change(
            18,
            "tensors and sequences may come too, and the input may be left out",
            inputs=(Port("input", "O", "the value that may be missing", option="optional"),),
            widen={"O": EVERY_V1 | SEQUENCES_V1},
        ),
        Change(
            28,
            "every dtype of the time",
            widen={
                "O": LATER | sequences(LATER) | optionals(LATER) | optionals(sequences(LATER)),
            },
        ),
    ),
)


@OPTIONAL_HAS_ELEMENT.infer(since=15)
def infer(input: AbstractValue | None = None) -> Abstract:
    present = input.present if isinstance(input, AbstractOptional) else input is not None
    return scalar(DType.BOOL, present)


@OPTIONAL_HAS_ELEMENT.kernel(since=15)
def optional_has_element(input: object = None) -> NDArray[np.bool_]:
    return np.array(input is not None)


OPTIONAL_HAS_ELEMENT.example(([1.0, 2.0],), (True,))
OPTIONAL_HAS_ELEMENT.example((None,), (False,))
