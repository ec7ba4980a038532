import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.image.max_roi_pool import MAX_ROI_POOL
from onnx_explorer.ops.image.max_unpool import MAX_UNPOOL
from onnx_explorer.ops.image.roi_align import ROI_ALIGN
from onnx_explorer.ops.nn.max_pool import MAX_POOL
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.image.runtime import runtime
from tests.ops.page_driver import complaint, ints, kernel, rule, tensor

RNG = np.random.default_rng(2)
IMAGES = RNG.standard_normal((2, 3, 7, 8)).astype(np.float32)
LOWS = RNG.uniform(-2, 9, (12, 2))
CORNERS = np.hstack([LOWS, LOWS + RNG.uniform(0, 6, (12, 2))]).astype(np.float32)
WHICH = RNG.integers(0, 2, 12)


@pytest.mark.parametrize("scale", [1.0, 0.5])
@pytest.mark.parametrize("pooled_shape", [(1, 1), (2, 3), (9, 5)])
def test_max_pooling_of_regions_agrees_with_onnxruntime(pooled_shape, scale):
    rois = np.hstack([WHICH[:, None], CORNERS]).astype(np.float32)
    how = {"pooled_shape": pooled_shape, "spatial_scale": scale}
    ours = kernel(MAX_ROI_POOL, 1, IMAGES, rois, **how)
    np.testing.assert_array_equal(ours, runtime("MaxRoiPool", 1, IMAGES, rois, **how))


def test_max_pooling_of_regions_by_hand():
    X = np.array([[[[1, 2], [3, 4]]]], ml_dtypes.bfloat16)
    rois = np.array([[0, 0, 0, 1, 1], [0, 1, 0, 1, 0], [0, 5, 5, 9, 9]], ml_dtypes.bfloat16)
    got = kernel(MAX_ROI_POOL, 22, X, rois, pooled_shape=(1, 2))
    assert got.astype(float).tolist() == [[[[3, 4]]], [[[2, 2]]], [[[0, 0]]]]
    assert got.dtype == X.dtype
    rois[1, 0] = 3
    with pytest.raises(Violation, match=r"images 0 to 3, but there are 1"):
        kernel(MAX_ROI_POOL, 22, X, rois, pooled_shape=(1, 2))


@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize(
    ("version", "how"),
    [(10, {}), (16, {}), (16, {"coordinate_transformation_mode": "output_half_pixel"})],
)
def test_aligned_pooling_agrees_with_onnxruntime(version, how, mode, ratio):
    how = how | {"output_height": 2, "output_width": 3, "sampling_ratio": ratio}
    how |= {"mode": mode, "spatial_scale": 0.7}
    ours = kernel(ROI_ALIGN, version, IMAGES, CORNERS, WHICH, **how)
    expected = runtime("RoiAlign", version, IMAGES, CORNERS, WHICH, **how)
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_aligned_pooling_by_hand():
    X = np.array([[[[1, 2], [3, 4]]]], np.float16)
    whole, first = np.array([[0, 0, 2, 2]], np.float16), np.array([0])
    assert kernel(ROI_ALIGN, 16, X, whole, first, sampling_ratio=1).tolist() == [[[[2.5]]]]
    # before version 16 the corners were centers: the sample lies on pixel (1, 1)
    got = kernel(ROI_ALIGN, 10, X, whole, first, sampling_ratio=1)
    assert (got.tolist(), got.dtype) == ([[[[4]]]], np.float16)
    # the largest weighted pixel, not the largest sample
    got = kernel(ROI_ALIGN, 16, X, whole, first, sampling_ratio=1, mode="max")
    assert got.tolist() == [[[[1]]]]
    # no height, so that no row of samples fits
    flat = np.array([[0, 1, 2, 1]], np.float16)
    assert kernel(ROI_ALIGN, 16, X, flat, first).tolist() == [[[[0]]]]
    with pytest.raises(Violation, match=r"images 1 to 1, but there are 1"):
        kernel(ROI_ALIGN, 16, X, whole, np.array([1]))


def test_regions_give_their_number_and_the_bins():
    X, rois = tensor("N", "C", "h", "w"), tensor("R", 4)
    bins = {"output_height": 7, "output_width": 5}
    assert rule(ROI_ALIGN, 10, X, rois, tensor("R"), **bins).shape == "[R, C, 7, 5]"
    assert rule(ROI_ALIGN, 10, UNKNOWN, UNKNOWN, tensor("R"), **bins).shape == (
        "[R, channels_0, 7, 5]"
    )
    said = complaint(ROI_ALIGN, 16, X, tensor(4, 4), tensor(5), **bins)
    assert said == "5 elements, but there are 4 regions"
    got = rule(MAX_ROI_POOL, 1, X, tensor("R", 5), pooled_shape=(7, 5))
    assert got.shape == "[R, C, 7, 5]"
    said = complaint(MAX_ROI_POOL, 1, X, tensor("R", 4), pooled_shape=(7, 5))
    assert said == "shape [R, 4], but (regions, 5)"
    said = complaint(MAX_ROI_POOL, 1, X, tensor("R", 5), pooled_shape=(7,))
    assert said == "pooled_shape = [7], but two numbers, 1 or more"


@pytest.mark.parametrize("version", MAX_UNPOOL.versions)
def test_unpooling_puts_maxima_back(version):
    X = RNG.standard_normal((2, 3, 6, 8)).astype(np.float32)
    how = {"kernel_shape": (2, 2), "strides": (2, 2)}
    maxima, where = kernel(MAX_POOL, 12, X, n_outputs=2, **how)
    back = kernel(MAX_UNPOOL, version, maxima, where, **how)
    assert back.shape == X.shape
    kept = back != 0
    assert kept.sum() == maxima.size
    np.testing.assert_array_equal(back[kept], X[kept])


def test_unpooling_to_a_larger_shape_adds_zeros_behind():
    X, where = np.array([[[4, 2]]], np.float32), np.array([[[1, 2]]])
    how = {"kernel_shape": (2,), "strides": (2,)}
    assert kernel(MAX_UNPOOL, 9, X, where, **how).tolist() == [[[0, 4, 2, 0]]]
    got = kernel(MAX_UNPOOL, 9, X, where, np.array([1, 1, 5]), **how)
    assert got.tolist() == [[[0, 4, 2, 0, 0]]]
    with pytest.raises(Violation, match=r"output_shape = \[1, 1, 3\], but \[1, 1, 4\] or more"):
        kernel(MAX_UNPOOL, 9, X, where, np.array([1, 1, 3]), **how)
    with pytest.raises(Violation, match=r"positions from 1 to 4, but \[1, 1, 4\] has 4 elements"):
        kernel(MAX_UNPOOL, 9, X, where * np.array([1, 2]), **how)


def test_unpooled_sizes():
    X, how = tensor("N", 3, "h"), {"kernel_shape": (3,), "strides": (2,), "pads": (1, 0)}
    assert rule(MAX_UNPOOL, 9, X, X, **how).shape == "[N, 3, 2*h]"
    assert rule(MAX_UNPOOL, 9, X, X, ints("N", 3, "m"), **how).shape == "[N, 3, m]"
    assert rule(MAX_UNPOOL, 9, X, X, tensor(3), **how).shape == "[dim0_0, dim1_1, dim2_2]"
    assert rule(MAX_UNPOOL, 9, UNKNOWN, X, **how).shape == "[dim0_0, dim1_1, dim2_2]"
    said = complaint(MAX_UNPOOL, 9, X, tensor("N", 4, "h"), **how)
    assert said == "shape [N, 4, h], but X has shape [N, 3, h]"
    with pytest.raises(Violation, match=r"rank 4, but kernel_shape = \[3\] needs rank 3"):
        rule(MAX_UNPOOL, 9, tensor(1, 1, 2, 2), UNKNOWN, **how)


def test_regions_have_corners():
    X, which = np.ones((1, 1, 4, 4), "f4"), np.array([0])
    rois = np.array([[0, 0, 2, 2]], "f4")
    for scale in (np.nan, np.inf):
        said = f"spatial_scale = {scale}, but a number"
        assert said == complaint(
            ROI_ALIGN, 16, tensor(1, 1, 4, 4), tensor(1, 4), tensor(1), spatial_scale=scale
        )
        with pytest.raises(Violation, match=said):
            kernel(ROI_ALIGN, 16, X, rois, which, spatial_scale=scale)
        with pytest.raises(Violation, match="corners that are infinite or NaN"):
            kernel(ROI_ALIGN, 16, X, np.full_like(rois, scale), which)
