"""Scan and SequenceMap as parts of graphs."""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.dims import Expr
from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer
from onnx_explorer.ir import DType, SequenceType, TensorType


def scan_model(opset, x, state="float32[2]", prefix=(), **attributes):
    """Adds up the entries of x, and scans the sums."""
    g = graph("g", opset=opset)
    start, rows = g.input("start", state), g.input("x", x)
    body = g.subgraph("body")
    total = body.Add(body.input("before"), body.input("row"))
    body.output(total, "after")
    body.output(body.Identity(total), "entry", "float32[2]")
    last, sums = g.Scan(
        *prefix, start, rows, body=body, num_scan_inputs=1, outputs=["last", "sums"], **attributes
    )
    g.output(last)
    g.output(sums)
    return g.model()


def test_scan_walks_along_any_axis_in_both_directions():
    model = scan_model(
        11,
        "float32[2, T]",
        scan_input_axes=[-1],
        scan_input_directions=[1],
        scan_output_axes=[1],
        scan_output_directions=[1],
    )
    types = infer(model)
    assert [str(types[name]) for name in ("last", "sums")] == ["float32[2]", "float32[2, T]"]
    x = np.array([[1, 2, 4], [10, 20, 40]], "f4")
    out = run(model, {"start": np.zeros(2, "f4"), "x": x})
    # From the end: 4, 4 + 2, 4 + 2 + 1; the last one comes first.
    assert out["sums"].tolist() == [[7, 6, 4], [70, 60, 40]]
    assert out["last"].tolist() == [7, 70]


def test_scan_of_no_entries_returns_what_it_began_with():
    out = run(scan_model(9, "float32[T, 2]"), {"start": [1.0, 2.0], "x": np.empty((0, 2), "f4")})
    assert out["last"].tolist() == [1, 2]
    assert (out["sums"].shape, out["sums"].dtype) == ((0, 2), np.float32)


def test_a_carried_value_that_grows_has_no_size():
    g = graph("g", opset=16)
    start, x = g.input("start", "float32[1]"), g.input("x", "float32[T]")
    body = g.subgraph("body")
    grown = body.Concat(body.input("before"), body.Reshape(body.input("entry"), [1]), axis=0)
    body.output(grown, "after")
    (last,) = g.Scan(start, x, body=body, num_scan_inputs=1, outputs=["last"])
    g.output(last)
    assert str(infer(g.model())["last"]) == "float32[scan_1_carried0_dim0]"
    assert run(g.model(), {"start": [0.0], "x": [1.0, 2.0]})["last"].tolist() == [0, 1, 2]


def test_scan_of_version_8_walks_each_batch_to_its_own_length():
    g = graph("g", opset=8)
    lengths = g.input("lengths", "int64[B]")
    start, rows = g.input("start", "float32[B]"), g.input("x", "float32[B, T]")
    body = g.subgraph("body")
    total = body.Add(body.input("before"), body.input("entry"))
    body.output(total, "after", "float32[]")
    body.output(body.Identity(total), "sum", "float32[]")
    last, sums = g.Scan(
        lengths,
        start,
        rows,
        body=body,
        num_scan_inputs=1,
        directions=[1],
        outputs=["last", "sums"],
    )
    g.output(last)
    g.output(sums)
    types = infer(g.model())
    assert [str(types[name]) for name in ("last", "sums")] == ["float32[B]", "float32[B, T]"]
    feeds = {
        "lengths": np.array([3, 0, 2]),
        "start": np.array([0, 5, 0], "f4"),
        "x": np.array([[1, 2, 4], [1, 1, 1], [10, 20, 40]], "f4"),
    }
    out = run(g.model(), feeds)
    assert out["last"].tolist() == [7, 5, 30]
    assert out["sums"].tolist() == [[4, 6, 7], [0, 0, 0], [20, 30, 0]]
    feeds["lengths"] = np.array([3, 0, 4])
    with pytest.raises(ExplorerError, match=r"lengths \[3, 0, 4\], but one of 0 to 3"):
        run(g.model(), feeds)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"scan_input_axes": [0, 1]}, r"scan_input_axes = \[0, 1\], but one for each of 1 scan"),
        ({"scan_output_axes": [2]}, "scan output axis = 2, but the tensor has rank 2"),
        ({"scan_input_axes": [2]}, "scan input axis = 2, but the tensor has rank 2"),
    ],
)
def test_scan_tells_what_is_wrong_with_its_axes(attributes, message):
    model = scan_model(9, "float32[3, 2]", **attributes)
    with pytest.raises(ExplorerError, match=message):
        infer(model, strict=True)
    with pytest.raises(ExplorerError, match=message):
        run(model, {"start": [0.0, 0.0], "x": np.ones((3, 2), "f4")})


def test_scan_inputs_have_one_length():
    g = graph("g", opset=16)
    a, b = g.input("a", "float32[3]"), g.input("b", "float32[4]")
    body = g.subgraph("body")
    body.output(body.Add(body.input("x"), body.input("y")), "z")
    (out,) = g.Scan(a, b, body=body, num_scan_inputs=2, outputs=["out"])
    g.output(out)
    with pytest.raises(ExplorerError, match="a length of 4, but another input has 3"):
        infer(g.model(), strict=True)
    with pytest.raises(ExplorerError, match="a length of 4, but another input has 3"):
        run(g.model(), {"a": np.ones(3, "f4"), "b": np.ones(4, "f4")})


def map_model(element, body_of):
    g = graph("g", opset=17)
    items = g.input("items", SequenceType(element))
    extra = g.input("extra", "float32[1, N]")
    body = g.subgraph("body")
    body.output(body_of(body, body.input("item"), body.input("more"), extra), "made")
    (out,) = g.SequenceMap(items, extra, body=body, outputs=["out"])
    g.output(out)
    return g.model()


FLOATS = TensorType(DType.FLOAT32)


def test_sequence_map_runs_once_for_each_value():
    model = map_model(FLOATS, lambda body, item, more, _: body.Concat(item, more, axis=0))
    feeds = {
        "items": [np.ones((1, 2), "f4"), np.zeros((2, 2), "f4")],
        "extra": np.array([[5, 6]], "f4"),
    }
    assert [a.tolist() for a in run(model, feeds)["out"]] == [
        [[1, 1], [5, 6]],
        [[0, 0], [0, 0], [5, 6]],
    ]
    assert run(model, {**feeds, "items": []})["out"] == []


def test_sequence_map_keeps_sizes_from_around_and_no_others():
    def some(body, item, more, extra):
        return body.Concat(body.Identity(extra), body.NonZero(item).graph.Cast(more, to=1), axis=0)

    assert str(infer(map_model(FLOATS, some))["out"]) == "seq(float32[2, N])"

    def found(body, item, more, _):
        return body.NonZero(more)

    assert str(infer(map_model(FLOATS, found))["out"]) == "seq(int64[2, ?])"


def test_lists_that_a_map_takes_side_by_side_have_one_length():
    g = graph("g", opset=17)
    a, b = (g.input(name, SequenceType(FLOATS)) for name in "ab")
    body = g.subgraph("body")
    body.output(body.Add(body.input("x"), body.input("y")), "z")
    (out,) = g.SequenceMap(a, b, body=body, outputs=["out"])
    g.output(out)
    one = np.ones(1, "f4")
    results = run(g.model(), {"a": [one, one], "b": [one, 2 * one]})["out"]
    assert [value.item() for value in results] == [2, 3]
    with pytest.raises(ExplorerError, match="1 values in input 1, but input_sequence has 2"):
        run(g.model(), {"a": [one, one], "b": [one]})


def test_a_list_that_a_loop_fills_does_not_share_sizes_made_in_each_round():
    g = graph("g", opset=16)
    x = g.input("x", "float32[N, 4]")
    body = g.subgraph("body")
    i = body.input("i", "int64[]")
    going = body.input("going", "bool[]")
    rows = body.input("rows")
    row = body.Gather(x, i, axis=1)
    body.output(body.Identity(going), "going_out")
    body.output(body.SequenceInsert(rows, row), "more")
    (made,) = g.Loop(np.array(3), np.array(True), g.SequenceEmpty(), body=body, outputs=["made"])
    places = g.subgraph("places")
    places.input("i2", "int64[]")
    on = places.input("on", "bool[]")
    found = places.input("found")
    places.output(places.Identity(on), "on_out")
    places.output(places.SequenceInsert(found, places.NonZero(x)), "found_out")
    (ones,) = g.Loop(
        np.array(3), np.array(True), g.SequenceEmpty(dtype=7), body=places, outputs=["ones"]
    )
    g.output(made)
    g.output(ones)
    types = infer(g.model())
    assert str(types["made"]) == "seq(float32[N])"
    assert str(types["ones"]) == "seq(int64[2, ?])"
    results = run(g.model(), {"x": np.arange(8, dtype="f4").reshape(2, 4)})["made"]
    assert [a.tolist() for a in results] == [[0, 4], [1, 5], [2, 6]]


def doubling(trips, width="float32[2]"):
    """A Loop that carries and scans a list which is twice as long after each round, and lists that
    nine carried values hand on to one another.
    """
    g = graph("g", opset=16)
    start = g.input("start", width)
    body = g.subgraph("body")
    body.input("i", "int64[]")
    body.output(body.Identity(body.input("going", "bool[]")), "going_out")
    lists = [body.input(f"v{i}") for i in range(10)]
    for i, value in enumerate((body.Concat(lists[0], lists[0], axis=0), *lists[:-1])):
        body.output(body.Identity(value), f"out{i}")
    body.output(body.Identity(lists[0]), "scanned")
    made = g.Loop(np.array(trips), np.array(True), *[start] * 10, body=body, outputs=11)
    for name, value in zip((*(f"last{i}" for i in range(10)), "scans"), made, strict=True):
        g.output(value, name)
    return g.model()


@pytest.mark.parametrize("trips", [1, 2, 12])
def test_sizes_after_the_last_round_are_neither_those_within_nor_those_of_scans(trips):
    types = infer(doubling(trips))
    # Whatever runs scans one shape in every round, which is that of the first: two entries.
    assert str(types["scans"]) == f"float32[{trips}, 2]"
    sizes = [types[f"last{i}"].shape[0] for i in range(10)]
    assert len({str(size) for size in sizes}) == 10
    assert all(isinstance(size, Expr) for size in sizes)
    within = {str(s) for v in types.scopes["loop_1/body/"].values() for s in v.shape or ()}
    assert within.isdisjoint(map(str, sizes))


def test_a_run_gives_the_sizes_that_were_inferred_for_one_round():
    out = run(doubling(1), {"start": np.ones(2, "f4")})
    assert (out["last0"].shape, out["last9"].shape, out["scans"].shape) == ((4,), (2,), (1, 2))
    with pytest.raises(ExplorerError, match="every iteration gives the same one"):
        run(doubling(3), {"start": np.ones(2, "f4")})


@pytest.mark.parametrize("shape", [(0,), (2,), (1, 2)])
@pytest.mark.parametrize("given", ["M", "cond", "If"])
def test_what_says_whether_a_subgraph_runs_is_one_element(shape, given):
    g = graph("g", opset=16)
    several = np.ones(shape, "i8" if given == "M" else bool)
    if given == "If":
        branches = [g.subgraph(name) for name in ("then", "else")]
        for branch in branches:
            branch.output(branch.Identity(np.ones(2, "f4")), f"{branch}_out")
        g.output(g.If(several, then_branch=branches[0], else_branch=branches[1]), "y")
    else:
        body = g.subgraph("body")
        body.input("i", "int64[]")
        body.output(body.Identity(body.input("going", "bool[]")), "going_out")
        body.output(body.Identity(body.input("v")), "v_out")
        M, cond = (several, None) if given == "M" else (np.array(3), several)
        g.output(g.Loop(M, cond, np.ones(2, "f4"), body=body), "y")
    types = infer(g.model())
    said = "one boolean decides" if given == "If" else "one value is needed"
    (error,) = types.errors
    assert f"shape {list(shape)}, but {said}" in str(error)
    assert str(types["y"]) == "float32[2]"
    with pytest.raises(ExplorerError, match=said):
        run(g.model(), {})


@pytest.mark.parametrize(("size", "rank"), [("N", 1), (1, None), (2, None)])
def test_only_an_open_size_makes_an_if_a_squeeze(size, rank):
    g = graph()
    x = g.input("x", f"float32[3, {size}]")
    squeezed, kept = g.subgraph(), g.subgraph()
    squeezed.output(squeezed.op("Reshape", x, [3]))
    kept.output(kept.op("Identity", x))
    g.output(g.op("If", g.input("c", "bool[]"), then_branch=squeezed, else_branch=kept), "y")
    types = infer(g.model())
    shape = types["y"].shape
    assert (None if shape is None else len(shape)) == rank
    assert ("N = 1" in [assumed.text for assumed in types.assumptions]) is (rank is not None)
