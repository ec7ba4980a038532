"""Worked cases of the first versions of operators that work element by element, with the
broadcasting that they had: `broadcast=1` lays the second input along the first from `axis` on.
"""

from math import e, log

import numpy as np

from tests.versions.worked import worked

FIRST = (1, 6)
LN_2, LN_3 = log(2), log(3)
MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
COLUMN, ROW = [10.0, 20.0], [1.0, 2.0, 4.0]

UNARY = (
    worked("Abs", FIRST, ([-2.5, 0.0, 3.0],), ([2.5, 0.0, 3.0],)),
    worked("Ceil", FIRST, ([-1.5, 1.2, 2.0],), ([-1.0, 2.0, 2.0],)),
    worked("Floor", FIRST, ([-1.5, 1.2, 2.0],), ([-2.0, 1.0, 2.0],)),
    worked("Exp", FIRST, ([0.0, 1.0, LN_2],), ([1.0, e, 2.0],)),
    worked("Log", FIRST, ([1.0, e, 2.0],), ([0.0, 1.0, LN_2],)),
    worked("Neg", FIRST, ([-2.5, 0.5],), ([2.5, -0.5],)),
    worked("Reciprocal", FIRST, ([2.0, -4.0],), ([0.5, -0.25],)),
    worked("Relu", FIRST, ([-2.0, 0.0, 3.0],), ([0.0, 0.0, 3.0],)),
    worked("Sqrt", FIRST, ([0.0, 2.25, 9.0],), ([0.0, 1.5, 3.0],)),
    # 1 / (1 + 1/3), and (2 - 1/2) / (2 + 1/2)
    worked("Sigmoid", FIRST, ([0.0, LN_3],), ([0.5, 0.75],)),
    worked("Tanh", FIRST, ([0.0, LN_2],), ([0.0, 0.6],)),
    worked("Softplus", (1,), ([0.0, LN_3],), ([LN_2, log(4)],)),
    worked("Softsign", (1,), ([-1.0, 3.0],), ([-0.5, 0.75],)),
    # alpha × (1/2 − 1)
    worked("Elu", FIRST, ([-LN_2, 2.0],), ([-0.5, 2.0],)),
    worked("Elu", FIRST, ([-LN_2, 2.0],), ([-1.5, 2.0],), alpha=3.0),
    # gamma × alpha × (1/2 − 1) and gamma × 2; version 6 has the constants with more digits
    worked("Selu", (1,), ([-LN_2, 2.0],), ([-0.5 * 1.0507 * 1.6732, 2.1014],)),
    worked("Selu", (6,), ([-LN_2, 2.0],), ([-0.5 * 1.05070102 * 1.67326319, 2.10140204],)),
    worked("HardSigmoid", FIRST, ([-5.0, 0.0, 1.0, 5.0],), ([0.0, 0.5, 0.7, 1.0],)),
    worked("HardSigmoid", FIRST, ([0.0, 1.0],), ([0.25, 0.75],), alpha=0.5, beta=0.25),
    worked("LeakyRelu", FIRST, ([-2.0, 3.0],), ([-0.02, 3.0],)),
    worked("LeakyRelu", FIRST, ([-2.0, 3.0],), ([-1.0, 3.0],), alpha=0.5),
    worked("Clip", FIRST, ([-2.0, 0.5, 3.0],), ([-1.0, 0.5, 1.0],), min=-1.0, max=1.0),
    worked("Clip", FIRST, ([-2.0, 0.5, 3.0],), ([-1.0, 0.5, 3.0],), min=-1.0),
    worked("Clip", FIRST, ([-2.0, 0.5, 3.0],), ([-2.0, 0.5, 3.0],)),
    # The tip of the bell is 1, not almost.
    worked(
        "BlackmanWindow",
        (17,),
        (4,),
        (np.array([0, 0, 1, 0], np.int32),),
        output_datatype=6,
    ),
    # The element type is a word in version 1, its number since.
    worked("Cast", (1,), ([1.75, -1.75],), (np.array([1, -1], np.int32),), to="INT32"),
    worked("Cast", (6,), ([1.75, -1.75],), (np.array([1, -1], np.int32),), to=6),
    worked("Cast", (1,), ([0.0, -2.0],), ([False, True],), to="BOOL"),
    worked("Cast", (6,), ([0.0, -2.0],), ([False, True],), to=9),
)


def along(op, versions, by_row, by_column):
    """A matrix and a number for each of its rows, then a matrix and a number for each column."""
    return (
        worked(op, versions, (MATRIX, COLUMN), (by_row,), broadcast=1, axis=0),
        worked(op, versions, (MATRIX, ROW), (by_column,), broadcast=1),
        worked(op, versions, (MATRIX, ROW), (by_column,), broadcast=1, axis=1),
    )


NO, YES = [False] * 3, [True] * 3
ARITHMETIC = (
    *along("Add", FIRST, [[11.0, 12.0, 13.0], [24.0, 25.0, 26.0]], [[2, 4, 7.0], [5, 7, 10.0]]),
    *along("Sub", FIRST, [[-9.0, -8.0, -7.0], [-16.0, -15.0, -14.0]], [[0, 0, -1.0], [3, 3, 2.0]]),
    *along("Mul", FIRST, [[10.0, 20.0, 30.0], [80.0, 100.0, 120.0]], [[1, 4, 12.0], [4, 10, 24.0]]),
    *along("Div", FIRST, [[0.1, 0.2, 0.3], [0.2, 0.25, 0.3]], [[1, 1, 0.75], [4, 2.5, 1.5]]),
    *along(
        "Pow",
        (1,),
        [[1.0, 2.0**10, 3.0**10], [4.0**20, 5.0**20, 6.0**20]],
        [[1.0, 4.0, 81.0], [4.0, 25.0, 1296.0]],
    ),
    *along("Greater", (1,), [NO, NO], [NO, YES]),
    *along("Less", (1,), [YES, YES], [[False, False, True], NO]),
    worked("Add", FIRST, ([1.0, 2.0], [3.0, 5.0]), ([4.0, 7.0],)),
    worked("Add", FIRST, (MATRIX, 1.0), ([[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]],), broadcast=1),
    worked("Mul", (6,), ([2, -3], [5, 7]), ([10, -21],)),
    # Whole numbers are divided towards 0.
    worked("Div", (6,), ([7, -7], [2, 2]), ([3, -3],)),
    worked("Equal", (1,), ([[1, 2], [2, 2]], [1, 2]), ([[True, True], [False, True]],), broadcast=1),
    worked(
        "Equal", (1,), ([[1, 2], [2, 2]], [1, 2]), ([[True, False], [True, True]],),
        broadcast=1, axis=0,
    ),
)  # fmt: skip

RULES = {"And": (0, 0, 0, 1), "Or": (0, 1, 1, 1), "Xor": (0, 1, 1, 0)}  # of 00, 01, 10 and 11
LOGIC = tuple(
    worked(
        op,
        (1,),
        ([[False, False], [True, True]], [False, True]),
        ([[bool(ff), bool(ft)], [bool(tf), bool(tt)]],),
        broadcast=1,
    )
    for op, (ff, ft, tf, tt) in RULES.items()
)

THREE = ([1.0, 6.0], [3.0, -2.0], [5.0, 5.0])
VARIADIC = (
    worked("Sum", FIRST, THREE, ([9.0, 9.0],)),
    worked("Mean", FIRST, THREE, ([3.0, 3.0],)),
    worked("Max", FIRST, THREE, ([5.0, 6.0],)),
    worked("Min", FIRST, THREE, ([1.0, -2.0],)),
    worked("Max", FIRST, THREE[:1], THREE[:1]),
)

SLOPED = [[[-1.0, 2.0], [-3.0, -4.0]]]  # one batch of two channels
PRELU = (
    worked("PRelu", FIRST, (SLOPED, [0.5, 2.0]), ([[[-0.5, 2.0], [-6.0, -8.0]]],)),
    worked("PRelu", FIRST, (SLOPED, [3.0]), ([[[-3.0, 2.0], [-9.0, -12.0]]],)),
)

# What is left to chance is not: a distribution of one value.
RANDOM = (
    worked("Bernoulli", (15, 22), ([0.0, 1.0, 1.0],), ([0.0, 1.0, 1.0],)),
    worked("Bernoulli", (15, 22), ([0.0, 1.0],), ([False, True],), dtype=9),
    worked("RandomNormal", (1, 22), (), ([2.0, 2.0, 2.0],), shape=[3], mean=2.0, scale=0.0),
    worked("RandomUniform", (1, 22), (), ([2.0, 2.0, 2.0],), shape=[3], low=2.0, high=2.0),
    worked("RandomNormalLike", (1, 22), ([1.0, 3.0],), ([2.0, 2.0],), mean=2.0, scale=0.0),
    worked("RandomUniformLike", (1, 22), ([1.0, 3.0],), ([2.0, 2.0],), low=2.0, high=2.0),
    # log-probabilities: e¹⁰⁰ to 1
    worked(
        "Multinomial", (7, 22), ([[0.0, 100.0], [100.0, 0.0]],),
        (np.array([[1, 1, 1], [0, 0, 0]], np.int32),), sample_size=3,
    ),
    worked("Dropout", FIRST, ([1.0, 2.0],), ([1.0, 2.0],), is_test=1),
    worked("Dropout", FIRST, ([1.0, 2.0],), ([1.0, 2.0], [1.0, 1.0]), ratio=0.0),
)  # fmt: skip

ELEMENTS = (*UNARY, *ARITHMETIC, *LOGIC, *VARIADIC, *PRELU, *RANDOM)
