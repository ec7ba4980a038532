from dataclasses import replace

import ml_dtypes
import numpy as np
import onnx
import pytest

from onnx_explorer.ir import DType
from onnx_explorer.ops.tensor.bit_cast import BIT_CAST
from onnx_explorer.ops.tensor.cast_like import CAST_LIKE
from onnx_explorer.ops.tensor.cum_prod import CUM_PROD
from onnx_explorer.ops.tensor.det import DET
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_the_bits_of_one():
    # 1.0 has the exponent 127 (15 in float16) and no fraction.
    for dtype, to, bits in (
        (np.float32, DType.INT32, 127 << 23),
        (np.float16, DType.UINT16, 15 << 10),
        (ml_dtypes.bfloat16, DType.INT16, 127 << 7),
        (np.float64, DType.UINT64, 1023 << 52),
    ):
        there = kernel(BIT_CAST, 26, np.ones((2, 1), dtype), to=to.value)
        assert there.dtype == to.numpy
        assert there.tolist() == [[bits], [bits]]
        back = kernel(BIT_CAST, 26, there, to=DType.from_numpy(np.dtype(dtype)).value)
        assert back.dtype == dtype
        assert back.astype(float).tolist() == [[1], [1]]


def test_types_narrower_than_a_byte_and_bools():
    x = np.array([-1, 7, -8], ml_dtypes.int4)
    assert kernel(BIT_CAST, 26, x, to=onnx.TensorProto.UINT4).astype(int).tolist() == [15, 7, 8]
    x = np.array([3, 1], ml_dtypes.uint2)
    assert kernel(BIT_CAST, 26, x, to=onnx.TensorProto.INT2).astype(int).tolist() == [-1, 1]
    x = np.array([0, 1, 2], np.uint8)
    assert (kernel(BIT_CAST, 26, x, to=DType.BOOL.value) == [False, True, True]).all()


def test_types_of_another_width_are_a_violation():
    wide = "float32 has 32 bits an element, but to = int64 has 64"
    with pytest.raises(Violation, match=wide):
        rule(BIT_CAST, 26, tensor(2), to=DType.INT64.value)
    with pytest.raises(Violation, match=wide):
        kernel(BIT_CAST, 26, np.ones(2, np.float32), to=DType.INT64.value)
    with pytest.raises(Violation, match="int4 has 4 bits an element, but to = int8 has 8"):
        kernel(BIT_CAST, 26, np.ones(2, ml_dtypes.int4), to=DType.INT8.value)
    with pytest.raises(Violation, match="to = string has 0"):
        rule(BIT_CAST, 26, tensor(2), to=DType.STRING.value)
    (output,) = rule(BIT_CAST, 26, tensor("B", 2), to=DType.INT32.value).outputs
    assert str(output) == "int32[B, 2]"
    (output,) = rule(BIT_CAST, 26, UNKNOWN, to=DType.INT32.value).outputs
    assert str(output) == "int32[...]"


@pytest.mark.parametrize("version", CAST_LIKE.versions)
def test_the_type_of_the_second_input_wins(version):
    for target in (np.int8, np.bool_, ml_dtypes.bfloat16, np.float64):
        got = kernel(CAST_LIKE, version, np.array([1.7, 0]), np.zeros((2, 0), target))
        assert got.dtype == target
        assert (
            got.astype(float).tolist() == np.array([1.7, 0]).astype(target).astype(float).tolist()
        )
    got = kernel(CAST_LIKE, version, np.array([1, 0]), np.array([""], object))
    assert got.tolist() == ["1", "0"]


def test_overflow_to_8_bit_floats():
    x, like = np.array([1e9], np.float32), np.ones(1, ml_dtypes.float8_e4m3fn)
    assert kernel(CAST_LIKE, 19, x, like).astype(float).tolist() == [448]
    assert np.isnan(kernel(CAST_LIKE, 19, x, like, saturate=0).astype(float)).all()
    like = np.ones(1, ml_dtypes.float8_e8m0fnu)
    for mode, power in ((b"up", 4), (b"down", 2), (b"nearest", 4)):
        got = kernel(CAST_LIKE, 24, np.array([3.0]), like, round_mode=mode)
        assert got.astype(float).tolist() == [power]


def test_sizes_travel_through_a_cast_whatever_the_second_input_holds():
    like = replace(tensor("B", 1000), dtype=DType.INT64)
    half = replace(like, dtype=DType.FLOAT16)
    (output,) = rule(CAST_LIKE, 19, ints("2*B", 4), half).outputs
    assert output.content is None  # float16 rounds whole numbers above 2048
    (output,) = rule(CAST_LIKE, 19, ints("2*B", 4), like).outputs
    assert [str(size) for size in output.content] == ["2*B", "4"]
    assert rule(CAST_LIKE, 19, tensor("B", 3), UNKNOWN).shape == "[B, 3]"


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({}, [1, 2, 6]),
        ({"exclusive": 1}, [1, 1, 2]),
        ({"reverse": 1}, [6, 6, 3]),
        ({"exclusive": 1, "reverse": 1}, [6, 3, 1]),
    ],
)
def test_running_products(attributes, wanted):
    for dtype in (np.int32, np.uint64, np.float16, np.float64, ml_dtypes.bfloat16):
        got = kernel(CUM_PROD, 26, np.array([1, 2, 3], dtype), np.array(0), **attributes)
        assert got.dtype == dtype
        assert got.tolist() == wanted
    x = np.array([[1, 5], [2, 5], [3, 5]])
    assert kernel(CUM_PROD, 26, x, np.array(-2), **attributes)[:, 0].tolist() == wanted


def test_running_products_of_sizes_and_of_nothing():
    got = on_sizes(CUM_PROD, 26, [2, "B", 3], [0])
    assert [str(size) for size in got] == ["2", "2*B", "6*B"]
    assert kernel(CUM_PROD, 26, np.ones((0, 2)), np.array(0), exclusive=1).shape == (0, 2)
    assert rule(CUM_PROD, 26, tensor("B", 3), ints(1)).shape == "[B, 3]"
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2"):
        rule(CUM_PROD, 26, tensor("B", 3), ints(2))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("version", DET.versions)
def test_determinants(dtype, version):
    x = np.array([[[1, 2], [3, 4]], [[2, 0], [0, 5]]], dtype)
    got = kernel(DET, version, x)
    assert got.dtype == dtype
    assert got.astype(float) == pytest.approx([-2, 10])
    assert kernel(DET, version, x[0]).shape == ()
    assert kernel(DET, version, np.ones((3, 0, 0), dtype)).tolist() == [1, 1, 1]
    assert kernel(DET, version, np.ones((0, 2, 2), dtype)).shape == (0,)


def test_only_square_matrices_have_one():
    ruled = rule(DET, 22, tensor("B", 4, "M", "N"))
    assert ruled.shape == "[B, 4]"
    assert ruled.assumptions == ["M = N"]
    assert rule(DET, 11, UNKNOWN).shape == "[...]"
    with pytest.raises(Violation, match="2 rows and 3 columns"):
        rule(DET, 11, tensor("B", 2, 3))
    with pytest.raises(Violation, match="2 rows and 3 columns"):
        kernel(DET, 11, np.ones((2, 3)))
    with pytest.raises(Violation, match=r"rank 1, but .* rank 2"):
        rule(DET, 11, tensor(4))
