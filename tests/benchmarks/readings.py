"""Readings taken in turns: on a shared machine only what was measured side by side can be compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, log

import onnxruntime

SECONDS = 3
"""How long one comparison goes on, if a single round does not take longer."""


@dataclass
class Row:
    """One line of a table: what was measured, the least milliseconds of each, and more columns."""

    table: str
    name: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)


ROWS: list[Row] = []
"""Everything that this process has measured."""


def beside(benchmark, ours: Callable[[], object], peers: Mapping[str, Callable[[], object]]) -> Row:
    """The least time of our function and of its peers, which all run once in every round."""
    started = time.perf_counter()
    for function in (*peers.values(), ours):
        function()
    rounds = max(3, min(200, int(SECONDS / (time.perf_counter() - started))))
    best = dict.fromkeys(peers, float("inf"))

    def take_turns() -> None:
        for label, function in peers.items():
            best[label] = min(best[label], once(function))

    benchmark.pedantic(ours, setup=take_turns, rounds=rounds)
    benchmark.extra_info.update({f"{label} ms": took for label, took in best.items()})
    row = Row(benchmark.group, benchmark.name.partition("[")[2][:-1], 0.0, best)
    row.ours = 1000 * benchmark.stats.stats.min
    ROWS.append(row)
    return row


def once(function: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - start)


def session(path: object, threads: int = 1, **options: object) -> onnxruntime.InferenceSession:
    """onnxruntime on this many threads, which do not spin: spinning, they would hold the core that
    the next reading needs.
    """
    made = onnxruntime.SessionOptions()
    made.log_severity_level = 3
    made.intra_op_num_threads = threads
    made.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for name, value in options.items():
        setattr(made, name, value)
    return onnxruntime.InferenceSession(str(path), made, providers=["CPUExecutionProvider"])


def table(title: str, rows: list[Row]) -> list[str]:
    """The rows as text: milliseconds, and how many times the peer's time ours is."""
    labels = list(dict.fromkeys(label for row in rows for label in row.peers))
    more = list(dict.fromkeys(label for row in rows for label in row.more))
    head = f"{title:24}{'ours ms':>10}"
    head += "".join(f"{label + ' ms':>18}{'ratio':>8}" for label in labels)
    lines = ["", head + "".join(f"{label:>30}" for label in more)]
    for row in rows:
        line = f"{row.name:24}{row.ours:10.2f}"
        for label in labels:
            peer = row.peers.get(label)
            line += f"{peer:18.2f}{row.ours / peer:8.2f}" if peer else f"{'-':>18}{'':8}"
        lines.append(line + "".join(f"{row.more.get(label, ''):>30}" for label in more))
    if not labels:
        return lines
    means = f"{'geometric mean':24}{'':10}"
    for label in labels:
        ratios = [log(row.ours / row.peers[label]) for row in rows if row.peers.get(label)]
        means += f"{'':18}{exp(sum(ratios) / len(ratios)):8.2f}"
    return [*lines, means]
