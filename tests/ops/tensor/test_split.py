import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.split import SPLIT
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor

FIVE = np.arange(5, dtype=np.float32)


def lists(parts):
    return [part.tolist() for part in parts]


def test_version_1_takes_sizes_as_floats_or_as_an_attribute():
    sizes = np.array([2, 3], np.float32)
    assert lists(kernel(SPLIT, 1, FIVE, sizes, n_outputs=2)) == [[0, 1], [2, 3, 4]]
    assert lists(kernel(SPLIT, 1, FIVE, split=(1, 4), n_outputs=2)) == [[0], [1, 2, 3, 4]]
    assert rule(SPLIT, 1, tensor(5), ints(2, 3), n_outputs=2).shapes == ["[2]", "[3]"]
    assert rule(SPLIT, 1, tensor(4), n_outputs=2).shapes == ["[2]", "[2]"]


@pytest.mark.parametrize("version", [2, 11])
def test_sizes_as_an_attribute(version):
    parts = kernel(SPLIT, version, FIVE.reshape(1, 5), axis=1, split=(1, 4), n_outputs=2)
    assert lists(parts) == [[[0]], [[1, 2, 3, 4]]]
    ruled = rule(SPLIT, version, tensor("B", 5), axis=-1, split=(1, 4), n_outputs=2)
    assert ruled.shapes == ["[B, 1]", "[B, 4]"]


@pytest.mark.parametrize("version", [1, 2, 11, 13])
def test_before_18_equal_parts_must_come_out_even(version):
    message = "size 5 on the axis, but it must be divisible by the number of outputs, 2"
    with pytest.raises(Violation, match=message):
        kernel(SPLIT, version, FIVE, n_outputs=2)
    with pytest.raises(Violation, match=message):
        rule(SPLIT, version, tensor(5), n_outputs=2)


def test_equal_parts_of_a_symbolic_axis():
    ruled = rule(SPLIT, 13, tensor("B", "3*H"), axis=1, n_outputs=3)
    assert (ruled.shapes, ruled.assumptions) == (["[B, H]"] * 3, [])
    ruled = rule(SPLIT, 13, tensor("S"), n_outputs=2)
    assert ruled.shapes == ["[floor(S/2)]", "[floor(S/2)]"]
    assert ruled.assumptions == ["2*floor(S/2) = S"]


def test_from_18_on_the_last_parts_get_what_is_left():
    assert lists(kernel(SPLIT, 18, FIVE, num_outputs=4, n_outputs=4)) == [[0, 1], [2, 3], [4], []]
    ruled = rule(SPLIT, 18, tensor(5), num_outputs=4, n_outputs=4)
    assert ruled.shapes == ["[2]", "[2]", "[1]", "[0]"]
    assert rule(SPLIT, 18, tensor("2*h"), num_outputs=2, n_outputs=2).shapes == ["[h]", "[h]"]


def test_num_outputs_and_split_exclude_each_other_and_must_fit():
    both = rule(SPLIT, 18, tensor(5), ints(2, 3), num_outputs=2, n_outputs=2)
    assert both.violations == ["split and num_outputs = 2, but only one of the two may be given"]
    assert both.shapes == ["[2]", "[3]"]
    neither = rule(SPLIT, 18, tensor(4), n_outputs=2)
    assert neither.violations == ["neither split nor num_outputs, but one of the two must be given"]
    other = rule(SPLIT, 18, tensor(4), num_outputs=3, n_outputs=2)
    assert other.violations == ["num_outputs = 3, but the node has 2 outputs"]


def test_sizes_must_sum_up_and_fit_the_outputs():
    with pytest.raises(Violation, match=r"sums up to 4, but axis 0 of the input has size 5"):
        rule(SPLIT, 13, tensor(5), ints(2, 2), n_outputs=2)
    with pytest.raises(Violation, match=r"sums up to 6, but axis 0 of the input has size 5"):
        kernel(SPLIT, 13, FIVE, [2, 4], n_outputs=2)
    with pytest.raises(Violation, match=r"1 sizes in split = \[5\], but the node has 2 outputs"):
        kernel(SPLIT, 13, FIVE, [5], n_outputs=2)
    with pytest.raises(Violation, match="3 sizes, but the node has 2 outputs"):
        rule(SPLIT, 13, tensor(5), tensor(3), n_outputs=2)


def test_unknown_sizes_leave_the_other_axes():
    ruled = rule(SPLIT, 13, tensor("B", 5), tensor(2), axis=1, n_outputs=2)
    assert ruled.shapes == ["[B, part0_0]", "[B, part1_1]"]
    assert rule(SPLIT, 13, UNKNOWN, ints(1, 1), n_outputs=2).shapes == ["[...]", "[...]"]


def test_content_is_cut_too():
    parts = on_sizes(SPLIT, 18, ["B", "S", 4], [1, 2], n_outputs=2)
    assert lists(parts) == [[parse("B")], [parse("S"), 4]]
