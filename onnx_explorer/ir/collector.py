"""Python's garbage collector, put off while many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

MIN_PROMOTED = 50_000
"""Objects that are made before it is worth while to look for those that nobody can reach."""


class _Promoted:
    """How many objects were made old without a look since the last full collection, and how many
    there were then.
    """

    since = 0
    before = 0


@contextmanager
def without_collector(*, acyclic: bool = False) -> Generator[None]:
    """Garbage collection put off: it would walk all objects of a growing model again and again.

    What is there when it ends counts as old, since the first collection would only find that all of
    it is in use; so what was made just before is looked through first. When much was made that may
    refer to itself, as much as makes Python look through all that is old, that is looked through.
    """
    enabled = gc.isenabled()
    if enabled:
        gc.collect(0)
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # who froze objects wants them to stay so
                _Promoted.since += 0 if acyclic else gc.get_count()[0]
                gc.freeze()
                gc.unfreeze()
                if _Promoted.since > max(MIN_PROMOTED, _Promoted.before // 4):
                    gc.collect()
                    _Promoted.since, _Promoted.before = 0, len(gc.get_objects())
            gc.enable()
