"""Elements decode to the arrays that onnx decodes, in every type and every form of storage."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load
from onnx_explorer.ir import DType, Graph, Model, Tensor

NUMBERS = [d for d in DType if d not in {DType.UNDEFINED, DType.STRING}]


def model_with(tensor):
    return helper.make_model(helper.make_graph([], "g", [], [], [tensor]))


def read(tensor):
    (found,) = load(model_with(tensor)).graph.initializers.values()
    return found.numpy()


def values_of(dtype, count):
    codes = np.random.default_rng(0).integers(0, 2**8, 16 * count, np.uint8)
    if dtype is DType.BOOL:
        return codes[:count] > 127
    if dtype.bits >= 8:
        return codes.view(dtype.numpy)[:count]
    small = codes[:count] & (2**dtype.bits - 1)
    if dtype.family == "float":
        return small.view(dtype.numpy)
    low = -(2 ** (dtype.bits - 1)) if dtype.family == "int" else 0
    return (small.astype(np.int8) + low).astype(dtype.numpy)


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (3, 7)], ids=str)
@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: d.label)
def test_raw_elements_are_those_of_onnx(dtype, shape):
    values = values_of(dtype, int(np.prod(shape))).reshape(shape)
    tensor = numpy_helper.from_array(values, "t")
    assert tensor.HasField("raw_data")
    got = read(tensor)
    assert got.dtype == values.dtype
    assert got.shape == shape
    assert got.tobytes() == values.tobytes()
    assert not got.flags.writeable


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: d.label)
def test_typed_elements_are_those_of_onnx(dtype):
    values = np.nan_to_num(values_of(dtype, 6).astype(dtype.numpy)) if dtype.bits > 16 else None
    if values is None:
        values = np.array([0, 1, 1, 0, 1, 0]).astype(dtype.numpy)
    tensor = helper.make_tensor("t", dtype.value, (2, 3), values.ravel())
    assert not tensor.HasField("raw_data")
    wanted = numpy_helper.to_array(tensor)
    got = read(tensor)
    assert got.dtype == wanted.dtype
    assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: d.label)
def test_what_we_encode_is_what_onnx_decodes(dtype):
    values = values_of(dtype, 11)
    model = Model(Graph("g", initializers={"t": Tensor.of(values, "t", dtype)}), {"": 20}, 10)
    (tensor,) = onnx.ModelProto.FromString(model.to_bytes()).graph.initializer
    got = numpy_helper.to_array(tensor)
    assert got.dtype == values.dtype
    assert got.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        (TensorProto.INT64, [0, 1, -1, 127, 128, 2**62, -(2**63)]),
        (TensorProto.INT32, [0, -1, 2**31 - 1, -(2**31), 300]),
        (TensorProto.INT8, [-128, 127, 0, -1]),
        (TensorProto.UINT16, [0, 65535, 256]),
        (TensorProto.UINT64, [0, 2**64 - 1, 128]),
        (TensorProto.UINT32, [2**32 - 1, 0]),
    ],
)
def test_integers_of_every_length_decode(kind, numbers):
    assert read(helper.make_tensor("t", kind, [len(numbers)], numbers)).tolist() == numbers


def test_unpacked_lists_decode_too():
    # Old writers do not pack: one field per number.
    fields = bytes([0x08, 3, 0x10, TensorProto.INT64, 0x38, 5, 0x38, 0x80, 0x01, 0x38, 7])
    assert read(TensorProto.FromString(fields)).tolist() == [5, 128, 7]
    tensor = model_with(TensorProto(name="t")).SerializeToString()
    unpacked = b"".join(b"\x25" + np.float32(x).tobytes() for x in (1.5, -2))
    message = bytes([0x08, 2, 0x10, TensorProto.FLOAT]) + unpacked
    raw = b"\x08\x0a\x3a" + bytes([2 + len(message), 0x2A, len(message)]) + message
    (found,) = load(raw).graph.initializers.values()
    assert found.numpy().tolist() == [1.5, -2]
    assert load(tensor).graph.initializers["t"].dtype is DType.UNDEFINED


def test_strings_decode_and_odd_bytes_are_shown():
    tensor = TensorProto(dims=[2], data_type=8, string_data=["é".encode(), b"\xff!"])
    assert read(tensor).tolist() == ["é", "\\xff!"]


def test_truth_values_other_than_one_are_true():
    tensor = TensorProto(dims=[3], data_type=TensorProto.BOOL, raw_data=b"\x00\x02\x01")
    assert read(tensor).tolist() == [False, True, True]


def test_an_array_is_aligned_wherever_its_bytes_lie():
    for pad in range(8):
        tensor = numpy_helper.from_array(np.arange(5.0), "n" * pad)
        assert read(tensor).flags.aligned


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (TensorProto(dims=[2, 2], data_type=1, raw_data=b"12345678"), "8 bytes.*needs 16"),
        (TensorProto(dims=[2], data_type=1, float_data=[1.0]), "1 elements in float_data.*has 2"),
        (TensorProto(dims=[-1], data_type=1), "negative size"),
        (TensorProto(dims=[2**40, 2**40], data_type=1), "larger than any memory"),
        (TensorProto(dims=[1] * 65, data_type=1, float_data=[1]), "65 axes"),
        (TensorProto(dims=[1], data_type=8, raw_data=b"x"), "string"),
        (TensorProto(dims=[1], raw_data=b"x"), "undefined"),
        (TensorProto(dims=[3], data_type=14, float_data=[1, 2, 3]), "two each"),
    ],
)
def test_elements_that_do_not_fit_are_refused_with_both_numbers(tensor, said):
    tensor.name = "weights"
    with pytest.raises(ModelError, match=f"'weights'.*{said}"):
        read(tensor)


def test_an_element_type_of_the_future_is_refused_by_number():
    with pytest.raises(ModelError, match="element type 99"):
        read(TensorProto(dims=[1], data_type=99, raw_data=b"x"))


def test_the_size_of_a_tensor_is_known_without_reading_it():
    packed = numpy_helper.from_array(np.zeros(5, ml_dtypes.int4), "t")
    (found,) = load(model_with(packed)).graph.initializers.values()
    assert found.nbytes == 3
    typed = helper.make_tensor("t", TensorProto.INT64, [3], [1, 2, 3])
    (found,) = load(model_with(typed)).graph.initializers.values()
    assert found.nbytes == 24
