"""The equations of Einsum: which axis of which input bears which label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.schema import Shape, Violation

Label = str | int
"""A letter, or the place of an axis in the ellipsis: 0, 1, ..."""
Labels = tuple[Label, ...]

_TERM = re.compile(r"([A-Za-z]*)(\.\.\.)?([A-Za-z]*)")
_ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class Subscripts:
    """The labels of all axes; None for a tensor whose rank is not known."""

    inputs: tuple[Labels | None, ...]
    output: Labels | None


def subscripts(equation: str, ranks: Sequence[int | None]) -> Subscripts:
    """The labels that an equation gives to the axes of inputs of these ranks.

    An input without ellipsis has the rank that the equation says; the ellipsis stands for the same
    number of axes everywhere.

    Raises:
        Violation: the equation is none, or does not fit the inputs.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for term in (*terms, right):
        if not _TERM.fullmatch(term):
            raise Violation(
                f"{term!r} in equation {equation!r}",
                "a term is made of letters and at most one ...",
            )
    if len(terms) != len(ranks):
        raise Violation(
            f"equation {equation!r} has {len(terms)} terms", f"there are {len(ranks)} inputs"
        )
    width = _ellipsis_width(terms, ranks)
    if not arrow:
        right = _implicit(terms)
    _check_output(equation, terms, right, width)
    return Subscripts(
        tuple(_labels(term, width) for term in terms),
        _labels(right, width),
    )


def label_sizes(
    labels: Sequence[Labels | None],
    shapes: Sequence[Shape | None],
    broadcast: Callable[[Dim, Dim], Dim],
) -> dict[Label, Dim]:
    """The size of each label of the inputs whose shape is known; a size of 1 repeats.

    Raises:
        Violation: two sizes of a label are known to differ.
    """
    sizes: dict[Label, Dim] = {}
    for i, (names, shape) in enumerate(zip(labels, shapes, strict=True)):
        if names is None or shape is None:
            continue
        own: dict[Label, Dim] = {}
        for label, size in zip(names, shape, strict=True):
            first = own.setdefault(label, size)
            if known_different(first, size):
                raise Violation(
                    f"input {i} has sizes {first} and {size} at {label!r}",
                    "a label that an input has twice takes its diagonal",
                    port="Inputs",
                )
            if isinstance(size, int):
                own[label] = size
        for label, size in own.items():
            other = sizes.get(label, 1)
            if all(known_different(a, b) for a, b in ((other, size), (other, 1), (size, 1))):
                raise Violation(
                    f"input {i} has size {size} at {label!r}",
                    f"another input has {other} there",
                    port="Inputs",
                )
            sizes[label] = broadcast(other, size) if label in sizes else size
    return sizes


def _ellipsis_width(terms: Sequence[str], ranks: Sequence[int | None]) -> int | None:
    """How many axes the ellipsis stands for; None when that is not known."""
    widths: dict[int, int] = {}
    for i, (term, rank) in enumerate(zip(terms, ranks, strict=True)):
        named = len(term.replace(_ELLIPSIS, ""))
        if rank is None:
            continue
        if rank < named or (rank > named and _ELLIPSIS not in term):
            raise Violation(
                f"input {i} has rank {rank}",
                f"its term {term!r} names {named} axes",
                port="Inputs",
            )
        if _ELLIPSIS in term:
            widths[i] = rank - named
    if len(set(widths.values())) > 1:
        found = ", ".join(f"{width} in input {i}" for i, width in widths.items())
        raise Violation(
            f"axes of the ellipsis: {found}", "it stands for the same number everywhere"
        )
    if widths:
        return next(iter(widths.values()))
    return None if any(_ELLIPSIS in term for term in terms) else 0


def _implicit(terms: Sequence[str]) -> str:
    """The output term that is left out: all letters that occur once."""
    letters = Counter("".join(terms).replace(".", ""))
    ellipsis = _ELLIPSIS if any(_ELLIPSIS in term for term in terms) else ""
    return ellipsis + "".join(sorted(letter for letter, n in letters.items() if n == 1))


def _check_output(equation: str, terms: Sequence[str], output: str, width: int | None) -> None:
    letters = output.replace(_ELLIPSIS, "")
    unknown = sorted(set(letters) - set("".join(terms)))
    if unknown:
        raise Violation(
            f"equation {equation!r} has {', '.join(unknown)} in the output only",
            "the labels of the output occur in an input",
        )
    if len(set(letters)) < len(letters):
        raise Violation(f"equation {equation!r}", "a label occurs once in the output")
    if width and _ELLIPSIS not in output:
        raise Violation(
            f"equation {equation!r} has an ellipsis of {width} axes",
            "the output has one, too: its axes are not summed",
        )


def _labels(term: str, width: int | None) -> Labels | None:
    if _ELLIPSIS not in term:
        return tuple(term)
    if width is None:
        return None
    before, _, after = term.partition(_ELLIPSIS)
    return (*before, *range(width), *after)
