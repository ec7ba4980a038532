import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.conv import CONV
from onnx_explorer.ops.nn.conv_transpose import CONV_TRANSPOSE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

rng = np.random.default_rng(0)
X = [[[1.0, 2]]]
W = [[[1.0, 10, 100]]]


@pytest.mark.parametrize("version", [1, 11, 22])
def test_each_element_stamps_the_filter(version):
    assert kernel(CONV_TRANSPOSE, version, X, W).tolist() == [[[1, 12, 120, 200]]]
    spread = kernel(CONV_TRANSPOSE, version, X, W, strides=(2,), dilations=(2,))
    assert spread.tolist() == [[[1, 0, 12, 0, 120, 0, 200]]]


def test_an_empty_batch_stays_empty():
    none = np.zeros((0, 1, 2), np.float16)
    got = kernel(CONV_TRANSPOSE, 22, none, np.ones((1, 3, 2), np.float16), strides=(2,))
    assert (got.shape, got.dtype) == ((0, 3, 4), np.float16)


def test_pads_cut_and_output_padding_adds_at_the_end():
    assert kernel(CONV_TRANSPOSE, 11, X, W, pads=(1, 2)).tolist() == [[[12]]]
    assert kernel(CONV_TRANSPOSE, 11, X, W, pads=(1, 1), output_padding=(2,)).tolist() == [
        [[12, 120, 200, 0]]
    ]


@pytest.mark.parametrize("version", [1, 11])
def test_the_odd_element_is_cut_at_the_end_for_same_upper_only(version):
    # 5 = (2 - 1) × 2 + 3 elements, of which 2 × 2 stay
    full = kernel(CONV_TRANSPOSE, version, X, W, strides=(2,))[0, 0].tolist()
    for auto_pad, kept in (("SAME_UPPER", full[:4]), ("SAME_LOWER", full[1:])):
        got = kernel(CONV_TRANSPOSE, version, X, W, strides=(2,), auto_pad=auto_pad)
        assert got[0, 0].tolist() == kept
    got = kernel(CONV_TRANSPOSE, version, X, W, strides=(2,), output_shape=(4,))
    assert got[0, 0].tolist() == full[1:]


def test_an_output_shape_beyond_all_stamps_ends_in_the_bias():
    got = kernel(CONV_TRANSPOSE, 11, X, W, [5.0], output_shape=(6,))
    assert got.tolist() == [[[6, 17, 125, 205, 5, 5]]]
    got = kernel(CONV_TRANSPOSE, 11, X, W, output_shape=(1, 1, 3))
    assert got.tolist() == [[[12, 120, 200]]]


@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((2, 4, 5, 6), (4, 3, 3, 2), {"strides": (2, 3), "pads": (1, 0, 0, 1), "group": 2}),
        ((1, 6, 7), (6, 1, 3), {"dilations": (2,), "group": 6}),
    ],
)
def test_it_is_the_transpose_of_conv(x, w, attributes):
    # <conv(v), u> = <v, conv_transpose(u)> for every v, with the same filters
    u, bank = rng.standard_normal(x), rng.standard_normal(w)
    got = kernel(CONV_TRANSPOSE, 11, u, bank, **attributes)
    v = rng.standard_normal(got.shape)
    forward = kernel(CONV, 11, v, bank, **attributes)
    assert np.vdot(forward, u) == pytest.approx(np.vdot(v, got))


def test_half_floats_are_summed_in_float32():
    for dtype in (np.float16, ml_dtypes.bfloat16):
        ones = np.ones((1, 4096, 1), dtype)
        got = kernel(CONV_TRANSPOSE, 22, ones, np.ones((4096, 1, 1), dtype))
        assert got.dtype == dtype
        assert got.tolist() == [[[4096]]]


def test_sizes_print_as_arithmetic():
    image, filters = tensor("B", 8, "h", "w"), tensor(8, 4, 3, 3)
    got = rule(CONV_TRANSPOSE, 11, image, filters, strides=(2, 2), group=2)
    assert got.shape == "[B, 8, 2*h + 1, 2*w + 1]"
    got = rule(CONV_TRANSPOSE, 11, image, filters, strides=(2, 2), auto_pad="SAME_LOWER")
    assert got.shape == "[B, 4, 2*h, 2*w]"
    got = rule(CONV_TRANSPOSE, 11, UNKNOWN, filters, output_shape=(9, 9))
    assert got.shape == "[batch_0, 4, 9, 9]"


def test_faults_name_both_numbers():
    got = rule(CONV_TRANSPOSE, 11, tensor(1, 3, 8), tensor(4, 2, 3))
    assert got.violations == ["3 channels, but W expects 4"]
    assert got.shape == "[1, 2, 10]"
    got = rule(CONV_TRANSPOSE, 11, tensor(1, 4, 8), tensor(4, 2, 3), tensor(3), group=2)
    assert got.violations == ["shape [3], but there are 4 output channels"]
    with pytest.raises(Violation, match=r"pads of 5 and 6 .* there are 10 elements"):
        rule(CONV_TRANSPOSE, 11, tensor(1, 4, 8), tensor(4, 2, 3), pads=(5, 6))
    with pytest.raises(Violation, match=r"output_padding = \[1, 1\], but 1 values"):
        kernel(CONV_TRANSPOSE, 11, X, W, output_padding=(1, 1))
