"""A scene as it travels, taken apart again."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from typing import Any


def columns_of(scene: bytes) -> dict[str, Any]:
    """The tables and all else that the lines hold."""
    head, *lines = gzip.decompress(scene).decode("utf-8").split("\n")
    columns = json.loads(head)
    shared: list[Any] = []
    for line in map(json.loads, lines):
        match line:
            case [cells]:
                shared += cells
            case [table, column, cells]:
                _column(columns, table, column).extend(cells)
            case [table, column, places, "places"]:
                _column(columns, table, column).extend(shared[place] for place in places)
            case [table, column, sizes, "ports", places]:
                texts = iter([shared[place] for place in places])
                ports = [[list(islice(texts, 3)) for _ in range(size)] for size in sizes]
                assert next(texts, None) is None
                _column(columns, table, column).extend(ports)
            case _:
                raise AssertionError(f"a line of no known form: {line}")
    return columns


def _column(columns: dict[str, Any], table: str, column: str) -> list[Any]:
    return columns.setdefault(table, {}).setdefault(column, [])
