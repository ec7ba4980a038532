"""Graphs that exporters write for one line of Python, each worked by hand: sizes stay exact through
floats, tables, masks and branches.
"""

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import evaluate, symbols

INT_MAX = np.iinfo(np.int64).max
ints = np.array


def sizes(model):
    types = ox.infer(model)
    assert not types.errors, types.errors
    return str(types["y"])


def check_run(model, feeds):
    """That a run gives the sizes inferred, with the numbers of the feeds in them."""
    types = ox.infer(model)
    given = {}
    for value in model.graph.inputs:
        for size, number in zip(value.type.shape, np.shape(feeds[value.name]), strict=True):
            if not isinstance(size, int):
                given |= dict.fromkeys(symbols(size), number)
    shape = ox.run(model, feeds)["y"].shape
    assert tuple(evaluate(size, given) for size in types["y"].shape) == shape


def floats(*shape):
    return np.zeros(shape, "f4")


def test_half_a_size_through_floats():
    """`x[: int(x.shape[0] * 0.5)]`"""
    g = graph("half", opset=20)
    x = g.input("x", "float32[seq, 4]")
    rows = g.Gather(g.Shape(x), ints([0]), axis=0)
    half = g.Floor(g.Mul(g.Cast(rows, to="float32"), np.array([0.5], "f4")))
    g.output(g.Slice(x, ints([0]), g.Cast(half, to="int64"), ints([0])), "y")
    model = g.model()
    assert sizes(model) == "float32[floor(seq/2), 4]"
    check_run(model, {"x": floats(7, 4)})


def test_upsampling_by_two_through_a_list_of_sizes():
    """`interpolate(x, size=[2 * h, 2 * w])` as TorchScript writes it."""
    g = graph("up", opset=20)
    x = g.input("x", "float32[batch, 3, h, w]")
    shape = g.Shape(x)
    height, width = (
        g.Cast(
            g.Floor(g.Mul(g.Cast(g.Gather(shape, ints([i]), axis=0), to="float32"), np.float32(2))),
            to="int64",
        )
        for i in (2, 3)
    )
    head = g.Slice(shape, ints([0]), ints([2]), ints([0]))
    target = g.Concat(head, height, width, axis=0)
    g.output(g.Resize(x, None, None, target, mode="nearest"), "y")
    model = g.model()
    assert sizes(model) == "float32[batch, 3, 2*h, 2*w]"
    check_run(model, {"x": floats(2, 3, 5, 4)})


def test_resize_by_constant_scales():
    g = graph("scales", opset=20)
    x = g.input("x", "float32[batch, 3, h, w]")
    g.output(g.Resize(x, None, np.array([1, 1, 2, 0.5], "f4"), mode="nearest"), "y")
    model = g.model()
    assert sizes(model) == "float32[batch, 3, 2*h, floor(w/2)]"
    check_run(model, {"x": floats(1, 3, 4, 5)})


def test_a_pad_table_turned_around():
    """`F.pad(x, (1, 2, 3, 4))`: pairs from the last axis on, reshaped, reversed, transposed, flat."""
    g = graph("pads", opset=20)
    x = g.input("x", "float32[batch, 3, h, w]")
    rest = g.ConstantOfShape(ints([4]), value=np.array([0], "i8"))
    table = g.Reshape(g.Concat(ints([1, 2, 3, 4]), rest, axis=0), ints([-1, 2]))
    turned = g.Slice(table, ints([-1]), ints([-INT_MAX]), ints([0]), ints([-1]))
    flat = g.Reshape(g.Transpose(turned, perm=[1, 0]), ints([-1]))
    g.output(g.Pad(x, flat), "y")
    model = g.model()
    # 1 before and 2 after the last axis, 3 and 4 around the one before it
    assert sizes(model) == "float32[batch, 3, h + 7, w + 3]"
    check_run(model, {"x": floats(1, 3, 4, 5)})


def test_position_ids_by_range_and_expand():
    """`torch.arange(seq).unsqueeze(0).expand(batch, -1)`"""
    g = graph("positions", opset=20)
    x = g.input("x", "int64[batch, seq]")
    shape = g.Shape(x)
    seq = g.Gather(shape, np.array(1), axis=0)
    positions = g.Unsqueeze(g.Range(np.array(0), seq, np.array(1)), ints([0]))
    wanted = g.Concat(g.Gather(shape, ints([0]), axis=0), ints([-1]), axis=0)
    ones = g.ConstantOfShape(ints([2]), value=np.array([1], "i8"))
    open_ends = g.Equal(wanted, g.Mul(ones, np.array(-1)))
    g.output(g.Expand(positions, g.Where(open_ends, ones, wanted)), "y")
    model = g.model()
    assert sizes(model) == "int64[batch, seq]"
    check_run(model, {"x": np.zeros((2, 5), "i8")})


def test_a_causal_mask_by_trilu():
    """`torch.full((seq, seq), -inf).triu(1)[None, None]` added to the scores of `heads`."""
    g = graph("mask", opset=20)
    x = g.input("x", "float32[batch, heads, seq, seq]")
    n = g.Shape(x, start=2, end=3)
    full = g.ConstantOfShape(g.Concat(n, n, axis=0), value=np.array([-np.inf], "f4"))
    mask = g.Trilu(full, np.array(1), upper=1)
    g.output(g.Add(x, g.Unsqueeze(mask, ints([0, 1]))), "y")
    model = g.model()
    assert sizes(model) == "float32[batch, heads, seq, seq]"
    assert ox.infer(model).assumptions == ()
    check_run(model, {"x": floats(1, 2, 3, 3)})


def test_a_mask_of_positions_compared_with_each_other():
    """`positions[None, :] <= positions[:, None]`, chosen between 0 and a large number."""
    g = graph("compared", opset=20)
    x = g.input("x", "int64[batch, seq]")
    row = g.Range(np.array(0), g.Gather(g.Shape(x), np.array(1), axis=0), np.array(1))
    column = g.Unsqueeze(g.Add(row, np.array(1)), ints([1]))
    smaller = g.Less(row, column)
    g.output(g.Where(smaller, np.float32(0), np.float32(-1e9)), "y")
    model = g.model()
    assert sizes(model) == "float32[seq, seq]"
    check_run(model, {"x": np.zeros((2, 5), "i8")})


@pytest.mark.parametrize(("channels", "text"), [(1, "float32[n, 4]"), (3, "float32[n, 3, 4]")])
def test_a_squeeze_written_as_if_is_decided_where_the_size_is_known(channels, text):
    """`x.squeeze(1)`, which TorchScript writes as an If on whether the size there is 1."""
    g = graph("squeeze", opset=20)
    x = g.input("x", f"float32[n, {channels}, 4]")
    is_one = g.Equal(g.Gather(g.Shape(x), np.array(1), axis=0), np.array(1))
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Squeeze(x, ints([1])), "squeezed")
    other.output(other.Identity(x), "kept")
    g.output(g.If(is_one, then_branch=then, else_branch=other), "y")
    model = g.model()
    assert sizes(model) == text
    check_run(model, {"x": floats(2, channels, 4)})


def test_an_if_on_a_shape_is_decided_once_the_symbol_is_bound():
    g = graph("bound", opset=20)
    x = g.input("x", "float32[n, 4]")
    many = g.Greater(g.Gather(g.Shape(x), np.array(0), axis=0), np.array(10))
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Slice(x, ints([0]), ints([10]), ints([0])), "cut")
    other.output(other.Identity(x), "kept")
    g.output(g.If(many, then_branch=then, else_branch=other), "y")
    types = ox.infer(g.model())
    assert str(types.with_inputs({"n": 50})["y"]) == "float32[10, 4]"
    assert str(types.with_inputs({"n": 5})["y"]) == "float32[5, 4]"


@pytest.mark.parametrize(
    ("start", "end", "step", "text"),
    [
        (0, INT_MAX, 1, "float32[seq, 4]"),
        (0, INT_MAX, 2, "float32[floor((seq - 1)/2) + 1, 4]"),
        (-1, INT_MAX, 1, "float32[min(seq, 1), 4]"),
        (-1, -INT_MAX, -1, "float32[seq, 4]"),
        (1, INT_MAX, 1, "float32[max(seq - 1, 0), 4]"),
        (0, -1, 1, "float32[max(seq - 1, 0), 4]"),
        (-INT_MAX, 3, 1, "float32[min(seq, 3), 4]"),
    ],
)
def test_open_ends_of_a_slice_are_the_ends_of_the_axis(start, end, step, text):
    g = graph("slice", opset=20)
    x = g.input("x", "float32[seq, 4]")
    g.output(g.Slice(x, ints([start]), ints([end]), ints([0]), ints([step])), "y")
    model = g.model()
    assert sizes(model) == text
    for n in (0, 1, 2, 5):
        check_run(model, {"x": floats(n, 4)})


def test_windows_of_convolutions_and_pools():
    g = graph("windows", opset=20)
    x = g.input("x", "float32[batch, 3, height, width]")
    weight = floats(8, 3, 3, 3)
    down = g.Conv(x, weight, strides=[2, 2], pads=[1, 1, 1, 1])
    g.output(g.MaxPool(down, kernel_shape=[2, 2], strides=[2, 2]), "y")
    model = g.model()
    half = "floor((height - 1)/2) + 1", "floor((width - 1)/2) + 1"
    types = ox.infer(model)
    assert str(types[model.graph.nodes[0].outputs[0]]) == f"float32[batch, 8, {half[0]}, {half[1]}]"
    for height, width in ((4, 4), (5, 7), (8, 3)):
        check_run(model, {"x": floats(1, 3, height, width)})


def test_what_only_a_run_can_count_is_followed():
    """`x[mask.nonzero()]`: as many rows as NonZero finds, through Transpose, GatherND and Concat."""
    g = graph("nonzero", opset=20)
    x, mask = g.input("x", "float32[rows, 4]"), g.input("mask", "bool[rows]")
    where = g.Transpose(g.NonZero(mask, name="nz"), perm=[1, 0])
    kept = g.GatherND(x, where)
    g.output(g.Concat(kept, kept, axis=0), "y")
    types = ox.infer(g.model())
    count = str(types[types.model.graph.nodes[0].outputs[0]].shape[1])
    assert count == "nz_count"
    assert str(types["y"]) == "float32[2*nz_count, 4]"
    assert types.assumptions == ()


def test_rows_that_two_nodes_count_are_not_taken_for_equal():
    g = graph("unique", opset=20)
    x = g.input("x", "int64[n]")
    values, *_ = g.Unique(x, name="u", outputs=["values"])
    g.output(g.Compress(x, g.Greater(x, np.array(0)), axis=0, name="c"), "y")
    g.output(values, "z")
    types = ox.infer(g.model())
    (first,), (second,) = types["y"].shape, types["z"].shape
    assert symbols(first)
    assert symbols(second)
    assert symbols(first).isdisjoint(symbols(second))
