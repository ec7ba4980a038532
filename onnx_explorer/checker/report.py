"""What `check` found, to be printed, shown in a notebook or gone through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import overload

from onnx_explorer.inference.diagnostics import FOLLOWERS_SHOWN, Diagnostic, folded, report_lines


class Report(Sequence[Diagnostic]):
    """The findings about a model, errors first. True only when there are some."""

    __slots__ = ("_found",)

    def __init__(self, found: Iterable[Diagnostic]) -> None:
        self._found = tuple(sorted(found, key=lambda d: d.severity))

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Diagnostic, ...]: ...
    def __getitem__(self, index: int | slice) -> Diagnostic | tuple[Diagnostic, ...]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What makes the model invalid."""
        return tuple(d for d in self._found if d.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is odd, and may be meant."""
        return tuple(d for d in self._found if d.severity == "warning")

    @property
    def codes(self) -> tuple[str, ...]:
        """The kinds of findings, each once."""
        return tuple(dict.fromkeys(d.code for d in self._found))

    @property
    def summary(self) -> str:
        """How much there is: `2 errors, 1 warning`."""
        if not self._found:
            return "nothing found"
        counts = ((len(self.errors), "error"), (len(self.warnings), "warning"))
        return ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n)

    def __str__(self) -> str:
        return "\n".join((*report_lines(self._found), self.summary))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows: list[str] = []
        for root, followers in folded(self._found):
            repairs = "".join(f"<br>→ {escape(repair)}" for repair in root.repairs)
            more = "".join(
                f"<br><small>then {escape(one.place)}: {escape(one.message)}</small>"
                for one in followers[:FOLLOWERS_SHOWN]
            )
            left = len(followers) - FOLLOWERS_SHOWN
            more += f"<br><small>and {left} more that follow</small>" if left > 0 else ""
            rows.append(
                f"<tr><td>{root.severity}</td><td><code>{escape(root.code)}</code></td>"
                f"<td>{escape(root.place)}</td>"
                f'<td style="text-align: left">{escape(root.message)}{repairs}{more}</td></tr>'
            )
        head = "<tr><th></th><th>code</th><th>where</th><th>what</th></tr>"
        table = (
            f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
        )
        return f"{table}<p>{self.summary}</p>"
