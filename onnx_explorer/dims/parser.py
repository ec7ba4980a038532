"""Reads sizes from text: what `str` writes, and the arithmetic that exporters write into a `dim_param`.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | "//" | "%" | "mod") signed)*
    signed   = ("+" | "-") signed | operand ["**" integer]
    operand  = integer | name | "`" any name "`" | "(" sum ")" | function "(" sum ("," sum)* ")"

`/` makes a fraction, which only `floor`, `ceiling` or an exact division turns back into a size. The text
may be hostile: its length, its nesting and its numbers are limited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from onnx_explorer.dims.choice import maximum, minimum
from onnx_explorer.dims.division import ceildiv, divide_exactly, floordiv, mod
from onnx_explorer.dims.errors import DimError, DimSyntaxError
from onnx_explorer.dims.expr import MAX_DEGREE, Dim, symbol
from onnx_explorer.dims.questions import equal
from onnx_explorer.dims.substitution import broadcast_all
from onnx_explorer.dims.text import continues_name, starts_name

MAX_LENGTH: Final = 10_000
MAX_NESTING: Final = 60
MAX_DIGITS: Final = 100

Fraction = tuple[Dim, Dim]
Token = tuple[str, str, int]
"""Kind ("number", "name", "quoted", "end", or the sign itself), text, position."""

_SIGNS: Final = ("**", "//", "+", "-", "*", "/", "%", "(", ")", ",")
_ONE: Final = frozenset({"floor", "ceil", "ceiling"})
_TWO: Final[dict[str, Callable[[Dim, Dim], Dim]]] = {
    "mod": mod,
    "pythonmod": mod,
    "floordiv": floordiv,
    "cleandiv": floordiv,
    "ceildiv": ceildiv,
}
_MANY: Final[dict[str, Callable[..., Dim]]] = {
    "max": maximum,
    "min": minimum,
    "broadcast": lambda *dims: broadcast_all(dims, equal),
}


def parse(text: str) -> Dim:
    """The size that a text says, over symbols in [0, ∞). Raises `DimSyntaxError` if it is no arithmetic."""
    return _Reader(text).whole()


def is_arithmetic(text: str) -> bool:
    """Whether `parse` reads the text at all."""
    try:
        parse(text)
    except DimError:
        return False
    return True


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        if len(text) > MAX_LENGTH:
            self.fail(MAX_LENGTH, f"longer than {MAX_LENGTH} characters")
        self.tokens = _tokens(text)
        self.next = 0

    def whole(self) -> Dim:
        value = self.size()
        kind, found, position = self.tokens[self.next]
        if kind != "end":
            self.fail(position, f"expected an operator or the end, found {found!r}")
        return value

    def fail(self, position: int, reason: str) -> NoReturn:
        raise DimSyntaxError(self.text, position, reason)

    def take(self, *kinds: str) -> Token | None:
        token = self.tokens[self.next]
        if token[0] not in kinds:
            return None
        self.next += 1
        return token

    def expect(self, kind: str) -> None:
        if self.take(kind) is None:
            _, found, position = self.tokens[self.next]
            self.fail(position, f"expected {kind!r}, found {found!r}" if found else f"no {kind!r}")

    def size(self) -> Dim:
        """A sum that is a whole number."""
        start = self.tokens[self.next][2]
        return self.checked(start, _whole, self.sum())

    def checked(self, position: int, function: Callable[..., Dim], *args: object) -> Dim:
        try:
            return function(*args)
        except DimSyntaxError:
            raise
        except DimError as error:
            self.fail(position, str(error))

    def sum(self) -> Fraction:
        value = self.product()
        while token := self.take("+", "-"):
            sign = 1 if token[0] == "+" else -1
            value = self.fraction(token[2], _added, value, self.product(), sign)
        return value

    def product(self) -> Fraction:
        value = self.signed()
        while token := self.take("*", "/", "//", "%") or self.infix_mod():
            value = self.fraction(token[2], _multiplied, token[0], value, self.signed())
        return value

    def fraction(self, position: int, function: Callable[..., Fraction], *args: object) -> Fraction:
        try:
            return function(*args)
        except DimError as error:
            self.fail(position, str(error))

    def infix_mod(self) -> Token | None:
        kind, text, position = self.tokens[self.next]
        if kind != "name" or text != "mod":
            return None
        self.next += 1
        return ("%", text, position)

    def signed(self) -> Fraction:
        negative = False
        while token := self.take("+", "-"):
            negative ^= token[0] == "-"
        value = self.power()
        return (-value[0], value[1]) if negative else value

    def power(self) -> Fraction:
        base = self.operand()
        token = self.take("**")
        if token is None:
            return base
        exponent = self.take("number")
        if exponent is None or len(exponent[1]) > 2 or not 0 < int(exponent[1]) <= MAX_DEGREE:
            self.fail(token[2] + 2, f"expected an exponent from 1 to {MAX_DEGREE}")
        value = base
        for _ in range(int(exponent[1]) - 1):
            value = self.fraction(token[2], _multiplied, "*", value, base)
        return value

    def operand(self) -> Fraction:
        kind, text, position = self.tokens[self.next]
        if kind == "end":
            self.fail(position, "it ends where a number, a name or '(' is expected")
        self.next += 1
        if kind == "number":
            return (int(text), 1)
        if kind == "quoted":
            return (symbol(text), 1)
        if kind == "name":
            return (
                self.call(text, position) if self.tokens[self.next][0] == "(" else (symbol(text), 1)
            )
        if kind != "(":
            self.fail(position, f"expected a number, a name or '(', found {text!r}")
        self.descend(position)
        value = self.sum()
        self.expect(")")
        self.depth -= 1
        return value

    def call(self, name: str, position: int) -> Fraction:
        function = name.lower()
        self.descend(position)
        self.expect("(")
        if function in _ONE:
            dividend, divisor = self.sum()
            rounded = floordiv if function == "floor" else ceildiv
            value = self.checked(position, rounded, dividend, divisor)
        elif function in _TWO:
            left = self.size()
            self.expect(",")
            value = self.checked(position, _TWO[function], left, self.size())
        elif function in _MANY:
            args = [self.size()]
            while self.take(","):
                args.append(self.size())
            value = self.checked(position, _MANY[function], *args)
        else:
            self.fail(position, f"no function is called {name!r}")
        self.expect(")")
        self.depth -= 1
        return (value, 1)

    def descend(self, position: int) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(position, f"nested more than {MAX_NESTING} levels deep")


def _added(a: Fraction, b: Fraction, sign: int) -> Fraction:
    if a[1] == b[1]:
        return (a[0] + sign * b[0], a[1])
    return (a[0] * b[1] + sign * b[0] * a[1], _bounded(a[1] * b[1]))


def _multiplied(operator: str, a: Fraction, b: Fraction) -> Fraction:
    match operator:
        case "*":
            return (_bounded(a[0] * b[0]), a[1] * b[1])
        case "/":
            if b[0] == 0:
                raise DimError("a division by 0")
            return (a[0] * b[1], _bounded(a[1] * b[0]))
        case "//":
            return (floordiv(a[0] * b[1], a[1] * b[0]), 1)
        case _:
            return (mod(_whole(a), _whole(b)), 1)


def _whole(value: Fraction) -> Dim:
    numerator, denominator = value
    if denominator == 1:
        return numerator
    quotient = divide_exactly(numerator, denominator)
    if quotient is None:
        raise DimError(
            f"a quotient that may be no whole number: write floor(({numerator})/{denominator})"
        )
    return quotient


def _bounded(value: Dim) -> Dim:
    if isinstance(value, int) and value.bit_length() > 4 * MAX_DIGITS:
        raise DimError(f"a number of more than {MAX_DIGITS} digits")
    return value


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        start, character = at, text[at]
        if character.isspace():
            at += 1
            continue
        sign = next((sign for sign in _SIGNS if text.startswith(sign, at)), None)
        if sign is not None:
            at += len(sign)
            tokens.append((sign, sign, start))
        elif character in "0123456789":
            at = _end(text, at, _is_digit)
            if at - start > MAX_DIGITS:
                raise DimSyntaxError(text, start, f"a number of more than {MAX_DIGITS} digits")
            tokens.append(("number", text[start:at], start))
        elif starts_name(character):
            at = _end(text, at, continues_name)
            tokens.append(("name", text[start:at], start))
        elif character == "`":
            name, at = _quoted(text, at)
            tokens.append(("quoted", name, start))
        else:
            raise DimSyntaxError(text, start, f"{character!r} has no meaning in a size")
    tokens.append(("end", "", len(text)))
    return tokens


def _end(text: str, at: int, belongs: Callable[[str], bool]) -> int:
    while at < len(text) and belongs(text[at]):
        at += 1
    return at


def _is_digit(character: str) -> bool:
    return character in "0123456789"


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The name between backticks, where two backticks stand for one, and the position after it."""
    parts: list[str] = []
    at = start + 1
    while (end := text.find("`", at)) >= 0:
        parts.append(text[at:end])
        if not text.startswith("``", end):
            if not (name := "`".join(parts)):
                raise DimSyntaxError(text, start, "an empty name")
            return name, end + 1
        at = end + 2
    raise DimSyntaxError(text, start, "a backtick without its partner")
