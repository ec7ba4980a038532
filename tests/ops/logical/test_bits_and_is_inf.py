import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.logical.bit_shift import BIT_SHIFT
from onnx_explorer.ops.logical.bitwise import (
    BITWISE_AND,
    BITWISE_NOT,
    BITWISE_OR,
    BITWISE_XOR,
    not_sizes,
)
from onnx_explorer.ops.logical.is_inf import IS_INF
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
)
def test_infinity_of_either_sign_can_be_left_out(dtype):
    x = np.array([1, -np.inf, np.inf, np.nan]).astype(dtype)
    for version in IS_INF.versions:
        assert kernel(IS_INF, version, x).tolist() == [False, True, True, False]
        got = kernel(IS_INF, version, x, detect_negative=0)
        assert got.tolist() == [False, False, True, False]
        got = kernel(IS_INF, version, x, detect_positive=0)
        assert got.tolist() == [False, True, False, False]
        neither = kernel(IS_INF, version, x, detect_positive=0, detect_negative=0)
        assert not neither.any()
    assert rule(IS_INF, 10, tensor("B", 2)).shape == "[B, 2]"
    # A scalar goes through as well.
    assert np.asarray(kernel(IS_INF, 20, x[1].reshape(()), detect_negative=0)).tolist() is False


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_8_bit_floats_without_infinity_have_none(name):
    x = np.array([1, np.nan], getattr(ml_dtypes, name))
    assert not kernel(IS_INF, 20, x).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("version", BIT_SHIFT.versions)
def test_unsigned_bits_move_and_leave(dtype, version):
    x, y = np.array([16, 4, 1], dtype), np.array([1, 2, 200], dtype)
    right = kernel(BIT_SHIFT, version, x, y, direction=b"RIGHT")
    left = kernel(BIT_SHIFT, version, x, y, direction=b"LEFT")
    assert right.dtype == left.dtype == dtype
    assert right.tolist() == [8, 1, 0]
    assert left.tolist() == [32, 16, 0]


def test_signed_numbers_keep_their_sign_to_the_right():
    x, y = np.array([-8, -1, 100, -3], np.int8), np.array([2, 7, 8, -1], np.int8)
    assert kernel(BIT_SHIFT, 28, x, y, direction=b"RIGHT").tolist() == [-2, -1, 0, -1]
    # -8 × 4 = -32; -1 × 128 leaves the sign bit alone; the rest is lost.
    assert kernel(BIT_SHIFT, 28, x, y, direction=b"LEFT").tolist() == [-32, -128, 0, 0]


def test_a_direction_that_is_none_is_a_violation():
    with pytest.raises(Violation, match="direction = 'UP', but expected one of 'LEFT', 'RIGHT'"):
        kernel(BIT_SHIFT, 11, np.ones(1, np.uint8), np.ones(1, np.uint8), direction=b"UP")


def test_shifts_of_sizes_are_products_and_quotients():
    assert on_sizes(BIT_SHIFT, 28, ["B", 3], [2], direction=b"LEFT").tolist() == [parse("4*B"), 12]
    halved = on_sizes(BIT_SHIFT, 28, ["B", "4*B"], [1], direction=b"RIGHT")
    assert [str(size) for size in halved] == ["floor(B/2)", "2*B"]
    with pytest.raises(UndecidedError):
        on_sizes(BIT_SHIFT, 28, [8], ["B"], direction=b"LEFT")


@pytest.mark.parametrize(
    ("op", "wanted"),
    [(BITWISE_AND, [2, 6]), (BITWISE_OR, [7, -1]), (BITWISE_XOR, [5, -7])],
    ids=lambda v: getattr(v, "name", ""),
)
@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_two_numbers_bit_by_bit(op, wanted, dtype):
    got = kernel(op, 18, np.array(6, dtype), np.array([3, -1], dtype))
    assert got.dtype == dtype
    assert got.tolist() == wanted
    assert on_sizes(op, 18, [6], [3, -1]).tolist() == wanted
    assert rule(op, 18, tensor("B", 1), tensor(3)).shape == "[B, 3]"
    assert rule(op, 18, UNKNOWN, tensor(3)).shape == "[...]"
    with pytest.raises(Violation, match="have 2 and 3 at axis 0"):
        rule(op, 18, tensor(2), tensor(3))


def test_every_bit_turned_around():
    assert kernel(BITWISE_NOT, 18, np.array([6, 0], np.int16)).tolist() == [-7, -1]
    assert kernel(BITWISE_NOT, 18, np.array([6, 0], np.uint8)).tolist() == [249, 255]
    b = np.array([parse("B"), 6], object)
    assert not_sizes(b, dtype=DType.INT64).tolist() == [parse("-B - 1"), -7]
    assert not_sizes(b, dtype=DType.UINT8).tolist() == [parse("255 - B"), 249]
    assert rule(BITWISE_NOT, 18, tensor("B", 3)).shape == "[B, 3]"
