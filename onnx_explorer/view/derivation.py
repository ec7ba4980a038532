"""An explanation as rows that the front end draws as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from onnx_explorer.inference import Explanation

MOST = 400
"""How many steps are told; where there are more, the rest is counted."""


class DerivationStep(NamedTuple):
    """A step: how deep it stands below the first one, what is said, and the value it is about."""

    depth: int
    what: str
    fact: str
    reason: str
    value: str


def derivation(explanation: Explanation) -> list[DerivationStep]:
    """The steps in the order of reading; one told before is referred to."""
    steps = list(_steps(explanation, 0, set()))
    if len(steps) <= MOST:
        return steps
    left = DerivationStep(0, "…", f"{len(steps) - MOST} more steps", "", "")
    return [*steps[:MOST], left]


def _steps(explanation: Explanation, depth: int, told: set[str]) -> Iterator[DerivationStep]:
    again = explanation.what in told
    told.add(explanation.what)
    reason = "see above" if again and explanation.causes else explanation.reason
    yield DerivationStep(depth, explanation.what, explanation.fact, reason, explanation.value)
    if not again:
        for cause in explanation.causes:
            yield from _steps(cause, depth + 1, told)
