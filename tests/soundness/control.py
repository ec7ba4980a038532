"""Cases of operators that run graphs, and of optional values and constants."""

import numpy as np

from onnx_explorer.ir import DType
from tests.soundness.drawing import Case, Listed, Maybe, case
from tests.soundness.movement import listed


def branches(d):
    """An If whose branches give constants of one dtype, of whatever shapes."""
    dtype = d.pick(DType.FLOAT32, DType.INT64, DType.STRING)
    same = d.shape(0, 3)
    values = [d.array(dtype, same if d.flag() else d.shape(0, 3)) for _ in range(2)]

    def branch(value):
        def build(outer):
            body = outer.subgraph()
            body.output(body.op("Constant", value=value))
            return body

        return build

    return case(np.array(d.flag()), then_branch=branch(values[0]), else_branch=branch(values[1]))


def loop(d):
    """A Loop over one value that keeps its shape or grows, and collects its first state."""
    grows = d.flag()
    state = d.array(DType.FLOAT32, d.shape(1 if grows else 0, 3))
    limit = d.maybe(lambda: d.ints(d.size(0, 3)))
    # With neither a limit nor a condition it never ends.
    start = np.array(d.flag()) if limit is None or d.flag() else None
    goes_on = d.flag() and limit is not None

    def body(outer):
        inner = outer.subgraph()
        inner.input("iteration", "int64[]")
        inner.input("before", "bool[]")
        carried = inner.input("carried")
        after = inner.op("Concat", carried, carried, axis=0) if grows else inner.op("Neg", carried)
        inner.output(inner.op("Constant", value=np.array(goes_on)))
        inner.output(after)
        if not grows:
            inner.output(inner.op("Shape", carried))
            inner.output(inner.op("Abs", carried))
        return inner

    return Case(
        (limit, start, state), {"body": body}, ("out0",) if grows else ("out0", "out1", "out2")
    )


def scan(d):
    """A Scan that adds what it walks over to its state, and collects the sums."""
    steps = d.size(1, 4)
    item = d.shape(0, 3)
    axis, out_axis = d.axis(len(item) + 1), d.axis(len(item) + 1)
    walked = list(item)
    walked.insert(axis % (len(item) + 1), steps)

    def body(outer):
        inner = outer.subgraph()
        state, seen = inner.input("state"), inner.input("seen")
        added = inner.op("Add", state, seen)
        inner.output(added)
        inner.output(inner.op("Neg", added))
        return inner

    return case(
        d.array(DType.FLOAT32, item), d.array(DType.FLOAT32, walked),
        body=body, num_scan_inputs=1, outputs=2,
        scan_input_axes=[axis] if axis or d.flag() else None,
        scan_output_axes=[out_axis] if out_axis or d.flag() else None,
        scan_input_directions=d.maybe(lambda: [d.size(0, 1)]),
        scan_output_directions=d.maybe(lambda: [d.size(0, 1)]),
    )  # fmt: skip


def sequence_map(d):
    items = [d.array(DType.FLOAT32, d.shape(0, 2)) for _ in range(d.size(0, 3))]
    added = d.maybe(lambda: d.array(DType.FLOAT32, ()))

    def body(outer):
        inner = outer.subgraph()
        item = inner.input("item", "float32")
        result = inner.op("Abs", item)
        if added is not None:
            result = inner.op("Add", result, inner.input("added", "float32[]"))
        inner.output(result)
        inner.output(inner.op("Shape", item))
        return inner

    return case(Listed(items, DType.FLOAT32), added, body=body, outputs=2)


def constant(d):
    kind = d.pick("value", "value_int", "value_ints", "value_float", "value_floats", "value_string")
    value = {
        "value": d.array(d.pick(DType.FLOAT32, DType.INT8, DType.BOOL), d.shape()),
        "value_int": 3,
        "value_ints": d.sizes(d.size()),
        "value_float": 0.5,
        "value_floats": [0.5] * d.size(),
        "value_string": "a",
    }[kind]
    return case(**{kind: value})


# -- optional values -----------------------------------------------------------------------------


def optional(d):
    if d.flag():
        return case(d.pick(listed(d), d.array(DType.FLOAT32, d.shape())))
    return case(type=d.pick("float32[2, 3]", "int64", "seq(float32)"))


def element(d):
    value = d.array(DType.FLOAT32, d.shape())
    return case(value if d.flag() else Maybe(value, DType.FLOAT32, value.shape))


def has_element(d):
    value = d.maybe(lambda: d.array(DType.FLOAT32, d.shape()))
    return case(d.pick(None, value, Maybe(value, DType.FLOAT32, np.shape(value))))
