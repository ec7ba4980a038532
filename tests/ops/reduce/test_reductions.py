import math

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.reduce import reductions as page
from onnx_explorer.schema import UNKNOWN, Abstract, Operator, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor

OPERATORS = [value for value in vars(page).values() if isinstance(value, Operator)]
# over 3 and 4
BY_HAND = {
    "ReduceSum": 7,
    "ReduceMean": 3.5,
    "ReduceMax": 4,
    "ReduceMin": 3,
    "ReduceProd": 12,
    "ReduceSumSquare": 25,
    "ReduceL1": 7,
    "ReduceL2": 5,
    "ReduceLogSum": math.log(7),
    "ReduceLogSumExp": math.log(math.exp(3) + math.exp(4)),
}
by_name = pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)


def takes_axes_as_input(op, version):
    return "axes" not in op.schema(version).attributes


def reduce(op, version, data, axes=None, **attributes):
    if takes_axes_as_input(op, version):
        given = () if axes is None else (np.array(axes, np.int64),)
        return kernel(op, version, data, *given, **attributes)
    given = {} if axes is None else {"axes": tuple(axes)}
    return kernel(op, version, data, **given, **attributes)


def reduced(op, version, data, *axes, **attributes):
    if takes_axes_as_input(op, version):
        return rule(op, version, data, ints(*axes), **attributes).shape
    return rule(op, version, data, axes=axes, **attributes).shape


@by_name
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_every_version_on_floats(op, dtype):
    data = np.array([[3, 4], [3, 4]], dtype)
    close = {"rel": float(ml_dtypes.finfo(dtype).eps)}
    for version in op.versions:
        got = reduce(op, version, data, [-1])
        assert got.dtype == dtype
        assert got.shape == (2, 1)
        assert got.astype(float).ravel() == pytest.approx([BY_HAND[op.name]] * 2, **close)
        flat = reduce(op, version, data[:1], keepdims=0)
        assert flat.shape == ()
        assert float(flat) == pytest.approx(BY_HAND[op.name], **close)


@by_name
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_integers_stay_integers_and_are_cut(op, dtype):
    got = reduce(op, 13, np.array([3, 4], dtype))
    assert got.dtype == dtype
    assert got.tolist() == [int(BY_HAND[op.name])]


def test_the_mean_of_negative_integers_is_cut_toward_0():
    assert reduce(page.REDUCE_MEAN, 13, np.array([-3, -4], np.int32)).tolist() == [-3]


def test_there_is_no_mean_of_no_integers():
    with pytest.raises(Violation, match="a mean of no elements, but integers have no quotient"):
        reduce(page.REDUCE_MEAN, 13, np.zeros((2, 0), np.int32), [1])
    assert reduce(page.REDUCE_MEAN, 13, np.zeros((0, 2), np.int32), [1]).shape == (0, 1)


@by_name
def test_shapes_in_every_version(op):
    data = tensor("B", 3, "S")
    for version in op.versions:
        assert reduced(op, version, data, 1, -1) == "[B, 1, 1]"
        assert reduced(op, version, data, 1, -1, keepdims=0) == "[B]"
        assert reduced(op, version, data) == "[1, 1, 1]"
        assert rule(op, version, UNKNOWN, keepdims=0).shape == "[]"
        assert rule(op, version, UNKNOWN).shape == "[...]"
        with pytest.raises(Violation, match="axes = 3, but the tensor has rank 3"):
            reduced(op, version, data, 3)
        with pytest.raises(Violation, match="axes = 3, but the tensor has rank 3"):
            reduce(op, version, np.ones((1, 1, 1), np.float32), [3])


@by_name
def test_axes_that_are_not_known(op):
    version, axes = op.versions[-1], Abstract(None, (2,))
    assert rule(op, version, tensor("B", 1, "S"), axes).shape == "[dim0_0, 1, dim2_1]"
    assert rule(op, version, tensor("B", 3, "S"), axes, keepdims=0).shape == "[dim0_0]"
    assert rule(op, version, tensor("B", 3), UNKNOWN, keepdims=0).shape == "[...]"


@by_name
def test_no_axes_may_mean_none_which_leaves_the_formula_on_single_elements(op):
    # of 4 alone
    alone = {
        "ReduceSumSquare": 16.0,
        "ReduceLogSum": math.log(4),
    }.get(op.name, 4.0)
    for given in ((), (np.zeros(0, np.int64),)):
        got = kernel(op, op.versions[-1], np.full((2, 1), 4.0), *given, noop_with_empty_axes=1)
        assert got.shape == (2, 1)
        assert got.ravel() == pytest.approx([alone] * 2)
    assert rule(op, op.versions[-1], tensor("B"), noop_with_empty_axes=1).shape == "[B]"


@by_name
def test_an_empty_axis(op):
    with np.errstate(all="ignore"):
        got = reduce(op, 13, np.zeros((2, 0), np.float32), [1]).ravel().tolist()
        assert reduce(op, 13, np.zeros((2, 0), np.float32), [0]).shape == (1, 0)
    wanted = {
        "ReduceProd": 1,
        "ReduceMax": -math.inf,
        "ReduceMin": math.inf,
        "ReduceLogSum": -math.inf,
        "ReduceLogSumExp": -math.inf,
        "ReduceMean": math.nan,
    }.get(op.name, 0)
    assert got == pytest.approx([wanted] * 2, nan_ok=True)


def test_the_extremes_of_nothing_in_integers_and_bools():
    for dtype, low, high in ((np.int8, -128, 127), (np.uint8, 0, 255), (bool, False, True)):
        nothing = np.zeros((1, 0), dtype)
        assert reduce(page.REDUCE_MAX, 20, nothing, [1]).tolist() == [[low]]
        assert reduce(page.REDUCE_MIN, 20, nothing, [1]).tolist() == [[high]]


def test_sums_of_16_bit_floats_are_rounded_once():
    # One by one, 2048 + 1 stays 2048 in float16.
    ones = np.ones(4096, np.float16)
    assert reduce(page.REDUCE_SUM, 13, ones).tolist() == [4096]
    assert reduce(page.REDUCE_MEAN, 18, np.full(9, 60000, np.float16)).tolist() == [60000]


def test_the_logarithm_of_exponentials_does_not_overflow():
    large = np.array([1000.0, 1000.0], np.float32)
    got = reduce(page.REDUCE_LOG_SUM_EXP, 18, large)
    assert got == pytest.approx([1000 + math.log(2)])


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (page.REDUCE_SUM, ["B + 2", "S + 3"]),
        (page.REDUCE_PROD, ["2*B", "3*S"]),
        (page.REDUCE_MAX, ["max(B, 2)", "max(S, 3)"]),
        (page.REDUCE_MIN, ["min(B, 2)", "min(S, 3)"]),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_sizes_are_reduced_exactly(op, wanted):
    sizes = [["B", 2], [3, "S"]]
    by_attribute = on_sizes(op, 11, sizes, axes=(1,), keepdims=0)
    by_input = on_sizes(op, op.versions[-1], sizes, [1], keepdims=0)
    assert [str(size) for size in by_attribute] == [str(size) for size in by_input] == wanted
    whole = np.asarray(on_sizes(op, op.versions[-1], [["B"], ["B"]], keepdims=0)).item()
    assert whole == {"ReduceSum": parse("2*B"), "ReduceProd": parse("B*B")}.get(op.name, parse("B"))
