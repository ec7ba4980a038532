"""SequenceMap: a subgraph that runs once for each value of a list.

The body takes the value, and returns one value for each output of the node: the outputs are lists
of these, in the same order. Further inputs that are lists have the same length, and the body takes
their values side by side; tensors among the further inputs go into every run unchanged. No run
sees what another one did.

Spec: ai.onnx SequenceMap-17
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from onnx_explorer.dims import known_different
from onnx_explorer.ir import (
    DType,
    Graph,
    Node,
    SequenceType,
    TensorType,
    Value,
    captured_names,
)
from onnx_explorer.ops.sequence.items import closed, opened
from onnx_explorer.schema import (
    AbstractSequence,
    AbstractSubgraph,
    AbstractValue,
    Attr,
    Body,
    BodyValue,
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
            raise Violation(
                f"a body with {found} {what}", f"the node has {wanted}", code="subgraph-arity"
            )


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
                f"{value.length} values in input {place}",
                f"input_sequence has {length}",
                code="wrong-count",
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
                code="wrong-count",
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


@SEQUENCE_MAP.body(since=17)
def loop(
    f: Body, input_sequence: BodyValue, *additional_inputs: BodyValue, body: Graph
) -> tuple[BodyValue, ...] | None:
    """A Loop that goes through the lists. None where types are not known, or where the graph reads
    values from around the node, which a function does not see.
    """
    inputs = (input_sequence, *additional_inputs)
    if len(body.inputs) != len(inputs):
        raise Violation(
            f"a body with {len(body.inputs)} inputs",
            f"the node has {len(inputs)}",
            code="subgraph-arity",
        )
    elements = [v.type for v in body.outputs if isinstance(v.type, TensorType)]
    unknown = not all(name in f.types for name in additional_inputs)
    if unknown or len(elements) < len(body.outputs) or captured_names(body):
        return None
    taken = {value.name for value in body.inputs} | set(body.initializers)
    taken.update(name for node in body.nodes for name in node.outputs)
    given: list[tuple[str, BodyValue]] = []
    for place, name in enumerate(inputs):
        is_list = place == 0 or isinstance(f.types[name], SequenceType)
        value = name
        while value in taken:
            value = f.Identity(value)
        given.append(("SequenceAt" if is_list else "Identity", value))
    return f.node(
        "Loop",
        f.SequenceLength(input_sequence),
        None,
        *(f.SequenceEmpty(dtype=element.dtype) for element in elements),
        outputs=len(elements),
        body=_round(body, given, [element.dtype for element in elements], taken),
    )


def _round(
    body: Graph, given: list[tuple[str, BodyValue]], dtypes: list[DType], taken: set[str]
) -> Graph:
    """The body of the Loop: it makes the inputs of `body` by the `given` operators of values around
    it, and puts what `body` returns at the ends of lists.
    """

    def own(name: str) -> str:
        while name in taken:
            name += "_"
        return name

    index, more, still_more = own("index"), own("more"), own("still_more")
    before = [own(f"before{i}") for i in range(len(dtypes))]
    after = [own(f"after{i}") for i in range(len(dtypes))]
    lists = [SequenceType(TensorType(dtype)) for dtype in dtypes]
    take = (
        Node(op_type, (value, index) if op_type == "SequenceAt" else (value,), (inner.name,))
        for (op_type, value), inner in zip(given, body.inputs, strict=True)
    )
    put = (
        Node("SequenceInsert", (old, result.name), (new,))
        for old, result, new in zip(before, body.outputs, after, strict=True)
    )
    return replace(
        body,
        nodes=(Node("Identity", (more,), (still_more,)), *take, *body.nodes, *put),
        inputs=(
            Value(index, TensorType(DType.INT64, ())),
            Value(more, TensorType(DType.BOOL, ())),
            *map(Value, before, lists),
        ),
        outputs=(Value(still_more, TensorType(DType.BOOL, ())), *map(Value, after, lists)),
    )


SEQUENCE_MAP.example(
    (([1, 2], [3]), 10),
    (([11, 12], [13]),),
    body=Graph(
        "adding",
        (Node("Add", ("element", "more"), ("sum",)),),
        inputs=(Value("element"), Value("more")),
        outputs=(Value("sum", TensorType(DType.INT64)),),
    ),
)
