import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ir import SparseTensor, Tensor
from onnx_explorer.ops.tensor.constant import CONSTANT
from onnx_explorer.ops.tensor.constant_of_shape import CONSTANT_OF_SHAPE
from onnx_explorer.ops.tensor.expand import EXPAND
from onnx_explorer.ops.tensor.one_hot import ONE_HOT
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import complaint, ints, kernel, on_sizes, rule, tensor


@pytest.mark.parametrize("version", CONSTANT.versions)
def test_a_whole_tensor(version):
    value = Tensor.of(np.array([[1, 2.5]], np.float32))
    got = kernel(CONSTANT, version, value=value)
    assert got.dtype == np.float32
    assert got.tolist() == [[1, 2.5]]
    (output,) = rule(CONSTANT, version, value=value).outputs
    assert str(output) == "float32[1, 2]"
    assert output.content == (1, 2.5)


@pytest.mark.parametrize(
    ("name", "value", "wanted", "text"),
    [
        ("value_int", 7, 7, "int64[]"),
        ("value_ints", (1, 2), [1, 2], "int64[2]"),
        ("value_ints", (), [], "int64[0]"),
        ("value_float", 0.5, 0.5, "float32[]"),
        ("value_floats", (), [], "float32[0]"),
        ("value_string", b"a", "a", "string[]"),
        ("value_strings", (b"a", b"b"), ["a", "b"], "string[2]"),
    ],
)
def test_plain_numbers_and_strings(name, value, wanted, text):
    attributes = {name: value}
    assert kernel(CONSTANT, 12, **attributes).tolist() == wanted
    (output,) = rule(CONSTANT, 12, **attributes).outputs
    assert str(output) == text


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_a_sparse_constant_is_dense(indices):
    sparse = SparseTensor(
        Tensor.of(np.array([5, 7], np.float16)), Tensor.of(np.array(indices)), (2, 3)
    )
    got = kernel(CONSTANT, 11, sparse_value=sparse)
    assert got.dtype == np.float16
    assert got.tolist() == [[0, 5, 0], [0, 0, 7]]
    (output,) = rule(CONSTANT, 11, sparse_value=sparse).outputs
    assert str(output) == "float16[2, 3]"


def test_none_or_two_values_are_a_violation():
    message = "of the attributes that give a value, but 1 must be there"
    with pytest.raises(Violation, match=f"0 {message}"):
        rule(CONSTANT, 13)
    with pytest.raises(Violation, match=f"2 {message}"):
        kernel(CONSTANT, 13, value_int=1, value_float=1.0)


def test_large_or_infinite_constants_carry_no_content():
    for value in (np.zeros(65, np.float32), np.array([np.inf]), np.array(["a"])):
        (output,) = rule(CONSTANT, 13, value=Tensor.of(value)).outputs
        assert output.content is None
        assert output.shape == value.shape


def filled(*shape, value=None, version=9):
    attributes = {} if value is None else {"value": Tensor.of(value)}
    return kernel(CONSTANT_OF_SHAPE, version, np.array(shape, np.int64), **attributes)


@pytest.mark.parametrize("dtype", [np.int8, bool, ml_dtypes.bfloat16, ml_dtypes.int4])
def test_the_value_gives_fill_and_type(dtype):
    value = np.array([1], dtype)
    got = filled(2, 3, value=value, version=25)
    assert got.dtype == dtype
    assert got.astype(int).tolist() == [[1, 1, 1], [1, 1, 1]]
    (output,) = rule(CONSTANT_OF_SHAPE, 25, ints("B", 3), value=Tensor.of(value)).outputs
    assert str(output) == f"{np.dtype(dtype).name}[B, 3]"


def test_without_a_value_it_is_0_in_float32():
    assert filled(2).dtype == np.float32
    assert filled(2).tolist() == [0, 0]
    assert filled().shape == ()
    assert filled(0, 3).shape == (0, 3)
    (output,) = rule(CONSTANT_OF_SHAPE, 9, ints()).outputs
    assert str(output) == "float32[]"


def test_an_unknown_shape_may_have_a_known_rank():
    assert rule(CONSTANT_OF_SHAPE, 9, Abstract(None, (2,))).shape == "[dim0_0, dim1_1]"
    assert rule(CONSTANT_OF_SHAPE, 9, UNKNOWN).shape == "[...]"
    assert rule(CONSTANT_OF_SHAPE, 9, tensor("n")).shape == "[...]"


def test_negative_sizes_and_shapes_of_another_rank_are_violations():
    ruled = rule(CONSTANT_OF_SHAPE, 9, ints(2, -3))
    assert ruled.violations == ["sizes [2, -3], but a size is 0 or more"]
    with pytest.raises(Violation, match=r"sizes \[2, -3\], but a size is 0 or more"):
        filled(2, -3)
    ruled = rule(CONSTANT_OF_SHAPE, 9, tensor(2, 2))
    assert ruled.violations == ["shape [2, 2], but a shape is a tensor of rank 1"]
    with pytest.raises(Violation, match="value has 2 elements, but 1 is expected"):
        filled(2, value=np.array([1, 2]))


def test_the_elements_are_known_where_their_number_is():
    ones = Tensor.of(np.array([1]))
    assert on_sizes(CONSTANT_OF_SHAPE, 9, [3], value=ones).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="B"):
        on_sizes(CONSTANT_OF_SHAPE, 9, [parse("B")], value=ones)


@pytest.mark.parametrize("shape", [[[2]], 2])
def test_a_shape_is_a_vector_in_inference_and_in_a_run(shape):
    said = "but a shape is a tensor of rank 1"
    assert said in complaint(CONSTANT_OF_SHAPE, 9, tensor(*np.shape(shape)))
    with pytest.raises(Violation, match=said):
        kernel(CONSTANT_OF_SHAPE, 9, np.array(shape))


@pytest.mark.parametrize("sizes", [[2**40, 2**40], [2**62], [0, 2**62]])
def test_arrays_that_no_machine_holds_are_refused(sizes):
    # 2^63 bytes are as many as a signed 64-bit number of bytes cannot count.
    said = "in float32, but an array has less than"
    with pytest.raises(Violation, match=said):
        kernel(CONSTANT_OF_SHAPE, 9, np.array(sizes))
    with pytest.raises(Violation, match=said):
        kernel(EXPAND, 13, np.ones(1, "f4"), np.array(sizes))
    with pytest.raises(Violation, match=said):
        kernel(ONE_HOT, 11, np.array([1]), np.array(2**62), np.zeros(2, "f4"), axis=-1)
