"""Worked cases of the first versions of operators that move, choose and reduce elements."""

from math import log

import numpy as np

from tests.versions.worked import worked

CUBE = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
LINE = [1.0, 2.0, 3.0, 4.0]
SQUARE = [[1.0, -2.0], [3.0, 4.0]]
PICTURE = [[[[1.0, 2.0], [3.0, 4.0]]]]
TWICE = [[[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]]]  # the picture, each column twice

SHAPES = (
    worked("Reshape", (1,), (LINE,), ([[1.0, 2.0], [3.0, 4.0]],), shape=[2, -1]),
    worked("Reshape", (1,), (SQUARE,), ([[[1.0], [-2.0]], [[3.0], [4.0]]],), shape=[0, 2, 1]),
    worked("Reshape", (5,), (SQUARE, [0, -1, 1]), ([[[1.0], [-2.0]], [[3.0], [4.0]]],)),
    worked("Flatten", (1,), (CUBE,), ([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],)),
    worked("Flatten", (1,), (CUBE,), ([[1, 2, 3, 4, 5, 6, 7, 8.0]],), axis=0),
    worked("Squeeze", (1,), ([[[1.0], [2.0]]],), ([[1.0], [2.0]],), axes=[0]),
    worked("Squeeze", (1,), ([[[1.0], [2.0]]],), ([1.0, 2.0],)),
    worked("Unsqueeze", (1,), ([1.0, 2.0],), ([[[1.0], [2.0]]],), axes=[0, 2]),
    worked("Transpose", (1,), (SQUARE,), ([[1.0, 3.0], [-2.0, 4.0]],)),
    worked("Transpose", (1,), ([[[1.0, 2.0]]],), ([[[1.0]], [[2.0]]],), perm=[2, 0, 1]),
    worked("Shape", (1,), ([[1.0, 2.0, 3.0]],), ([1, 3],)),
    worked("Size", (1,), ([[1.0, 2.0, 3.0]],), (3,)),
    # A stack of 4 channels of one pixel, or one channel of 2 × 2 pixels.
    worked(
        "DepthToSpace", (1,), ([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]],), (PICTURE,), blocksize=2
    ),
    worked(
        "SpaceToDepth", (1,), (PICTURE,), ([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]],), blocksize=2
    ),
)

PARTS = (
    # The axis is 1 in version 1 unless said, and always said since.
    worked("Concat", (1,), ([[1.0], [2.0]], [[3.0], [4.0]]), ([[1.0, 3.0], [2.0, 4.0]],)),
    worked("Concat", (1, 4), ([[1.0], [2.0]], [[3.0]]), ([[1.0], [2.0], [3.0]],), axis=0),
    worked("Concat", (4,), ([[1], [2]], [[3], [4]]), ([[1, 3], [2, 4]],), axis=1),
    # Lengths are an attribute, or in version 1 an input of the type of the data.
    worked("Split", (1, 2), (LINE,), ([1.0], [2.0, 3.0, 4.0]), split=[1, 3], axis=0),
    worked("Split", (1, 2), (LINE,), ([1.0, 2.0], [3.0, 4.0]), axis=0),
    worked("Split", (2,), (LINE,), ([1.0, 2.0], [3.0, 4.0])),
    worked("Split", (1,), (LINE, [1.0, 3.0]), ([1.0], [2.0, 3.0, 4.0]), axis=0),
    worked("Split", (1, 2), (SQUARE,), ([[1.0], [3.0]], [[-2.0], [4.0]]), axis=1),
    worked("Slice", (1,), (LINE,), ([2.0, 3.0],), starts=[1], ends=[-1]),
    worked("Slice", (1,), (LINE,), ([3.0, 4.0],), starts=[-2], ends=[1000]),
    worked("Slice", (1,), (SQUARE,), ([[-2.0], [4.0]],), starts=[1], ends=[2], axes=[1]),
    worked("Gather", (1,), ([1.0, 2.0, 3.0], [[2, 0]]), ([[3.0, 1.0]],)),
    worked("Gather", (1,), (SQUARE, [1]), ([[-2.0], [4.0]],), axis=1),
    # Version 1 repeats along one axis and takes all as numbers of the type of the data.
    worked("Tile", (1,), (SQUARE, [2.0], [1.0]), ([[1, -2, 1, -2.0], [3, 4, 3, 4.0]],)),
    worked("Tile", (6,), ([1.0, 2.0], [3]), ([1, 2, 1, 2, 1, 2.0],)),
    worked("Pad", (1,), ([1.0, 2.0],), ([9.0, 1.0, 2.0],), paddings=[1, 0], value=9.0),
    worked("Pad", (2,), ([1.0, 2.0],), ([9.0, 1.0, 2.0],), pads=[1, 0], value=9.0),
    worked("Pad", (1,), (LINE,), ([3, 2, 1, 2, 3, 4, 3.0],), paddings=[2, 1], mode="reflect"),
    worked("Pad", (2,), (LINE,), ([3, 2, 1, 2, 3, 4, 3.0],), pads=[2, 1], mode="reflect"),
    worked("Pad", (1,), (LINE,), ([1, 1, 1, 2, 3, 4, 4.0],), paddings=[2, 1], mode="edge"),
    worked("Pad", (2,), (LINE,), ([1, 1, 1, 2, 3, 4, 4.0],), pads=[2, 1], mode="edge"),
    worked("Pad", (2,), (LINE,), ([2.0, 3.0],), pads=[-1, -1]),
)

CHOICE = (
    worked("TopK", (1,), ([3.0, 1.0, 2.0],), ([3.0, 2.0], [0, 2]), k=2),
    worked("TopK", (1,), (SQUARE,), ([[3.0, 4.0]], [[1, 1]]), k=1, axis=0),
    worked("ArgMax", (1,), (SQUARE,), ([[1, 1]],)),
    worked("ArgMax", (1,), (SQUARE,), ([0, 1],), axis=1, keepdims=0),
    worked("ArgMin", (1,), (SQUARE,), ([[0, 0]],)),
    worked("ArgMin", (1,), (SQUARE,), ([1, 0],), axis=1, keepdims=0),
)


def reduced(op, by_row, of_all):
    """The rows of the square reduced, then the whole, which keeps its rank."""
    return (
        worked(op, (1,), (SQUARE,), (by_row,), axes=[1], keepdims=0),
        worked(op, (1,), (SQUARE,), ([[of_all]],)),
    )


REDUCTIONS = (
    *reduced("ReduceSum", [-1.0, 7.0], 6.0),
    *reduced("ReduceMean", [-0.5, 3.5], 1.5),
    *reduced("ReduceMax", [1.0, 4.0], 4.0),
    *reduced("ReduceMin", [-2.0, 3.0], -2.0),
    *reduced("ReduceProd", [-2.0, 12.0], -24.0),
    *reduced("ReduceL1", [3.0, 7.0], 10.0),
    *reduced("ReduceL2", [5**0.5, 5.0], 30**0.5),
    *reduced("ReduceSumSquare", [5.0, 25.0], 30.0),
    worked("ReduceLogSum", (1,), ([[1.0, 3.0], [2.0, 6.0]],), ([[log(4)], [log(8)]],), axes=[1]),
    worked("ReduceLogSum", (1,), ([[1.0, 3.0], [2.0, 6.0]],), ([[log(12)]],)),
    # 1 + 3 and 2 + 6
    worked(
        "ReduceLogSumExp", (1,), ([[0.0, log(3)], [log(2), log(6)]],), ([[log(4)], [log(8)]],),
        axes=[1],
    ),
    worked("ReduceLogSumExp", (1,), ([[0.0, log(3)], [log(2), log(6)]],), ([[log(12)]],)),
)  # fmt: skip

SCALES = np.array([1, 1, 1, 2], np.float32)
SIZES = (
    worked("Upsample", (1,), (PICTURE,), (TWICE,), height_scale=1.0, width_scale=2.0),
    worked("Upsample", (7,), (PICTURE,), (TWICE,), scales=[1.0, 1.0, 1.0, 2.0]),
    worked("Resize", (10,), (PICTURE, SCALES), (TWICE,)),
    # The column x of the output looks at x / 2 of the input, and not beyond the last.
    *(
        worked(
            op, (version,), (PICTURE, *scales), ([[[[1, 1.5, 2, 2.0], [3, 3.5, 4, 4.0]]]],),
            **attributes,
        )
        for op, version, scales, attributes in (
            ("Upsample", 1, (), {"mode": "bilinear", "height_scale": 1.0, "width_scale": 2.0}),
            ("Upsample", 7, (), {"mode": "linear", "scales": [1.0, 1.0, 1.0, 2.0]}),
            ("Upsample", 9, (SCALES,), {"mode": "linear"}),
            ("Resize", 10, (SCALES,), {"mode": "linear"}),
        )
    ),
    # Since version 11 at (x + 1/2) / 2 − 1/2: −1/4, 1/4, 3/4, 5/4.
    worked("Resize", (11, 13, 18, 19), (PICTURE, np.zeros(0, np.float32), SCALES), (TWICE,)),
    worked(
        "Resize", (11, 13, 18, 19), (PICTURE, np.zeros(0, np.float32), SCALES),
        ([[[[1, 1.25, 1.75, 2.0], [3, 3.25, 3.75, 4.0]]]],), mode="linear",
    ),
    worked(
        "Resize", (11, 13, 18, 19), (PICTURE, np.zeros(0, np.float32), SCALES),
        ([[[[1, 1.5, 2, 2.0], [3, 3.5, 4, 4.0]]]],),
        mode="linear", coordinate_transformation_mode="asymmetric",
    ),
)  # fmt: skip

MOVERS = (*SHAPES, *PARTS, *CHOICE, *REDUCTIONS, *SIZES)
