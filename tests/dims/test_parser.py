"""Sizes as text: the spellings of exporters, and text that means harm."""

import time

import pytest

from onnx_explorer.dims import (
    DimSyntaxError,
    broadcast,
    ceildiv,
    maximum,
    minimum,
    parse,
    symbol,
)

s0, s1 = symbol("s0"), symbol("s1")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("7", 7),
        ("-1", -1),
        (" 2*s0 ", 2 * s0),
        ("s0 + 1", s0 + 1),
        ("1 - s0", 1 - s0),
        ("--s0", s0),
        ("s0*(s1 + 2)", s0 * s1 + 2 * s0),
        ("s0**2", s0 * s0),
        ("-s0**2", -(s0 * s0)),
        ("Max(1, s1)", maximum(1, s1)),
        ("Min(s0, s1, 4)", minimum(s0, s1, 4)),
        ("(s0//2)", s0 // 2),
        ("((s0 - 1)//2) + 1", (s0 - 1) // 2 + 1),
        ("floor(s0/2 - 1/2) + 1", (s0 - 1) // 2 + 1),
        ("floor((s0 - 1)/2) + 1", (s0 - 1) // 2 + 1),
        ("floor(s0/s1)", s0 // s1),
        ("floor(s0/2/3)", s0 // 6),
        ("ceiling(s0/2)", ceildiv(s0, 2)),
        ("ceil(s0/2)", ceildiv(s0, 2)),
        ("FloorDiv(s0, 2)", s0 // 2),
        ("Mod(s0, 8)", s0 % 8),
        ("s0 mod 8", s0 % 8),
        ("s0 % 8", s0 % 8),
        ("2*s0/2", s0),
        ("7//2*s0", 3 * s0),
        ("broadcast(s0, s1)", broadcast(s0, s1)),
        ("p2o.DynamicDimension.1", symbol("p2o.DynamicDimension.1")),
        ("unk__214", symbol("unk__214")),
        ("?", symbol("?")),
        ("max", symbol("max")),
        ("größe + 1", symbol("größe") + 1),
        ("2*`batch size`", 2 * symbol("batch size")),
        ("`a``b`", symbol("a`b")),
        ("`mod` mod 2", symbol("mod") % 2),
    ],
)
def test_the_arithmetic_of_exporters_is_read(text, size):
    assert parse(text) == size


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "ends"),
        ("2*", 2, "ends"),
        ("batch size", 6, "'size'"),
        ("2x", 1, "'x'"),
        ("a)", 1, "'\\)'"),
        ("(a", 2, "no '\\)'"),
        ("max(a", 5, "no '\\)'"),
        ("a + ~b", 4, "'~'"),
        ("a.b/c.d", 0, "whole number"),
        ("s/2", 0, "floor"),
        ("eval(1)", 0, "'eval'"),
        ("1 + a//0", 5, "divided by 0"),
        ("broadcast(2, 3)", 0, "broadcast"),
        ("a**0", 3, "exponent"),
        ("a**b", 3, "exponent"),
        ("`a", 0, "backtick"),
        ("``", 0, "empty name"),
        ("mod(1)", 5, "','"),
    ],
)
def test_other_text_is_refused_with_its_place(text, position, reason):
    with pytest.raises(DimSyntaxError, match=reason) as refusal:
        parse(text)
    assert refusal.value.position == position
    assert refusal.value.text == text


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "(" * 200 + "a" + ")" * 200,
        "floor(" * 100 + "a" + ")" * 100,
        "9" * 5_000,
        "a" * 20_000,
        "**2" * 100,
        "((((10**32)**32)**32)**32)**32",
        "((a**32)**32)**32",
        "(a + b + c + d + e)**20",
        "*".join(f"(a{i} + 1)" for i in range(40)),
        "max(" + ", ".join(f"a{i}//{i + 7}" for i in range(900)) + ")",
    ],
)
def test_text_that_means_harm_is_refused_soon(text):
    started = time.process_time()
    with pytest.raises(DimSyntaxError):
        parse(text)
    assert time.process_time() - started < 2


def test_many_signs_need_no_depth():
    assert parse("-" * 9_000 + "a") == symbol("a")
