import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.pad import PAD
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_versions_1_and_2_pad_by_attributes():
    data = np.array([[1, 2]], np.float32)
    padded = kernel(PAD, 1, data, paddings=(0, 1, 1, 0), value=9.0)
    assert padded.tolist() == [[9, 1, 2], [9, 9, 9]]
    assert padded.dtype == np.float32
    assert rule(PAD, 1, tensor("B", 2), paddings=(0, 1, 1, 0)).shape == "[B + 1, 3]"
    assert kernel(PAD, 2, data, pads=(0, -1, 0, 2), mode="edge").tolist() == [[2, 2, 2]]
    assert rule(PAD, 2, tensor("B", 2), pads=(0, -1, 0, 2)).shape == "[B, 3]"


@given(
    size=st.integers(1, 6),
    before=st.integers(0, 15),
    behind=st.integers(0, 15),
    mode=st.sampled_from(["reflect", "edge", "wrap"]),
)
def test_modes_agree_with_numpy(size, before, behind, mode):
    data = np.arange(size)
    ours = kernel(PAD, 19, data, [before, behind], mode=mode)
    assert ours.tolist() == np.pad(data, (before, behind), mode=mode).tolist()


@pytest.mark.parametrize(
    ("data", "empty"),
    [
        (np.array(["a"], object), ""),
        (np.array([True]), False),
        (np.array([1], ml_dtypes.int4), 0),
        (np.array([1], np.float16), 0),
        (np.array([1j], np.complex64), 0),
    ],
)
def test_what_is_added_by_default(data, empty):
    padded = kernel(PAD, 25, data, [1, 0])
    assert padded.dtype == data.dtype
    assert padded.tolist() == [empty, data.tolist()[0]]


def test_axes_say_which_pads_are_meant():
    data = np.ones((1, 2))
    assert kernel(PAD, 18, data, [1, 2], None, np.array([-1], np.int32)).shape == (1, 5)
    assert rule(PAD, 18, tensor("B", "S"), ints(1, 2), None, ints(-1)).shape == "[B, S + 3]"
    assert rule(PAD, 18, tensor("B", "S"), tensor(2), None, ints(1)).shape == "[B, dim1_0]"
    assert rule(PAD, 18, tensor("B", "S"), ints(1, 2), None, tensor(1)).shape == "[dim0_0, dim1_1]"


def test_symbolic_pads_add_up():
    assert rule(PAD, 13, tensor("S"), ints("p", "q")).shape == "[S + p + q]"


def test_an_unknown_rank_is_half_the_number_of_pads():
    assert rule(PAD, 13, UNKNOWN, ints(1, 0, 0, 1)).shape == "[dim0_0, dim1_1]"
    assert rule(PAD, 13, UNKNOWN, tensor("n")).shape == "[...]"


def test_violations_name_both_numbers():
    with pytest.raises(Violation, match=r"3 values in pads = .* 2 for each of 2 axes, 4, are"):
        rule(PAD, 13, tensor(1, 2), ints(1, 2, 3))
    message = "pads -2 and -1 on axis 0, but its size is 2, and no more than that"
    with pytest.raises(Violation, match=message):
        rule(PAD, 13, tensor(2), ints(-2, -1))
    with pytest.raises(Violation, match=message):
        kernel(PAD, 13, np.ones(2), [-2, -1])
    with pytest.raises(Violation, match="size 0 on axis 0, to be padded by 1 and 0, but edge mode"):
        kernel(PAD, 13, np.ones(0), [1, 0], mode="edge")


def test_wrap_mode_came_with_version_19():
    with pytest.raises(Violation, match="mode = 'wrap'"):
        kernel(PAD, 18, np.ones(2), [1, 0], mode="wrap")


def test_content_is_padded_too():
    assert on_sizes(PAD, 13, ["B"], [1, 1], 7).tolist() == [7, parse("B"), 7]
    assert on_sizes(PAD, 13, ["B"], [1, 0]).tolist() == [0, parse("B")]
    assert on_sizes(PAD, 13, ["B", 2], [0, 1], mode="edge").tolist() == [parse("B"), 2, 2]
