"""Types of whole models: binding, diagnostics that go on, declared against inferred, control flow."""

import re
from dataclasses import replace

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import symbol
from onnx_explorer.ir import (
    UNKNOWN_DIM,
    Attribute,
    DType,
    Function,
    Graph,
    Node,
    TensorType,
    TrainingInfo,
    Value,
)


def texts(types, *names):
    return [str(types[name]) for name in names]


def mlp(inner=64):
    """A matmul of inner size `inner` against one of 96, under a symbolic batch."""
    g = graph("mlp", opset=20)
    x = g.input("x", "float32[batch, 96]")
    h = g.Relu(x, name="relu", outputs=["h"])[0]
    y = g.MatMul(h, g.initializer("W", np.zeros((inner, 10), np.float32)), name="fc", outputs=["y"])
    z = g.Relu(y[0], name="last", outputs=["z"])
    g.output(z[0])
    return g.model()


def test_sizes_are_arithmetic_over_the_symbols_of_the_inputs():
    g = graph("windows", opset=20)
    x = g.input("x", "float32[N, 3, height, width]")
    y = g.Conv(x, np.zeros((8, 3, 7, 7), "f4"), strides=[2, 2], pads=[3, 3, 3, 3], outputs=["y"])[0]
    g.output(g.Reshape(y, np.array([0, 8, -1])), "flat")
    g.output(g.Concat(x, x, axis=2), "tall")
    types = ox.infer(g.model())
    assert texts(types, "y", "tall") == [
        "float32[N, 8, floor((height - 1)/2) + 1, floor((width - 1)/2) + 1]",
        "float32[N, 3, 2*height, width]",
    ]
    assert types["flat"].shape[:2] == (types["x"].shape[0], 8)
    assert texts(ox.infer(g.model(), {"height": 224, "width": 224, "N": 2}), "y", "flat") == [
        "float32[2, 8, 112, 112]",
        "float32[2, 8, 12544]",
    ]


@pytest.mark.parametrize("inputs", [{"x": [4, 96]}, {"batch": 4}, {"x": [4, None]}])
def test_a_shape_or_a_symbol_can_be_bound(inputs):
    assert str(ox.infer(mlp(96), inputs)["y"]) == "float32[4, 10]"


def test_binding_one_input_binds_its_symbol_everywhere():
    g = graph("pair", opset=20)
    a, b = g.input("a", "float32[n, 2]"), g.input("b", "float32[n, 3]")
    g.output(g.Concat(a, b, axis=1), "c")
    assert str(ox.infer(g.model(), {"a": [7, 2]})["b"]) == "float32[7, 3]"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"q": 3}, r"'q' is neither an input \(x\) nor a symbol in an input's shape \(batch\)"),
        ({"x": [1, 2, 3]}, r"declared \[batch, 96\], rank 2; the shape given has rank 3"),
        ({"x": [1, 95]}, "declared 96 on axis 1; the shape given says 95"),
        ({"x": [2, 96], "batch": 3}, "symbol 'batch' is bound to"),
        ({"batch": -1}, "a size is 0 or more"),
        ({"x": 3}, "expected its shape"),
    ],
)
def test_a_binding_that_does_not_fit_is_refused(inputs, message):
    with pytest.raises(ox.InferenceError, match=message):
        ox.infer(mlp(), inputs)


def test_a_violation_names_node_port_value_and_both_numbers_and_the_walk_goes_on():
    types = ox.infer(mlp())
    (found,) = types.errors
    assert found.node == "fc"
    assert (found.code, found.operator) == ("inner-size-mismatch", "MatMul-13")
    assert str(found) == (
        "MatMul 'fc': inner sizes differ: 96 (axis 1 of 'h': float32[batch, 96], from x axis 1) "
        "against 64 (axis 0 of 'W': float32[64, 10])"
    )
    assert str(types["z"]).startswith("float32["), "the dtype is known all the same"


def test_strict_raises_all_errors_at_once():
    with pytest.raises(ox.InferenceError, match=r"fc.*96.*64|fc.*64.*96"):
        ox.infer(mlp(), strict=True)
    assert ox.infer(mlp(96), strict=True).errors == ()


def test_a_failure_that_follows_names_its_cause():
    g = graph("follows", opset=20)
    x = g.input("x", "float32[2, 3]")
    bad = g.MatMul(x, np.zeros((4, 5), "f4"), name="first", outputs=["bad"])[0]
    g.output(g.MatMul(bad, np.zeros((7, 7), "f4"), name="second"), "y")
    first, *later = ox.infer(g.model()).errors
    assert first.node == "first"
    assert first.cause is None
    assert all(d.cause == first for d in later)


def test_inference_wins_over_a_declaration_that_it_contradicts():
    model = mlp(96)
    wrong = Value("y", TensorType(DType.FLOAT32, (4, 11)))
    types = ox.infer(replace(model, graph=replace(model.graph, value_info=(wrong,))))
    (found,) = types.diagnostics
    assert (found.code, found.severity, found.value) == ("declared-mismatch", "warning", "y")
    assert "11" in found.message
    assert str(types["y"]) == "float32[batch, 10]"


def test_an_unknown_operator_takes_what_the_file_declares_and_says_so():
    g = graph("custom", opset=20)
    x = g.input("x", "float32[n]")
    made = g.op("Frobnicate", x, domain="com.example", name="frob")
    g.output(g.Add(made, made), "y")
    model = g.model()
    declared = Value(made.name, TensorType(DType.FLOAT32, (5,)))
    types = ox.infer(replace(model, graph=replace(model.graph, value_info=(declared,))))
    assert str(types["y"]) == "float32[5]"
    (found,) = types.diagnostics
    assert found.code == "unknown-operator"
    assert "com.example" in found.message


@pytest.mark.parametrize(
    ("op", "opset", "code"),
    [("Gelu", 13, "operator-too-new"), ("Relu", 14, None)],
)
def test_an_operator_newer_than_the_opset_is_reported(op, opset, code):
    model = mlp(96)
    node = Node(op, ("x",), ("out",), name="it")
    model = replace(
        model,
        graph=replace(model.graph, nodes=(node,), outputs=(Value("out"),)),
        opset_imports={"": opset},
    )
    assert [d.code for d in ox.infer(model).diagnostics] == ([code] if code else [])


@pytest.mark.parametrize(
    ("node", "code", "message"),
    [
        (Node("Add", ("x",), ("y",)), "input-count", "1 input, but Add-14 takes 2"),
        (Node("Add", ("x", ""), ("y",)), "missing-input", "left out, but Add-14 requires it"),
        (Node("Not", ("x",), ("y",)), "type-not-allowed", r"float32\[batch, 96\], but Not-1"),
        (Node("Relu", ("gone",), ("y",)), "missing-value", "nothing makes its input 'gone'"),
        (
            Node("Concat", ("x", "x"), ("y",)),
            "missing-attribute",
            "no attribute 'axis', but Concat-13",
        ),
    ],
)
def test_a_malformed_node_is_reported_with_what_was_expected(node, code, message):
    model = mlp(96)
    model = replace(model, graph=replace(model.graph, nodes=(node,), outputs=(Value("y"),)))
    found = ox.infer(model).errors[0]
    assert found.code == code
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(str(found))


def test_nodes_out_of_order_are_sorted_and_a_cycle_is_named():
    model = mlp(96)
    shuffled = replace(model.graph, nodes=model.graph.nodes[::-1])
    assert str(ox.infer(replace(model, graph=shuffled))["z"]) == "float32[batch, 10]"
    a, b = Node("Relu", ("q",), ("p",), name="a"), Node("Relu", ("p",), ("q",), name="b")
    with pytest.raises(ox.ModelError, match="cycle: 'a' -> 'b' -> 'a'"):
        ox.infer(replace(model, graph=replace(model.graph, nodes=(a, b))))


def branches(cond):
    g = graph("branches", opset=20)
    x = g.input("x", "float32[n, 4]")
    flag = g.input("flag", "bool[]") if cond is None else g.initializer("flag", np.array(cond))
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Concat(x, x, axis=0), "a")
    other.output(other.Concat(x, x, axis=1), "b")
    g.output(g.If(flag, then_branch=then, else_branch=other, name="if"), "y")
    return g.model()


def test_branches_give_what_both_agree_on():
    types = ox.infer(branches(None))
    shape = types["y"].shape
    assert len(shape) == 2
    assert not any(isinstance(size, int) for size in shape)
    assert str(types.scopes["if/then_branch/"]["a"]) == "float32[2*n, 4]"
    assert str(types.scopes["if/else_branch/"]["b"]) == "float32[n, 8]"


@pytest.mark.parametrize(("cond", "text"), [(True, "float32[2*n, 4]"), (False, "float32[n, 8]")])
def test_a_known_condition_decides(cond, text):
    assert str(ox.infer(branches(cond))["y"]) == text


def growing(trips, cond=True):
    """A loop whose carried value grows by one row per iteration; it scans a row."""
    g = graph("growing", opset=20)
    x = g.input("x", "float32[n, 2]")
    count = g.input("count", "int64[]") if trips is None else np.array(trips)
    body = g.subgraph("body")
    body.input("i", "int64[]")
    going = body.input("going", "bool[]")
    rows = body.input("rows")
    more = body.Concat(rows, np.zeros((1, 2), "f4"), axis=0)
    body.output(body.Identity(going), "going_out")
    body.output(more, "more")
    body.output(body.Identity(np.zeros(3, "f4")), "scanned")
    made = g.Loop(count, np.array(cond) if cond else None, x, body=body, outputs=["last", "scans"])
    for handle in made:
        g.output(handle)
    return g.model()


def test_a_carried_size_that_grows_becomes_symbolic_and_known_trips_size_the_scans():
    types = ox.infer(growing(3))
    assert str(types["scans"]) == "float32[3, 3]"
    rows, columns = types["last"].shape
    assert not isinstance(rows, int)
    assert str(rows) != "n"
    assert columns == 2
    assert str(ox.infer(growing(3, cond=None))["scans"]) == "float32[3, 3]"
    assert not isinstance(ox.infer(growing(None))["scans"].shape[0], int)


def test_a_loop_of_no_trips_passes_its_values_on():
    types = ox.infer(growing(0))
    assert texts(types, "last", "scans") == ["float32[n, 2]", "float32[0, 3]"]


def test_a_function_is_typed_at_each_call_with_the_attributes_of_the_call():
    joined = Node("Concat", ("a", "a"), ("b",), {"axis": Attribute("axis", "int", None, "along")})
    twice = Function("Twice", "local", ("a",), ("b",), (joined,), {"": 20}, attributes=("along",))
    g = graph("calls", opset=20, imports={"local": 1})
    x = g.input("x", "float32[n, 3]")
    g.output(g.op("Twice", x, domain="local", along=0, name="rows"), "tall")
    g.output(g.op("Twice", x, domain="local", along=1, name="columns"), "wide")
    model = g.model(functions=[twice])
    types = ox.infer(model)
    assert texts(types, "tall", "wide") == ["float32[2*n, 3]", "float32[n, 6]"]
    assert str(types.scopes["rows/function/"]["b"]) == "float32[2*n, 3]"
    results = ox.run(model, {"x": np.ones((1, 3), "f4")})
    assert results["tall"].shape == (2, 3)
    assert results["wide"].shape == (1, 6)


def test_annotate_declares_outputs_so_that_onnx_takes_the_model():
    g = graph("open", opset=20)
    g.output(g.Relu(g.input("x", "float32[N, 4]")), "y")
    annotated = ox.infer(g.model()).annotate()
    assert str(annotated.graph.outputs[0].type) == "float32[N, 4]"
    with pytest.raises(onnx.checker.ValidationError, match="'type' of 'value_info' is required"):
        onnx.checker.check_model(onnx.ModelProto.FromString(g.model().to_bytes()))
    onnx.checker.check_model(onnx.ModelProto.FromString(annotated.to_bytes()))


def test_annotate_writes_the_types_into_the_model():
    annotated = ox.infer(mlp(96)).annotate()
    stated = {value.name: str(value.type) for value in annotated.graph.value_info}
    assert stated == {"h": "float32[batch, 96]", "y": "float32[batch, 10]"}


def test_explain_leads_back_to_inputs_and_initializers():
    types = ox.infer(mlp(96))
    assert str(types.explain("z", axis=1)).splitlines() == [
        "z[1] = 10: Relu-14 at node 'last'",
        "  y[1] = 10: MatMul-13 at node 'fc'",
        "    W[1] = 10: an initializer",
    ]
    lines = str(types.explain("z", axis=0)).splitlines()
    assert lines[-1].strip() == "x[0] = batch: an input of the model, as declared or bound"
    with pytest.raises(KeyError):
        types.explain("nowhere")
    with pytest.raises(ox.InferenceError, match="axis 2 of 'z'"):
        types.explain("z", axis=2)


def test_explain_follows_sizes_that_travel_as_tensors():
    g = graph("travel", opset=20)
    x = g.input("x", "float32[n, 6]")
    rows = g.Gather(g.Shape(x, name="shape"), np.array([0]), axis=0, name="rows")
    target = g.Concat(rows, np.array([2, 3]), axis=0, name="target")
    g.output(g.Reshape(x, target, name="split"), "y")
    types = ox.infer(g.model())
    assert str(types["y"]) == "float32[n, 2, 3]"
    assert "x[0] = n: an input of the model" in str(types.explain("y", axis=0))


def test_an_explanation_of_many_joins_prints_each_step_once():
    g = graph("residual", opset=20)
    value = g.input("x", "float32[batch, 8]")
    for _ in range(40):
        value = g.Add(value, g.Relu(value))
    g.output(value, "y")
    explained = ox.infer(g.model()).explain("y", axis=0)
    assert len(str(explained).splitlines()) < 200
    assert repr(explained) == str(explained)
    assert isinstance(hash(explained), int)


def test_types_show_a_table_of_values_with_text_escaped():
    g = graph("shown", opset=20)
    x = g.input("x", "float32[batch, 8]")
    g.output(g.Relu(x, name="<b>"), "y")
    types = ox.infer(g.model())
    assert repr(types) == (
        "<types of 2 values, 0 diagnostics\n  in   x: float32[batch, 8]\n"
        "  out  y: float32[batch, 8]>"
    )
    assert "<td>&lt;b&gt;</td><td>Relu</td><td>y</td><td><code>float32[batch, 8]</code></td>" in (
        types._repr_html_()
    )


def test_a_declaration_that_nothing_proves_is_an_assumption():
    model = mlp(96)
    stated = Value("y", TensorType(DType.FLOAT32, (4, 10)))
    types = ox.infer(replace(model, graph=replace(model.graph, value_info=(stated,))))
    assert [str(a) for a in types.assumptions] == [
        "node 'fc' assumes batch = 4, as 'y' is declared"
    ]
    foreign = Value("y", TensorType(DType.FLOAT32, (symbol("unk__7"), 10)))
    types = ox.infer(replace(model, graph=replace(model.graph, value_info=(foreign,))))
    assert types.assumptions == ()
    own = Value("y", TensorType(DType.FLOAT32, (symbol("batch"), 10)))
    model = replace(model, graph=replace(model.graph, value_info=(own,)))
    assert ox.infer(model, {"batch": 3}).assumptions == ()


def test_a_call_may_leave_out_an_attribute_that_the_operator_has_a_default_for():
    soft = Node("Softmax", ("a",), ("b",), {"axis": Attribute("axis", "int", None, "along")})
    function = Function("Soft", "local", ("a",), ("b",), (soft,), {"": 20}, attributes=("along",))
    g = graph("calls", opset=20, imports={"local": 1})
    x = g.input("x", "float32[2, 3]")
    g.output(g.op("Soft", x, domain="local", along=0), "columns")
    g.output(g.op("Soft", x, domain="local"), "rows")
    model = g.model(functions=[function])
    assert ox.infer(model).diagnostics == ()
    results = ox.run(model, {"x": np.zeros((2, 3), "f4")})
    assert results["columns"][0, 0] == np.float32(1 / 2)
    assert results["rows"][0, 0] == np.float32(1 / 3)


def test_a_call_that_leaves_out_what_the_operator_requires_is_told_at_the_node_inside():
    joined = Node("Concat", ("a", "a"), ("b",), {"axis": Attribute("axis", "int", None, "along")})
    twice = Function("Twice", "local", ("a",), ("b",), (joined,), {"": 20}, attributes=("along",))
    g = graph("calls", opset=20, imports={"local": 1})
    g.output(g.op("Twice", g.input("x", "float32[n, 3]"), domain="local", name="rows"), "tall")
    (found,) = ox.infer(g.model(functions=[twice])).errors
    assert (found.code, found.node) == ("missing-attribute", "rows/function/b")


@pytest.mark.parametrize(
    ("edit", "code", "value"),
    [
        (lambda g: {"nodes": g.nodes[::-1]}, "unsorted-nodes", "y"),
        (lambda g: {"nodes": (*g.nodes, Node("Relu", ("x",), ("z",)))}, "duplicate-value", "z"),
        (lambda g: {"nodes": (*g.nodes, Node("Relu", ("x",), ("W",)))}, "duplicate-value", "W"),
        (lambda g: {"inputs": g.inputs * 2}, "duplicate-value", "x"),
        (
            lambda g: {"inputs": (*g.inputs, Value("W", TensorType(DType.FLOAT32, (64, 10))))},
            "initializer-mismatch",
            "W",
        ),
        (
            lambda g: {"inputs": (Value("x", TensorType(DType.FLOAT32, (0, 96))),)},
            "placeholder-size",
            "x",
        ),
    ],
)
def test_names_order_and_declarations_are_looked_at(edit, code, value):
    model = mlp(96)
    graph = replace(model.graph, **edit(model.graph))
    found = [(d.code, d.value) for d in ox.infer(replace(model, graph=graph)).diagnostics]
    assert found == [(code, value)]


def test_a_size_of_minus_one_in_a_file_is_unknown_and_gets_a_warning():
    sizes = (UNKNOWN_DIM, 96)
    x = Value("x", TensorType(DType.FLOAT32, sizes, spelling=("-1", "")))
    model = mlp(96)
    model = ox.load(replace(model, graph=replace(model.graph, inputs=(x,))).to_bytes())
    types = ox.infer(model)
    (found,) = types.diagnostics
    assert (found.code, found.severity) == ("placeholder-size", "warning")
    assert "axis 0 is declared as -1" in found.message
    assert str(types["x"]) == "float32[x_dim0, 96]"


def test_before_ir_version_4_an_initializer_has_to_be_an_input():
    codes = [d.code for d in ox.infer(replace(mlp(96), ir_version=3)).diagnostics]
    assert codes == ["initializer-not-input"]


def test_a_repair_that_would_need_an_endless_product_is_left_out():
    g = graph("wide", opset=20)
    x = g.input("x", f"float32[{', '.join(f'd{i}' for i in range(40))}]")
    g.output(g.Gemm(x, np.zeros((4, 4), np.float32), name="fc"), "y")
    (found,) = ox.infer(g.model()).errors
    assert (found.code, found.repairs) == ("wrong-rank", ())


def test_the_graphs_of_a_training_are_typed_in_sight_of_the_main_graph():
    g = graph("main", opset=20)
    x = g.input("x", "float32[batch, 3]")
    g.output(g.MatMul(x, g.initializer("W", np.zeros((3, 5), np.float32))), "y")
    model = g.model()
    square = Graph("algorithm", (Node("Mul", ("y", "y"), ("z",)),), (), (Value("z"),))
    start = Graph(
        "start", (Node("Relu", ("s",), ("t",)),), (Value("s", model.graph.inputs[0].type),)
    )
    types = ox.infer(replace(model, training=(TrainingInfo(start, square),)))
    assert str(types.scopes["training[0]/algorithm/"]["z"]) == "float32[batch, 5]"
    assert str(types.scopes["training[0]/initialization/"]["t"]) == "float32[batch, 3]"
    blind = TrainingInfo(replace(start, nodes=(Node("Relu", ("y",), ("t",)),)), None)
    codes = [d.code for d in ox.infer(replace(model, training=(blind,))).diagnostics]
    assert codes == ["missing-value"]


def test_a_value_that_is_not_there_is_told_with_names_that_are_like_it():
    types = ox.infer(mlp(96))
    for look_up in (types.__getitem__, types.explain):
        with pytest.raises(KeyError, match=r"the main graph has no value 'Z'; did you mean 'z'\?"):
            look_up("Z")
        with pytest.raises(ox.InferenceError, match=r"no value 'logits'; it has '"):
            look_up("logits")
    # Names that begin so come first, and those of weights last.
    with pytest.raises(ox.InferenceError, match=r"it has 'probabilities', 'pool1', .* and 15 more"):
        _ = ox.infer(ox.example("digits"))["probs"]
    with pytest.raises(ox.InferenceError, match=r"it has 'conv1', 'relu1', 'pool1', "):
        _ = ox.infer(ox.example("digits"))["nothing"]
    assert "Z" not in types
    assert types.get("Z") is None
    assert types.get("Z", types["z"]) is types["z"]


def test_a_value_inside_a_body_is_told_where_it_is():
    types = ox.infer(branches(None))
    text = "the main graph has no value 'a', but 'if/then_branch/' has: "
    with pytest.raises(KeyError, match=re.escape(f"{text}types.scopes['if/then_branch/']['a']")):
        types["a"]
    assert str(types.scopes["if/then_branch/"]["a"]) == "float32[2*n, 4]"


def test_a_long_explanation_is_as_deep_as_few_lines_go_and_counts_the_rest():
    g = graph("wide", opset=20)
    value = g.input("x", "float32[batch, 8]")
    for _ in range(300):
        value = g.Add(value, g.Relu(value))
    g.output(value, "y")
    *lines, last = str(ox.infer(g.model()).explain("y")).splitlines()
    assert len(lines) <= 200
    shown = {line.split(" = ")[0].strip() for line in lines}
    # A derivation is followed 200 deep: 201 sums, the last of which is cut, and an activation each.
    assert re.fullmatch(
        r"\.\.\. \d+ more steps: explain\('y', axis=0\) shows those of one axis", last
    )
    assert len(shown) + int(last.split()[1]) == 201 + 200
