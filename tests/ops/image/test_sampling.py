import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.image.affine_grid import AFFINE_GRID
from onnx_explorer.ops.image.deform_conv import DEFORM_CONV
from onnx_explorer.ops.image.grid_sample import GRID_SAMPLE
from onnx_explorer.ops.nn.conv import CONV
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.image.runtime import runtime
from tests.ops.page_driver import complaint, ints, kernel, rule, tensor

RNG = np.random.default_rng(11)
IMAGE = RNG.standard_normal((2, 3, 5, 4)).astype(np.float32)
GRID = RNG.uniform(-2.5, 2.5, (2, 6, 7, 2)).astype(np.float32)


@pytest.mark.parametrize("align_corners", [0, 1])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(
    ("version", "mode"),
    [(16, "bilinear"), (16, "bicubic"), (20, "linear"), (20, "nearest"), (20, "cubic")],
)
def test_sampling_agrees_with_onnxruntime(version, mode, padding_mode, align_corners):
    how = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    ours = kernel(GRID_SAMPLE, version, IMAGE, GRID, **how)
    np.testing.assert_allclose(ours, runtime("GridSample", version, IMAGE, GRID, **how), atol=2e-5)


def on_a_line(*positions):
    """A grid over an axis of 2 elements: pixel i has its center at i - 0.5."""
    return np.array(positions, np.float32).reshape(1, -1, 1)


def test_any_number_of_axes_is_sampled():
    line = np.array([[[10, 20]]], np.float32)
    assert kernel(GRID_SAMPLE, 20, line, on_a_line(-0.5, 0, 0.5)).tolist() == [[[10, 15, 20]]]
    volume = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    grid = np.array([1, 0, -1], np.float32).reshape(1, 1, 1, 1, 3)  # x comes first
    got = kernel(GRID_SAMPLE, 20, volume, grid, align_corners=1)
    assert got.tolist() == [[[[[2]]]]]


def test_positions_far_outside_and_nan_are_outside():
    line = np.array([[[10, 20]]], np.float32)
    far = on_a_line(-1e30, np.nan, np.inf)
    for mode in ("nearest", "linear", "cubic"):
        assert kernel(GRID_SAMPLE, 20, line, far, mode=mode).tolist() == [[[0, 0, 0]]]
    got = kernel(GRID_SAMPLE, 20, line, on_a_line(-1e30, 1e30), padding_mode="border")
    assert got.tolist() == [[[10, 20]]]


def test_every_type_is_sampled():
    where = on_a_line(-0.5, 0.1, 7)
    words = np.array([[["a", "b"]]], object)
    assert kernel(GRID_SAMPLE, 20, words, where, mode="nearest").tolist() == [[["a", "b", ""]]]
    with pytest.raises(Violation, match=r"strings and mode = 'linear'"):
        kernel(GRID_SAMPLE, 20, words, where)
    for dtype, expected in ((np.int8, [1, 2, 0]), (np.complex64, [1, 2.5 + 1.5j, 0])):
        line = (
            np.array([[[1, 3.5 + 2.5j]]]).astype(dtype)
            if dtype == np.complex64
            else (np.array([[[1, 3]]], dtype))
        )
        got = kernel(GRID_SAMPLE, 20, line, on_a_line(-0.5, 0.1, 7))
        assert got.dtype == dtype
        np.testing.assert_allclose(got[0, 0], expected, rtol=1e-6)
    flags = np.array([[[False, True]]])
    assert kernel(GRID_SAMPLE, 20, flags, where, mode="nearest").tolist() == [[[0, 1, 0]]]
    got = kernel(GRID_SAMPLE, 22, np.ones((1, 1, 2), ml_dtypes.bfloat16), where)
    assert got.dtype == ml_dtypes.bfloat16


def test_the_output_has_the_sizes_of_the_grid():
    X, grid = tensor("N", "C", "h", "w"), tensor("M", "H", 7, 2)
    got = rule(GRID_SAMPLE, 16, X, grid)
    assert (got.shape, got.assumptions) == ("[N, C, H, 7]", ["N = M"])
    assert rule(GRID_SAMPLE, 16, UNKNOWN, grid).shape == "[M, channels_0, H, 7]"
    assert rule(GRID_SAMPLE, 16, X, UNKNOWN).shape == "[N, C, dim2_0, dim3_1]"
    said = complaint(GRID_SAMPLE, 20, X, tensor("N", "H", 7, 3))
    assert said == "3 coordinates, but there are 2 spatial axes"
    said = complaint(GRID_SAMPLE, 16, tensor(1, 1, 5), tensor(1, 5, 1))
    assert said == "rank 3, but 4 before version 20"
    with pytest.raises(Violation, match=said):
        kernel(GRID_SAMPLE, 16, np.ones((1, 1, 2), np.float32), on_a_line(0))
    with pytest.raises(Violation, match=r"needs a grid of rank 4 and batch size 2"):
        kernel(GRID_SAMPLE, 20, IMAGE, GRID[:1])


@pytest.mark.parametrize("align_corners", [0, 1])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 3, 1, 5, 2)])
def test_grids_agree_with_their_definition(size, align_corners):
    axes = len(size) - 2
    theta = RNG.standard_normal((2, axes, axes + 1))
    got = kernel(AFFINE_GRID, 20, theta, np.array(size), align_corners=align_corners)
    assert got.shape == (2, *size[2:], axes)
    for place in np.ndindex(*size[2:]):
        pairs = zip(reversed(place), reversed(size[2:]), strict=True)
        if align_corners:
            point = [i / (n - 1) * 2 - 1 if n > 1 else 0 for i, n in pairs]
        else:
            point = [(i + 0.5) / n * 2 - 1 for i, n in pairs]
        np.testing.assert_allclose(got[:, *place], theta @ [*point, 1])


def test_a_grid_has_the_size_asked_for():
    theta = tensor("N", 2, 3)
    got = rule(AFFINE_GRID, 20, theta, ints("M", 3, "h", 5))
    assert (got.shape, got.assumptions) == ("[N, h, 5, 2]", ["N = M"])
    assert rule(AFFINE_GRID, 20, UNKNOWN, ints("M", 3, "h", 5)).shape == "[M, h, 5, 2]"
    assert rule(AFFINE_GRID, 20, tensor("N", 3, 4), UNKNOWN).shape == "[N, D_0, H_1, W_2, 3]"
    assert rule(AFFINE_GRID, 20, UNKNOWN, UNKNOWN).shape == "[...]"
    assert complaint(AFFINE_GRID, 20, tensor(2, 2, 3), ints(4, 3, 8, 8)) == (
        "batch size 4, but theta holds 2 maps"
    )
    with pytest.raises(Violation, match=r"shape \[2, 2, 3\], but 5 sizes need \(N, 3, 4\)"):
        kernel(AFFINE_GRID, 20, np.ones((2, 2, 3)), np.array([2, 1, 3, 3, 3]))


@pytest.mark.parametrize("version", DEFORM_CONV.versions)
@pytest.mark.parametrize("shape", [(2, 4, 9), (2, 4, 6, 5), (1, 4, 3, 4, 5)])
def test_without_offsets_it_is_a_convolution(version, shape):
    axes = len(shape) - 2
    X = RNG.standard_normal(shape).astype(np.float32)
    W = RNG.standard_normal((6, 2, *(2,) * axes)).astype(np.float32)
    B = RNG.standard_normal(6).astype(np.float32)
    how = {"group": 2, "pads": (1,) * 2 * axes, "strides": (2,) * axes, "dilations": (2,) * axes}
    expected = kernel(CONV, 11, X, W, B, **how)
    out, taps = expected.shape[2:], 2**axes
    offset = np.zeros((shape[0], 2 * taps * axes, *out), np.float32)
    mask = np.ones((shape[0], 2 * taps, *out), np.float32)
    got = kernel(DEFORM_CONV, version, X, W, offset, B, mask, offset_group=2, **how)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_offsets_move_taps_and_masks_weigh_them():
    X, W = np.array([[[1, 2, 3]]], np.float32), np.array([[[1, 10]]], np.float32)
    offset = np.array([[[0.5, 0], [0, 1.5]]], np.float32)
    # window 0 sees 1.5 and 2; window 1 sees 2 and, past the end, half of 3's neighbour: 0
    assert kernel(DEFORM_CONV, 19, X, W, offset).tolist() == [[[21.5, 2]]]
    mask = np.array([[[2, 1], [0, 1]]], np.float32)
    assert kernel(DEFORM_CONV, 19, X, W, offset, None, mask).tolist() == [[[3, 2]]]
    none = kernel(DEFORM_CONV, 19, X[:0], W, offset[:0])
    assert (none.shape, none.dtype) == ((0, 1, 2), np.float32)


def test_deformed_convolution_checks_its_offsets():
    X, W = tensor("N", 4, "h", "w"), tensor(6, 4, 3, 3)
    good = tensor("N", 18, "h - 2", "w - 2")
    assert rule(DEFORM_CONV, 19, X, W, good).shape == "[N, 6, h - 2, w - 2]"
    said = complaint(DEFORM_CONV, 19, X, W, tensor("N", 9, "h - 2", "w - 2"))
    assert said == (
        "shape [N, 9, h - 2, w - 2], but an output of [N, 6, h - 2, w - 2] needs "
        "[N, 18, h - 2, w - 2]"
    )
    said = complaint(DEFORM_CONV, 19, X, W, good, None, good)
    assert said.endswith("needs [N, 9, h - 2, w - 2]")
    said = complaint(DEFORM_CONV, 19, X, W, good, offset_group=3)
    assert said == "offset_group = 3, but X has 4 channels"
