"""Derivatives of operators that sample and resize, where onnx's node cases do not go."""

import numpy as np
import pytest

from tests.derivatives.differences import check_node

RNG = np.random.default_rng(5)


def numbers(*shape):
    """Different enough that no step of a difference changes which of them is the largest."""
    return RNG.permutation(np.prod(shape)).reshape(shape) / 4 - 3.1


def test_the_largest_element_of_each_bin_of_a_region_has_its_derivative():
    # The last region hangs over the edge, and the one before lies outside.
    rois = np.array([[0, 0, 0, 4, 4], [1, 1, 2, 3, 3], [1, 9, 9, 9, 9], [0, 3, 2, 7, 8]], float)
    feeds = {"X": numbers(2, 3, 5, 6), "rois": rois}
    check_node("MaxRoiPool", feeds, ["X"], pooled_shape=[2, 3], spatial_scale=0.8)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
def test_samples_of_many_images_give_derivatives_to_their_own(mode, padding_mode):
    feeds = {"X": numbers(2, 3, 4, 5), "grid": RNG.uniform(-1.4, 1.4, (2, 3, 2, 2))}
    check_node("GridSample", feeds, ["X"], mode=mode, padding_mode=padding_mode)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_upsampling_has_derivatives_however_the_scales_are_given(mode):
    x, scales = numbers(2, 3, 4), [1.0, 1.5, 2.3]
    check_node("Upsample", {"X": x}, ["X"], opset=7, mode=mode, scales=scales)
    given = {"X": x, "scales": np.array(scales, np.float32)}
    check_node("Upsample", given, ["X"], opset=9, mode=mode)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_the_first_resize_has_derivatives(mode):
    feeds = {"X": numbers(3, 4, 5), "scales": np.array([1.0, 0.6, 2.3], np.float32)}
    check_node("Resize", feeds, ["X"], opset=10, mode=mode)


def test_resizing_some_axes_of_many_has_derivatives():
    feeds = {"X": numbers(2, 3, 4, 5), "roi": None, "scales": None, "sizes": np.array([7, 2])}
    check_node("Resize", feeds, ["X"], mode="cubic", axes=[-1, 1], antialias=1)
