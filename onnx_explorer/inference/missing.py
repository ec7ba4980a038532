"""Values that people name and nothing has: what was looked for, where, and what is there instead."""

from __future__ import annotations

from collections.abc import Mapping

from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.scope import Scope
from onnx_explorer.ir.expected import alike, nearest_first, shown


class NoSuchValue(InferenceError, KeyError):
    """A name that no value of the main graph has."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError puts it in quotes


def no_such_value(name: object, scopes: Mapping[str, Scope]) -> NoSuchValue:
    """What to raise for a name that the main graph does not have."""
    known = scopes[""].values
    text = f"the main graph has no value {shown(name)}"
    if not isinstance(name, str):
        return NoSuchValue(f"{text}; a name is a text")
    inside = [path for path, scope in scopes.items() if path and name in scope.values]
    close = alike(name, known)
    if inside:
        text += f", but {inside[0]!r} has: types.scopes[{inside[0]!r}][{name!r}]"
    elif close:
        text += f"; did you mean {' or '.join(map(repr, close))}?"
    elif known:
        more = f" and {len(known) - 5} more" if len(known) > 5 else ""
        # Who asks for a type seldom means a weight.
        others = sorted(known, key=lambda value: not scopes[""].maker_of(value))
        text += f"; it has {', '.join(map(repr, nearest_first(name, others)[:5]))}{more}"
    return NoSuchValue(text)
