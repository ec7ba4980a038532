from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, parse, ratio
from onnx_explorer.ops.logical.comparison import (
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
)
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor

OPERATORS = [EQUAL, GREATER, LESS, GREATER_OR_EQUAL, LESS_OR_EQUAL]
# for A = 1, 2, 3 against B = 2
BY_HAND = dict(
    zip(
        OPERATORS,
        ([0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 0]),
        strict=True,
    )
)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float16, np.float64, ml_dtypes.bfloat16])
def test_every_version_compares_into_bools(op, dtype):
    a, b = np.array([1, 2, 3], dtype), np.full(3, 2, dtype)
    for version in op.versions:
        got = kernel(op, version, a, b)
        assert got.dtype == bool
        assert got.tolist() == BY_HAND[op]


@pytest.mark.parametrize("op", [EQUAL, GREATER, LESS], ids=lambda op: op.name)
def test_version_1_broadcasts_from_an_axis_and_only_on_request(op):
    a, b = np.array([[1, 2, 3], [3, 2, 1]]), np.array([2, 2])
    got = kernel(op, 1, a, b, broadcast=1, axis=0)
    assert got.tolist() == [BY_HAND[op], BY_HAND[op][::-1]]
    assert rule(op, 1, tensor("B", 3), tensor(3), broadcast=1).shape == "[B, 3]"
    with pytest.raises(Violation, match=r"B has shape \[2\], but A has shape \[2, 3\]"):
        rule(op, 1, tensor(2, 3), tensor(2))


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_shapes_broadcast_both_ways(op):
    version = op.versions[-1]
    assert rule(op, version, tensor("B", 1), tensor("S")).shape == "[B, S]"
    assert rule(op, version, tensor("B"), UNKNOWN).shape == "[...]"


def test_strings_are_equal_or_not():
    a = np.array(["a", "b"], object)
    assert kernel(EQUAL, 19, a, np.array("b", object)).tolist() == [False, True]


def test_nan_equals_nothing():
    nan = np.array([np.nan])
    assert not any(kernel(op, op.versions[-1], nan, nan).any() for op in OPERATORS)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_sizes_and_ratios_compare_like_numbers(op):
    assert on_sizes(op, op.versions[-1], [1, 2, 3], 2).tolist() == BY_HAND[op]
    n = ratio(parse("n"), 2)
    sizes = [n - 1, n, n + 1]
    assert on_sizes(op, op.versions[-1], sizes, n).tolist() == BY_HAND[op]
    assert on_sizes(op, op.versions[-1], [Fraction(1, 2)], 1).tolist() == BY_HAND[op][:1]


def test_what_depends_on_a_symbol_is_not_guessed():
    # a size is never -1, so this is known
    assert on_sizes(EQUAL, 13, ["B", 4], -1).tolist() == [False, False]
    for op in OPERATORS:
        with pytest.raises(UndecidedError, match="cannot decide how B compares with 4"):
            on_sizes(op, op.versions[-1], ["B"], 4)
