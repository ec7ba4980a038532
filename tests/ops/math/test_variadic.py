import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.logical.bit_shift import BIT_SHIFT
from onnx_explorer.ops.logical.comparison import EQUAL
from onnx_explorer.ops.logical.logic import AND
from onnx_explorer.ops.math.arithmetic import ADD, DIV
from onnx_explorer.ops.math.mod import MOD
from onnx_explorer.ops.math.pow import POW
from onnx_explorer.ops.math.variadic import MAX, MEAN, MIN, SUM
from onnx_explorer.ops.tensor.where import WHERE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor

BY_HAND = [(MAX, [3, 5]), (MIN, [1, 3]), (SUM, [6, 12]), (MEAN, [2, 4])]
OPERATORS = [MAX, MIN, SUM, MEAN]


@pytest.mark.parametrize(("op", "wanted"), BY_HAND, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_every_version_on_three_inputs_of_one_shape(op, wanted, dtype):
    inputs = [np.array(v, dtype) for v in ([1, 5], [2, 4], [3, 3])]
    for version in op.versions:
        got = kernel(op, version, *inputs)
        assert got.dtype == dtype
        assert got.tolist() == wanted


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_one_input_comes_out_as_it_is(op):
    assert kernel(op, 13, np.array([1, 5], np.float32)).tolist() == [1, 5]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_version_8_broadcasts_and_version_6_does_not(op):
    wide, narrow = np.ones((2, 1), np.float32), np.ones(3, np.float32)
    assert kernel(op, 8, wide, narrow).shape == (2, 3)
    assert rule(op, 8, tensor("B", 1), tensor(3), tensor()).shape == "[B, 3]"
    message = r"an input has shape \[3\], but the first has shape \[2, 1\]"
    with pytest.raises(Violation, match=message):
        kernel(op, 6, wide, narrow)
    with pytest.raises(Violation, match=message):
        rule(op, 6, tensor(2, 1), tensor(3))


def test_before_version_8_the_inputs_complete_each_other():
    ruled = rule(SUM, 6, tensor("B", 3), UNKNOWN, tensor(2, "S"))
    assert ruled.shape == "[2, 3]"
    assert ruled.assumptions == ["B = 2", "3 = S"]
    assert rule(SUM, 6, UNKNOWN).shape == "[...]"


def test_max_and_min_pass_nan_on():
    nan, one = np.array([np.nan]), np.array([1.0])
    assert np.isnan(kernel(MAX, 13, one, nan)).all()
    assert np.isnan(kernel(MIN, 13, nan, one)).all()


def test_the_mean_of_16_bit_floats_does_not_overflow_on_the_way():
    large = np.full(1, 60000, np.float16)
    assert kernel(MEAN, 13, large, large).tolist() == [60000]


def test_extremes_of_sizes():
    assert [str(s) for s in on_sizes(MAX, 13, ["B", "B", 3], [1, "S", 5])] == [
        "max(B, 1)",
        "max(B, S)",
        "5",
    ]
    assert on_sizes(MIN, 13, ["B", 3], ["B + 1", 5]).tolist() == [parse("B"), 3]
    assert on_sizes(SUM, 13, ["B"], ["B"], [1]).tolist() == [parse("2*B + 1")]


CLASHING = [(op, {}) for op in (*OPERATORS, ADD, DIV, POW, EQUAL, AND, WHERE)]
CLASHING += [(MOD, {"fmod": 0}), (BIT_SHIFT, {"direction": "LEFT"})]


@pytest.mark.parametrize(("op", "attributes"), CLASHING, ids=lambda v: getattr(v, "name", ""))
def test_a_run_says_of_shapes_that_do_not_broadcast_what_inference_says(op, attributes):
    shapes = [(1, 3), (2, 1), (2, 4)] if op in {*OPERATORS, WHERE} else [(2, 3), (4,)]
    dtype = bool if op is AND else np.uint8
    said = "have 3 and 4 at axis 1 of the result, but sizes broadcast only when they are equal"
    with pytest.raises(Violation, match=said) as ruled:
        rule(op, op.versions[-1], *(tensor(*shape) for shape in shapes), **attributes)
    with pytest.raises(Violation) as ran:
        kernel(op, op.versions[-1], *(np.ones(shape, dtype) for shape in shapes), **attributes)
    assert str(ran.value) == str(ruled.value)
