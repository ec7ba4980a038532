from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, parse, ratio
from onnx_explorer.ops.math.rounding import CEIL, FLOOR, ROUND
from onnx_explorer.ops.math.signs import ABS, NEG, SIGN
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (NEG, [1.5, -1.25, 0]),
        (ABS, [1.5, 1.25, 0]),
        (SIGN, [-1, 1, 0]),
        (FLOOR, [-2, 1, 0]),
        (CEIL, [-1, 2, 0]),
        (ROUND, [-2, 1, 0]),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_every_version_computes_the_function_in_the_dtype_it_is_given(op, wanted, dtype):
    for version in op.versions:
        got = kernel(op, version, np.array([-1.5, 1.25, 0], dtype))
        assert got.dtype == dtype
        assert got.astype(float).tolist() == wanted
        assert rule(op, version, tensor("B", 3)).shape == "[B, 3]"


def test_the_smallest_integer_has_no_counterpart():
    smallest = np.array([-128, -127], np.int8)
    assert kernel(NEG, 6, smallest).tolist() == [-128, 127]
    assert kernel(ABS, 6, smallest).tolist() == [-128, 127]


def test_the_sign_of_a_size_turns_and_goes():
    assert on_sizes(NEG, 13, ["B", -2]).tolist() == [parse("-B"), 2]
    assert on_sizes(ABS, 13, ["B", "-B", -2]).tolist() == [parse("B"), parse("B"), 2]
    assert str(on_sizes(ABS, 13, ["B - 4"])[0]) == "max(4 - B, B - 4)"


def test_half_of_a_size_rounds_to_a_floor():
    half = ratio(parse("h"), 2)
    assert [str(size) for size in on_sizes(FLOOR, 13, [half, Fraction(-3, 2), 2])] == [
        "floor(h/2)",
        "-2",
        "2",
    ]
    # ceil(h / 2) = floor((h - 1) / 2) + 1
    assert [str(size) for size in on_sizes(CEIL, 13, [half, Fraction(-3, 2), 2])] == [
        "floor((h - 1)/2) + 1",
        "-1",
        "2",
    ]


def test_halves_round_to_the_even_integer():
    x = np.array([-2.5, -0.5, 0.5, 1.5, 2.5, 0.4999, np.inf])
    assert kernel(ROUND, 22, x).tolist() == [-2, 0, 0, 2, 2, 0, np.inf]
    assert on_sizes(ROUND, 22, [Fraction(5, 2), Fraction(7, 2), "B"]).tolist() == [2, 4, parse("B")]


def test_signs_keep_the_type_of_integers():
    for dtype in (np.int8, np.uint64):
        got = kernel(SIGN, 9, np.array([7, 0], dtype))
        assert got.dtype == dtype
        assert got.tolist() == [1, 0]
    assert kernel(SIGN, 9, np.array([-7])).tolist() == [-1]
    assert np.isnan(kernel(SIGN, 13, np.array([np.nan]))).all()


def test_the_sign_of_a_size_is_known_where_0_is_excluded():
    assert on_sizes(SIGN, 13, ["B + 1", "-B - 1", 0]).tolist() == [1, -1, 0]
    with pytest.raises(UndecidedError):
        on_sizes(SIGN, 13, ["B"])
