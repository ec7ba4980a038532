"""A scene as it travels, taken apart again."""

from __future__ import annotations

import gzip
import json
from typing import Any


def columns_of(scene: bytes) -> dict[str, Any]:
    """The tables and all else that the lines hold."""
    head, *pieces = gzip.decompress(scene).decode("utf-8").split("\n")
    columns = json.loads(head)
    for piece in pieces:
        table, column, cells = json.loads(piece)
        columns.setdefault(table, {}).setdefault(column, []).extend(cells)
    return columns
