"""Values that people name and nothing has: what was looked for, where, and what is there instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice

from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.scope import Scope

MOST_COMPARED = 2000
"""How many names are compared with one that was not found: comparing takes long."""


class NoSuchValue(InferenceError, KeyError):
    """A name that no value of the main graph has."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError puts it in quotes


def no_such_value(name: object, scopes: Mapping[str, Scope]) -> NoSuchValue:
    """What to raise for a name that the main graph does not have."""
    known = scopes[""].values
    text = f"the main graph has no value {name!r}"
    inside = [path for path, scope in scopes.items() if path and name in scope.values]
    close = _close(str(name), known)
    if inside:
        text += f", but {inside[0]!r} has: types.scopes[{inside[0]!r}][{name!r}]"
    elif close:
        text += f"; did you mean {' or '.join(map(repr, close))}?"
    elif known:
        more = f" and {len(known) - 5} more" if len(known) > 5 else ""
        text += f"; it has {', '.join(map(repr, islice(known, 5)))}{more}"
    return NoSuchValue(text)


def _close(name: str, known: Iterable[str]) -> list[str]:
    spelled = {text.lower(): text for text in known}
    wanted = name.lower()
    # The ends of long scoped names are what people remember.
    ends = [text for text in spelled if wanted and text.endswith(wanted)]
    alike = (text for text in spelled if abs(len(text) - len(wanted)) <= 2)
    close = get_close_matches(wanted, islice(alike, MOST_COMPARED), 3)
    return [spelled[text] for text in dict.fromkeys([*close, *ends])][:3]
