"""Symbolic sizes as values: arithmetic, printed forms, and what Python may ask of them."""

import copy
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from onnx_explorer.dims import (
    DimError,
    DimLimitError,
    Expr,
    Ratio,
    UndecidedError,
    bounds,
    broadcast,
    ceil,
    ceildiv,
    divide_exactly,
    evaluate,
    floor,
    floordiv,
    maximum,
    minimum,
    mod,
    parse,
    product,
    ratio,
    round_half_even,
    substitute,
    symbol,
    symbols,
    total,
    trunc,
    truncdiv,
)
from onnx_explorer.dims import expr as expr_module
from onnx_explorer.dims import factor as factor_module
from onnx_explorer.errors import ExplorerError

B, S, h, seq, past, height = map(symbol, ("B", "S", "h", "seq", "past", "height"))
signed = symbol("signed", low=None)


@pytest.mark.parametrize(
    ("size", "printed"),
    [
        (2 * seq + 1, "2*seq + 1"),
        (1 + seq, "seq + 1"),
        (height - 1, "height - 1"),
        (1 - seq, "1 - seq"),
        (-seq, "-seq"),
        (-seq - 1, "-seq - 1"),
        (seq - past, "seq - past"),
        (past - seq, "past - seq"),
        (S * B, "B*S"),
        (3 * seq * seq - seq, "3*seq**2 - seq"),
        (seq + B * S + 2, "B*S + seq + 2"),
        ((height + 2 * 3 - 7) // 2 + 1, "floor((height - 1)/2) + 1"),
        ((h + 3) // 2, "floor((h - 1)/2) + 2"),
        (h // 2, "floor(h/2)"),
        (B * S // 2, "floor(B*S/2)"),
        (3 * (h // 2), "3*floor(h/2)"),
        (7 // B, "floor(7/B)"),
        (h // (B * S), "floor(h/(B*S))"),
        ((h + 1) // (B + 1), "floor((h + 1)/(B + 1))"),
        (h % 4, "h mod 4"),
        (2 * (h % 4) + 1, "2*(h mod 4) + 1"),
        ((h + 1) % B, "(h + 1) mod B"),
        ((h % 4) // 3, "floor((h mod 4)/3)"),
        (maximum(S, 3, B), "max(B, S, 3)"),
        (minimum(S, B) + 1, "min(B, S) + 1"),
        (broadcast(S, B), "broadcast(B, S)"),
        (symbol("batch size"), "batch size"),
        (symbol("batch size") + 1, "`batch size` + 1"),
        (symbol("a`b") * 2, "2*`a``b`"),
        (symbol("2*s0"), "`2*s0`"),
        (symbol("12"), "`12`"),
        (symbol("mod") + 1, "`mod` + 1"),
        (symbol("p2o.DynamicDimension.1") + 1, "p2o.DynamicDimension.1 + 1"),
    ],
)
def test_a_size_is_printed_as_people_write_it(size, printed):
    assert str(size) == printed


def test_the_representation_is_the_arithmetic():
    assert repr((2 * seq + 1, 3)) == "(2*seq + 1, 3)"
    assert repr(ratio(seq + 1, 2)) == "(seq + 1)/2"


@pytest.mark.parametrize(
    ("size", "same"),
    [
        ((S + 1) - S, 1),
        (B * S * 768 // (S * 768), B),
        (B * 12 * (past + seq) // (past + seq), 12 * B),
        ((S + 1) * (B + 2) // (B + 2), S + 1),
        (S // (S + 1), 0),
        ((B * S + B + 1) // (S + 2), (B * S + B + 1) // (S + 2)),
        ((2 * h + 1) // 2, h),
        ((4 * h + 6) // 4, h + 1),
        (h // 2 // 3, h // 6),
        ((((h - 1) // 2 + 1) - 1) // 2 + 1, (h - 1) // 4 + 1),
        ((h + 1) // 2, (h - 1) // 2 + 1),
        (h // -2, -h // 2),
        (h // (0 - B), (0 - h) // B),
        ((6 * h + 5) % 4, 2 * (h % 2) + 1),
        ((4 * h + 3) % 4, 3),
        (h % 8 % 4, h % 4),
        (h % -4, -((0 - h) % 4)),
        (B * S % S, 0),
        (symbol("bit", high=1) // 2, 0),
        (symbol("bit", high=1) % 2, symbol("bit")),
        (maximum(h, 0), h),
        (maximum(h, h + 1, 2), maximum(h + 1, 2)),
        (minimum(h, h + 1), h),
        (maximum(B, maximum(S, B)), maximum(S, B)),
        (minimum(B, 0), 0),
        (product([B, 2, S]), 2 * B * S),
        (product([]), 1),
        (total([B, 2, S]), B + S + 2),
        (total([]), 0),
        (ceildiv(h, 2), (h + 1) // 2),
        (ceildiv(7, 2), 4),
        (ceildiv(h, B), (h - 1) // B + 1),
    ],
)
def test_equal_sizes_meet_in_one_form(size, same):
    assert size == same
    assert type(size) is type(same)
    assert hash(size) == hash(same)


def test_broadcasting_follows_its_laws():
    assert broadcast(B, 1) == B
    assert broadcast(1, B) == B
    assert broadcast(B, B) == B
    assert broadcast(B, 7) == 7
    assert broadcast(B, 0) == 0
    assert broadcast(1, 1) == 1
    assert broadcast(0, 1) == 0
    assert broadcast(B, symbol("k", low=2)) == symbol("k")
    assert broadcast(broadcast(B, S), B) == broadcast(S, B)
    assert broadcast(h - h // 2, (h + 1) // 2) == h - h // 2


@pytest.mark.parametrize(
    ("a", "b"), [(2, 3), (0, 2), (symbol("k", low=2), symbol("k", low=2) + 1), (2 * B + 2, 3)]
)
def test_a_broadcast_of_sizes_that_differ_names_both(a, b):
    with pytest.raises(DimError) as refusal:
        broadcast(a, b)
    assert str(a) in str(refusal.value)
    assert str(b) in str(refusal.value)


@pytest.mark.parametrize("operation", [floordiv, mod, ceildiv, truncdiv])
@pytest.mark.parametrize("size", [7, B])
def test_a_division_by_zero_is_an_error_of_sizes(operation, size):
    with pytest.raises(DimError, match="divided by 0"):
        operation(size, 0)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3)])
def test_division_of_numbers_toward_zero(a, b):
    assert truncdiv(a, b) == int(a / b)


def test_division_toward_zero_needs_the_signs():
    assert truncdiv(h, 2) == h // 2
    assert truncdiv(-h, 2) == -(h // 2)
    assert truncdiv(h, -2) == -(h // 2)
    assert truncdiv(4 * signed, 2) == 2 * signed
    with pytest.raises(UndecidedError, match="toward zero"):
        truncdiv(h - 1, 2)


def test_a_polynomial_divides_exactly_or_not_at_all():
    assert divide_exactly(B * S + B, S + 1) == B
    assert divide_exactly(B * S + 1, S) is None
    assert divide_exactly(12, 4) == 3


def test_a_quotient_vanishes_only_below_the_divisor():
    small = symbol("small", high=2)
    assert small // (B + 3) == 0
    assert small % (B + 3) == small
    assert evaluate(small // (B + 2), {"small": 2, "B": 0}) == 1
    assert evaluate(small % (B + 2), {"small": 2, "B": 0}) == 0


def test_bounds_are_those_of_the_range():
    assert bounds(7) == (7, 7)
    assert bounds(B) == (0, None)
    assert bounds(signed) == (None, None)
    k = symbol("k", low=2, high=5)
    assert bounds(3 - 2 * k) == (-7, -1)
    assert bounds(k * k) == (4, 25)
    assert bounds(k // 2) == (1, 2)
    assert bounds(k % 4) == (0, 3)
    assert bounds(maximum(k, B)) == (2, None)
    assert bounds(minimum(k, B)) == (0, 5)
    assert bounds(broadcast(B, symbol("j", high=9))) == (0, None)
    assert bounds((h - 1) // 2 + 1) == (0, None)


def test_a_symbol_is_its_name_and_keeps_its_own_bounds():
    loose, tight = symbol("N"), symbol("N", low=1, high=8, origin="input x, axis 0")
    assert loose == tight
    assert hash(loose) == hash(tight)
    assert loose - tight == 0
    assert bounds(loose + 1) == (1, None)
    assert bounds(tight + 1) == (2, 9)


@pytest.mark.parametrize("bad", [{"name": ""}, {"name": "N", "low": 3, "high": 2}])
def test_a_symbol_without_a_name_or_a_value_is_refused(bad):
    with pytest.raises(DimError):
        symbol(**bad)


def test_python_gets_no_guess():
    with pytest.raises(UndecidedError, match="cannot decide the truth of the symbolic size B"):
        bool(B)
    with pytest.raises(UndecidedError):
        int(B)
    with pytest.raises(UndecidedError):
        list(range(B))
    with pytest.raises(UndecidedError, match="B < S"):
        B < S  # noqa: B015
    assert issubclass(UndecidedError, ExplorerError)


def test_comparisons_answer_where_bounds_decide():
    assert B < B + 1
    assert B >= 0
    assert not B < 0
    assert B + S + 1 > B
    assert B > -1
    assert h // 2 <= h


def test_a_size_cannot_be_changed():
    with pytest.raises(AttributeError):
        B.constant = 3
    with pytest.raises(AttributeError):
        del B.terms
    with pytest.raises(AttributeError):
        ratio(B, 2).denominator = 3


@pytest.mark.parametrize(
    "size", [B, 2 * B * S + 1, (h - 1) // 2 + h % 4, broadcast(B, maximum(S, 2))]
)
def test_copies_are_the_same_size(size):
    assert copy.deepcopy(size) == size
    restored = pickle.loads(pickle.dumps(size))
    assert restored == size
    assert bounds(restored) == bounds(size)


def test_numpy_carries_sizes_as_objects():
    row = np.array([h, 2], dtype=object)
    assert list(row * np.array([3, 4])) == [3 * h, 8]
    assert list(h + np.array([1, 2])) == [h + 1, h + 2]
    assert np.int64(3) * h == 3 * h
    assert h * np.int64(3) == 3 * h
    assert h // np.int64(2) == h // 2
    assert floordiv(np.int64(7), np.int64(2)) == 3
    assert type(h + np.int64(1) - h) is int


@pytest.mark.parametrize("other", [0.5, "2", None])
def test_other_types_are_refused(other):
    with pytest.raises(TypeError):
        h + other
    with pytest.raises(TypeError):
        floordiv(h, other)


def test_substitution_is_simultaneous():
    assert substitute(2 * B + S, {"B": S, "S": B}) == 2 * S + B
    assert substitute((h - 1) // 2 + 1, {"h": 224}) == 112
    assert substitute(h // 2, {"h": 2 * S}) == S
    assert substitute(B, {}) == B
    assert substitute(7, {"B": 2}) == 7
    with pytest.raises(DimError, match="do not broadcast"):
        substitute(broadcast(B, S), {"B": 2, "S": 3})


def test_evaluation_needs_every_symbol():
    assert evaluate(B * S + 1, {"B": 2, "S": 3, "unused": 9}) == 7
    assert evaluate(7, {}) == 7
    with pytest.raises(UndecidedError, match="'S'"):
        evaluate(B * S, {"B": 2})


def test_symbols_are_found_inside_functions():
    assert symbols(maximum(B, (S + h) // 2) + broadcast(seq, past)) == {
        "B",
        "S",
        "h",
        "seq",
        "past",
    }
    assert symbols(7) == frozenset()


def test_a_size_stays_exact_while_a_float_carries_it():
    half = ratio(h, 2)
    assert isinstance(half, Ratio)
    assert half * 2 == h
    assert ratio(2 * h, 2) == h
    assert ratio(6, 4) == ratio(3, 2)
    assert floor(half) == h // 2
    assert ceil(half) == ceildiv(h, 2)
    assert trunc(half) == h // 2
    assert floor(h * Fraction(1, 2)) == h // 2
    assert (half * S) / S == half
    assert floor((h + Fraction(1, 2)) * 2) == 2 * h + 1
    assert h / 2 == half
    assert round_half_even(ratio(h, 3)) == (h + 1) // 3
    assert round_half_even(Fraction(5, 2)) == 2


def test_a_rounding_that_depends_is_not_guessed():
    with pytest.raises(UndecidedError):
        trunc(ratio(signed, 2))
    with pytest.raises(UndecidedError):
        round_half_even(ratio(h, 2))
    with pytest.raises(UndecidedError):
        ratio(h, 2) / S
    with pytest.raises(UndecidedError):
        bool(ratio(h, 2))
    assert round_half_even(ratio(4 * h + 1, 4)) == h


def test_a_formula_that_grows_without_end_is_refused():
    size = h
    with pytest.raises(DimLimitError):  # noqa: PT012
        for _ in range(200):
            size = size - size // 3
    size = h + 1
    with pytest.raises(DimLimitError):  # noqa: PT012
        for name in "abcdefghijklm":
            size = size * (symbol(name) + 1)
    size = h
    with pytest.raises(DimLimitError):  # noqa: PT012
        for _ in range(10):
            size = size * size


def test_tables_are_cleared_when_full_and_sizes_stay_equal(monkeypatch):
    monkeypatch.setattr(factor_module, "MAX_SHARED", 50)
    first = (symbol("x") + 1) // 2
    for number in range(200):
        (symbol(f"x{number}") + 1) // 2
        for table in (expr_module._shared, expr_module._results, factor_module._factors):
            assert len(table) <= max(50, number and 50)
    again = (symbol("x") + 1) // 2
    assert again is not first
    assert again == first
    assert hash(again) == hash(first)
    assert again - first == 0


def test_importing_sizes_is_light():
    heavy = ("numpy", "sympy", "fractions", "decimal", "dataclasses", "inspect")
    code = f"import sys, onnx_explorer.dims; print([m for m in {heavy!r} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "[]"


def test_expressions_built_lately_are_one_object():
    x, y = symbol("x"), symbol("y")
    assert isinstance(x, Expr)
    assert x * y + 1 is 1 + y * x
    assert parse("x*y + 1") is x * y + 1
