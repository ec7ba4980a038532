import tracemalloc

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn import conv, correlate
from onnx_explorer.ops.nn.conv import CONV
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def forget():
    """Have the way be chosen anew."""
    correlate.way.cache_clear()
    conv._fitted.cache_clear()


def by_windows(X, W, *, strides=None, dilations=None, group=1, pads=None):
    """The definition, by numpy's own windows and an einsum."""
    n = X.ndim - 2
    strides, dilations = strides or (1,) * n, dilations or (1,) * n
    pads = pads or (0,) * 2 * n
    X = np.pad(X, [(0, 0), (0, 0), *zip(pads[:n], pads[n:], strict=True)])
    reach = [(k - 1) * d + 1 for k, d in zip(W.shape[2:], dilations, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(X, reach, axis=tuple(range(2, 2 + n)))
    seen = seen[(..., *(slice(None, None, s) for s in strides), *(slice(None),) * n)]
    seen = seen[(..., *(slice(None, None, d) for d in dilations))]
    axes = "xyz"[:n]
    parts = [
        np.einsum(f"nc{axes}{axes.upper()},mc{axes.upper()}->nm{axes}", x, w, optimize=True)
        for x, w in zip(np.split(seen, group, 1), np.split(W, group), strict=True)
    ]
    return np.concatenate(parts, 1)


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((2, 16, 64, 64), (5, 16, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((1, 40, 11, 12, 13), (3, 40, 3, 3, 3), {}),
        ((1, 6, 9, 10), (4, 3, 3, 2), {"group": 2, "strides": (2, 3), "dilations": (2, 1)}),
        ((2, 8, 30), (8, 2, 5), {"group": 4, "pads": (3, 0), "strides": (2,)}),
        ((2, 6, 7, 7), (9, 6, 1, 1), {"strides": (2, 2)}),
        ((2, 6, 7, 7), (4, 3, 1, 1), {"group": 2, "pads": (1, 0, 0, 1)}),
        ((2, 6, 4), (4, 6, 1), {"strides": (2,), "pads": (0, 4)}),
        ((100, 4, 9, 9), (4, 2, 3, 3), {"group": 2}),
        ((1, 4, 150, 150), (8, 2, 5, 5), {"group": 2}),
        ((2, 40, 260, 90), (12, 40, 3, 2), {"dilations": (1, 2), "pads": (1, 0, 1, 1)}),
        ((1, 20, 7000), (6, 20, 9), {"dilations": (2,)}),
        ((2, 4, 640), (6, 2, 200), {"group": 2, "strides": (128,), "pads": (30, 5)}),
        ((1, 30, 12, 14, 15), (7, 30, 2, 3, 3), {"pads": (1,) * 6}),
        ((2, 6, 5, 6, 7), (12, 2, 2, 3, 3), {"group": 3, "dilations": (1, 2, 1), "pads": (1,) * 6}),
        (
            (3, 5, 17, 19),
            (7, 5, 3, 4),
            {"strides": (2, 3), "dilations": (2, 2), "pads": (2, 0, 1, 3)},
        ),
        ((2, 2, 3, 4), (3, 2, 3, 3), {"pads": (4, 5, 3, 6)}),
        ((1, 3, 64, 66), (40, 3, 5, 5), {"strides": (2, 2), "pads": (0, 2, 1, 2)}),
        ((5, 300, 6, 6), (300, 300, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((2, 3, 28, 28), (8, 3, 14, 14), {"strides": (14, 14)}),
    ],
    ids=[
        "blocks of rows",
        "blocks inside a plane",
        "groups",
        "1-D",
        "1x1",
        "1x1 in groups",
        "as many windows as elements, elsewhere",
        "blocks of images",
        "rows of groups",
        "few filters",
        "few filters, 1-D",
        "few windows, far apart",
        "few filters, 3-D",
        "3-D in groups",
        "strides and gaps",
        "windows of padding alone",
        "strides, in blocks",
        "images side by side",
        "windows apart",
    ],
)
@pytest.mark.parametrize("few", [0, 1 << 30], ids=["piece by piece", "at once"])
def test_the_kernel_computes_the_definition(x, w, attributes, few, monkeypatch):
    X, W = normal(*x), normal(*w)
    monkeypatch.setattr(correlate, "FEW", few)
    forget()
    got = kernel(CONV, 11, X, W, **attributes)
    forget()
    np.testing.assert_allclose(got, by_windows(X, W, **attributes), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((1, 2, 41, 9), (3, 2, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((2, 4, 30, 7), (6, 2, 5, 2), {"group": 2, "strides": (2, 1), "pads": (3, 0, 2, 1)}),
        ((1, 3, 50), (2, 3, 4), {"dilations": (3,), "strides": (2,), "pads": (0, 5)}),
        ((1, 2, 12, 5, 6), (3, 2, 3, 2, 2), {"pads": (1, 0, 1, 2, 1, 0)}),
        ((2, 2, 3, 5), (3, 2, 3, 3), {"pads": (4, 5, 3, 6)}),  # a band sees padding alone
    ],
)
def test_a_large_input_is_gone_through_in_bands(x, w, attributes, monkeypatch):
    X, W = normal(*x), normal(*w)
    monkeypatch.setattr(correlate, "BAND_BYTES", X.nbytes // 5)
    monkeypatch.setattr(correlate, "FEW", 0)
    forget()
    got = kernel(CONV, 11, X, W, **attributes)
    forget()
    np.testing.assert_allclose(got, by_windows(X, W, **attributes), rtol=1e-4, atol=1e-4)


def test_a_convolution_takes_little_room_beside_its_input_and_output():
    X, W = normal(1, 16, 400, 400), normal(16, 16, 3, 3)
    kernel(CONV, 11, X, W, pads=(1, 1, 1, 1))
    tracemalloc.start()
    Y = kernel(CONV, 11, X, W, pads=(1, 1, 1, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.7 * Y.nbytes  # of which Y itself is one


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((2, 6, 5, 5), (4, 6, 1, 1), {}),
        ((2, 6, 5, 5), (4, 3, 1, 1), {"group": 2}),
        ((2, 6, 5, 5), (4, 6, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((1, 24, 90, 90), (24, 1, 3, 3), {"group": 24, "pads": (1, 1, 1, 1)}),
        ((2, 40, 100, 90), (12, 40, 3, 2), {}),
        ((2, 3, 8, 8), (8, 3, 4, 4), {"strides": (4, 4)}),
        ((2, 0, 3), (4, 0, 2), {}),
    ],
)
def test_every_output_channel_gets_its_own_summand(x, w, attributes):
    X, W, B = normal(*x), normal(*w), np.arange(1, w[0] + 1, dtype=np.float32)
    added = kernel(CONV, 11, X, W, B, **attributes) - kernel(CONV, 11, X, W, **attributes)
    means = added.mean(axis=(0, *range(2, added.ndim)))
    np.testing.assert_allclose(means, B, rtol=1e-3)


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((2, 5, 9, 75), (5, 1, 3, 3), {"pads": (1, 1, 1, 1)}),
        ((1, 300, 14, 14), (300, 1, 5, 5), {"pads": (2, 2, 2, 2)}),
        ((1, 4, 20, 50), (8, 1, 3, 5), {"strides": (2, 2), "dilations": (2, 1)}),
        ((1, 4, 20, 50), (4, 1, 3, 3), {"dilations": (1, 7)}),
        ((2, 4, 50), (12, 1, 3), {"strides": (3,), "pads": (2, 1)}),
        ((1, 3, 6, 7, 8), (3, 1, 3, 2, 3), {"strides": (1, 2, 1)}),
    ],
    ids=["wide", "narrow", "stride and multiplier", "gaps", "1-D", "3-D"],
)
def test_depthwise_kernels_compute_the_definition(x, w, attributes):
    X, W = normal(*x), normal(*w)
    attributes = {"group": x[1], **attributes}
    got = kernel(CONV, 11, X, W, **attributes)
    np.testing.assert_allclose(got, by_windows(X, W, **attributes), rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_an_infinity_reaches_only_the_windows_that_see_it():
    X = np.ones((1, 2, 1, 30), np.float32)
    X[0, 0, 0, 10] = np.inf
    got = kernel(CONV, 11, X, np.ones((2, 1, 1, 3), np.float32), group=2)
    assert np.flatnonzero(~np.isfinite(got[0, 0, 0])).tolist() == [8, 9, 10]
    assert (got[0, 1] == 3).all()


def test_sums_of_half_floats_are_taken_in_float32():
    X = np.ones((1, 4096, 2), np.float16)
    for dtype in (np.float16, ml_dtypes.bfloat16):
        got = kernel(CONV, 22, X.astype(dtype), np.ones((1, 4096, 1), dtype))
        assert got.dtype == dtype
        assert got.tolist() == [[[4096, 4096]]]


def test_same_pads_put_the_odd_element_where_they_say():
    X, W = np.array([[[1.0, 2, 3, 4]]]), np.array([[[1.0, 10]]])
    assert kernel(CONV, 1, X, W, auto_pad="SAME_UPPER").tolist() == [[[21, 32, 43, 4]]]
    assert kernel(CONV, 1, X, W, auto_pad="SAME_LOWER").tolist() == [[[10, 21, 32, 43]]]
    assert kernel(CONV, 1, X, W, auto_pad="VALID").tolist() == [[[21, 32, 43]]]


def test_negative_pads_cut_off():
    X, W = np.array([[[1.0, 2, 3, 4]]]), np.array([[[1.0]]])
    assert kernel(CONV, 11, X, W, pads=(-1, -2)).tolist() == [[[2]]]
    X, W = normal(1, 3, 9, 11), normal(2, 3, 3, 3)
    got = kernel(CONV, 11, X, W, pads=(-1, 0, 0, -2), strides=(2, 1))
    wanted = kernel(CONV, 11, X[:, :, 1:, :-2].copy(), W, strides=(2, 1))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_an_empty_batch_stays_empty():
    assert kernel(CONV, 11, normal(0, 3, 5, 5), normal(4, 3, 3, 3)).shape == (0, 4, 3, 3)


def test_sizes_print_as_arithmetic():
    X, W = tensor("B", 3, "height", "width"), tensor(64, 3, 7, 7)
    got = rule(CONV, 11, X, W, strides=(2, 2), pads=(3, 3, 3, 3))
    assert got.shape == "[B, 64, floor((height - 1)/2) + 1, floor((width - 1)/2) + 1]"
    assert rule(CONV, 11, X, W, auto_pad="SAME_UPPER").shape == "[B, 64, height, width]"


def test_channels_of_unknown_number_are_assumed_to_fit():
    got = rule(CONV, 11, tensor("B", "C", "L"), tensor("M", "K", 3), group=2)
    assert got.shape == "[B, M, L - 2]"
    assert got.assumptions == ["C = 2*K"]


def test_an_unknown_input_still_has_the_rank_that_the_filters_tell():
    assert rule(CONV, 11, UNKNOWN, tensor(8, 3, 3, 3)).shape == "[batch_0, 8, dim2_1, dim3_2]"
    assert rule(CONV, 11, tensor(2, 3, 9), UNKNOWN).shape == "[2, filters_0, dim2_1]"
    known = rule(CONV, 11, tensor(2, 3, 9), UNKNOWN, kernel_shape=(3,))
    assert known.shape == "[2, filters_0, 7]"
    assert rule(CONV, 11, UNKNOWN, UNKNOWN).shape == "[...]"


def test_faults_that_leave_the_shape_known_are_reported():
    X = tensor(1, 3, 8, 8)
    got = rule(CONV, 11, X, tensor(6, 4, 3, 3), group=2)
    assert got.violations == ["3 channels, but W expects 4 × group 2 = 8"]
    assert got.shape == "[1, 6, 6, 6]"
    got = rule(CONV, 11, X, tensor(6, 3, 3, 3), tensor(5))
    assert got.violations == ["shape [5], but there are 6 output channels"]
    got = rule(CONV, 11, X, tensor(5, 1, 3, 3), group=3)
    assert got.violations == ["5 filters, but they fall into 3 groups"]
    got = rule(CONV, 11, X, tensor(6, 3, 3, 3), kernel_shape=(5, 5))
    assert got.violations == ["spatial sizes [3, 3], but kernel_shape = [5, 5]"]


@pytest.mark.parametrize(
    ("x", "w", "attributes", "message"),
    [
        ((1, 3, 8), (6, 3, 3, 3), {}, "rank 4, but X has rank 3"),
        ((1, 3), (6, 3), {}, "rank 2, but .* rank 3 or more"),
        ((1, 3, 2), (6, 3, 5), {}, "size 2 on spatial axis 0, .* reaches over 5"),
        ((1, 3, 8), (6, 3, 5), {"strides": (0,)}, r"strides = \[0\], but each must be 1"),
        ((1, 3, 8), (6, 3, 5), {"pads": (1,)}, r"pads = \[1\], but 2 values are needed"),
    ],
)
def test_a_node_without_an_output_shape_says_why(x, w, attributes, message):
    with pytest.raises(Violation, match=message):
        rule(CONV, 11, tensor(*x), tensor(*w), **attributes)
    with pytest.raises(Violation, match=message):
        kernel(CONV, 11, np.ones(x), np.ones(w), **attributes)


def test_the_kernel_refuses_channels_that_do_not_fit():
    with pytest.raises(Violation, match="3 channels, but W expects 2 × group 2 = 4"):
        kernel(CONV, 11, normal(1, 3, 8), normal(4, 2, 3), group=2)
