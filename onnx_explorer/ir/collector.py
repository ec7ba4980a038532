"""Python's garbage collector, put off while many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Generator[None]:
    """Garbage collection put off: it would walk all objects of a growing model again and again.

    What was made meanwhile counts as old afterwards, since the first collection would only find
    that all of it is in use.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # who froze objects wants them to stay so
                gc.freeze()
                gc.unfreeze()
            gc.enable()
