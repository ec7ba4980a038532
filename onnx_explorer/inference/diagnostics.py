"""What inference has to say about a model, each thing in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from onnx_explorer.dims import Dim
from onnx_explorer.inference.claims import Claim

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Operand:
    """What flows into a port of the node that a finding is about; `value` is "" where the port is
    left out.
    """

    port: str
    value: str
    type: str

    def __str__(self) -> str:
        return f"{self.port} = {self.value!r}: {self.type}" if self.value else f"{self.port}: -"


@dataclass(frozen=True, slots=True)
class PlacedSize:
    """One of two sizes that clash: which axis of which value it is, and where it comes from."""

    size: Dim
    value: str
    axis: int
    type: str
    note: str = ""
    origin: str = ""

    def __str__(self) -> str:
        note = f", {self.note}" if self.note else ""
        origin = f", from {self.origin}" if self.origin else ""
        return f"{self.size} (axis {self.axis} of {self.value!r}: {self.type}{note}{origin})"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` names the kind of mistake and never changes its meaning. `node` is the
    full id of the node (its scope's path and its id), `operator` reads `Conv-11`, `port` names the
    input, `value` what flows there.

    `operands` are the node's inputs and `sizes` the two that clash, where it is two sizes.
    `repairs` are changes that were tried and make this finding go away. `cause` is the finding
    that this one follows from.
    """

    code: str
    severity: Severity
    message: str
    node: str = ""
    operator: str = ""
    port: str = ""
    value: str = ""
    cause: Diagnostic | None = None
    operands: tuple[Operand, ...] = ()
    sizes: tuple[PlacedSize, ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where it is: `Conv 'conv1', input X ('x': float32[1, 4, 8, 8])`."""
        if not self.node:
            return f"value {self.value!r}" if self.value else ""
        place = f"{self.operator.rpartition('-')[0] or self.operator or 'node'} {self.node!r}"
        if not self.port or self.sizes:
            return place
        place += f", input {self.port}"
        flows = [o for o in self.operands if o.port == self.port]
        if len(flows) > 1:  # a variadic port: the message says which
            return place.rpartition(", ")[0]
        flowing = flows[0] if flows else None
        if flowing and flowing.value and not self.message.startswith(flowing.type):
            return f"{place} ({flowing.value!r}: {flowing.type})"
        return f"{place} ({self.value!r})" if self.value else place

    @property
    def root(self) -> Diagnostic:
        """The finding that this one follows from in the end; itself, where it follows from none."""
        found = self
        while found.cause is not None:
            found = found.cause
        return found

    @property
    def text(self) -> str:
        """Place and message, without repairs."""
        text = f"{self.place}: {self.message}" if self.place else self.message
        if self.cause is not None:
            text += f" (follows from {self.cause.node or self.cause.value!r})"
        return text

    def __str__(self) -> str:
        return "; ".join((self.text, *self.repairs))

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self}>"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that must hold for the graph to work, which nothing proves: `B = S`."""

    node: str
    text: str
    claim: Claim | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"node {self.node!r} assumes {self.text}"


def folded(found: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, Sequence[Diagnostic]]]:
    """Each finding that follows from no other one here, with those that follow from it."""
    followers: dict[Diagnostic, list[Diagnostic]] = {}
    for diagnostic in found:
        root = diagnostic.root
        if root is diagnostic or root not in followers:
            followers.setdefault(root if root is diagnostic else diagnostic, [])
        if root is not diagnostic and root in followers:
            followers[root].append(diagnostic)
    yield from followers.items()


def report_lines(found: Iterable[Diagnostic]) -> Iterator[str]:
    """Findings as text; repairs, and what follows from a finding, stand below it."""
    for root, followers in folded(found):
        yield f"{root.severity} {root.code}: {root.text}"
        yield from (f"    → {repair}" for repair in root.repairs)
        for one in followers[:FOLLOWERS_SHOWN]:
            yield f"    then {one.code}: {one.place}: {one.message}"
        if len(followers) > FOLLOWERS_SHOWN:
            yield f"    and {len(followers) - FOLLOWERS_SHOWN} more that follow"


FOLLOWERS_SHOWN = 3
