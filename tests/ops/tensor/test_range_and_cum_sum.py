from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.tensor.cum_sum import CUM_SUM
from onnx_explorer.ops.tensor.range import RANGE
from onnx_explorer.schema import UNKNOWN, Violation, scalar
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def numbers(start, limit, delta, dtype=np.int64, version=11, **attributes):
    return kernel(
        RANGE, version, *(np.array(v, dtype) for v in (start, limit, delta)), **attributes
    )


def length(start, limit, delta):
    ends = [
        scalar(DType.INT64, parse(v) if isinstance(v, str) else v) for v in (start, limit, delta)
    ]
    return rule(RANGE, 11, *ends).shape


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float32, np.float64])
def test_ranges_go_up_and_down_and_may_be_empty(dtype):
    assert numbers(1, 6, 2, dtype).tolist() == [1, 3, 5]
    assert numbers(10, 4, -2, dtype).tolist() == [10, 8, 6]
    assert numbers(4, 4, 1, dtype).tolist() == []
    assert numbers(1, 6, -1, dtype).tolist() == []
    assert numbers(1, 6, 2, dtype).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_16_bit_floats_do_not_get_stuck(dtype):
    # One by one in float16, 2048 + 1 would stay 2048.
    start = 2040 if dtype == np.float16 else 248
    got = numbers(start, start + 16, 2, dtype, version=27)
    assert got.dtype == dtype
    assert got.astype(float).tolist() == [start + 2 * i for i in range(8)]
    assert numbers(0, 1, 0.25, dtype, version=27, stash_type=11).tolist() == [0, 0.25, 0.5, 0.75]


def test_a_step_of_0_is_a_violation():
    for dtype in (np.int64, np.float32):
        with pytest.raises(Violation, match="delta = 0"):
            numbers(0, 5, 0, dtype)
    with pytest.raises(Violation, match="delta = 0"):
        length(0, 5, 0)


@pytest.mark.parametrize(
    ("start", "limit", "delta", "wanted"),
    [
        (0, "S", 1, "[S]"),
        ("p", "p + S", 1, "[S]"),
        (0, "2*S", 2, "[S]"),
        (0, "S", 2, "[floor((S - 1)/2) + 1]"),
        ("S", 0, -1, "[S]"),
        (1, "S", 1, "[max(S - 1, 0)]"),
        (0, "B*S", "S", "[B]"),
        (0, 5, "k - 3", "[length_0]"),
        (Fraction(0), Fraction(5, 2), Fraction(1, 2), "[5]"),
    ],
)
def test_the_length_is_arithmetic_over_the_ends(start, limit, delta, wanted):
    assert length(start, limit, delta) == wanted


def test_a_rounded_step_counts_as_at_run_time():
    tenth = np.float64(0.1)
    ends = [scalar(DType.FLOAT64, Fraction(v)) for v in (0.0, 1.0, float(tenth))]
    assert rule(RANGE, 11, *ends).shape == "[10]"
    assert len(numbers(0.0, 1.0, tenth, np.float64)) == 10


def test_unknown_ends_leave_the_length_open():
    assert rule(RANGE, 11, UNKNOWN, tensor(), scalar(DType.INT64, 1)).shape == "[length_0]"
    with pytest.raises(Violation, match=r"shape \[3\], but a scalar"):
        rule(RANGE, 11, tensor(3), tensor(), tensor())


def test_a_range_of_sizes_is_known_where_its_length_is():
    got = on_sizes(RANGE, 11, "S", "S + 3", 1).tolist()
    assert got == [parse("S"), parse("S + 1"), parse("S + 2")]
    with pytest.raises(ValueError, match="S"):
        on_sizes(RANGE, 11, 0, "S", 1)


BOTH_WAYS = [(0, 0, [1, 3, 6]), (1, 0, [0, 1, 3]), (0, 1, [6, 5, 3]), (1, 1, [5, 3, 0])]


@pytest.mark.parametrize(("exclusive", "reverse", "wanted"), BOTH_WAYS)
@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float16, np.float64, ml_dtypes.bfloat16])
def test_running_sums_keep_the_type(exclusive, reverse, wanted, dtype):
    for axis, x in ((0, np.array([[1], [2], [3]], dtype)), (-1, np.array([[1, 2, 3]], dtype))):
        for version in CUM_SUM.versions:
            got = kernel(CUM_SUM, version, x, np.array(axis), exclusive=exclusive, reverse=reverse)
            assert got.dtype == dtype
            assert got.ravel().tolist() == wanted


def test_an_axis_outside_is_a_violation():
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2: expected -2 to 1"):
        kernel(CUM_SUM, 14, np.ones((2, 2)), np.array(2))
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2"):
        rule(CUM_SUM, 14, tensor("B", 2), ints(2))
    with pytest.raises(Violation, match=r"2 elements \[0, 1\], but 1 axis, a scalar"):
        kernel(CUM_SUM, 14, np.ones((2, 2)), np.array([0, 1]))
    assert rule(CUM_SUM, 14, tensor("B", 2), tensor()).shape == "[B, 2]"
    assert rule(CUM_SUM, 14, UNKNOWN, ints(5)).shape == "[...]"


def test_running_sums_of_sizes_and_of_nothing():
    assert on_sizes(CUM_SUM, 14, ["B", "B", 1], 0).tolist() == [
        parse("B"),
        parse("2*B"),
        parse("2*B + 1"),
    ]
    assert kernel(CUM_SUM, 14, np.ones((0, 2)), np.array(0), exclusive=1).shape == (0, 2)


@pytest.mark.parametrize(
    ("limit", "dtype", "said"),
    [
        (2**62, "i8", r"\[4611686018427387904\] in int64, but an array has less than"),
        (1e30, "f4", "in float64, but an array has less than"),
        (np.inf, "f4", "inf steps of 1.0 from 0.0 to inf, but a range ends"),
        (np.nan, "f8", "nan steps of 1.0 from 0.0 to nan, but a range ends"),
    ],
)
def test_ranges_without_an_end_are_refused(limit, dtype, said):
    with pytest.raises(Violation, match=said):
        numbers(0, limit, 1, dtype)


@pytest.mark.parametrize("dtype", ["i8", "f4"])
def test_the_ends_of_a_range_are_one_element_each(dtype):
    for place in range(3):
        ends = [1, 3, 1]
        ends[place] = [1, 2]
        with pytest.raises(Violation, match=r"shape \[2\], but a scalar, of shape \[\]"):
            numbers(*ends, dtype)
