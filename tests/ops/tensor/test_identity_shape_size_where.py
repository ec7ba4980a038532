import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.tensor.identity import IDENTITY
from onnx_explorer.ops.tensor.shape import SHAPE
from onnx_explorer.ops.tensor.size import SIZE
from onnx_explorer.ops.tensor.where import WHERE
from onnx_explorer.schema import (
    UNKNOWN,
    Abstract,
    AbstractOptional,
    AbstractSequence,
    Violation,
)
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


@pytest.mark.parametrize("version", IDENTITY.versions)
def test_identity_gives_what_it_gets(version):
    x = np.ones((2, 0), np.float32)
    assert kernel(IDENTITY, version, x) is x
    value = ints("B", 3)
    assert rule(IDENTITY, version, value).outputs == (value,)


def test_identity_takes_sequences_and_empty_optionals():
    sequence = [np.ones(2), np.ones(3)]
    assert IDENTITY.kernel_at(14).function(sequence) is sequence
    assert IDENTITY.kernel_at(16).function(None) is None
    for value in (AbstractSequence(tensor("n")), AbstractOptional(UNKNOWN, present=False)):
        assert rule(IDENTITY, 16, value).outputs == (value,)


@pytest.mark.parametrize("version", SHAPE.versions)
def test_shape_is_its_own_content(version):
    assert kernel(SHAPE, version, np.ones((2, 3, 4))).tolist() == [2, 3, 4]
    (output,) = rule(SHAPE, version, tensor("B", 3)).outputs
    assert output == Abstract(DType.INT64, (2,), (parse("B"), 3))


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [
        (1, 2, ["3"]),
        (-2, None, ["3", "S"]),
        (None, -1, ["B", "3"]),
        (-9, 9, ["B", "3", "S"]),
        (2, 1, []),
        (9, None, []),
    ],
)
def test_a_slice_of_the_shape(start, end, wanted):
    attributes = {k: v for k, v in (("start", start), ("end", end)) if v is not None}
    (output,) = rule(SHAPE, 15, tensor("B", 3, "S"), **attributes).outputs
    assert [str(size) for size in output.content] == wanted
    got = kernel(SHAPE, 15, np.ones((2, 3, 4)), **attributes)
    assert got.dtype == np.int64
    assert got.shape == output.shape


def test_of_an_unknown_rank_only_the_number_of_sizes_is_open():
    (output,) = rule(SHAPE, 13, UNKNOWN).outputs
    assert str(output) == "int64[rank_0]"
    assert output.content is None


@pytest.mark.parametrize("version", SIZE.versions)
def test_size_is_the_product_of_the_shape(version):
    assert kernel(SIZE, version, np.ones((2, 3, 4))) == 24
    assert kernel(SIZE, version, np.ones((2, 0))) == 0
    assert kernel(SIZE, version, np.array(5)).shape == ()
    (output,) = rule(SIZE, version, tensor("B", 3, "S")).outputs
    assert str(output) == "int64[]"
    assert str(output.content[0]) == "3*B*S"
    assert rule(SIZE, version, UNKNOWN).outputs[0].content is None


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, bool, object])
def test_where_keeps_the_type_and_broadcasts(dtype):
    x, y = np.array([1, 0], dtype), np.array([[0], [1]], dtype)
    got = kernel(WHERE, 16, np.array([True, False]), x, y)
    assert got.dtype == dtype
    assert got.tolist() == [[1, 0], [1, 1]]


def test_where_broadcasts_all_three():
    assert rule(WHERE, 9, tensor("B", 1), tensor("S"), tensor()).shape == "[B, S]"
    assert rule(WHERE, 9, UNKNOWN, tensor("S"), tensor()).shape == "[...]"
    with pytest.raises(Violation, match="3 and 2"):
        rule(WHERE, 9, tensor(3), tensor(2), tensor())


def test_where_chooses_among_sizes_when_the_condition_is_known():
    assert on_sizes(WHERE, 9, [True, False], ["B", 2], [7, "S"]).tolist() == [
        parse("B"),
        parse("S"),
    ]
    with pytest.raises(UndecidedError):
        on_sizes(WHERE, 9, ["B"], [1], [2])
