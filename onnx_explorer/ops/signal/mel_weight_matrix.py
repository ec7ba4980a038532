"""MelWeightMatrix: the matrix that turns the bins of a spectrum into bands of the mel scale, which
follows how people hear pitch: `mel(f) = 2595 × log10(1 + f / 700)`.

Its rows are the floor(dft_length / 2) + 1 bins of a one-sided transform, its columns the bands. The
edges of the bands lie at equal distances in mel: edge e of 0, 1, ..., num_mel_bins + 1 is at
`mel(lower) + e × (mel(upper) - mel(lower)) / (num_mel_bins + 2)`, so that the last one stays a step
below `upper_edge_hertz`. Band b rises from 0 at edge b to 1 at edge b + 1 and falls to 0 at edge
b + 2, each edge taken down to a bin: `floor((dft_length + 1) × f / sample_rate)`.

A product of a spectrogram (frames, bins) and this matrix is a mel spectrogram (frames, bands).

Spec: ai.onnx MelWeightMatrix-17
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import floordiv
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.signal.lengths import scalar_in, scalar_of
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import FLOATS_BF16, INDICES, NUMBERS_BF16

MEL_WEIGHT_MATRIX = Operator(
    "MelWeightMatrix",
    doc=__doc__,
    history=(
        Change(
            17,
            "first version",
            inputs=(
                Port("num_mel_bins", "T1", "a scalar: the number of bands", differentiable=False),
                Port(
                    "dft_length",
                    "T1",
                    "a scalar: the length of the transform",
                    differentiable=False,
                ),
                Port("sample_rate", "T1", "a scalar: samples per second", differentiable=False),
                Port(
                    "lower_edge_hertz",
                    "T2",
                    "a scalar: where the lowest band begins",
                    differentiable=False,
                ),
                Port(
                    "upper_edge_hertz",
                    "T2",
                    "a scalar: what all bands stay below",
                    differentiable=False,
                ),
            ),
            outputs=(
                Port(
                    "output",
                    "T3",
                    "the weights, (floor(dft_length / 2) + 1, num_mel_bins)",
                    differentiable=False,
                ),
            ),
            attributes=(
                Attr("output_datatype", "int", 1, as_=DType, doc="the type of the output"),
            ),
            types={"T1": INDICES, "T2": FLOATS_BF16, "T3": NUMBERS_BF16},
        ),
    ),
)


@MEL_WEIGHT_MATRIX.infer(since=17)
def infer(
    num_mel_bins: Abstract,
    dft_length: Abstract,
    sample_rate: Abstract,
    lower_edge_hertz: Abstract,
    upper_edge_hertz: Abstract,
    *,
    output_datatype: DType,
    at: RuleSite,
) -> Abstract:
    bands = scalar_in(num_mel_bins, "num_mel_bins", low=0)
    length = scalar_in(dft_length, "dft_length", low=1)
    scalar_in(sample_rate, "sample_rate", low=1)
    bins = at.fresh("bins", low=1) if length is None else floordiv(length, 2) + 1
    return Abstract(output_datatype, (bins, at.fresh("bands") if bands is None else bands))


@MEL_WEIGHT_MATRIX.kernel(since=17)
def mel_weight_matrix(
    num_mel_bins: Array,
    dft_length: Array,
    sample_rate: Array,
    lower_edge_hertz: Array,
    upper_edge_hertz: Array,
    *,
    output_datatype: DType,
) -> Array:
    bands = scalar_of(num_mel_bins, "num_mel_bins", low=0)
    length = scalar_of(dft_length, "dft_length", low=1)
    rate = scalar_of(sample_rate, "sample_rate", low=1)
    lower, upper = (
        2595 * np.log10(1 + _hertz(edge, port) / 700)
        for edge, port in (
            (lower_edge_hertz, "lower_edge_hertz"),
            (upper_edge_hertz, "upper_edge_hertz"),
        )
    )
    mels = lower + np.arange(bands + 2) * ((upper - lower) / (bands + 2))
    hertz = 700 * (10 ** (mels / 2595) - 1)
    edges = ((length + 1) * hertz // rate).astype(np.int64)
    n_bins = length // 2 + 1
    if edges.size and not 0 <= edges.min() <= edges.max() < n_bins:
        raise Violation(
            f"edges at bins {edges.min()} to {edges.max()} of {n_bins}",
            f"with sample_rate = {rate}, frequencies lie between 0 and {rate / 2}",
            port="upper_edge_hertz",
        )
    left, center, right = edges[:-2], edges[1:-1], edges[2:]
    bins = np.arange(n_bins)[:, None]
    # Where two edges meet at one bin, nothing is divided by 0: the center is 1.
    rising = (bins - left) / np.maximum(center - left, 1)
    falling = (right - bins) / np.maximum(right - center, 1)
    weights = np.where(bins < center, rising, np.where(bins > center, falling, 1.0))
    return np.maximum(weights, 0).astype(output_datatype.numpy)


def _hertz(edge: Array, port: str) -> float:
    if edge.size != 1:
        raise Violation(
            f"shape {list(edge.shape)}", "a scalar, of shape []", port=port, code="wrong-shape"
        )
    return float(edge.reshape(-1)[0])


# The edges lie at 0, 2 and 4 Hz, nearly: in the bins 0, 0 and 1.
MEL_WEIGHT_MATRIX.example((1, 4, 10, 0.0, 6.0), ([[1.0], [0.0], [0.0]],))
