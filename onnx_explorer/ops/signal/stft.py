"""STFT: the Fourier transform of each stretch of a signal, which tells how its frequencies change
over time.

Frame f takes `frame_length` samples from f × `frame_step` on, times the window, and is transformed.
There are floor((L - frame_length) / frame_step) + 1 frames: what is left at the end of the L samples
is not padded but left out. The frame length defaults to that of the window, or to the whole signal;
no window means a factor of 1.

The output (N, frames, bins, 2) holds real and imaginary parts. A real signal needs only
floor(frame_length / 2) + 1 bins, which are what `onesided` = 1, the default, gives; of complex
signals it gives the same ones, which is not all that they hold. A signal (N, L) counts as real.

Spec: ai.onnx STFT-17
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from onnx_explorer.dims import Dim, UndecidedError, floordiv, known_different, less
from onnx_explorer.ops.costs import elements, input_at, sizes_at
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.ops.signal.fourier import check_parts, joined, split
from onnx_explorer.ops.signal.lengths import scalar_in, scalar_of
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16, INDICES

STFT = Operator(
    "STFT",
    doc=__doc__,
    history=(
        Change(
            17,
            "first version",
            inputs=(
                Port("signal", "T1", "the signal, (N, L, 1) or (N, L, 2)", differentiable=False),
                Port(
                    "frame_step",
                    "T2",
                    "a scalar: samples from one frame to the next",
                    differentiable=False,
                ),
                Port(
                    "window",
                    "T1",
                    "factors of the samples of a frame, (frame_length,)",
                    option="optional",
                    differentiable=False,
                ),
                Port(
                    "frame_length",
                    "T2",
                    "a scalar: samples in a frame",
                    option="optional",
                    differentiable=False,
                ),
            ),
            outputs=(
                Port("output", "T1", "the transforms, (N, frames, bins, 2)", differentiable=False),
            ),
            attributes=(
                Attr(
                    "onesided",
                    "int",
                    1,
                    one_of=(0, 1),
                    doc="1: the bins that say everything about a real signal; 0: all",
                ),
            ),
            types={"T1": FLOATS_BF16, "T2": INDICES},
        ),
    ),
)


def _check_signal(signal: Shape) -> None:
    if not 2 <= len(signal) <= 3:
        raise Violation(
            f"rank {len(signal)}",
            "(N, L, 1) or (N, L, 2) has rank 3",
            port="signal",
            code="wrong-rank",
        )
    if len(signal) == 3:
        check_parts(signal[2], "signal")


def _window_length(window: Shape | None) -> Dim | None:
    if window is None:
        return None
    if len(window) != 1:
        raise Violation(
            f"rank {len(window)}", "a window has rank 1", port="window", code="wrong-rank"
        )
    return window[0]


def _frame_length(length: Dim | None, window: Dim | None, samples: Dim) -> Dim:
    """The length of a frame, from what is known of the three."""
    if length is not None and window is not None and known_different(length, window):
        raise Violation(f"{window} factors", f"frame_length = {length}", port="window")
    found = window if length is None else length
    if found is None:
        return samples
    if less(samples, found):
        raise Violation(f"{samples} samples", f"a frame has {found}", port="signal")
    return found


@STFT.infer(since=17)
def infer(
    signal: Abstract,
    frame_step: Abstract,
    window: Abstract | None = None,
    frame_length: Abstract | None = None,
    *,
    onesided: int,
    at: RuleSite,
) -> Abstract:
    step = scalar_in(frame_step, "frame_step", low=1)
    shape = (at.fresh("N"), at.fresh("samples")) if signal.shape is None else signal.shape
    _check_signal(shape)
    width = None if window is None else _window_length(window.shape)
    length = None if frame_length is None else scalar_in(frame_length, "frame_length", low=1)
    if width is None and length is None and (window or frame_length):
        length = at.fresh("frame_length", low=1)
    if width is not None and length is not None:
        at.assume(width, length)
    found = _frame_length(length, width, shape[1])
    frames: Dim | None = None
    if step is not None:
        with suppress(UndecidedError):
            frames = floordiv(shape[1] - found, step) + 1
    frames = at.fresh("frames", low=1) if frames is None else frames
    bins = floordiv(found, 2) + 1 if onesided else found
    return Abstract(None, (shape[0], frames, bins, 2))


@STFT.cost(since=17)
def cost(inputs: Shapes, outputs: Shapes, *, onesided: int) -> Cost:
    """The sum that defines each bin of each frame, and the window before it."""
    signal, output = sizes_at(inputs, 0), sizes_at(outputs, 0)
    window = input_at(inputs, 2)
    if window is not None:
        length = window[0]
    elif input_at(inputs, 3) is None:
        length = signal[1]
    else:  # an even one, as they mostly are
        length = 2 * (output[2] - 1) if onesided else output[2]
    samples = length * (signal[2] if len(signal) == 3 else 1)
    windowed = 0 if window is None else output[0] * output[1] * samples
    return Cost(elements(output) * samples, windowed)


@STFT.kernel(since=17)
def stft(
    signal: Floats,
    frame_step: Array,
    window: Floats | None = None,
    frame_length: Array | None = None,
    *,
    onesided: int,
) -> Floats:
    _check_signal(signal.shape)
    step = scalar_of(frame_step, "frame_step", low=1)
    width = None if window is None else _window_length(window.shape)
    given = None if frame_length is None else scalar_of(frame_length, "frame_length", low=1)
    length = int(_frame_length(given, width, signal.shape[1]))
    if length < 1:
        raise Violation("0 samples", "a frame has 1 or more", port="signal")
    numbers = joined(widened(signal if signal.ndim == 3 else signal[..., None]))
    frames = sliding_window_view(numbers, length, axis=1)[:, ::step]
    if window is not None:
        frames = frames * widened(window)
    if onesided and numbers.dtype.kind == "f":
        return narrowed(split(np.fft.rfft(frames)), signal)
    spectra = np.fft.fft(frames)
    return narrowed(split(spectra[..., : length // 2 + 1] if onesided else spectra), signal)


# The frames are [1, 2] and [3, 4].
STFT.example(
    ([[[1.0], [2.0], [3.0], [4.0]]], 2, None, 2),
    ([[[[3.0, 0.0], [-1.0, 0.0]], [[7.0, 0.0], [-1.0, 0.0]]]],),
)
