"""Prints what was measured, as tables."""

from __future__ import annotations

import pytest

from tests.benchmarks.readings import ROWS, table


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    for title in dict.fromkeys(row.table for row in ROWS):
        for line in table(title, [row for row in ROWS if row.table == title]):
            terminalreporter.write_line(line)
