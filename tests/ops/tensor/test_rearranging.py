"""Operators that turn around, lay out, crop and fold."""

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.tensor.center_crop_pad import CENTER_CROP_PAD
from onnx_explorer.ops.tensor.col2im import COL2IM
from onnx_explorer.ops.tensor.depth_to_space import DEPTH_TO_SPACE, SPACE_TO_DEPTH
from onnx_explorer.ops.tensor.reshape import RESHAPE
from onnx_explorer.ops.tensor.reverse_sequence import REVERSE_SEQUENCE
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import complaint, ints, kernel, on_sizes, rule, tensor


def test_reverse_sequence_leaves_what_is_behind_the_length():
    data = np.arange(12).reshape(3, 2, 2)
    out = kernel(REVERSE_SEQUENCE, 10, data, [3, 0])
    assert out[:, 0].tolist() == [[8, 9], [4, 5], [0, 1]]
    assert out[:, 1].tolist() == data[:, 1].tolist()
    assert rule(REVERSE_SEQUENCE, 28, tensor("T", "B", 8), tensor("B")).shape == "[T, B, 8]"
    assert on_sizes(REVERSE_SEQUENCE, 10, [["B", 2]], [2], batch_axis=0, time_axis=1).tolist() == [
        [2, parse("B")]
    ]


def test_reverse_sequence_refuses_lengths_beyond_the_axis():
    message = "length 4, but the time axis has size 3: expected 0 to 3"
    with pytest.raises(Violation, match=message):
        rule(REVERSE_SEQUENCE, 10, tensor(3, 2), ints(4, 1))
    with pytest.raises(Violation, match=message):
        kernel(REVERSE_SEQUENCE, 10, np.ones((3, 2)), [4, 1])
    with pytest.raises(Violation, match=r"shape \[3\], but one for each of 2 batches"):
        rule(REVERSE_SEQUENCE, 10, tensor(3, 2), tensor(3))
    with pytest.raises(Violation, match="batch_axis = time_axis = 1"):
        rule(REVERSE_SEQUENCE, 10, tensor(3, 2), tensor(2), time_axis=1)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space_follows_its_formula_and_space_to_depth_is_the_way_back(mode):
    b, depth, h, w = 2, 3, 2, 3
    x = np.arange(depth * b * b * h * w).reshape(1, depth * b * b, h, w)
    y = kernel(DEPTH_TO_SPACE, 28, x, blocksize=b, mode=mode.encode())
    for d, row, column in np.ndindex(depth, h * b, w * b):
        r, c = row % b, column % b
        channel = (r * b + c) * depth + d if mode == "DCR" else d * b * b + r * b + c
        assert y[0, d, row, column] == x[0, channel, row // b, column // b]
    back = kernel(SPACE_TO_DEPTH, 28, y, blocksize=b, mode=mode.encode())
    np.testing.assert_array_equal(back, x)


def test_blocks_before_there_were_modes():
    x = np.arange(8).reshape(1, 8, 1, 1)
    assert kernel(DEPTH_TO_SPACE, 1, x, blocksize=2).tolist() == [
        [[[0, 2], [4, 6]], [[1, 3], [5, 7]]]
    ]
    y = kernel(SPACE_TO_DEPTH, 13, np.arange(4).reshape(1, 1, 2, 2), blocksize=2)
    assert y.tolist() == [[[[0]], [[1]], [[2]], [[3]]]]


def test_blocks_of_symbolic_sizes():
    assert rule(DEPTH_TO_SPACE, 13, tensor("N", 12, "h", "w"), blocksize=2).shape == (
        "[N, 3, 2*h, 2*w]"
    )
    assert rule(SPACE_TO_DEPTH, 13, tensor("N", "c", "2*h", 8), blocksize=2).shape == (
        "[N, 4*c, h, 4]"
    )
    assert rule(SPACE_TO_DEPTH, 1, UNKNOWN, blocksize=2).shape == "[...]"
    for site in (
        lambda: rule(DEPTH_TO_SPACE, 1, tensor(1, 6, 2, 2), blocksize=2),
        lambda: kernel(DEPTH_TO_SPACE, 11, np.ones((1, 6, 2, 2)), blocksize=2),
    ):
        with pytest.raises(Violation, match="6 channels, but a multiple of 4"):
            site()
    with pytest.raises(Violation, match=r"2\*h \+ 1 rows, but a multiple of 2"):
        rule(SPACE_TO_DEPTH, 1, tensor(1, 1, "2*h + 1", 2), blocksize=2)
    with pytest.raises(Violation, match="blocksize = 0"):
        kernel(SPACE_TO_DEPTH, 1, np.ones((1, 1, 2, 2)), blocksize=0)


@pytest.mark.parametrize(
    ("size", "target", "expected"),
    [
        (5, 2, [1, 2]),
        (4, 1, [1]),
        (2, 5, [9, 0, 1, 9, 9]),
        (3, 3, [0, 1, 2]),
        (0, 2, [9, 9]),
        (3, 0, []),
    ],
)
def test_center_crop_pad_puts_what_is_odd_at_the_end(size, target, expected):
    data = np.arange(size, dtype=np.int8)
    out = kernel(CENTER_CROP_PAD, 18, data + 1, [target])
    assert out.dtype == np.int8
    assert out.tolist() == [0 if e == 9 else e + 1 for e in expected]


def test_center_crop_pad_of_some_axes():
    assert rule(CENTER_CROP_PAD, 18, tensor("B", 3, "h"), ints(5, "w"), axes=(-2, 2)).shape == (
        "[B, 5, w]"
    )
    assert rule(CENTER_CROP_PAD, 18, tensor("B", 3), tensor(1), axes=(1,)).shape == "[B, dim1_0]"
    assert rule(CENTER_CROP_PAD, 18, UNKNOWN, ints(4, "w")).shape == "[4, w]"
    with pytest.raises(Violation, match=r"3 sizes \[1, 2, 3\], but one for each of 2 axes"):
        kernel(CENTER_CROP_PAD, 18, np.ones((2, 2)), [1, 2, 3])
    words = kernel(CENTER_CROP_PAD, 18, np.array(["a"], object), [3])
    assert words.tolist() == ["", "a", ""]
    assert on_sizes(CENTER_CROP_PAD, 18, ["B"], [3]).tolist() == [0, parse("B"), 0]


def test_col2im_shares_the_window_of_convolutions():
    ruled = rule(COL2IM, 18, tensor("N", 18, 4), ints(4, 4), ints(3, 3))
    assert ruled.shape == "[N, 2, 4, 4]"
    assert rule(COL2IM, 18, tensor("N", "9*c", "L"), tensor(2), ints(3, 3)).shape == (
        "[N, c, dim0_0, dim1_1]"
    )
    assert rule(COL2IM, 18, UNKNOWN, ints("h", "w"), tensor(2)).shape == (
        "[batch_0, channels_1, h, w]"
    )
    with pytest.raises(Violation, match="5 blocks, but 4 blocks fit into the image"):
        rule(COL2IM, 18, tensor(1, 9, 5), ints(4, 4), ints(3, 3))
    with pytest.raises(Violation, match="size 8 on axis 1, but a block has 9 places"):
        kernel(COL2IM, 18, np.ones((1, 8, 4), "f4"), [4, 4], [3, 3])


def test_col2im_counts_how_many_blocks_reach_each_place():
    ones = np.ones((1, 4, 9), ml_dtypes.bfloat16)
    out = kernel(COL2IM, 18, ones, [2, 2], [2, 2], pads=(1, 1, 1, 1))
    assert (out.dtype, out.tolist()) == (ones.dtype, [[[[4, 4], [4, 4]]]])
    out = kernel(COL2IM, 18, np.ones((1, 2, 2), "f4"), [5], [2], dilations=(2,), strides=(2,))
    assert out.tolist() == [[[1, 0, 2, 0, 1]]]


def test_col2im_cannot_add_strings():
    """The standard lists their type among those of the input."""
    words = Abstract(DType.STRING, (1, 4, 1))
    assert complaint(COL2IM, 18, words, ints(2, 2), ints(2, 2)) == (
        "strings, but numbers are needed, which are added where blocks overlap"
    )
    with pytest.raises(Violation, match="strings, but numbers"):
        kernel(COL2IM, 18, np.full((1, 4, 1), "a", object), [2, 2], [2, 2])


@pytest.mark.parametrize("target", [6, [[6, 1]]])
def test_the_target_of_a_reshape_is_a_vector(target):
    said = "but a target is a tensor of rank 1"
    assert said in complaint(RESHAPE, 14, tensor(2, 3), tensor(*np.shape(target)))
    with pytest.raises(Violation, match=said):
        kernel(RESHAPE, 14, np.ones((2, 3)), np.array(target))
