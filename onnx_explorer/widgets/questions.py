"""The kinds of questions that are more than a look."""

from __future__ import annotations

MOVES = frozenset(
    [
        "step",
        "step_into",
        "step_out",
        "back",
        "run",
        "run_to",
        "goto",
        "restart",
        "begin",
        "set",
        "retry",
        "take_over",
    ]
)
"""They are refused while a run is under way."""
CHANGES = frozenset(
    [
        "change",
        "take_back",
        "reset",
        "break",
        "unbreak",
        "watch",
        "unwatch",
        "iteration",
        "set",
        "retry",
        "fill",
        "size",
        "seed",
        "look_inside",
    ]
)
"""After them the state is another one."""
