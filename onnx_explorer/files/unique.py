"""Names that a file may give only once: of one that comes twice nobody knows which is meant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from onnx_explorer.files.wire import Malformed

_Key = TypeVar("_Key", bound=Hashable)
_T = TypeVar("_T")


class Twice(Malformed):
    """A name that stands for two things where it must stand for one."""


def by_name(what: str, items: Iterable[tuple[_Key, _T]], offset: int) -> dict[_Key, _T]:
    """The items by their names. `what` they are, and the `offset` around them, is for the message.

    Raises:
        Twice: two of them have the same name.
    """
    pairs = list(items)
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    seen: set[_Key] = set()
    for name, _ in pairs:
        if name in seen:
            raise Twice(f"two {what} are named {name!r}", offset)
        seen.add(name)
    return table
