"""OptionalGetElement: what an optional holds.

An empty one is an error: ask OptionalHasElement first. From version 18 on tensors and sequences
may come too; they pass unchanged.

Spec: ai.onnx OptionalGetElement-28
"""

from __future__ import annotations

from onnx_explorer.ops.sequence.optional import LATER
from onnx_explorer.schema import (
    UNKNOWN,
    AbstractOptional,
    AbstractValue,
    Change,
    Operator,
    Port,
    Violation,
)
from onnx_explorer.schema.typesets import EVERY_V1, SEQUENCES_V1, optionals, sequences

OPTIONAL_GET_ELEMENT = Operator(
    "OptionalGetElement",
    doc=__doc__,
    history=(
        Change(
            15,
            "first version",
            inputs=(Port("input", "O", "the optional, which is not empty"),),
            outputs=(Port("output", "V", "what it holds"),),
            types={
                "O": optionals(EVERY_V1) | optionals(SEQUENCES_V1),
                "V": EVERY_V1 | SEQUENCES_V1,
            },
        ),
        Change(18, "tensors and sequences may come too", widen={"O": EVERY_V1 | SEQUENCES_V1}),
        Change(
            28,
            "every dtype of the time",
            widen={
                "O": LATER | sequences(LATER) | optionals(LATER) | optionals(sequences(LATER)),
                "V": LATER | sequences(LATER),
            },
        ),
    ),
)


@OPTIONAL_GET_ELEMENT.infer(since=15)
def infer(input: AbstractValue) -> AbstractValue:
    if not isinstance(input, AbstractOptional):
        return input
    if input.present is False:
        raise _empty()
    return UNKNOWN if input.element is None else input.element


def _empty() -> Violation:
    return Violation("an empty optional", "there is nothing to take out of it", port="input")


@OPTIONAL_GET_ELEMENT.kernel(since=15)
def optional_get_element(input: object) -> object:
    if input is None:
        raise _empty()
    return input


OPTIONAL_GET_ELEMENT.example(([1.0, 2.0],), ([1.0, 2.0],))
