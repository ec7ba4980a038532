"""What is known about sizes, and what is left open; each expectation is a fact of arithmetic."""

import pytest

from onnx_explorer.dims import (
    broadcast,
    equal,
    evaluate,
    known_different,
    known_equal,
    less,
    less_equal,
    maximum,
    minimum,
    symbol,
)

B, S, h, w = map(symbol, ("B", "S", "h", "w"))
N = symbol("N", low=1)
signed = symbol("signed", low=None)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (3, 3),
        (B, B),
        ((h - 1) // 2 + 1, (h + 1) // 2),
        (h - h // 2, (h + 1) // 2),
        (h, 4 * (h // 4) + h % 4),
        (signed, 4 * (signed // 4) + signed % 4),
        (3 * h // 2 - h, h // 2),
        ((-3 * h) % 4, h % 4),
        (2 * (h // 2) + h % 2, h),
        (3 * (h // 2) // 2 * 2 + 3 * (h // 2) % 2, 3 * (h // 2)),
        ((h + w) // 2 + (h + w) % 2, h + w - (h + w) // 2),
        (symbol("bit", high=1) * symbol("bit", high=1) // 2, 0),
    ],
)
def test_equal_sizes_are_known_to_be(a, b):
    assert equal(a, b) is True
    assert known_equal(a, b)
    assert not known_different(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (3, 4),
        (2 * B, 1),
        (6 * B + 4 * S, 3),
        (B + 1, B),
        (B + 1, 0),
        (-B, 1),
        (N, 0),
        (N + B, 0),
        (N * N, 0),
        (h // 2, h + 1),
        (h % 4, 4),
        (maximum(B, S) + 1, B),
        (minimum(h, 5), h + 1),
        (2 * (h // 2), 2 * (h // 2) + 1),
        (h + h % 2, 1),
    ],
)
def test_different_sizes_are_known_to_be(a, b):
    assert equal(a, b) is False
    assert known_different(a, b)
    assert not known_equal(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (symbol("j", high=2) // 2 + h % 3, 3),
        (B, S),
        (B, 1),
        (h, 2 * (h // 2)),
        (signed, -1),
        (broadcast(B, S), B),
        (B * S, B),
    ],
)
def test_what_depends_is_left_open(a, b):
    assert equal(a, b) is None
    assert not known_equal(a, b)
    assert not known_different(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 2),
        (B, B + 1),
        (-1, B),
        (0, N),
        (h // 2, h + 1),
        (h - 2 * (h // 2), 2),
        (minimum(h, 5), h + 1),
        (h, maximum(h, w) + 1),
        (signed % 4, 4),
        (B * N, B * N + N),
    ],
)
def test_an_order_that_always_holds_is_known(a, b):
    assert less(a, b) is True
    assert less_equal(a, b) is True
    assert less(b, a) is False
    assert less_equal(b, a) is False


@pytest.mark.parametrize(
    ("a", "b"),
    [(2, 2), (B, B), (0, B), (h // 2, h), (minimum(h, 5), h), (B, B * N), (2 * (h // 2), h)],
)
def test_sizes_that_may_be_equal_are_ordered_weakly(a, b):
    assert less_equal(a, b) is True
    assert less(b, a) is False


@pytest.mark.parametrize(("a", "b"), [(B, S), (B, 1), (signed, 0), (B * S, S + 1)])
def test_an_order_that_depends_is_left_open(a, b):
    assert less(a, b) is None
    assert less_equal(a, b) is None


def test_a_table_cut_to_the_length_of_its_input_broadcasts_to_that_length():
    s = symbol("s")
    assert broadcast(minimum(s, 512), s) == s
    assert broadcast(s, minimum(s, 512)) == s
    assert broadcast(minimum(s, 1), s) != s or evaluate(broadcast(minimum(s, 1), s), {"s": 7}) == 7
    n = symbol("n")
    assert broadcast(minimum(s, n), s) != s, "n may be 1"
