"""How much memory this machine has."""

from __future__ import annotations

import os
from functools import cache


@cache
def memory_bytes() -> int:
    """All of it; 8 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
