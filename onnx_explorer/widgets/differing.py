"""Two values beside each other: their difference, its statistics, its largest elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.statistics import Statistics, statistics
from onnx_explorer.widgets.summary import element_text, json_number, observed_type

LARGEST = 8
"""How many of the largest differences are listed."""

Against = Literal["value", "iteration", "former", "compared"]
AGAINST: tuple[Against, ...] = ("value", "iteration", "former", "compared")


class Step(TypedDict):
    """A value that a step of the run has made, and the node of that step in words."""

    value: str
    node: str


class Partner(TypedDict):
    """Something that a value can be compared with: what it is, which one, and in words; of how many
    rounds, or of which steps it is one.
    """

    against: Against
    other: str | int
    label: str
    count: NotRequired[int]
    steps: NotRequired[list[Step]]


class DifferentElement(TypedDict):
    at: list[int]
    ours: str
    theirs: str
    difference: str


class Difference(TypedDict):
    """Two values side by side; `equal` counts the elements that are the same."""

    ours: Statistics
    theirs: Statistics
    difference: Statistics
    equal: int
    elements: int
    largest: list[DifferentElement]
    mean_apart: float | str


def difference_array(ours: RunValue, theirs: RunValue) -> NDArray[np.float64]:
    """Our elements less theirs; 0 where both are the same NaN or infinity, NaN where one of them
    alone is no number.

    Raises:
        EvaluationError: they are no tensors of numbers of one shape.
    """
    a, b = _numbers(ours), _numbers(theirs)
    if a.shape != b.shape:
        raise EvaluationError(
            f"{observed_type(ours)} and {observed_type(theirs)} differ in shape; only values of "
            "the same shape can be taken from each other"
        )
    with np.errstate(all="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, a - b)


def difference(ours: RunValue, theirs: RunValue) -> Difference:
    """What there is to say about two values side by side."""
    gap = difference_array(ours, theirs)
    apart = np.abs(gap).reshape(-1)
    # What is a number on one side alone differs most of all.
    ranked = np.where(np.isnan(apart), np.inf, apart)
    order = np.argsort(-ranked, kind="stable")[:LARGEST]
    a, b = np.asarray(ours).reshape(-1), np.asarray(theirs).reshape(-1)
    largest: list[DifferentElement] = [
        {
            "at": [int(i) for i in np.unravel_index(int(flat), gap.shape)],
            "ours": element_text(a[flat].item()),
            "theirs": element_text(b[flat].item()),
            "difference": element_text(gap.reshape(-1)[flat].item()),
        }
        for flat in order.tolist()
        if ranked[flat] > 0
    ]
    finite = apart[np.isfinite(apart)]
    return {
        "ours": statistics(ours),
        "theirs": statistics(theirs),
        "difference": statistics(gap),
        "equal": int((ranked == 0).sum()),
        "elements": gap.size,
        "largest": largest,
        "mean_apart": json_number(float(finite.mean()) if finite.size else float("nan")),
    }


def partner_of(question: Mapping[str, object]) -> tuple[Against, str | int] | None:
    """What a question compares with; None where it asks for a value alone."""
    against, other = question.get("against"), question.get("other", "")
    if against not in AGAINST or (against == "iteration" and not isinstance(other, int)):
        return None
    return against, other if isinstance(other, int) else str(other)


def _numbers(value: RunValue) -> NDArray[np.float64]:
    if not isinstance(value, np.ndarray) or value.dtype.kind in "OUSc":
        raise EvaluationError(f"{observed_type(value)} is no tensor of real numbers")
    return value.astype(np.float64)
