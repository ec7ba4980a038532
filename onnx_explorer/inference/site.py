"""Where a rule runs: collects what the rule reports, assumes and makes up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from onnx_explorer.dims import Dim, DimError, broadcast, known_different, known_equal
from onnx_explorer.schema import Abstract, AbstractValue, Shape, Violation

FreshSize = Callable[[str, int | None, int | None], Dim]


@dataclass(slots=True)
class Site:
    """The `RuleSite` of one call of a rule. It knows no names: `fresh_size` does."""

    wanted: tuple[bool, ...]
    version: int
    opset: int
    fresh_size: FreshSize
    violations: list[Violation] = field(default_factory=list[Violation])
    assumptions: list[str] = field(default_factory=list[str])
    made_up: bool = False
    kept: object = None

    def fresh(self, hint: str, *, low: int | None = 0, high: int | None = None) -> Dim:
        self.made_up = True
        return self.fresh_size(hint, low, high)

    def assume(self, a: Dim, b: Dim, text: str | None = None) -> None:
        if not known_equal(a, b):
            self.assumptions.append(text or f"{a} = {b}")

    def same(self, a: Dim, b: Dim) -> Dim | None:
        if known_equal(a, b):
            return a
        if known_different(a, b):
            return None
        self.assume(a, b)
        return b if isinstance(b, int) else a

    def broadcast(self, *shapes: Shape | None) -> Shape | None:
        if any(shape is None for shape in shapes):
            return None
        known = [shape for shape in shapes if shape is not None]
        rank = max(map(len, known), default=0)
        sizes: list[Dim] = [1] * rank
        for shape in known:
            for axis, size in enumerate(shape, rank - len(shape)):
                sizes[axis] = self._broadcast(sizes[axis], size, axis, known)
        return tuple(sizes)

    def _broadcast(self, a: Dim, b: Dim, axis: int, shapes: list[Shape]) -> Dim:
        try:
            result = broadcast(a, b)
        except DimError as error:
            raise Violation(
                f"shapes {' and '.join(str(list(s)) for s in shapes)} have {a} and {b} at axis "
                f"{axis} of the result",
                "sizes broadcast only when they are equal or one of them is 1",
            ) from error
        if not isinstance(a, int) and not isinstance(b, int) and not known_equal(a, b):
            self.assumptions.append(f"{a} = {b}, or one of them is 1")
        elif (
            isinstance(result, int)
            and result > 1
            and not (isinstance(a, int) and isinstance(b, int))
        ):
            symbolic, number = (b, a) if isinstance(a, int) else (a, b)
            self.assumptions.append(f"{symbolic} is {number} or 1")
        return result

    def keep(self, outputs: AbstractValue | tuple[AbstractValue, ...]) -> None:
        self.kept = outputs

    def fail(
        self,
        found: str,
        expected: str,
        *,
        port: str | None = None,
        partial: Abstract | tuple[Abstract, ...] | None = None,
    ) -> Abstract | tuple[Abstract, ...] | None:
        self.violations.append(Violation(found, expected, port=port))
        return partial
