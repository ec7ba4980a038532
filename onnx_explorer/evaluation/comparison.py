"""What a comparison found: rows of values, the first that differs, the nodes that differ most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import cast

from onnx_explorer.evaluation.absent import NoSuchName
from onnx_explorer.evaluation.differences import Difference, Tolerance
from onnx_explorer.evaluation.stepper import Stepper
from onnx_explorer.ir import Model, RunValue
from onnx_explorer.ir.expected import near, shown

SHOWN = 10
"""Rows of a table; `rows` has them all."""
HEAD = ("node", "operator", "value", "difference", "at", "× tolerance", "by itself × tolerance")


@dataclass(frozen=True, slots=True)
class Row:
    """A value, the node that makes it, how far it is from the partner's, and how far the node takes
    it there by itself (None where that is not known).
    """

    value: str
    node: str
    operator: str
    difference: Difference
    added: Difference | None

    @property
    def outside(self) -> bool:
        """Whether the two values are not the same."""
        return self.difference.outside

    def __str__(self) -> str:
        own = "" if self.added is None else f"; by itself {self.added}"
        return f"{self.value!r} of node {self.node!r} ({self.operator}): {self.difference}{own}"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two computations of a graph, value by value, in the order of the graph."""

    model: Model
    feeds: Mapping[str, object]
    seed: int
    partner: str
    tolerance: Tolerance
    rows: tuple[Row, ...]
    failed: str = ""
    """Why our run ended early, if it did."""
    compute_theirs: Callable[[str], RunValue | None] | None = field(default=None, repr=False)
    """Computes a value of the partner's again."""
    in_model_types: tuple[str, ...] = ()
    """Of a comparison with "float64": nodes, inside others too, that take no doubles or have an
    attribute that says which floats to compute in.
    """

    def theirs(self, value: str) -> RunValue:
        """The partner's value of this name. Values are not kept, so it is computed again.

        Raises:
            KeyError: the partner has no such value.
        """
        is_name = isinstance(cast("object", value), str)
        compute = self.compute_theirs if is_name else None
        found = compute(value) if compute is not None else None
        if found is None:
            hint = near(value, [row.value for row in self.rows])
            raise NoSuchName(f"{self.partner} has no value {shown(cast('object', value))}{hint}")
        return found

    @property
    def same(self) -> bool:
        """Whether every value that both have is the same within the tolerance."""
        return self.first is None and not self.failed

    @property
    def first(self) -> Row | None:
        """The first value, in the order of the graph, that is not the same."""
        return next((row for row in self.rows if row.outside), None)

    @property
    def ranked(self) -> tuple[Row, ...]:
        """The rows by what their nodes add to the difference, the largest first; those of which
        that is not known come last.
        """
        known = [row for row in self.rows if row.added is not None]
        rest = [row for row in self.rows if row.added is None]
        known.sort(key=lambda row: -row.added.times if row.added else 0)
        return (*known, *rest)

    @property
    def overlay(self) -> dict[str, float]:
        """For each node, how many times the tolerance its values are off: to colour a graph."""
        found: dict[str, float] = {}
        for row in self.rows:
            found[row.node] = max(found.get(row.node, 0.0), row.difference.times)
        return found

    @property
    def added(self) -> dict[str, float]:
        """As `overlay`, but what each node adds by itself where that is known."""
        found: dict[str, float] = {}
        for row in self.rows:
            times = row.added.times if row.added is not None else row.difference.times
            found[row.node] = max(found.get(row.node, 0.0), times)
        return found

    def stepper(self) -> Stepper:
        """A stepper that has just run the node of the first value that is not the same; at the
        start, if all are.
        """
        stepper = Stepper(self.model, self.feeds, seed=self.seed)
        if self.first is not None:
            stepper.run_to(f"value:{self.first.value}")
        return stepper

    def __str__(self) -> str:
        lines = [self._summary()]
        if self.first is not None:
            lines.append(f"first: {self.first}")
        worst = self._worst()
        if worst:
            lines.append("nodes that add most:")
        lines += [f"  {row}" for row in worst]
        if self.in_model_types:
            lines.append(f"computed in the model's types: {', '.join(self.in_model_types)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<comparison with {self._summary()}>"

    def _repr_html_(self) -> str:
        head = "".join(map(_html_cell, HEAD))
        first = "" if self.first is None else f"<p>first: {escape(str(self.first))}</p>"
        rows = "".join(map(_html_row, self._worst()))
        table = (
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        )
        return f"<p>{escape(self._summary())}</p>{first}{table}"

    def _worst(self) -> Sequence[Row]:
        """The first of those that differ at all."""
        differing = (row for row in self.ranked if _differs(row))
        return tuple(islice(differing, SHOWN))

    def _summary(self) -> str:
        outside = sum(row.outside for row in self.rows)
        end = f"; our run failed: {self.failed}" if self.failed else ""
        return (
            f"{self.partner}: {outside} of {len(self.rows)} values differ by more than "
            f"{self.tolerance}{end}"
        )


def _differs(row: Row) -> bool:
    own = 0.0 if row.added is None else row.added.times
    return row.outside or row.difference.times > 0 or own > 0


def _html_row(row: Row) -> str:
    found, own = row.difference, row.added
    cells = (
        row.node,
        row.operator,
        row.value,
        found.note or f"{found.largest:.3g}",
        str(list(found.place)) if found.place else "",
        f"{found.times:.3g}",
        "" if own is None else own.note or f"{own.times:.3g}",
    )
    return f"<tr>{''.join(map(_html_cell, cells))}</tr>"


def _html_cell(text: str) -> str:
    return f'<td style="text-align: left">{escape(text)}</td>'
