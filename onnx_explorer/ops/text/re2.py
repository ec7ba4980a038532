r"""Regular expressions of RE2, as Python's `re` understands them.

The two share most of their grammar. What RE2 has and Python has not is rewritten; what Python
would take and RE2 refuses (looking around, back references, possessive repeats) is refused. In RE2
`\d`, `\w`, `\s` and `\b` know only ASCII.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

from onnx_explorer.schema import Violation

_CLASSES = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": r"\t\n\f\r ",
}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_TOKEN = re.compile(
    r"""
    \\Q(?P<quoted>.*?)(?:\\E|\Z)
  | \\x\{(?P<point>[0-9A-Fa-f]+)\}
  | \\(?P<sign>[pP])(?:\{(?P<negated>\^?)(?P<name>[^}]*)\}|(?P<letter>.))
  | \\(?P<escape>.)
  | \[:(?P<not>\^?)(?P<posix>[a-z]+):\]
  | (?P<group>\(\?(?:P?<[A-Za-z_]\w*>|:|[ims]*(?:-[ims]+)?[:)]))
  | (?P<refused>\(\?|(?:[*+?]|\{\d+(?:,\d*)?\})\+)
  | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The expression, ready to match.

    Raises:
        Violation: RE2 would not take it.
    """
    parts: list[str] = []
    in_class = False
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if token["quoted"] is not None:
            text = re.escape(token["quoted"])
        elif token["point"] is not None:
            text = re.escape(_character(token["point"], pattern))
        elif token["sign"]:
            negated = (token["sign"] == "P") != bool(token["negated"])
            inside = _category(token["name"] or token["letter"], pattern, negated=negated)
            text = inside if in_class else f"[{inside}]"
        elif token["escape"]:
            text = _escaped(token["escape"], pattern, in_class=in_class)
        elif token["posix"]:
            text = _posix(token, pattern) if in_class else text
        elif token["group"]:
            text = text if in_class else text.replace("(?<", "(?P<")
        elif token["refused"]:
            if not in_class:
                raise _refused(pattern, f"{text!r} at {token.start()}")
            text = re.escape(text)
        elif text == "[" and not in_class:
            in_class = True
        elif text == "]" and in_class and not _opens(pattern, token.start()):
            in_class = False
        elif in_class and text in "[]&~|":
            text = "\\" + text
        parts.append(text)
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise _refused(pattern, str(error)) from error


def _opens(pattern: str, place: int) -> bool:
    """Whether a `]` is the first character of a class, where it stands for itself."""
    return pattern[:place].endswith(("[", "[^")) and not pattern[:place].endswith(("\\[", "\\[^"))


def _character(digits: str, pattern: str) -> str:
    point = int(digits, 16)
    if point > sys.maxunicode:
        raise _refused(pattern, f"there is no character {digits}")
    return chr(point)


def _escaped(letter: str, pattern: str, *, in_class: bool) -> str:
    if letter in _CLASSES:
        return _CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]"
    if letter.lower() in _CLASSES:
        if in_class:
            return _without(_CLASSES[letter.lower()])
        return f"[^{_CLASSES[letter.lower()]}]"
    if in_class:
        return "\\" + letter
    if letter in "bB":
        return rf"(?a:\{letter})"
    if letter == "z":
        return r"\Z"
    if letter in "123456789CZG":
        raise _refused(pattern, rf"it has \{letter}")
    return "\\" + letter


def _posix(token: re.Match[str], pattern: str) -> str:
    inside = _POSIX.get(token["posix"])
    if inside is None:
        raise _refused(pattern, f"there is no class {token.group()}")
    return _without(inside) if token["not"] else inside


def _without(inside: str) -> str:
    """The rest of all characters, as text inside of a class."""
    return _ranges_of(re.compile(f"[^{inside}]"))


@cache
def _ranges_of(one: re.Pattern[str]) -> str:
    return _ranges([p for p in range(sys.maxunicode + 1) if one.match(chr(p))])


@cache
def _category(name: str, pattern: str, *, negated: bool) -> str:
    """The characters of a general category of Unicode, as text inside of a class."""
    every = range(sys.maxunicode + 1)
    if name == "Any":
        return _ranges([] if negated else list(every))
    found = [p for p in every if unicodedata.category(chr(p)).startswith(name) != negated]
    if len(found) in {0, len(every)}:
        raise _refused(pattern, f"{name!r} is not a category of characters that is known here")
    return _ranges(found)


def _ranges(points: list[int]) -> str:
    parts: list[str] = []
    start = before = -2
    for point in [*points, -2]:
        if point != before + 1:
            if start >= 0:
                parts.append(f"\\U{start:08x}-\\U{before:08x}")
            start = point
        before = point
    return "".join(parts)


def _refused(pattern: str, why: str) -> Violation:
    return Violation(f"pattern {pattern!r}: {why}", "the syntax of RE2 is expected")
