import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import onnx
import pytest

from onnx_explorer.dims import UndecidedError, parse, ratio
from onnx_explorer.ir import DType
from onnx_explorer.ops.random.bernoulli import BERNOULLI
from onnx_explorer.ops.tensor.cast import CAST
from onnx_explorer.ops.tensor.eye_like import EYE_LIKE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


def strings(*values):
    return np.array(values, object)


def test_version_1_takes_the_name_of_the_type():
    got = kernel(CAST, 1, np.array([1.7, -1.7]), to=b"INT32")
    assert got.dtype == np.int32
    assert got.tolist() == [1, -1]
    (output,) = rule(CAST, 1, tensor("B", 3), to=b"DOUBLE").outputs
    assert str(output) == "float64[B, 3]"


@pytest.mark.parametrize("version", CAST.versions[1:])
def test_later_versions_take_its_number(version):
    got = kernel(CAST, version, np.array([1.7, np.nan, 0]), to=onnx.TensorProto.BOOL)
    assert got.tolist() == [True, True, False]
    (output,) = rule(CAST, version, UNKNOWN, to=onnx.TensorProto.INT64).outputs
    assert str(output) == "int64[...]"


def test_a_number_that_is_no_type_is_a_violation():
    with pytest.raises(Violation, match="to = 99"):
        rule(CAST, 13, tensor(2), to=99)


def test_integers_lose_their_high_bits():
    x = np.array([300, -1, 200], np.int16)
    assert kernel(CAST, 13, x, to=DType.UINT8.value).tolist() == [44, 255, 200]
    assert kernel(CAST, 13, x, to=DType.INT8.value).tolist() == [44, -1, -56]


SMALL = [d for d in DType if d is not DType.STRING and d.family in {"float", "int", "uint", "bool"}]


@pytest.mark.parametrize("source", SMALL, ids=lambda d: d.label)
def test_one_is_one_in_every_type(source):
    x = np.ones((2, 1), np.float32).astype(source.numpy)
    for target in SMALL:
        got = kernel(CAST, 28, x, to=target.value)
        assert got.dtype == target.numpy
        assert got.astype(np.float32).tolist() == [[1], [1]]


@pytest.mark.parametrize("name", ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"])
def test_8_bit_floats_saturate_unless_told_not_to(name):
    to = getattr(onnx.TensorProto, name)
    largest = {"FLOAT8E4M3FN": 448, "FLOAT8E4M3FNUZ": 240}.get(name, 57344)
    x = np.array([1e9, -np.inf, np.nan, 0.3], np.float32)
    got = kernel(CAST, 19, x, to=to).astype(np.float32)
    assert got[:2].tolist() == [largest, -largest]
    assert math.isnan(got[2])
    assert got[3] == 0.3125  # 1.25 / 4: two or three bits of fraction
    free = kernel(CAST, 19, x, to=to, saturate=0).astype(np.float32)
    if name == "FLOAT8E5M2":
        assert free[:2].tolist() == [np.inf, -np.inf]
    else:
        assert np.isnan(free[:2]).all()
    assert kernel(CAST, 19, np.array([10**6]), to=to).astype(np.float32).tolist() == [largest]


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
def test_powers_of_two_round_as_onnx_does(mode):
    x = np.random.default_rng(0).lognormal(0, 9, 999).astype(np.float32)
    x = np.concatenate([x, np.array([1, 1.5, 3, 6, 2.0**127, 2.0**-126], np.float32)])
    got = kernel(CAST, 24, x, to=onnx.TensorProto.FLOAT8E8M0, round_mode=mode)
    wanted = onnx.numpy_helper.to_float8e8m0(x, True, mode)
    assert got.view(np.uint8).tolist() == wanted.view(np.uint8).tolist()


def test_what_is_no_power_of_two_at_all():
    to = onnx.TensorProto.FLOAT8E8M0
    x = np.array([0, np.inf, 3e38, np.nan], np.float32)
    # The standard's table: smallest (bits 0), largest (254), largest, NaN (255).
    assert kernel(CAST, 24, x, to=to).view(np.uint8).tolist() == [0, 254, 254, 255]
    free = kernel(CAST, 24, x, to=to, saturate=0, round_mode="nearest")
    assert free.view(np.uint8).tolist() == [255, 255, 255, 255]


def test_strings_spell_numbers():
    texts = strings("3.14", "1e-5", "-inf", "+INF", "nan", "1000")
    got = kernel(CAST, 9, texts, to=DType.FLOAT32.value)
    assert got.dtype == np.float32
    assert got.tolist() == pytest.approx(
        [3.14, 1e-5, -math.inf, math.inf, math.nan, 1000], nan_ok=True
    )
    assert kernel(CAST, 9, strings("7", "100.5"), to=DType.INT8.value).tolist() == [7, 100]
    top = kernel(CAST, 9, strings(str(2**64 - 1)), to=DType.UINT64.value)
    assert top.tolist() == [2**64 - 1]
    assert kernel(CAST, 9, strings("1", "0"), to=DType.BOOL.value).tolist() == [True, False]
    with pytest.raises(Violation, match="the string 'Hello', but a number is needed"):
        kernel(CAST, 9, strings("Hello"), to=DType.FLOAT32.value)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (np.array([0.1, np.nan, -np.inf], np.float32), ["0.1", "NaN", "-INF"]),
        (np.array([[0.1]], np.float64), [["0.1"]]),
        (np.array([0.5], ml_dtypes.bfloat16), ["0.5"]),
        (np.array([-3, 7], np.int8), ["-3", "7"]),
        (np.array([True, False]), ["1", "0"]),
    ],
)
def test_numbers_become_the_shortest_strings(values, texts):
    got = kernel(CAST, 13, values, to=DType.STRING.value)
    assert got.dtype == object
    assert got.tolist() == texts


def to_dtype(sizes, dtype):
    return [str(size) for size in on_sizes(CAST, 13, sizes, to=dtype.value)]


def test_sizes_go_through_a_float_and_back():
    half = ratio(parse("h"), 2)
    assert to_dtype(["h", 3, Fraction(1, 2)], DType.FLOAT32) == ["h", "3", "1/2"]
    assert to_dtype([half, Fraction(-7, 2), True], DType.INT64) == ["floor(h/2)", "-3", "1"]
    assert to_dtype([300], DType.UINT8) == ["44"]
    assert to_dtype(["h + 1", 0], DType.BOOL) == ["True", "False"]
    # 2^24 + 1 is the first integer that float32 rounds
    assert to_dtype([2**24 + 1], DType.FLOAT32) == ["16777216"]


def test_sizes_that_a_type_may_not_hold_are_not_guessed():
    for dtype in (DType.FLOAT16, DType.INT8, DType.BOOL, DType.STRING):
        with pytest.raises(UndecidedError):
            to_dtype(["h"], dtype)


@pytest.mark.parametrize(
    ("op", "version", "name"), [(CAST, 13, "to"), (EYE_LIKE, 9, "dtype"), (BERNOULLI, 15, "dtype")]
)
def test_the_number_that_stands_for_no_type_is_no_type(op, version, name):
    assert onnx.TensorProto.UNDEFINED == 0
    with pytest.raises(Violation, match=f"{name} = 0, but a type is needed"):
        rule(op, version, tensor(2, 2), **{name: 0})
