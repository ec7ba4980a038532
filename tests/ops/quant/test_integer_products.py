import re

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.quant.conv_integer import CONV_INTEGER
from onnx_explorer.ops.quant.matmul_integer import MATMUL_INTEGER
from onnx_explorer.ops.quant.qlinear_conv import QLINEAR_CONV
from onnx_explorer.ops.quant.qlinear_matmul import QLINEAR_MATMUL
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import complaint, kernel, rule, tensor


def u8(value):
    return np.array(value, np.uint8)


def f32(value):
    return np.array(value, np.float32)


@pytest.mark.parametrize("depth", [1, 100, 300, 40000])
def test_sums_of_products_are_exact(depth):
    rng = np.random.default_rng(depth)
    A, B = (rng.integers(0, 256, shape, np.uint8) for shape in ((2, depth), (depth, 3)))
    expected = (A.astype(np.int64) - 255) @ (B.astype(np.int64) - 1)
    got = kernel(MATMUL_INTEGER, 10, A, B, u8(255), u8(1))
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, expected.astype(np.int32))


def test_zero_points_of_rows_and_columns():
    A, B = u8([[5, 5], [5, 5]]), np.array([[1, 1, 1], [1, 1, 1]], np.int8)
    rows, columns = u8([5, 4]), np.array([0, 1, -1], np.int8)
    expected = [[0, 0, 0], [2, 0, 4]]
    assert kernel(MATMUL_INTEGER, 10, A, B, rows, columns).tolist() == expected
    got = kernel(MATMUL_INTEGER, 10, A[None], B[None], rows[None, :, None], columns[None, None])
    assert got.tolist() == [expected]
    assert kernel(MATMUL_INTEGER, 10, A[0], B[:, 0], u8([5])).tolist() == 0


def test_products_have_the_shape_of_matmul():
    assert rule(MATMUL_INTEGER, 10, tensor("B", "M", 3), tensor(3, "N")).shape == "[B, M, N]"
    assert re.search(
        r"has 3 columns, but B .* has 4 rows",
        complaint(MATMUL_INTEGER, 10, tensor("M", 3), tensor(4, 5)),
    )
    assert re.search(
        r"shape \[4\], but one for each of 2 rows of \[2, 3\]",
        complaint(MATMUL_INTEGER, 10, tensor(2, 3), tensor(3, 5), tensor(4)),
    )
    with pytest.raises(Violation, match=r"shape \[4\], but one for each of 5 columns"):
        kernel(MATMUL_INTEGER, 10, np.ones((2, 3), "u1"), np.ones((3, 5), "u1"), None, u8([1] * 4))
    assert re.search(
        r"shape \[2\], but the factor of shape \[3\] takes a scalar",
        complaint(MATMUL_INTEGER, 10, tensor(3), tensor(3, 5), tensor(2)),
    )
    with pytest.raises(Violation, match=r"do not broadcast"):
        kernel(MATMUL_INTEGER, 10, np.ones((2, 1, 3), "u1"), np.ones((3, 3, 1), "u1"))


def test_quantized_products_are_rounded_before_the_zero_point_is_added():
    # 1 × 1 × 0.5 = 0.5 rounds to 0; 3 × 0.5 = 1.5 rounds to 2
    for version in QLINEAR_MATMUL.versions:
        got = kernel(
            *(QLINEAR_MATMUL, version, u8([[1], [3]]), f32(0.5), u8(0), u8([[1]]), f32(1), u8(0)),
            *(f32(1), u8(1)),
        )
        assert (got.tolist(), got.dtype) == ([[1], [3]], np.uint8)


def test_quantized_products_with_steps_of_rows_and_columns():
    a, b = u8([[2], [2]]), u8([[3, 3]])
    got = kernel(
        *(QLINEAR_MATMUL, 10, a, f32([1, 2]), u8([0, 1]), b, f32([1, 0.5]), u8([0, 1])),
        *(f32(0.5), np.array(-1, np.int8)),
    )
    # (2 × 3, 2 × 2 / 2; 1 × 3 × 2, 1 × 2 × 2 / 2) / 0.5 - 1
    assert (got.tolist(), got.dtype) == ([[11, 3], [11, 3]], np.int8)
    vector = kernel(
        *(QLINEAR_MATMUL, 10, a, f32([1, 2]), u8([0, 1]), b[0, :1], f32(1), u8(0)),
        *(f32(0.5), u8(0)),
    )
    assert vector.tolist() == [12, 12]


def test_quantized_products_of_8_bit_floats():
    one = np.array([[1.5]], ml_dtypes.float8_e4m3fn)
    zero = np.zeros((), one.dtype)
    scale = np.array(2, np.float16)
    got = kernel(QLINEAR_MATMUL, 21, one, scale, zero, one, scale, zero, scale, zero)
    assert (got.dtype, float(got[0, 0])) == (one.dtype, 4.5)


def test_integer_convolution_pads_with_the_zero_point():
    x, w = u8([[[2, 3, 4]]]), u8([[[1, 1]], [[2, 0]]])
    got = kernel(CONV_INTEGER, 10, x, w, u8(1), u8([0, 1]), pads=(1, 0))
    # x - 1 = 0 1 2 3 with its padding; w - (0, 1) = (1, 1) and (1, -1)
    assert (got.tolist(), got.dtype) == ([[[1, 3, 5], [-1, -1, -1]]], np.int32)
    deep = kernel(
        CONV_INTEGER, 10, np.full((1, 600, 1), 255, "u1"), np.full((1, 600, 1), 255, "u1")
    )
    assert deep.tolist() == [[[600 * 255 * 255]]]


def test_quantized_convolution_adds_its_bias_before_it_scales():
    x, w = u8([[[2, 3]]]), u8([[[2]], [[1]]])
    got = kernel(
        *(QLINEAR_CONV, 10, x, f32(1), u8(1), w, f32([1, 2]), u8([0, 0]), f32(2), u8(10)),
        np.array([0, 100], np.int32),
    )
    assert got.tolist() == [[[11, 12], [111, 112]]]
    assert got.dtype == np.uint8


def test_convolutions_check_under_their_own_port_names():
    x, w, scalar = tensor("N", 4, "h"), tensor(6, 2, 3), tensor()
    assert rule(CONV_INTEGER, 10, x, w, group=2).shape == "[N, 6, h - 2]"
    assert rule(CONV_INTEGER, 10, UNKNOWN, w).shape == "[batch_0, 6, dim2_1]"
    assert re.search(
        r"4 channels, but W expects 2 × group 1 = 2", complaint(CONV_INTEGER, 10, x, w)
    )
    with pytest.raises(Violation, match=r"2 channels, but W expects 1 × group 1 = 1") as caught:
        kernel(CONV_INTEGER, 10, np.ones((1, 2, 3), "u1"), np.ones((1, 1, 1), "u1"))
    assert caught.value.port == "x"
    assert re.search(
        r"shape \[4\], but a scalar, or one for each of 6 filters",
        complaint(CONV_INTEGER, 10, x, w, scalar, tensor(4), group=2),
    )
    rest = (w, tensor(6), tensor(6), scalar, scalar)
    assert rule(QLINEAR_CONV, 10, x, scalar, scalar, *rest, group=2).shape == "[N, 6, h - 2]"
    assert re.search(
        r"shape \[3\], but a scalar is needed",
        complaint(QLINEAR_CONV, 10, x, tensor(3), scalar, *rest, group=2),
    )
    assert re.search(
        r"shape \[5\], but there are 6 output channels",
        complaint(QLINEAR_CONV, 10, x, scalar, scalar, *rest, tensor(5), group=2),
    )


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_a_zero_point_of_some_length_may_be_one_for_any_factor(shape):
    got = rule(MATMUL_INTEGER, 10, tensor(*shape), tensor(4, 5), tensor("z"), tensor("w"))
    assert (got.violations, got.shape) == ([], str([*shape[:-1], 5]))
    got = rule(MATMUL_INTEGER, 10, tensor(4), tensor(4), tensor("z"), tensor("w"))
    assert (got.violations, got.shape) == ([], "[]")
