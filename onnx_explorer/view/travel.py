"""How the columns of a scene travel: as zipped lines of JSON that a page can read one by one, without
standing still. What comes more than once is written once.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import cast

PIECE = 5_000
"""Cells that travel in one line."""

PORTS = ("inputs", "outputs")
"""Columns whose cells are hardly ever the same, while the texts in them are."""


def packed(columns: Mapping[str, object]) -> bytes:
    """The first line holds what is no table. Then come the pieces of one long list, `[cells]`, of
    what stands in tables; and the pieces of their columns: `[table, column, cells]` where these are
    numbers, `[table, column, cells, "places"]` where they are places in that list, and
    `[table, column, sizes, "ports", places]` where they are ports: how many there are in each cell,
    and the three texts of each.
    """
    head = {name: value for name, value in columns.items() if not isinstance(value, dict)}
    tables = {
        name: cast("dict[str, list[object]]", value)
        for name, value in columns.items()
        if isinstance(value, dict)
    }
    places = _places(tables)
    lines = [
        _json([table, column, *_written(column, piece, places)])
        for table, cells_of in tables.items()
        for column, cells in cells_of.items()
        for piece in _pieces(cells)
    ]
    shared = [_json([piece]) for piece in _pieces(list(places))]
    # Names in a file may hold bytes that are no UTF-8.
    text = "\n".join([_json(head), *shared, *lines]).encode("utf-8", errors="replace")
    return gzip.compress(text, compresslevel=1, mtime=0)


def _places(tables: Mapping[str, Mapping[str, list[object]]]) -> dict[object, int]:
    """Places in the list: the shortest for what comes most often."""
    places = defaultdict[object, int](count().__next__)
    vocabularies = [
        dict.fromkeys(cells)
        for table in tables.values()
        for column, cells in table.items()
        if column not in PORTS and not _are_numbers(cells)
    ]
    for vocabulary in sorted(vocabularies, key=len):
        for cell in vocabulary:
            places[cell]
    return places


def _written(column: str, cells: Sequence[object], places: dict[object, int]) -> list[object]:
    if column in PORTS:
        rows = cast("Sequence[tuple[tuple[str, str, str], ...]]", cells)
        return [
            list(map(len, rows)),
            "ports",
            [places[text] for row in chain(*rows) for text in row],
        ]
    if _are_numbers(cells):
        return [cells]
    return [[places[cell] for cell in cells], "places"]


def _are_numbers(cells: Sequence[object]) -> bool:
    return set(map(type, cells)) <= {int}


def _pieces(cells: Sequence[object]) -> Iterator[Sequence[object]]:
    for start in range(0, max(1, len(cells)), PIECE):
        yield cells[start : start + PIECE]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
