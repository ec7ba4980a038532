"""Optional: a value that may be missing.

With an input the result holds it; without one the result is empty, and `type` says what it would
hold. Models use it for what exists in some runs only: OptionalHasElement asks, and
OptionalGetElement takes the value out.

Spec: ai.onnx Optional-28
"""

from __future__ import annotations

from onnx_explorer.ir import Type
from onnx_explorer.schema import (
    AbstractOptional,
    AbstractValue,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Violation,
    abstract_of,
)
from onnx_explorer.schema.typesets import (
    EVERY_V1,
    EVERY_V13,
    FLOAT6,
    SEQUENCES_V1,
    optionals,
    sequences,
)

LATER = (EVERY_V13 | FLOAT6) - EVERY_V1
"""The tensors that version 28 lets in."""

OPTIONAL = Operator(
    "Optional",
    doc=__doc__,
    history=(
        Change(
            15,
            "first version",
            inputs=(Port("input", "V", "what it holds; left out: nothing", option="optional"),),
            outputs=(Port("output", "O", "the value that may be missing"),),
            attributes=(Attr("type", "type_proto", doc="what an empty one would hold"),),
            types={
                "V": EVERY_V1 | SEQUENCES_V1,
                "O": optionals(EVERY_V1) | optionals(SEQUENCES_V1),
            },
        ),
        Change(
            28,
            "every dtype of the time",
            widen={
                "V": LATER | sequences(LATER),
                "O": optionals(LATER) | optionals(sequences(LATER)),
            },
        ),
    ),
)


@OPTIONAL.infer(since=15)
def infer(
    input: AbstractValue | None = None, *, type: Type | None = None, at: RuleSite
) -> AbstractOptional:
    if input is not None:
        return AbstractOptional(input, present=True)
    if type is None:
        at.fail("neither an input nor a type", "an empty optional says what it would hold")
        return AbstractOptional(None, present=False)
    return AbstractOptional(abstract_of(type), present=False)


@OPTIONAL.kernel(since=15)
def optional(input: object = None, *, type: Type | None = None) -> object:
    if input is None and type is None:
        raise Violation("neither an input nor a type", "an empty optional says what it would hold")
    return input


OPTIONAL.example(([1, 2],), ([1, 2],))
