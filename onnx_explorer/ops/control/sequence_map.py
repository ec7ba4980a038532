"""SequenceMap: a subgraph that runs once for each value of a list.

The body takes the value, and returns one value for each output of the node: the outputs are lists
of these, in the same order. Further inputs that are lists have the same length, and the body takes
their values side by side; tensors among the further inputs go into every run unchanged. No run
sees what another one did.

Example: the sequence [1, 2], [3] and the tensor 10 with a body that adds its two inputs give
[11, 12], [13].

Spec: ai.onnx SequenceMap-17
"""

from __future__ import annotations

from typing import cast

from onnx_explorer.dims import known_different
from onnx_explorer.ops.sequence.items import closed, opened
from onnx_explorer.schema import (
    AbstractSequence,
    AbstractSubgraph,
    AbstractValue,
    Attr,
    Call,
    Change,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Steps,
    Subgraph,
    Violation,
)
from onnx_explorer.schema.typesets import EVERY_V1, SEQUENCES_V1

SEQUENCE_MAP = Operator(
    "SequenceMap",
    doc=__doc__,
    history=(
        Change(
            17,
            "first version",
            inputs=(
                Port("input_sequence", "S", "the list that says how often the body runs"),
                Port(
                    "additional_inputs",
                    "V",
                    "lists of the same length, and tensors that every run is given",
                    option="variadic",
                    homogeneous=False,
                    min_arity=0,
                ),
            ),
            outputs=(
                Port(
                    "out_sequence",
                    "S",
                    "for each output of the body, the list of what it returned",
                    option="variadic",
                    homogeneous=False,
                ),
            ),
            attributes=(
                Attr(
                    "body",
                    "graph",
                    required=True,
                    doc="inputs: a value of each list, and the tensors; outputs: a value for each "
                    "list that comes out",
                ),
            ),
            types={"S": SEQUENCES_V1, "V": EVERY_V1 | SEQUENCES_V1},
        ),
    ),
)


def _check_body(body: Subgraph, n_inputs: int, n_outputs: int) -> None:
    for what, found, wanted in (
        ("inputs", body.n_inputs, n_inputs),
        ("outputs", body.n_outputs, n_outputs),
    ):
        if found != wanted:
            raise Violation(f"a body with {found} {what}", f"the node has {wanted}")


@SEQUENCE_MAP.infer(since=17)
def infer(
    input_sequence: AbstractSequence,
    *additional_inputs: AbstractValue,
    body: AbstractSubgraph,
    at: RuleSite,
) -> Steps[AbstractValue]:
    _check_body(body, 1 + len(additional_inputs), len(at.wanted))
    inputs = (input_sequence, *additional_inputs)
    length = input_sequence.length
    for place, value in enumerate(inputs):
        if not isinstance(value, AbstractSequence) or value.length is None:
            continue
        if length is not None and known_different(value.length, length):
            raise Violation(
                f"{value.length} values in input {place}", f"input_sequence has {length}"
            )
        length = value.length if length is None else length
    results = yield Call(
        body,
        tuple(
            opened(value.element, f"item{place}", at)
            if isinstance(value, AbstractSequence)
            else value
            for place, value in enumerate(inputs)
        ),
    )
    known = body.outer_symbols
    return tuple(AbstractSequence(closed(value, known), length) for value in results)


@SEQUENCE_MAP.kernel(since=17)
def sequence_map(
    input_sequence: list[object], *additional_inputs: object, body: Subgraph, at: RunSite
) -> Steps[object]:
    _check_body(body, 1 + len(additional_inputs), len(at.wanted))
    inputs = (input_sequence, *additional_inputs)
    lists = [cast("list[object]", value) if isinstance(value, list) else None for value in inputs]
    for place, values in enumerate(lists):
        if values is not None and len(values) != len(input_sequence):
            raise Violation(
                f"{len(values)} values in input {place}",
                f"input_sequence has {len(input_sequence)}",
            )
    outputs: tuple[list[object], ...] = tuple([] for _ in at.wanted)
    for i in range(len(input_sequence)):
        results = yield Call(
            body,
            tuple(
                value if values is None else values[i]
                for value, values in zip(inputs, lists, strict=True)
            ),
        )
        for output, result in zip(outputs, results, strict=True):
            output.append(result)
    return outputs
