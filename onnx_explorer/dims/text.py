"""How sizes are written: as the arithmetic that people write, and such that the parser reads it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_explorer.dims.expr import Dim
    from onnx_explorer.dims.factor import Factor, Monomial


def sum_text(terms: tuple[tuple[Monomial, int], ...], constant: int) -> str:
    """`2*seq + 1`: a positive part leads wherever there is one (`1 - seq`)."""
    if constant == 0 and len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
        return terms[0][0][0].text
    parts = [(coefficient, _product_text(abs(coefficient), m)) for m, coefficient in terms]
    if constant:
        parts.append((constant, str(abs(constant))))
    parts.sort(key=lambda part: part[0] < 0)
    first, *others = parts
    text = first[1] if first[0] > 0 else f"-{first[1]}"
    return text + "".join(f" {'+' if sign > 0 else '-'} {part}" for sign, part in others)


def symbol_text(name: str) -> str:
    """The name inside arithmetic, in backticks if it could be read as something else."""
    return name if is_plain_name(name) else f"`{name.replace('`', '``')}`"


def floor_text(dividend: Dim, divisor: Dim) -> str:
    return f"floor({_as_product(dividend)}/{_as_operand(divisor)})"


def mod_text(dividend: Dim, divisor: Dim) -> str:
    return f"{_as_operand(dividend)} mod {_as_operand(divisor)}"


def call_text(function: str, arguments: tuple[Dim, ...]) -> str:
    return f"{function}({', '.join(_text(argument) for argument in arguments)})"


def is_plain_name(name: str) -> bool:
    return (
        bool(name)
        and starts_name(name[0])
        and all(continues_name(character) for character in name)
        and name != "mod"
    )


def starts_name(character: str) -> bool:
    return character.isalpha() or character in "_?"


def continues_name(character: str) -> bool:
    return character.isalnum() or character in "_?.:"


def _text(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) else dim.text


def _product_text(coefficient: int, monomial: Monomial) -> str:
    parts = [str(coefficient)] if coefficient != 1 else []
    for factor in dict.fromkeys(monomial):
        power = monomial.count(factor)
        text = _in_product(factor)
        parts.append(text if power == 1 else f"{text}**{power}")
    return "*".join(parts)


def _in_product(factor: Factor) -> str:
    return f"({factor.text})" if factor.kind == "mod" else factor.text


def _as_product(dim: Dim) -> str:
    """The dividend of `/`: a sum needs brackets, a product needs none."""
    text = _text(dim)
    if isinstance(dim, int) or (len(dim.terms) == 1 and not dim.constant and not _is_mod(dim)):
        return text
    return f"({text})"


def _as_operand(dim: Dim) -> str:
    """A divisor, or a side of `mod`: only a number, a name or a call needs no brackets."""
    text = _text(dim)
    if isinstance(dim, int):
        return text if dim >= 0 else f"({text})"
    factor = dim.only_factor
    return f"({text})" if factor is None or factor.kind == "mod" else text


def _is_mod(dim: Dim) -> bool:
    return not isinstance(dim, int) and (f := dim.only_factor) is not None and f.kind == "mod"
