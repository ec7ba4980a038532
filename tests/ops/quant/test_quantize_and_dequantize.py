import re

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ir import DType
from onnx_explorer.ops.quant.dequantize_linear import DEQUANTIZE_LINEAR
from onnx_explorer.ops.quant.dynamic_quantize_linear import DYNAMIC_QUANTIZE_LINEAR
from onnx_explorer.ops.quant.quantize_linear import QUANTIZE_LINEAR
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import complaint, kernel, rule, tensor

ONE = np.array(1, np.float32)


def of(dtype, *shape):
    return Abstract(dtype, tensor(*shape).shape)


@pytest.mark.parametrize("version", QUANTIZE_LINEAR.versions)
def test_numbers_are_rounded_to_even_then_shifted_then_clamped(version):
    x = np.array([0.5, 1.5, -0.5, 2.5, 1e9, -1e9, np.inf], np.float32)
    got = kernel(QUANTIZE_LINEAR, version, x, ONE, np.array(1, np.int8))
    assert got.dtype == np.int8
    assert got.tolist() == [1, 3, 1, 3, 127, -128, 127]
    assert kernel(QUANTIZE_LINEAR, version, x[:2], ONE).tolist() == [0, 2]
    assert kernel(QUANTIZE_LINEAR, version, x[:2], ONE).dtype == np.uint8


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("uint4", 0, 15), ("int4", -8, 7), ("uint2", 0, 3), ("int2", -2, 1), ("int16", -32768, 32767)],
)
def test_each_integer_type_clamps_at_its_ends(dtype, low, high):
    zero = np.zeros((), DType.from_label(dtype).numpy)
    got = kernel(QUANTIZE_LINEAR, 25, np.array([-1e6, 1, 1e6], np.float32), ONE, zero)
    assert got.dtype == zero.dtype
    assert got.astype(int).tolist() == [low, 1, high]


def test_small_floats_are_not_rounded_to_integers():
    x = np.array([0.5, 1000, -1000], np.float32)
    for label, largest in (("float8_e4m3fn", 448), ("float6_e3m2fn", 28), ("float4_e2m1fn", 6)):
        dtype = DType.from_label(label)
        got = kernel(QUANTIZE_LINEAR, 28, x, ONE, output_dtype=dtype.value)
        assert got.dtype == dtype.numpy
        assert got.astype(float).tolist() == [0.5, largest, -largest]
    got = kernel(QUANTIZE_LINEAR, 19, x, ONE, np.zeros((), ml_dtypes.float8_e5m2), saturate=0)
    assert got.astype(float).tolist() == [0.5, 1024, -1024]


def test_the_quotient_is_taken_in_the_type_of_the_scale_unless_precision_names_one():
    # 2049 is no float16: it becomes 2048 there.
    x, half = np.array([2049], np.float32), np.array(1, np.float16)
    zero = np.zeros((), np.uint16)
    assert kernel(QUANTIZE_LINEAR, 23, x, half, zero).tolist() == [2048]
    assert kernel(QUANTIZE_LINEAR, 23, x, half, zero, precision=1).tolist() == [2049]
    exponents = np.array(2, ml_dtypes.float8_e8m0fnu)
    assert kernel(QUANTIZE_LINEAR, 24, x, exponents, zero).tolist() == [1024]


def test_16_bit_floats_do_not_lose_the_zero_point():
    x, scale = np.array([2050], np.float16), np.array(1, np.float16)
    assert kernel(QUANTIZE_LINEAR, 21, x, scale, np.array(1, np.uint16)).tolist() == [2051]


def test_integers_are_quantized_too():
    assert kernel(QUANTIZE_LINEAR, 10, np.array([7, 10], np.int32), ONE * 2).tolist() == [4, 5]
    # Version 19 wants a scale of the same type: its quotient is still no integer division.
    scale = np.array(4, np.int32)
    assert kernel(QUANTIZE_LINEAR, 19, np.array([7, 10], np.int32), scale).tolist() == [2, 2]


def test_scales_per_axis_and_per_block():
    x = np.full((2, 3), 12, np.float32)
    scales = np.array([1, 2, 3], np.float32)
    assert kernel(QUANTIZE_LINEAR, 13, x, scales).tolist() == [[12, 6, 4]] * 2
    assert kernel(QUANTIZE_LINEAR, 13, x, scales[:2], axis=-2).tolist() == [[12] * 3, [6] * 3]
    blocks = np.array([[1, 2], [3, 4]], np.float32)
    zero = np.array([[0, 1], [2, 3]], np.uint8)
    got = kernel(QUANTIZE_LINEAR, 21, x, blocks, zero, axis=1, block_size=2)
    assert got.tolist() == [[12, 12, 7], [6, 6, 6]]
    back = kernel(DEQUANTIZE_LINEAR, 21, got, blocks, zero, axis=1, block_size=2)
    assert back.tolist() == x.tolist()


def test_many_elements_are_quantized_as_few_are():
    x = np.random.default_rng(0).standard_normal((7, 11, 401)).astype(np.float32)
    for array in (x, x.T):
        scale, zero = np.array(0.01, np.float32), np.array(3, np.int8)
        got = kernel(QUANTIZE_LINEAR, 13, array, scale, zero)
        expected = np.clip(np.rint(array / np.float32(0.01)) + 3, -128, 127)
        np.testing.assert_array_equal(got, expected)
        back = kernel(DEQUANTIZE_LINEAR, 13, got, scale, zero)
        np.testing.assert_allclose(back, (expected - 3) * np.float32(0.01), rtol=1e-6)


def test_zero_sized_tensors_stay_empty():
    empty = np.empty((0, 3), np.float32)
    got = kernel(QUANTIZE_LINEAR, 13, empty, np.ones(3, np.float32))
    assert (got.shape, got.dtype) == ((0, 3), np.uint8)
    assert kernel(DEQUANTIZE_LINEAR, 10, got, ONE).shape == (0, 3)


@pytest.mark.parametrize("version", DEQUANTIZE_LINEAR.versions)
def test_dequantizing_subtracts_the_zero_point_then_scales(version):
    x = np.array([0, 3, 128, 255], np.uint8)
    got = kernel(DEQUANTIZE_LINEAR, version, x, ONE * 2, np.array(128, np.uint8))
    assert got.dtype == np.float32
    assert got.tolist() == [-256, -250, 0, 254]
    wide = np.array([2**24 + 2], np.int32)
    assert kernel(DEQUANTIZE_LINEAR, version, wide, ONE).tolist() == [2**24 + 2]


def test_the_result_of_dequantizing_has_the_type_named_or_that_of_the_scale():
    x = np.array([1, -2], ml_dtypes.int4)
    half = np.array(0.5, np.float16)
    assert kernel(DEQUANTIZE_LINEAR, 21, x, half).dtype == np.float16
    got = kernel(DEQUANTIZE_LINEAR, 23, x, half, output_dtype=16)
    assert (got.dtype, got.astype(float).tolist()) == (ml_dtypes.bfloat16, [0.5, -1])
    inferred = rule(DEQUANTIZE_LINEAR, 23, of(DType.INT4, "N", 2), of(DType.FLOAT16))
    assert str(inferred.outputs[0]) == "float16[N, 2]"
    inferred = rule(
        DEQUANTIZE_LINEAR, 23, of(DType.INT4, "N", 2), of(DType.FLOAT16), output_dtype=1
    )
    assert str(inferred.outputs[0]) == "float32[N, 2]"
    exponents = of(DType.FLOAT8_E8M0FNU)
    assert re.search(
        r"float8_e8m0fnu and no output_dtype",
        complaint(DEQUANTIZE_LINEAR, 24, of(DType.INT4, "N", 2), exponents),
    )


def test_the_type_of_a_quantized_tensor_comes_from_zero_point_attribute_or_default():
    x, scale = tensor("N", 3), tensor()
    assert str(rule(QUANTIZE_LINEAR, 10, x, scale).outputs[0]) == "uint8[N, 3]"
    got = rule(QUANTIZE_LINEAR, 21, x, scale, of(DType.INT4))
    assert str(got.outputs[0]) == "int4[N, 3]"
    got = rule(QUANTIZE_LINEAR, 21, x, scale, output_dtype=DType.INT16.value)
    assert str(got.outputs[0]) == "int16[N, 3]"
    assert re.search(
        r"5 \(int16\), but y_zero_point is of type int4",
        complaint(QUANTIZE_LINEAR, 21, x, scale, of(DType.INT4), output_dtype=DType.INT16.value),
    )
    assert rule(QUANTIZE_LINEAR, 21, UNKNOWN, UNKNOWN, of(DType.INT4)).shape == "[...]"


def test_scales_must_fit_the_tensor():
    x = tensor("N", 3, 5)
    got = rule(QUANTIZE_LINEAR, 13, x, tensor("C"))
    assert got.assumptions == []  # one scale would do as well
    assert re.search(
        r"4 elements, but axis 1 of \[N, 3, 5\] has size 3",
        complaint(QUANTIZE_LINEAR, 13, x, tensor(4)),
    )
    assert re.search(
        r"shape \[3\], but version 10 takes a scalar", complaint(QUANTIZE_LINEAR, 10, x, tensor(3))
    )
    assert re.search(
        r"shape \[N, 3, 2\], but blocks of 2 .* \[N, 3, 3\]",
        complaint(QUANTIZE_LINEAR, 21, x, tensor("N", 3, 2), axis=2, block_size=2),
    )
    assert re.search(
        r"shape \[N, 3\], but without block_size",
        complaint(DEQUANTIZE_LINEAR, 21, x, tensor("N", 3)),
    )
    assert re.search(
        r"shape \[2\], but the scales have shape \[3\]",
        complaint(DEQUANTIZE_LINEAR, 13, x, tensor(3), tensor(2)),
    )
    with pytest.raises(Violation, match=r"4 elements, but axis 1 .* has size 3"):
        kernel(DEQUANTIZE_LINEAR, 13, np.ones((2, 3), np.int8), np.ones(4, np.float32))
    # A vector of one element is a scalar, as exporters write it.
    assert kernel(QUANTIZE_LINEAR, 10, np.ones(2, np.float32), np.ones(1, "f4")).tolist() == [1, 1]


def test_dynamic_quantization_finds_the_grid():
    y, scale, zero = kernel(
        DYNAMIC_QUANTIZE_LINEAR, 11, np.array([0, 2, -3, 252], np.float32), n_outputs=3
    )
    assert (y.tolist(), float(scale), int(zero)) == ([3, 5, 0, 255], 1, 3)
    assert (y.dtype, scale.dtype, zero.dtype) == (np.uint8, np.float32, np.uint8)
    assert (scale.shape, zero.shape) == ((), ())
    for x in (np.zeros(3, np.float32), np.empty(0, np.float32)):
        y, scale, zero = kernel(DYNAMIC_QUANTIZE_LINEAR, 11, x, n_outputs=3)
        assert (y.tolist(), float(scale), int(zero)) == ([0] * x.size, 1, 0)
    got = rule(DYNAMIC_QUANTIZE_LINEAR, 11, tensor("N", 3), n_outputs=3)
    assert [str(output) for output in got.outputs] == ["uint8[N, 3]", "float32[]", "uint8[]"]


@pytest.mark.parametrize("op", [QUANTIZE_LINEAR, DEQUANTIZE_LINEAR])
@pytest.mark.parametrize("rank", range(4))
@pytest.mark.parametrize("block_size", [0, 2])
def test_a_scale_of_some_length_may_be_one_scale_for_any_tensor(op, rank, block_size):
    x = tensor(*range(2, 2 + rank))
    got = rule(op, 21, x, tensor("s"), tensor("z"), block_size=block_size)
    assert (got.violations, got.shape) == ([], str(list(range(2, 2 + rank))))
