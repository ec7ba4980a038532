import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ir import DType
from onnx_explorer.ir.types import UNKNOWN_DIM
from onnx_explorer.ops.sequence.concat_from_sequence import CONCAT_FROM_SEQUENCE
from onnx_explorer.ops.sequence.items import closed, common_sequence, sequence_of
from onnx_explorer.ops.sequence.sequence_at import SEQUENCE_AT
from onnx_explorer.ops.sequence.sequence_construct import SEQUENCE_CONSTRUCT
from onnx_explorer.ops.sequence.sequence_empty import SEQUENCE_EMPTY
from onnx_explorer.ops.sequence.sequence_erase import SEQUENCE_ERASE
from onnx_explorer.ops.sequence.sequence_insert import SEQUENCE_INSERT
from onnx_explorer.ops.sequence.sequence_length import SEQUENCE_LENGTH
from onnx_explorer.ops.sequence.split_to_sequence import SPLIT_TO_SEQUENCE
from onnx_explorer.schema import UNKNOWN, Abstract, AbstractSequence, Violation
from tests.ops.page_driver import ints, kernel, rule, tensor

PAIR = sequence_of((tensor("B", 3), tensor("S", 3)))
ANY = AbstractSequence(Abstract(DType.FLOAT32, (UNKNOWN_DIM, 3)))


def text(op, *inputs, **attributes):
    (output,) = rule(op, 11, *inputs, **attributes).outputs
    return str(output)


def test_a_list_says_what_its_tensors_have_in_common():
    assert text(SEQUENCE_CONSTRUCT, tensor("B", 3), tensor("S", 3)) == "seq(float32[?, 3])"
    assert text(SEQUENCE_CONSTRUCT, tensor("B", 3), tensor("B", 3)) == "seq(float32[B, 3])"
    assert text(SEQUENCE_CONSTRUCT, tensor(2), tensor(2, 2)) == "seq(float32[...])"
    assert text(SEQUENCE_EMPTY, dtype=7) == "seq(int64[...])"


def test_a_known_position_gives_the_very_tensor():
    assert rule(SEQUENCE_AT, 11, PAIR, ints(1)).shape == "[S, 3]"
    assert rule(SEQUENCE_AT, 11, PAIR, ints(-2)).shape == "[B, 3]"
    assert rule(SEQUENCE_AT, 11, PAIR, tensor()).shape == "[item_dim_0, 3]"
    assert rule(SEQUENCE_AT, 11, AbstractSequence(None), ints(0)).shape == "[...]"
    with pytest.raises(
        Violation, match="position 2, but the sequence has 2 values: expected -2 to"
    ):
        rule(SEQUENCE_AT, 11, PAIR, ints(2))
    with pytest.raises(Violation, match="position -3, but the sequence has 2 values"):
        kernel(SEQUENCE_AT, 11, ("a", "b"), [-3])


def test_tensors_put_in_and_taken_out_are_known_one_by_one():
    longer = rule(SEQUENCE_INSERT, 11, PAIR, tensor(7, 3), ints(1)).outputs[0]
    assert [str(item) for item in longer.items] == [
        "float32[B, 3]",
        "float32[7, 3]",
        "float32[S, 3]",
    ]
    (shorter,) = rule(SEQUENCE_ERASE, 11, longer, ints(0)).outputs
    assert [str(item) for item in shorter.items] == ["float32[7, 3]", "float32[S, 3]"]
    (last,) = rule(SEQUENCE_ERASE, 11, longer).outputs
    assert (str(last), last.length) == ("seq(float32[?, 3])", 2)
    (unknown,) = rule(SEQUENCE_ERASE, 11, longer, tensor()).outputs
    assert (unknown.items, unknown.length) == (None, 2)
    assert text(SEQUENCE_INSERT, ANY, tensor(2, 4)) == "seq(float32[?, ?])"
    with pytest.raises(Violation, match="a float32 tensor, but the list holds int64 tensors"):
        rule(SEQUENCE_INSERT, 11, AbstractSequence(Abstract(DType.INT64), 0), tensor(2))
    with pytest.raises(Violation, match="position -1, but the sequence has 0 values"):
        rule(SEQUENCE_ERASE, 11, AbstractSequence(None, 0))


def test_lists_are_not_changed_in_place():
    given = [np.array(1), np.array(2)]
    longer = kernel(SEQUENCE_INSERT, 11, tuple(given), np.array(3), [-1])
    assert [a.item() for a in longer] == [1, 3, 2]
    shorter = kernel(SEQUENCE_ERASE, 11, tuple(given))
    assert [a.item() for a in shorter] == [1]
    assert [a.item() for a in given] == [1, 2]
    with pytest.raises(
        Violation, match="position 3, but the sequence has 2 values: expected -2 to 2"
    ):
        kernel(SEQUENCE_INSERT, 11, tuple(given), np.array(3), [3])


def test_length_is_content():
    assert rule(SEQUENCE_LENGTH, 11, PAIR).outputs[0].content == (2,)
    assert rule(SEQUENCE_LENGTH, 11, ANY).outputs[0].content is None
    assert rule(SEQUENCE_LENGTH, 11, ANY).shape == "[]"


def test_joining_sums_up_what_differs():
    assert rule(CONCAT_FROM_SEQUENCE, 11, PAIR, axis=0).shape == "[B + S, 3]"
    stacked = rule(CONCAT_FROM_SEQUENCE, 11, PAIR, axis=-1, new_axis=1)
    assert (stacked.shape, stacked.assumptions) == ("[B, 3, 2]", ["B = S"])
    same = AbstractSequence(tensor("B", 3), parse("n"))
    assert rule(CONCAT_FROM_SEQUENCE, 11, same, axis=1).shape == "[B, 3*n]"
    assert rule(CONCAT_FROM_SEQUENCE, 11, same, axis=0, new_axis=1).shape == "[n, B, 3]"
    assert rule(CONCAT_FROM_SEQUENCE, 11, ANY, axis=0).shape == "[size_1, 3]"
    assert rule(CONCAT_FROM_SEQUENCE, 11, AbstractSequence(UNKNOWN), axis=0).shape == "[...]"


def test_joining_refuses_sizes_that_disagree_and_nothing():
    uneven = sequence_of((tensor(2, 3), tensor(4, 5)))
    with pytest.raises(Violation, match="size 5 on axis 1 of tensor 1, but the tensors before"):
        rule(CONCAT_FROM_SEQUENCE, 11, uneven, axis=0)
    with pytest.raises(Violation, match=r"tensors of shapes \[2, 3\] and \[4, 5\]"):
        kernel(CONCAT_FROM_SEQUENCE, 11, (np.ones((2, 3)), np.ones((4, 5))), axis=0)
    with pytest.raises(Violation, match="0 tensors, but joining needs 1 or more"):
        kernel(CONCAT_FROM_SEQUENCE, 11, (), axis=0)
    with pytest.raises(Violation, match="0 tensors"):
        rule(CONCAT_FROM_SEQUENCE, 11, AbstractSequence(UNKNOWN, 0), axis=0)


def test_splitting_without_sizes_gives_parts_of_one():
    (parts,) = rule(SPLIT_TO_SEQUENCE, 24, tensor("B", "S")).outputs
    assert (str(parts), str(parts.length)) == ("seq(float32[1, S])", "B")
    (parts,) = rule(SPLIT_TO_SEQUENCE, 11, tensor("B", "S"), axis=-1, keepdims=0).outputs
    assert (str(parts), str(parts.length)) == ("seq(float32[B])", "S")
    rows = kernel(SPLIT_TO_SEQUENCE, 11, np.arange(4).reshape(2, 2), keepdims=0)
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3]]
    scalars = kernel(SPLIT_TO_SEQUENCE, 11, np.arange(2), keepdims=0)
    assert [type(scalar) for scalar in scalars] == [np.ndarray] * 2


def test_splitting_by_one_size_or_many():
    def chunks(size, part):
        split = Abstract(DType.INT64, (), (parse(part) if isinstance(part, str) else part,))
        (parts,) = rule(SPLIT_TO_SEQUENCE, 11, tensor(size, 2), split).outputs
        return f"{parts} x {parts.length}"

    assert chunks("4*B", 4) == "seq(float32[4, 2]) x B"
    assert chunks(7, 3) == "seq(float32[?, 2]) x 3"
    assert chunks("B", 3) == "seq(float32[?, 2]) x floor((B - 1)/3) + 1"
    (parts,) = rule(SPLIT_TO_SEQUENCE, 11, tensor(7, 2), ints(3, 4)).outputs
    assert [str(item) for item in parts.items] == ["float32[3, 2]", "float32[4, 2]"]
    (parts,) = rule(SPLIT_TO_SEQUENCE, 11, tensor(7, 2), tensor(5)).outputs
    assert (str(parts), parts.length) == ("seq(float32[?, 2])", 5)
    message = r"split = \[3, 5\] sums up to 8, but axis 0 of the input has size 7"
    with pytest.raises(Violation, match=message):
        rule(SPLIT_TO_SEQUENCE, 11, tensor(7, 2), ints(3, 5))
    with pytest.raises(Violation, match=message):
        kernel(SPLIT_TO_SEQUENCE, 11, np.ones((7, 2)), [3, 5])
    with pytest.raises(Violation, match="split = 0, but parts have size 1 or more"):
        kernel(SPLIT_TO_SEQUENCE, 11, np.ones(7), np.array(0))


def test_an_empty_list_says_nothing_about_the_tensors_of_another():
    empty = AbstractSequence(Abstract(DType.FLOAT32), 0)
    assert str(common_sequence(empty, PAIR)) == "seq(float32[?, 3])"
    assert common_sequence(empty, PAIR).length is None
    assert common_sequence(PAIR, PAIR) == PAIR
    with pytest.raises(Violation, match="in one list, but all are of one type"):
        sequence_of((tensor(2), ints(2)))


def test_sizes_made_anew_in_each_round_are_no_common_ones():
    once = AbstractSequence(tensor("B", "made"), 4)
    assert str(closed(once, frozenset({"B"}))) == "seq(float32[B, ?])"
