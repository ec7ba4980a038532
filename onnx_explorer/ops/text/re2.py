r"""Regular expressions of RE2, as Python's `re` understands them.

The two share most of their grammar. What RE2 has and Python has not is rewritten; what Python
would take and RE2 refuses (looking around, back references, possessive repeats) is refused. In RE2
`\d`, `\w`, `\s` and `\b` know only ASCII, `$` is the end of the text alone unless `m` is set, and
flags hold from where they stand to the end of their group. Scripts (`\p{Greek}`) and bytes (`\C`)
are not known here. Whether a repeat is greedy does not matter to what matches in full.
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
_PLACES = {"A": r"(?:\A)", "z": r"(?:\Z)", "b": r"(?a:\b)", "B": r"(?!(?a:\b))"}
_TOKEN = re.compile(
    r"""
    \\Q(?P<quoted>.*?)(?:\\E|\Z)
  | \\x(?:\{(?P<point>[0-9A-Fa-f]+)\}|(?P<byte>[0-9A-Fa-f]{2}))
  | \\(?P<sign>[pP])(?:\{(?P<negated>\^?)(?P<name>[^}]*)\}|(?P<letter>.))
  | \\(?P<octal>0[0-7]{0,2}|[1-7][0-7]{1,2})
  | \\(?P<escape>.)
  | \[:(?P<not>\^?)(?P<posix>[a-z]+):\]
  | (?P<group>\(\?(?:P?<[A-Za-z_]\w*>|(?P<on>[imsU]*)(?:-(?P<off>[imsU]+))?(?P<scope>[:)])))
  | (?P<refused>\(\?|(?:[*+?]|\{\d+(?:,\d*)?\})\+)
  | (?P<literal>\{,\d*\})
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
    groups = _Groups()
    in_class = False
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if token["quoted"] is not None:
            text = re.escape(token["quoted"])
        elif token["point"] or token["byte"]:
            text = re.escape(_character(token["point"] or token["byte"], pattern))
        elif token["sign"]:
            negated = (token["sign"] == "P") != bool(token["negated"])
            name = token["name"] or token["letter"]
            inside = _category(name, negated=negated)
            if inside is None:
                raise _refused(pattern, f"{name!r} is not a category of characters known here")
            text = inside if in_class else f"[{inside}]"
        elif token["octal"]:
            text = re.escape(chr(int(token["octal"], 8)))
        elif token["escape"]:
            text = _escaped(token["escape"], pattern, in_class=in_class)
        elif token["posix"]:
            text = _posix(token, pattern) if in_class else text
        elif token["group"]:
            text = text if in_class else groups.entered(token)
        elif token["refused"]:
            if not in_class:
                raise _refused(pattern, f"{text!r} at {token.start()}")
            text = re.escape(text)
        elif token["literal"]:
            text = re.escape(text)
        elif text == "[" and not in_class:
            in_class = True
        elif text == "]" and in_class and not _opens(pattern, token.start()):
            in_class = False
        elif in_class and text in "[]&~|":
            text = "\\" + text
        elif not in_class:
            text = groups.plain(text)
        parts.append(text)
    try:
        return re.compile("".join(parts) + groups.rest())
    except re.error as error:
        raise _refused(pattern, str(error)) from error


class _Groups:
    """The groups that are open, outermost first. Flags hold for a whole group in Python: those that
    RE2 sets for the rest of one open another, which is closed and opened again between alternatives.
    """

    def __init__(self) -> None:
        self._flagged: list[list[str]] = [[]]
        self._multiline = [False]

    def entered(self, token: re.Match[str]) -> str:
        """The start of a group, or the flags for the rest of one."""
        if not token["scope"]:
            self._enter(self._multiline[-1])
            return token.group().replace("(?<", "(?P<")
        on, off = ((token[side] or "").replace("U", "") for side in ("on", "off"))
        text = f"(?{on}{off and '-'}{off}:"
        multiline = "m" not in off and ("m" in on or self._multiline[-1])
        if token["scope"] == ":":
            self._enter(multiline)
        else:
            self._flagged[-1].append(text)
            self._multiline[-1] = multiline
        return text

    def plain(self, text: str) -> str:
        """A character outside of classes."""
        match text:
            case "(":
                self._enter(self._multiline[-1])
            case ")" if len(self._flagged) > 1:
                self._multiline.pop()
                return ")" * len(self._flagged.pop()) + ")"
            case "|":
                return ")" * len(self._flagged[-1]) + "|" + "".join(self._flagged[-1])
            case "^":
                return "(?:^)"  # what Python can repeat, as RE2 can
            case "$":
                return "(?:$)" if self._multiline[-1] else r"(?:\Z)"
            case _:
                pass
        return text

    def rest(self) -> str:
        """What closes the flags that are set outside of all groups."""
        return ")" * len(self._flagged[0])

    def _enter(self, multiline: bool) -> None:
        self._flagged.append([])
        self._multiline.append(multiline)


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
    if letter in _PLACES:
        return _PLACES[letter]
    if letter not in "afnrtv" and letter.isascii() and letter.isalnum():
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
def _category(name: str, *, negated: bool) -> str | None:
    """The characters of a general category of Unicode, as text inside of a class; None: no such."""
    every = range(sys.maxunicode + 1)
    if name == "Any":
        return _ranges([] if negated else list(every))
    found = [p for p in every if unicodedata.category(chr(p)).startswith(name) != negated]
    return None if len(found) in {0, len(every)} else _ranges(found)


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
