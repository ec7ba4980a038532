"""Derivatives of elementwise operators, products and reductions: at kinks, of zeros, and in versions
that onnx's node cases leave out.
"""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.evaluation import run
from tests.derivatives.differences import check_node, with_gradient

X = np.array([[1.5, -0.5, 2.0], [-3.0, 0.25, -1.0]])
WITH_ZEROS = np.array([[2.0, 0.0, 3.0, -1.0], [0.0, 2.0, 0.0, 5.0], [1.5, 2.0, -3.0, 1.0]])


def derived(op_type, x, *others, opset=28, **attributes):
    """The derivatives of the sum of one node's output by its first input."""
    g = graph("g", opset=opset)
    inputs = {"x": np.asarray(x), **{f"z{i}": np.asarray(z) for i, z in enumerate(others)}}
    g.ops(op_type, *map(g.input, inputs), outputs=["y"], **attributes)
    y = run(g.model(), inputs, ["y"])["y"]
    model = with_gradient(g.model(), "y", ["x"], np.ones_like(y))
    return run(model, {**inputs, "weights": np.ones_like(y)}, ["d_x"])["d_x"]


@pytest.mark.parametrize(
    ("op_type", "x", "slope"),
    [
        ("Relu", 0.0, 0),
        ("Abs", 0.0, 0),
        ("Softplus", 0.0, 0.5),
        ("Softsign", 0.0, 1),
        ("Softplus", 1000.0, 1),
        ("Elu", 1000.0, 1),
        ("Celu", 1000.0, 1),
        ("Selu", -1000.0, 0),
        ("Mish", 1000.0, 1),
        ("Swish", -1000.0, 0),
        ("Sigmoid", -1000.0, 0),
    ],
)
def test_slopes_at_corners_and_far_away_are_numbers(op_type, x, slope):
    np.testing.assert_array_equal(derived(op_type, [x]), [slope])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("to", ["float16", "float32", "float64"])
def test_a_cast_hands_derivatives_on_in_the_type_of_its_input(dtype, to):
    found = derived("Cast", np.array([1.5, -2.0], dtype), to=to)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [1, 1])
    like = derived("CastLike", np.array([1.5, -2.0], dtype), np.array([0], to))
    assert like.dtype == dtype
    np.testing.assert_array_equal(like, [1, 1])


def test_a_cast_to_integers_has_no_derivative():
    g = graph("g", opset=28)
    x = g.input("x", "float64[2]")
    g.output(g.Mul(x, g.Cast(g.Cast(x, to="int64"), to="float64"), name="y"))
    (y,) = g.model().graph.outputs
    model = with_gradient(g.model(), y.name, ["x"], None)
    given = {"x": [1.5, -2.5], "weights": [1.0, 1.0]}
    np.testing.assert_array_equal(run(model, given, ["d_x"])["d_x"], [1, -2])


def test_equal_largest_elements_share_the_derivative_of_a_reduction():
    found = derived("ReduceMax", [[1.0, 4.0, 4.0], [7.0, 7.0, 7.0]], [1])
    np.testing.assert_array_equal(found, [[0, 1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3]])


@pytest.mark.parametrize("op_type", ["Max", "Min"])
def test_the_first_of_equal_inputs_gets_the_derivative(op_type):
    np.testing.assert_array_equal(derived(op_type, [2.0, 5.0], [2.0, 5.0]), [1, 1])


def test_the_length_of_a_vector_of_zeros_has_derivative_zero():
    np.testing.assert_array_equal(derived("ReduceL2", np.zeros((2, 3)), [1]), np.zeros((2, 3)))


@pytest.mark.parametrize("op_type", ["Clip", "LeakyRelu", "Elu", "HardSigmoid", "Relu", "Selu"])
def test_activations_have_derivatives_in_old_versions(op_type):
    attributes = {"min": -0.75, "max": 1.75} if op_type == "Clip" else {}
    for opset in (1, 6, 7):
        check_node(op_type, {"x": X}, ["x"], opset=opset, **attributes)


def test_learned_slopes_have_derivatives_in_all_versions():
    check_node("PRelu", {"x": X, "slope": np.array([[0.5], [2.0]])}, ["x", "slope"], opset=7)
    channels = {"x": X.reshape(1, 3, 2), "slope": np.array([0.5, 2.0, -1.0])}
    check_node("PRelu", channels, ["x", "slope"], opset=6)
    check_node("PRelu", {"x": X, "slope": np.array([0.5])}, ["x", "slope"], opset=1)


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div", "Pow"])
@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((2, 3), {}),
        ((3,), {"broadcast": 1}),
        ((2,), {"broadcast": 1, "axis": 0}),
        ((1, 3), {"broadcast": 1}),
        ((), {"broadcast": 1}),
    ],
)
def test_operands_have_derivatives_where_broadcasting_was_an_attribute(op_type, shape, attributes):
    feeds = {"a": abs(X), "b": np.resize([1.5, -2.0, 0.5], shape)}
    check_node(op_type, feeds, ["a", "b"], opset=6, **attributes)


@pytest.mark.parametrize("bounds", [(-0.75, None), (None, 0.3), (-0.75, 0.3), (None, None)])
def test_what_lies_beyond_the_bounds_has_no_derivative(bounds):
    low, high = (None if b is None else np.array(b) for b in bounds)
    check_node("Clip", {"x": X, "min": low, "max": high}, ["x"], opset=11)


@pytest.mark.parametrize("exponents", [[2.0], [3.0, 0.5, 1.0], [[0.0], [-1.0]]])
def test_powers_have_derivatives_by_bases_and_exponents(exponents):
    for opset in (7, 28):
        check_node("Pow", {"x": abs(X), "e": np.array(exponents)}, ["x", "e"], opset=opset)


def test_powers_of_zero_have_derivatives():
    np.testing.assert_array_equal(
        derived("Pow", [0.0, 0.0, 0.0, -2.0], [0.0, 1.0, 2.0, 3.0]), [0, 1, 0, 12]
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 1, 2, 3), (6, 3, 1)),
        ((3,), (3, 4)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((2, 3), (3,)),
        ((3,), (3,)),
    ],
)
def test_factors_have_derivatives_whatever_their_ranks(a, b):
    rng = np.random.default_rng(1)
    feeds = {"a": rng.standard_normal(a), "b": rng.standard_normal(b)}
    check_node("MatMul", feeds, ["a", "b"])


@pytest.mark.parametrize("transposed", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("summand", [None, (), (4,), (2, 1), (2, 4)])
def test_linear_layers_have_derivatives_by_all_inputs(transposed, summand):
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 3)), rng.standard_normal((3, 4))
    c = None if summand is None else rng.standard_normal(summand)
    check_node(
        "Gemm",
        {"a": a.T if transposed[0] else a, "b": b.T if transposed[1] else b, "c": c},
        ["a", "b"] if c is None else ["a", "b", "c"],
        alpha=0.5,
        beta=-2.0,
        transA=transposed[0],
        transB=transposed[1],
    )


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("iji->j", [(3, 2, 3)]),
        ("ij->", [(2, 3)]),
        ("ij,k->k", [(2, 3), (4,)]),
        ("ij,ij->ij", [(2, 1), (2, 3)]),
        ("i,i->i", [(1,), (1,)]),
        ("ii,i->", [(3, 3), (1,)]),
        ("...ij,...jk->...ik", [(5, 1, 2, 3), (1, 6, 3, 2)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
        ("b...,b->...b", [(2, 3, 2), (2,)]),
    ],
)
def test_every_factor_of_an_einsum_has_derivatives(equation, shapes):
    rng = np.random.default_rng(3)
    feeds = {f"x{i}": rng.standard_normal(shape) for i, shape in enumerate(shapes)}
    check_node("Einsum", feeds, list(feeds), equation=equation)


@pytest.mark.parametrize("axes", [[0], [1], [0, 1], [-1]])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize(
    "op_type",
    ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"],
)
def test_reductions_have_derivatives_with_axes_as_attribute_and_as_input(op_type, keepdims, axes):
    x = np.abs(X) if op_type == "LogSum" else X
    name = f"Reduce{op_type}"
    check_node(name, {"x": x}, ["x"], opset=11, axes=axes, keepdims=keepdims)
    check_node(name, {"x": x, "axes": np.array(axes)}, ["x"], keepdims=keepdims)


@pytest.mark.parametrize(
    "op_type", ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Prod", "Sum", "SumSquare"]
)
def test_reductions_of_single_elements_have_derivatives(op_type):
    check_node(f"Reduce{op_type}", {"x": np.abs(X)}, ["x"], noop_with_empty_axes=1)
    check_node(f"Reduce{op_type}", {"x": np.array(2.0)}, ["x"])


@pytest.mark.parametrize("axes", [[1], [0], [1, 0]])
def test_products_with_zeros_have_derivatives(axes):
    check_node("ReduceProd", {"x": WITH_ZEROS, "axes": np.array(axes)}, ["x"])


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("op_type", ["CumSum", "CumProd"])
def test_running_results_have_derivatives_with_zeros_as_well(op_type, exclusive, reverse):
    for axis in (0, 1):
        feeds = {"x": WITH_ZEROS, "axis": np.array(axis)}
        check_node(op_type, feeds, ["x"], exclusive=exclusive, reverse=reverse)


def test_determinants_have_derivatives_where_there_is_no_inverse():
    singular = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]])
    check_node("Det", {"x": np.stack([singular, singular + np.diag([1.0, 2.0, 0.0])])}, ["x"])
    np.testing.assert_allclose(
        derived("Det", [[1.0, 2.0], [2.0, 4.0]]), [[4, -2], [-2, 1]], atol=1e-12
    )


def test_a_condition_sends_derivatives_to_what_was_taken():
    feeds = {"c": np.array([[True], [False]]), "x": X, "z": np.array([1.0, 2.0, 3.0])}
    check_node("Where", feeds, ["x", "z"])
