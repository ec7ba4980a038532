"""Comparing: where two computations of a graph part, and which node parts them."""

import re
import sys
from dataclasses import replace

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation.differences import Tolerance, difference
from onnx_explorer.ir import Tensor

RNG = np.random.default_rng(0)
W1, W2 = (RNG.standard_normal((4, 4)).astype(np.float32) for _ in range(2))
FEEDS = {"x": RNG.standard_normal((2, 4)).astype(np.float32)}


def network(w1=W1, w2=W2, prefix=""):
    g = graph("network", opset=20)
    x = g.input("x", "float32[n, 4]")
    a = g.MatMul(x, g.initializer(f"{prefix}w1", w1), name=f"{prefix}first")
    b = g.Relu(a, name=f"{prefix}relu")
    c = g.MatMul(b, g.initializer(f"{prefix}w2", w2), name=f"{prefix}second")
    g.output(g.Softmax(c, name=f"{prefix}softmax"), f"{prefix}out")
    return g.model()


def wrong(w):
    changed = w.copy()
    changed[:, 2] += 0.5
    return changed


def test_the_same_model_gives_the_same_values():
    found = ox.compare(network(), FEEDS, network())
    assert found.same
    assert len(found.rows) == 4
    assert found.first is None


def test_a_weight_of_the_other_model_is_at_hand():
    found = ox.compare(network(), FEEDS, network(w2=wrong(W2)))
    np.testing.assert_array_equal(found.theirs("w2"), wrong(W2))
    # A runtime has the weights that it is given.
    np.testing.assert_array_equal(ox.compare(network(), FEEDS).theirs("w2"), W2)


def test_onnxruntime_gives_the_same_values():
    found = ox.compare(network(), FEEDS)
    assert found.partner == "onnxruntime"
    assert found.same, str(found)
    assert [row.node for row in found.rows] == ["first", "relu", "second", "softmax"]


@pytest.mark.parametrize(
    ("changed", "culprit"), [({"w1": wrong(W1)}, "first"), ({"w2": wrong(W2)}, "second")]
)
@pytest.mark.parametrize("prefix", ["", "other_"])
def test_a_wrong_weight_is_found_by_comparing(changed, culprit, prefix):
    found = ox.compare(network(), FEEDS, network(**changed, prefix=prefix))
    assert found.first.node == culprit
    assert found.ranked[0].node == culprit, "the others inherit their difference"
    assert all(row.added.times < 1 for row in found.ranked[1:])
    assert not found.same


def test_the_stepper_stands_behind_the_first_node_that_differs():
    found = ox.compare(network(), FEEDS, network(w2=wrong(W2)))
    stepper = found.stepper()
    assert stepper.completed[-1] == "second"
    assert stepper.current.id == "softmax"
    assert set(found.overlay) == {"first", "relu", "second", "softmax"}
    assert found.overlay["first"] == 0 < found.overlay["second"]


def test_recorded_values_may_be_few():
    values = ox.run(network(), FEEDS, [network().graph.nodes[1].outputs[0], "out"])
    recorded = dict(values) | {"out": values["out"] + np.float32(1)}
    found = ox.compare(network(), FEEDS, recorded)
    assert len(found.rows) == 2
    assert found.first.value == "out"
    assert found.first.added is None, "what the softmax was given is not recorded"


def test_float64_shows_where_precision_is_lost():
    g = graph("g", opset=20)
    x = g.input("x", "float32[]")
    big = g.Add(x, np.float32(2**24), name="grow")
    g.output(g.Sub(big, np.float32(2**24), name="shrink"), "out")
    found = ox.compare(g.model(), {"x": np.float32(0.75)}, "float64")
    # Above 2²⁴, float32 has even numbers only: 0.75 are lost.
    assert found.first.node == "shrink"
    assert [row.difference.largest for row in found.rows] == [0.75, 0.75]


def test_float64_goes_through_casts_loops_and_what_takes_no_doubles():
    model = ox.example("loop_if")
    feeds = {value.name: 7 for value in model.graph.inputs}
    assert ox.compare(model, feeds, "float64").same
    g = graph("g", opset=20)
    x = g.input("x", "float16[1, 1, 2, 2]")
    y = g.Cast(x, to="float32")
    y = g.Resize(y, None, np.float32([1, 1, 2, 2]), mode="linear")
    q = g.QuantizeLinear(y, np.float32(0.5), np.uint8(0))
    g.output(g.DequantizeLinear(q, np.float32(0.5), np.uint8(0)), "out")
    found = ox.compare(g.model(), {"x": np.float16([[[[1, 2], [3, 4]]]])}, "float64")
    assert found.same, str(found)


def test_float64_is_computed_anew_after_runs_that_have_nodes_stand_ready():
    rng = np.random.default_rng(0)

    def floats(*shape):
        return rng.normal(size=shape).astype(np.float32)

    g = graph("all that is run again")
    x = g.input("x", "float32[2, 3, 6, 6]")
    y = g.Relu(g.Conv(x, floats(4, 3, 3, 3), floats(4), pads=[1, 1, 1, 1]))
    y = g.Where(g.Greater(y, np.float32(0)), g.Pow(y, np.float32(2)), g.Sub(y, np.float32(1)))
    y = g.Transpose(g.Reshape(y, np.array([2, 4, 36])), perm=[0, 2, 1])
    y = g.LayerNormalization(g.MatMul(y, floats(4, 8)), floats(8), floats(8))
    left, right = g.Split(y, axis=-1, num_outputs=2, outputs=["left", "right"])
    y = g.Concat(g.Softmax(left), g.LogSoftmax(g.Div(right, np.float32(3))), axis=-1)
    y = g.Gather(g.Squeeze(g.Unsqueeze(y, np.array([0])), np.array([0])), np.array([0, 3]), axis=1)
    y = g.Gemm(g.Flatten(y), floats(16, 5), floats(5))
    g.output(g.Mul(g.Add(y, floats(5)), g.Slice(y, [0], [5], [1])), "y")
    model, feeds = g.model(), {"x": floats(2, 3, 6, 6)}
    for _ in range(3):
        ox.run(model, feeds)
    # float32 has 24 bits: what is wrong by more than a few hundred units is no rounding.
    found = ox.compare(model, feeds, "float64", rtol=1e-4, atol=1e-4)
    assert found.same, str(found)
    assert found.theirs("y").dtype == np.float64


def test_float64_goes_through_subgraphs_with_floats_of_their_own():
    g = graph("g", opset=20)
    x = g.input("x", "float32[]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    carried = body.input("carried", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Sub(carried, np.float32(1)), "next", "float32[]")
    g.output(g.Loop(np.int64(4), np.bool_(True), x, body=body, name="loop"), "out")
    found = ox.compare(g.model(), {"x": np.float32(9)}, "float64")
    assert found.same
    assert found.theirs("out") == 5


def test_float64_tells_which_nodes_compute_in_the_floats_that_they_say():
    g = graph("g", opset=20)
    x = g.input("x", "float32[2, 4]")
    weights = np.ones(4, np.float32)
    y = g.LayerNormalization(x, weights, name="norm")
    g.output(g.LayerNormalization(y, weights, stash_type=11, name="wide"), "out")
    found = ox.compare(g.model(), FEEDS, "float64")
    assert found.in_model_types == ("norm",)


LARGE = np.float32(2**24)
"""Above it float32 has even numbers only."""


def lossy(g, x):
    """x, as far as it outlives a large sum, in steps that constants and casts hold in float32."""
    grown = g.Add(g.Cast(x, to="float32"), LARGE)
    return g.Sub(grown, g.Cast(np.int64(2**24), to="float32"))


LOSSY_FUNCTION = """
<ir_version: 9, opset_import: ["": 20, "my": 1]>
model (float x) => (float out) { out = my.lossy(x) }
<domain: "my", opset_import: ["": 20]>
lossy (x) => (kept) {
  large = Constant<value = float {16777216.0}>()
  grown = Add(x, large)
  kept = Sub(grown, large)
}
"""


def in_loop(g, x):
    body = g.subgraph("body")
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    carried = body.input("carried", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(lossy(body, carried), "next", "float32[]")
    return g.Loop(np.int64(2), np.bool_(True), x, body=body, name="node")


def in_if(g, x):
    branches = [g.subgraph(name) for name in ("then", "else")]
    for branch in branches:
        branch.output(lossy(branch, x), f"of {branch}", "float32[]")
    chosen = g.Greater(x, np.float32(0))
    return g.If(chosen, then_branch=branches[0], else_branch=branches[1], name="node")


def in_scan(g, x):
    body = g.subgraph("body")
    row = body.input("row", "float32[]")
    body.output(lossy(body, row), "kept", "float32[]")
    rows = g.Scan(g.Reshape(x, [1]), body=body, num_scan_inputs=1, name="node")
    return g.Squeeze(rows, [0])


@pytest.mark.parametrize("make", [in_loop, in_if, in_scan])
def test_float64_rounds_nothing_inside_nodes_either(make):
    g = graph("g", opset=20)
    x = g.input("x", "float32[]")
    g.output(make(g, x), "out", "float32[]")
    found = ox.compare(g.model(), {"x": np.float32(0.75)}, "float64")
    assert found.theirs("out") == 0.75
    assert next(row.node for row in found.rows if row.outside) == "node"
    assert found.in_model_types == ()


def test_float64_rounds_nothing_inside_functions():
    model = ox.load(onnx.parser.parse_model(LOSSY_FUNCTION))
    found = ox.compare(model, {"x": np.float32(0.75)}, "float64")
    assert found.theirs("out") == 0.75


def test_float64_tells_which_nodes_stay_in_the_types_of_the_model():
    g = graph("g", opset=20)
    x = g.input("x", "float32[]")
    branches = []
    for name in ("then", "else"):
        branch = g.subgraph(name)
        q = branch.QuantizeLinear(x, np.float32(0.5), np.uint8(0), name=f"quantize in {name}")
        branch.output(branch.DequantizeLinear(q, np.float32(0.5), np.uint8(0)), f"of {name}")
        branches.append(branch)
    chosen = g.Greater(x, np.float32(0))
    y = g.If(chosen, then_branch=branches[0], else_branch=branches[1], name="if")
    g.output(g.QuantizeLinear(y, np.float32(0.5), np.uint8(0), name="again"), "out")
    found = ox.compare(g.model(), {"x": np.float32(0.75)}, "float64")
    inside = [node for node in found.in_model_types if node.startswith("if/then_branch/")]
    assert "if/then_branch/quantize in then" in inside
    assert found.in_model_types == (*inside, "again")
    assert "computed in the model's types: if/then_branch/quantize in then" in str(found)


def test_a_partner_that_is_missing_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ox.EvaluationError, match="pip install onnxruntime"):
        ox.compare(network(), FEEDS)


def test_an_unknown_partner_is_told():
    with pytest.raises(ox.EvaluationError, match="'onnxruntime', 'float64', a model"):
        ox.compare(network(), FEEDS, "tensorrt")


def test_recorded_values_may_be_lists_and_have_to_be_of_this_model():
    out = ox.run(network(), FEEDS)["out"]
    assert ox.compare(network(), FEEDS, {"out": out.tolist()}).same
    assert "shape" in str(ox.compare(network(), FEEDS, {"out": [1.0, 2.0]}).first)
    with pytest.raises(ox.EvaluationError, match="recorded is 'nope'"):
        ox.compare(network(), FEEDS, {"nope": out})


def test_a_negative_tolerance_is_refused():
    with pytest.raises(ox.EvaluationError, match="rtol = -1"):
        ox.compare(network(), FEEDS, "float64", rtol=-1)


def test_a_model_that_a_partner_cannot_run_is_told():
    future = replace(network(), opset_imports={"": 1000})
    with pytest.raises(ox.EvaluationError, match="onnxruntime cannot run this model"):
        ox.compare(future, FEEDS)


def test_a_model_that_fails_is_compared_up_to_there():
    model = ox.example("shape_error")
    found = ox.compare(model, {"image": np.zeros((1, 1, 8, 8), np.float32)}, "float64")
    assert found.failed
    assert not found.same
    assert all(not row.outside for row in found.rows)
    assert len(found.rows) > 2


def test_chunks_give_what_one_pass_gives(monkeypatch):
    whole = ox.compare(network(), FEEDS, network(w1=wrong(W1)))
    monkeypatch.setattr("onnx_explorer.evaluation.comparing.CHUNK_BYTES", 1)
    chunks = ox.compare(network(), FEEDS, network(w1=wrong(W1)))
    assert [(r.value, r.difference, r.added) for r in whole.rows] == [
        (r.value, r.difference, r.added) for r in chunks.rows
    ]
    assert ox.compare(network(), FEEDS).same


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [
        (np.ones(2), np.ones(3), "shape [2] against [3]"),
        (np.array(["a", "b"], object), np.array(["a", "c"], object), "1 of 2 elements differ"),
        (np.array([np.nan, 1]), np.array([np.nan, 1]), "none"),
        (np.array([1.0, 3.0]), np.array([1.0, 2.0]), "1 at [1], 500 × tolerance"),
        (np.array([2**60 + 1]), np.array([2**60]), "1 at [0], 8.67e-16 × tolerance"),
        (np.array([1.0]), np.array(["1.0"], object), "float against string"),
        (np.array([-1.0]), np.array([-1 + 5j]), "5 at [0], 980 × tolerance"),
        (np.array([np.nan]), np.array([1.0]), "inf at [0], inf × tolerance"),
    ],
)
def test_differences_are_told_in_numbers_where_there_are(ours, theirs, text):
    assert str(difference(ours, theirs, Tolerance(1e-3, 1e-6))) == text


def test_the_text_and_the_table_name_the_node():
    found = ox.compare(network(), FEEDS, network(w2=wrong(W2)))
    assert "first: 'matmul" in str(found) or "'second'" in str(found)
    first, *_, last = re.findall(r"<tr>(.*?)</tr>", found._repr_html_())[1:]
    assert ">second<" in first
    assert ">second<" not in last


def test_external_data_reaches_onnxruntime(tmp_path):
    ox.save(network(), tmp_path / "m.onnx", external_data="m.data")
    assert ox.compare(ox.load(tmp_path / "m.onnx"), FEEDS).same


def test_an_edited_tensor_is_the_one_that_is_compared():
    model = network()
    initializers = {**model.graph.initializers, "w1": Tensor.of(wrong(W1), "w1")}
    edited = replace(model, graph=replace(model.graph, initializers=initializers))
    assert ox.compare(edited, FEEDS).same
    assert ox.compare(edited, FEEDS, model).first.node == "first"


def custom(name="custom"):
    g = graph(name, opset=20, imports={"com.acme": 1})
    (doubled,) = g.ops("Double", g.input("x", "float32[2]"), outputs=["doubled"], domain="com.acme")
    g.output(g.Relu(doubled), "y")
    return g.model()


@pytest.mark.parametrize("against", ["float64", custom("other")])
def test_kernels_of_unknown_operators_serve_partners_too(against):
    kernels = {("com.acme", "Double"): lambda x: x * 2}
    found = ox.compare(custom(), {"x": np.float32([-1, 3])}, against, kernels=kernels)
    assert found.same
    assert [row.value for row in found.rows] == ["doubled", "y"]


@pytest.mark.parametrize("against", ["float64", "itself"])
def test_a_kernel_supplied_for_a_known_operator_is_compared_with_the_one_here(against):
    g = graph("wrong", opset=20)
    g.output(g.Relu(g.input("x", "float32[2]")), "y")
    model = g.model()
    partner = model if against == "itself" else against
    kernels = {("", "Relu"): lambda x: x}
    found = ox.compare(model, {"x": np.float32([-1, 3])}, partner, kernels=kernels)
    assert not found.same
