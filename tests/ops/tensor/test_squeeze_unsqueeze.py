import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.squeeze import SQUEEZE
from onnx_explorer.ops.tensor.unsqueeze import UNSQUEEZE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


@pytest.mark.parametrize("version", [1, 11])
def test_axes_as_an_attribute(version):
    data = np.ones((1, 3, 1), np.float32)
    assert kernel(SQUEEZE, version, data, axes=(0,)).shape == (3, 1)
    assert kernel(SQUEEZE, version, data).shape == (3,)
    assert rule(SQUEEZE, version, tensor(1, "S", 1), axes=(0, 2)).shape == "[S]"
    assert kernel(UNSQUEEZE, version, data, axes=(4, 0)).shape == (1, 1, 3, 1, 1)
    assert rule(UNSQUEEZE, version, tensor("B", 3), axes=(0, 3)).shape == "[1, B, 3, 1]"


def test_squeeze_without_axes_needs_to_know_which_sizes_are_1():
    assert rule(SQUEEZE, 13, tensor(1, "2*n", 3)).shape == "[2*n, 3]"
    assert rule(SQUEEZE, 13, tensor("B", 1, 3)).shape == "[...]"


def test_squeezing_a_symbolic_size_is_an_assumption():
    ruled = rule(SQUEEZE, 13, tensor("B", 3), ints(0))
    assert (ruled.shape, ruled.assumptions) == ("[3]", ["B = 1"])


def test_axes_of_known_number_only():
    assert rule(SQUEEZE, 13, tensor(1, "B", 1), tensor(2)).shape == "[dim0_0]"
    assert rule(UNSQUEEZE, 13, tensor("B"), tensor(1)).shape == "[dim0_0, dim1_1]"
    assert rule(UNSQUEEZE, 13, tensor("B"), tensor()).shape == "[dim0_0, dim1_1]"
    assert rule(SQUEEZE, 13, tensor(1, 2), tensor("n")).shape == "[...]"
    assert rule(UNSQUEEZE, 13, UNKNOWN, ints(0)).shape == "[...]"


def test_violations_name_size_and_range():
    message = r"size 3 on axis 1 of shape \[1, 3\], but only axes of size 1"
    with pytest.raises(Violation, match=message):
        rule(SQUEEZE, 13, tensor(1, 3), ints(-1))
    with pytest.raises(Violation, match=message):
        kernel(SQUEEZE, 13, np.ones((1, 3)), [1])
    with pytest.raises(Violation, match="axes = 3, but the tensor has rank 2: expected -2 to 1"):
        rule(UNSQUEEZE, 13, tensor(3), ints(3))
    with pytest.raises(Violation, match=r"axes = \[0, -3\] names an axis twice"):
        kernel(UNSQUEEZE, 13, np.ones(3), [0, -3])
    with pytest.raises(Violation, match="2 axes, but data has rank 1"):
        rule(SQUEEZE, 13, tensor(1), tensor(2))


def test_content_survives_both():
    one = on_sizes(UNSQUEEZE, 13, "B", [0])
    assert one.tolist() == [parse("B")]
    assert on_sizes(SQUEEZE, 13, ["B"], [0]).item() == parse("B")
    assert on_sizes(SQUEEZE, 25, ["B"]).shape == ()


def test_narrow_dtypes_stay():
    data = np.zeros((1, 2), ml_dtypes.uint4)
    assert kernel(SQUEEZE, 21, data).dtype == data.dtype
    assert kernel(UNSQUEEZE, 25, data, [0]).dtype == data.dtype
