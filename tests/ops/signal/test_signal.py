from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from scipy.signal import windows

from onnx_explorer.dims import parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.signal.dft import DFT
from onnx_explorer.ops.signal.mel_weight_matrix import MEL_WEIGHT_MATRIX
from onnx_explorer.ops.signal.stft import STFT
from onnx_explorer.ops.signal.windows import BLACKMAN_WINDOW, HAMMING_WINDOW, HANN_WINDOW
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import ints, kernel, rule, tensor

RNG = np.random.default_rng(0)


def number(size):
    """A scalar whose element is known, perhaps as a symbol."""
    return Abstract(DType.INT64, (), (parse(size) if isinstance(size, str) else size,))


def transform(x, sign=-1):
    """The definition: a product with the matrix of all powers of the root of unity."""
    n = np.arange(x.shape[-1])
    return x @ np.exp(sign * 2j * np.pi * np.outer(n, n) / len(n))


def parts(numbers):
    return np.stack([numbers.real, numbers.imag], -1)


@pytest.mark.parametrize(
    ("op", "scipys"),
    [
        (HANN_WINDOW, windows.hann),
        (HAMMING_WINDOW, lambda n, sym: windows.general_hamming(n, 25 / 46, sym=sym)),
        (BLACKMAN_WINDOW, windows.blackman),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
@pytest.mark.parametrize("periodic", [0, 1])
def test_windows_are_those_of_scipy(op, scipys, periodic):
    for size in (0, 2, 5, 8):
        for dtype in (np.float32, np.float64):
            to = DType.from_numpy(np.dtype(dtype)).value
            got = kernel(op, 17, np.array(size), periodic=periodic, output_datatype=to)
            assert got.dtype == dtype
            assert got == pytest.approx(scipys(size, sym=not periodic), abs=1e-6)
    assert kernel(op, 17, np.array([1]), periodic=0).tolist() == [1]


def test_windows_of_other_types():
    got = kernel(HANN_WINDOW, 17, np.array(4, np.int32), output_datatype=DType.BFLOAT16.value)
    assert got.dtype == ml_dtypes.bfloat16
    assert got.tolist() == [0, 0.5, 1, 0.5]
    got = kernel(HANN_WINDOW, 17, np.array(4), output_datatype=DType.UINT8.value)
    assert got.dtype == np.uint8
    assert got.tolist() == [0, 0, 1, 0]


def test_the_length_of_a_window():
    (output,) = rule(HANN_WINDOW, 17, number("n"), output_datatype=DType.FLOAT64.value).outputs
    assert str(output) == "float64[n]"
    assert rule(HANN_WINDOW, 17, ints(8)).shape == "[8]"
    assert rule(HANN_WINDOW, 17, UNKNOWN).shape == "[size_0]"
    for said in (
        lambda: rule(HANN_WINDOW, 17, number(-3)),
        lambda: kernel(HANN_WINDOW, 17, np.array(-3)),
    ):
        with pytest.raises(Violation, match="size = -3, but expected 0 or more"):
            said()
    for said in (
        lambda: rule(HANN_WINDOW, 17, ints(3, 4)),
        lambda: kernel(HANN_WINDOW, 17, np.array([3, 4])),
    ):
        with pytest.raises(Violation, match=r"shape \[2\], but a scalar"):
            said()


X = RNG.normal(size=(2, 5, 3))
Z = X + 1j * RNG.normal(size=X.shape)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("version", DFT.versions)
def test_transforms_follow_the_definition(dtype, version):
    tolerance = {2: 0.1, 4: 1e-5, 8: 1e-12}[np.dtype(dtype).itemsize]
    by_version = {"axis": 2} if version == 17 else {}
    real, complex_ = X[..., None].astype(dtype), parts(Z).astype(dtype)
    inverse = transform(Z, sign=1) / 3
    for given, attributes, wanted in (
        (real, {}, parts(transform(X))),
        (complex_, {}, parts(transform(Z))),
        (complex_, {"inverse": 1}, parts(inverse)),
        (real, {"onesided": 1}, parts(transform(X)[..., :2])),
    ):
        got = kernel(DFT, version, given, **by_version, **attributes)
        assert got.dtype == dtype
        assert got.shape == wanted.shape
        assert got.astype(float) == pytest.approx(wanted, abs=tolerance)


@pytest.mark.parametrize("length", [8, 9])
def test_the_onesided_inverse_brings_a_real_signal_back(length):
    x = RNG.normal(size=(2, length, 1))
    spectrum = kernel(DFT, 20, x, onesided=1)
    assert spectrum.shape == (2, 5, 2)
    back = kernel(DFT, 20, spectrum, np.array(length), onesided=1, inverse=1)
    assert back == pytest.approx(x)
    (output,) = rule(DFT, 20, tensor(2, 5, 2), number(length), onesided=1, inverse=1).outputs
    assert output.shape == back.shape


def test_a_signal_is_cut_or_followed_by_zeros():
    for length in (2, 7):
        padded = np.concatenate([X, np.zeros_like(X)], axis=1)[:, :length]
        wanted = transform(padded.swapaxes(1, 2)).swapaxes(1, 2)
        for version, rest, attributes in (
            (17, (), {}),
            (17, (), {"axis": -3}),
            (20, (np.array(1),), {}),
            (20, (np.array([-3]),), {}),
        ):
            got = kernel(DFT, version, X[..., None], np.array(length), *rest, **attributes)
            assert got == pytest.approx(parts(wanted))


def test_shapes_of_transforms():
    assert rule(DFT, 17, tensor("B", "N", 1)).shape == "[B, N, 2]"
    assert rule(DFT, 17, tensor("B", "N", 1), onesided=1).shape == "[B, floor(N/2) + 1, 2]"
    assert rule(DFT, 20, tensor("B", "N", 2), onesided=1, inverse=1).shape == "[B, 2*N - 2, 1]"
    assert rule(DFT, 20, tensor("B", "N", 1), number("L")).shape == "[B, L, 2]"
    assert rule(DFT, 20, tensor("B", "N", 1), UNKNOWN).shape == "[B, dft_length_0, 2]"
    assert rule(DFT, 20, tensor("B", "N", 1), None, number(0)).shape == "[B, N, 2]"
    assert rule(DFT, 20, tensor("B", "N", 1), None, UNKNOWN).shape == "[B, N, 2]"
    halved = rule(DFT, 20, tensor("B", "N", 1), None, UNKNOWN, onesided=1)
    assert halved.shape == "[axis_0_0, axis_1_1, 2]", "which axis is halved is not known"
    assert rule(DFT, 20, UNKNOWN).shape == "[...]"
    assert rule(DFT, 17, tensor("B", "N", "parts")).shape == "[B, N, 2]"


@pytest.mark.parametrize(
    ("shape", "attributes", "message"),
    [
        ((4, 2), {"axis": 1}, "axis = 1, but the last axis holds the parts of a number"),
        ((4, 2), {"axis": 2}, "axis = 2, but the tensor has rank 2"),
        ((4, 3), {"axis": 0}, "the last axis has size 3, but it holds 1"),
        ((4,), {"axis": 0}, "rank 1, but"),
        ((4, 2), {"axis": 0, "onesided": 1}, "the last axis has size 2, but with onesided = 1"),
        (
            (4, 1),
            {"axis": 0, "onesided": 1, "inverse": 1},
            "the last axis has size 1, but with onesided = 1 and inverse = 1 it has size 2",
        ),
    ],
)
def test_signals_that_have_no_transform(shape, attributes, message):
    for said in (
        lambda: rule(DFT, 17, tensor(*shape), **attributes),
        lambda: kernel(DFT, 17, np.ones(shape), **attributes),
    ):
        with pytest.raises(Violation) as caught:
            said()
        assert message in str(caught.value)


def test_a_transform_of_nothing_is_a_violation():
    with pytest.raises(Violation, match="dft_length = 0, but expected 1 or more"):
        rule(DFT, 20, tensor(2, 3, 1), number(0))
    with pytest.raises(Violation, match="a transform of 0 elements, but expected 1 or more"):
        kernel(DFT, 20, np.ones((2, 0, 1)))


def frames(x, length, step, window):
    starts = range(0, x.shape[1] - length + 1, step)
    return np.stack([transform(x[:, s : s + length] * window) for s in starts], 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_frames_are_transformed_one_by_one(dtype):
    tolerance = {2: 0.1, 4: 1e-4, 8: 1e-12}[np.dtype(dtype).itemsize]
    x = RNG.normal(size=(2, 11)).astype(dtype).astype(float)
    z = x + 1j * x[::-1]
    window = RNG.normal(size=4).astype(dtype).astype(float)
    step, length = np.array(3), np.array(4)
    for given, numbers in ((x[..., None], x), (x, x), (parts(z), z)):
        wanted = frames(numbers, 4, 3, window)
        assert wanted.shape == (2, 3, 4)
        for onesided, kept in ((1, 3), (0, 4)):
            got = kernel(
                STFT, 17, given.astype(dtype), step, window.astype(dtype), onesided=onesided
            )
            assert got.dtype == dtype
            assert got.astype(float) == pytest.approx(parts(wanted[..., :kept]), abs=tolerance)
    got = kernel(STFT, 17, x[..., None].astype(dtype), step, None, length, onesided=0)
    assert got.astype(float) == pytest.approx(parts(frames(x, 4, 3, 1)), abs=tolerance)


def test_without_window_and_length_there_is_one_frame():
    x = RNG.normal(size=(2, 6, 1))
    got = kernel(STFT, 17, x, np.array(2), onesided=0)
    assert got == pytest.approx(parts(frames(x[..., 0], 6, 2, 1)))
    assert rule(STFT, 17, tensor(2, 6, 1), number(2), onesided=0).shape == "[2, 1, 6, 2]"


def test_shapes_of_frames():
    signal = tensor("B", "L", 1)
    ruled = rule(STFT, 17, signal, number(128), tensor(512))
    assert ruled.shape == "[B, floor(L/128) - 3, 257, 2]"
    ruled = rule(STFT, 17, signal, number(128), None, number(400), onesided=0)
    assert ruled.shape == "[B, floor((L - 16)/128) - 2, 400, 2]"
    assert rule(STFT, 17, signal, UNKNOWN, tensor(512)).shape == "[B, frames_0, 257, 2]"
    ruled = rule(STFT, 17, signal, number(1), UNKNOWN, onesided=0)
    assert ruled.shape == "[B, L + 1 - frame_length_0, frame_length_0, 2]"
    ruled = rule(STFT, 17, UNKNOWN, number(1), tensor(4), onesided=0)
    assert ruled.shape == "[N_0, samples_1 - 3, 4, 2]"
    assert rule(STFT, 17, signal, number(1), tensor("W"), number(4)).assumptions == ["W = 4"]


@pytest.mark.parametrize(
    ("shape", "step", "window", "length", "message"),
    [
        ((2, 8, 3), 1, None, 4, "the last axis has size 3"),
        ((8,), 1, None, 4, "rank 1, but (N, L, 1) or (N, L, 2) has rank 3"),
        ((2, 8, 1), 0, None, 4, "frame_step = 0, but expected 1 or more"),
        ((2, 8, 1), 1, None, 0, "frame_length = 0, but expected 1 or more"),
        ((2, 8, 1), 1, None, 9, "8 samples, but a frame has 9"),
        ((2, 8, 1), 1, (5,), 4, "5 factors, but frame_length = 4"),
        ((2, 8, 1), 1, (2, 2), 4, "rank 2, but a window has rank 1"),
    ],
)
def test_frames_that_do_not_fit(shape, step, window, length, message):
    factors = None if window is None else np.ones(window)
    for said in (
        lambda: rule(
            STFT,
            17,
            tensor(*shape),
            number(step),
            None if window is None else tensor(*window),
            number(length),
        ),
        lambda: kernel(STFT, 17, np.ones(shape), np.array(step), factors, np.array(length)),
    ):
        with pytest.raises(Violation) as caught:
            said()
        assert message in str(caught.value)


def mel(bands, length, rate, low, high, **attributes):
    numbers = [np.array(n) for n in (bands, length, rate)]
    edges = [np.array(edge, np.float32) for edge in (low, high)]
    return kernel(MEL_WEIGHT_MATRIX, 17, *numbers, *edges, **attributes)


def test_triangles_stand_on_the_mel_scale():
    # Edges at 0, 2 and 4 Hz nearly: bins floor(5 f / 10) = 0, 0, 1.
    assert mel(1, 4, 10, 0, 6).tolist() == [[1], [0], [0]]
    # mel(700) = 2595 log10(2); thirds of it are at 700 (2^(1/3) - 1) = 181.9 and 411.2 Hz:
    # bins floor(0.09 f) = 0, 16, 37.
    got = mel(1, 89, 1000, 0, 700, output_datatype=DType.FLOAT64.value)
    assert (got.dtype, got.shape) == (np.float64, (45, 1))
    rising, falling = np.arange(17) / 16, np.arange(20, -1, -1) / 21
    assert got[:, 0] == pytest.approx(np.concatenate([rising, falling, np.zeros(7)]))


def test_the_shape_of_a_mel_matrix():
    edge = replace(tensor(), dtype=DType.FLOAT32)
    (output,) = rule(
        MEL_WEIGHT_MATRIX, 17, number(8), number("n"), number(8000), edge, edge
    ).outputs
    assert str(output) == "float32[floor(n/2) + 1, 8]"
    ruled = rule(MEL_WEIGHT_MATRIX, 17, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)
    assert ruled.shape == "[bins_0, bands_1]"
    assert mel(0, 16, 8000, 0, 4000).shape == (9, 0)
    with pytest.raises(Violation, match="num_mel_bins = -1, but expected 0 or more"):
        rule(MEL_WEIGHT_MATRIX, 17, number(-1), number(16), number(8000), edge, edge)
    with pytest.raises(Violation, match=r"of 9, but .* between 0 and 4000.0"):
        mel(8, 16, 8000, 0, 9000)
