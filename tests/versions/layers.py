"""Worked cases of the first versions of layers: products, windows, normalisations, recurrence."""

from math import log

from tests.versions.worked import worked

EIGHT = [[[1.0, 2.0], [5.0, 3.0]], [[4.0, 4.0], [4.0, 4.0]]]
HALF = [[[0.25, 0.25], [0.25, 0.25]]]

# Before version 13 what is from `axis` on, 1 unless said, is one row.
SOFT = (
    worked("Softmax", (1,), ([[[1.0, 1.0], [1.0, 1.0]]],), (HALF,)),
    worked(
        "Softmax", (1,), ([[[0.0, log(3)], [9.0, 9.0]]],), ([[[0.25, 0.75], [0.5, 0.5]]],), axis=2
    ),
    worked("LogSoftmax", (1,), ([[[1.0, 1.0], [1.0, 1.0]]],), ([[[-log(4)] * 2] * 2],)),
    worked("LogSoftmax", (1,), ([[[0.0, 0.0]], [[0.0, 0.0]]],), ([[[-log(4)] * 2]] * 2,), axis=0),
    worked("Hardmax", (1,), (EIGHT,), ([[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]],)),
    worked("Hardmax", (1,), (EIGHT,), ([[[0, 1.0], [1, 0.0]], [[1, 0.0], [1, 0.0]]],), axis=2),
)

PRODUCTS = (
    worked("MatMul", (1,), ([[1.0, 2.0]], [[3.0], [4.0]]), ([[11.0]],)),
    # 2 × 11 + 8 / 2
    worked(
        "Gemm", (1, 6), ([[1.0, 2.0]], [[3.0], [4.0]], [[8.0]]), ([[26.0]],), alpha=2.0, beta=0.5
    ),
    worked(
        "Gemm", (1, 6), ([[1.0], [2.0]], [[3.0, 4.0]], [[8.0]]), ([[19.0]],), transA=1, transB=1
    ),
    worked(
        "Gemm",
        (1, 6),
        ([[1.0], [2.0]], [[3.0, 4.0]], [1.0, -1.0]),
        ([[4.0, 3.0], [7.0, 7.0]],),
        broadcast=1,
    ),
    # Whole numbers are cut off once: 1/2 + 1/2
    worked("Gemm", (9, 11, 13), ([[1]], [[1]], [[1]]), ([[1]],), alpha=0.5, beta=0.5),
)

SIGNAL = [[[1.0, 3.0, 2.0, 5.0]]]
SQUARES = [[[[3.0, 4.0], [0.0, 0.0]]]]
BOX = [[[[1.0, 2.0], [3.0, 4.0]]]]
WINDOWS = (
    worked("Conv", (1,), (SIGNAL, [[[1.0, -1.0]]]), ([[[-2.0, 1.0, -3.0]]],)),
    worked(
        "Conv",
        (1,),
        (SIGNAL, [[[1.0, -1.0]]], [10.0]),
        ([[[9.0, 11.0]]],),
        pads=[1, 0],
        strides=[2],
    ),
    worked("ConvTranspose", (1,), ([[[1.0, 2.0]]], [[[1.0, 3.0]]]), ([[[1.0, 5.0, 6.0]]],)),
    worked(
        "ConvTranspose",
        (1,),
        ([[[1.0, 2.0]]], [[[1.0, 3.0]]]),
        ([[[1.0, 3.0, 2.0, 6.0]]],),
        strides=[2],
    ),
    worked("MaxPool", (1,), (SIGNAL,), ([[[3.0, 5.0]]],), kernel_shape=[2], strides=[2]),
    worked(
        "MaxPool",
        (1,),
        (SIGNAL,),
        ([[[3.0, 3.0, 5.0, 5.0]]],),
        kernel_shape=[2],
        auto_pad="SAME_UPPER",
    ),
    # What is padded does not count.
    worked(
        "AveragePool",
        (1,),
        (SIGNAL,),
        ([[[1.0, 2.0, 2.5, 3.5, 5.0]]],),
        kernel_shape=[2],
        pads=[1, 1],
    ),
    worked("LpPool", (1,), ([[[3.0, 4.0, 0.0]]],), ([[[5.0, 4.0]]],), kernel_shape=[2]),
    worked("LpPool", (1,), ([[[3.0, 4.0, 0.0]]],), ([[[7.0, 4.0]]],), kernel_shape=[2], p=1.0),
    worked("LpPool", (2,), ([[[3.0, 4.0, 0.0]]],), ([[[7.0, 4.0]]],), kernel_shape=[2], p=1),
    worked("GlobalAveragePool", (1,), (BOX,), ([[[[2.5]]]],)),
    worked("GlobalMaxPool", (1,), (BOX,), ([[[[4.0]]]],)),
    worked("GlobalLpPool", (1, 2, 22), (SQUARES,), ([[[[5.0]]]],)),
    worked("GlobalLpPool", (1,), (SQUARES,), ([[[[7.0]]]],), p=1.0),
    worked("GlobalLpPool", (2, 22), (SQUARES,), ([[[[7.0]]]],), p=1),
    worked(
        "MaxRoiPool",
        (1, 22),
        (BOX, [[0.0, 0.0, 0.0, 1.0, 1.0]]),
        ([[[[4.0]]]],),
        pooled_shape=[1, 1],
    ),
    worked("MaxRoiPool", (1, 22), (BOX, [[0.0, 0.0, 0.0, 1.0, 1.0]]), (BOX,), pooled_shape=[2, 2]),
    worked(
        "MaxRoiPool",
        (1, 22),
        (BOX, [[0.0, 0.0, 0.0, 1.0, 1.0]]),
        ([[[[1.0]]]],),
        pooled_shape=[1, 1],
        spatial_scale=0.25,
    ),
)

ONE_EACH = ([[3.0]], [[1.0]], [[1.0]])
NORMS = (
    # (5 − 1) / √(3 + 1) × 3 + 1
    worked(
        "BatchNormalization",
        (1,),
        ([[5.0]], [3.0], [1.0], [1.0], [3.0]),
        ([[7.0]],),
        is_test=1,
        epsilon=1.0,
        consumed_inputs=[0, 0, 0, 1, 1],
    ),
    worked(
        "BatchNormalization",
        (6,),
        ([[5.0]], [3.0], [1.0], [1.0], [3.0]),
        ([[7.0]],),
        is_test=1,
        epsilon=1.0,
    ),
    worked(
        "BatchNormalization", (7, 9), ([[5.0]], [3.0], [1.0], [1.0], [3.0]), ([[7.0]],), epsilon=1.0
    ),
    # 1 and 3 have mean 2 and variance 1: (x − 2) / √1.44 × 6 + 10
    worked(
        "InstanceNormalization",
        (1, 6),
        ([[[1.0, 3.0]]], [6.0], [10.0]),
        ([[[5.0, 15.0]]],),
        epsilon=0.44,
    ),
    worked(
        "MeanVarianceNormalization",
        (9, 13),
        ([[1.0, 3.0], [5.0, 5.0]],),
        ([[-1.0, 1.0], [0.0, 0.0]],),
        axes=[1],
    ),
    worked("MeanVarianceNormalization", (9, 13), ([[1.0], [3.0]],), ([[-1.0], [1.0]],), axes=[]),
    worked("LpNormalization", (1,), ([3.0, -4.0],), ([0.6, -0.8],), axis=0),
    worked("LpNormalization", (1,), ([3.0, -4.0],), ([3 / 7, -4 / 7],), axis=0, p=1),
    # alpha / size is 1: x / (1 + the squares of the channel and its neighbours)
    worked(
        "LRN",
        (1,),
        ([[[[1.0]], [[2.0]], [[3.0]]]],),
        ([[[[1 / 6]], [[2 / 15]], [[3 / 14]]]],),
        size=3,
        alpha=3.0,
        beta=1.0,
    ),
)

TWO_STEPS = [[[1.0]], [[1.0]]]
HALF_OPEN = ["Sigmoid", "Relu", "Relu"]  # gates without weights are half open
RECURRENT = (
    # h = 2 x + 3 h: 2, then 8
    worked(
        "RNN",
        (1,),
        (TWO_STEPS, [[[2.0]]], [[[3.0]]]),
        ([[[[2.0]]], [[[8.0]]]], [[[8.0]]]),
        hidden_size=1,
        activations=["Relu"],
        output_sequence=1,
    ),
    # h = (4 x + 2 (h / 2)) / 2 + h / 2: 2, then 4
    worked(
        "GRU",
        (1, 3),
        (TWO_STEPS, [[[0.0], [0.0], [4.0]]], [[[0.0], [0.0], [2.0]]]),
        ([[[[2.0]]], [[[4.0]]]], [[[4.0]]]),
        hidden_size=1,
        activations=HALF_OPEN[:2],
        output_sequence=1,
        direction="forward",
    ),
    # With a bias of 2 inside the reset: h = (4 x + (2 h + 2) / 2) / 2 + h / 2
    worked(
        "GRU",
        (3,),
        (TWO_STEPS, [[[0.0], [0.0], [4.0]]], [[[0.0], [0.0], [2.0]]], [[0, 0, 0, 0, 0, 2.0]]),
        ([[[[2.5]]], [[[5.0]]]], [[[5.0]]]),
        hidden_size=1,
        activations=HALF_OPEN[:2],
        output_sequence=1,
        linear_before_reset=1,
    ),
    # c = c / 2 + (4 x + 2 h) / 2 and h = c / 2
    worked(
        "LSTM",
        (1,),
        (TWO_STEPS, [[[0.0], [0.0], [0.0], [4.0]]], [[[0.0], [0.0], [0.0], [2.0]]]),
        ([[[[1.0]]], [[[2.0]]]], [[[2.0]]], [[[4.0]]]),
        hidden_size=1,
        activations=HALF_OPEN,
        output_sequence=1,
    ),
)

LAYERS = (*SOFT, *PRODUCTS, *WINDOWS, *NORMS, *RECURRENT)
