"""Where a rule runs: collects what the rule reports, assumes and makes up."""

from __future__ import annotations

from collections.abc import Callable

from onnx_explorer.dims import Dim, DimError, broadcast, known_different, known_equal
from onnx_explorer.inference.claims import Claim
from onnx_explorer.schema import Abstract, AbstractValue, Shape, Side, Violation

FreshSize = Callable[[str, int | None, int | None], Dim]


class Site:
    """The `RuleSite` of one call of a rule. It knows no names: `fresh_size` does. `claims` are the
    assumptions once more, None where one is said in words only.
    """

    __slots__ = (
        "_fresh_size",
        "assumptions",
        "claims",
        "kept",
        "made_up",
        "opset",
        "version",
        "violations",
        "wanted",
    )

    def __init__(
        self, wanted: tuple[bool, ...], version: int, opset: int, fresh_size: FreshSize
    ) -> None:
        self.wanted = wanted
        self.version = version
        self.opset = opset
        self._fresh_size = fresh_size
        self.violations: list[Violation] = []
        self.assumptions: list[str] = []
        self.claims: list[Claim | None] = []
        self.made_up = False
        self.kept: object = None

    def fresh(self, hint: str, *, low: int | None = 0, high: int | None = None) -> Dim:
        self.made_up = True
        return self._fresh_size(hint, low, high)

    def assume(self, a: Dim, b: Dim, text: str | None = None) -> None:
        if not known_equal(a, b):
            self.assumptions.append(text or f"{a} = {b}")
            self.claims.append(None if text else Claim(a, b))

    def same(self, a: Dim, b: Dim) -> Dim | None:
        if known_equal(a, b):
            return a
        if known_different(a, b):
            return None
        self.assume(a, b)
        return b if isinstance(b, int) else a

    def broadcast(self, *shapes: Shape | None, of: tuple[int | str, ...] = ()) -> Shape | None:
        if any(shape is None for shape in shapes):
            return None
        known = [shape for shape in shapes if shape is not None]
        rank = max(map(len, known), default=0)
        sizes: list[Dim] = [1] * rank
        for place, shape in enumerate(known):
            for axis, size in enumerate(shape, rank - len(shape)):
                try:
                    sizes[axis] = self._broadcast(sizes[axis], size)
                except DimError as error:
                    raise _broadcast_clash(known, place, axis, of) from error
        return tuple(sizes)

    def _broadcast(self, a: Dim, b: Dim) -> Dim:
        result = broadcast(a, b)
        if not isinstance(a, int) and not isinstance(b, int) and not known_equal(a, b):
            self.assumptions.append(f"{a} = {b}, or one of them is 1")
            self.claims.append(Claim(a, b, "= or 1"))
        elif (
            isinstance(result, int)
            and result > 1
            and not (isinstance(a, int) and isinstance(b, int))
        ):
            symbolic, number = (b, a) if isinstance(a, int) else (a, b)
            self.assumptions.append(f"{symbolic} is {number} or 1")
            self.claims.append(Claim(symbolic, number, "= or 1"))
        return result

    def keep(self, outputs: AbstractValue | tuple[AbstractValue, ...]) -> None:
        self.kept = outputs

    def fail(
        self,
        found: str,
        expected: str,
        *,
        port: str | None = None,
        code: str = "operator-rule",
        sides: tuple[Side, ...] = (),
        partial: Abstract | tuple[Abstract, ...] | None = None,
    ) -> Abstract | tuple[Abstract, ...] | None:
        self.violations.append(Violation(found, expected, port=port, code=code, sides=sides))
        return partial


def _broadcast_clash(
    shapes: list[Shape], place: int, axis: int, of: tuple[int | str, ...]
) -> Violation:
    """The size of the shape at `place` that does not go with one before it."""
    rank = max(map(len, shapes))

    def side(i: int) -> Side | None:
        own = axis - rank + len(shapes[i])
        return Side(shapes[i][own], of[i] if of else i, own) if own >= 0 else None

    second = side(place)
    earlier = (one for i in range(place) if (one := side(i)) and not known_equal(one.size, 1))
    first = next(
        (one for one in earlier if second and known_different(one.size, second.size)), None
    )
    sides = (first, second) if first and second else ()
    numbers = " and ".join(str(one.size) for one in sides) or "sizes that differ"
    return Violation(
        f"shapes {' and '.join(str(list(s)) for s in shapes)} have {numbers} at axis {axis} of the "
        "result",
        "sizes broadcast only when they are equal or one of them is 1",
        code="broadcast-mismatch",
        sides=sides if of else (),
    )
