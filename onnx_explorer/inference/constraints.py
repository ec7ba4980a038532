"""Which values of a model's symbols let its graph work: what its rules assume, solved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from onnx_explorer.dims import Dim, Expr, bounds, symbol
from onnx_explorer.dims.factor import Monomial
from onnx_explorer.dims.solving import Sizes, solve
from onnx_explorer.inference.claims import Claim
from onnx_explorer.ir import Node
from onnx_explorer.schema import Abstract, AbstractValue

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Constraint:
    """Something that symbols of the inputs have to fulfil, and the nodes that ask for it.

    `text` says it: `batch = 1`, `seq is a multiple of 4`, `height >= 7`, `B = S`. Sizes of 0, which
    make whole tensors empty, may be allowed beside that; `allows` takes them into account.
    """

    text: str
    symbols: tuple[str, ...]
    nodes: tuple[str, ...]
    claims: tuple[Claim, ...]

    @property
    def is_impossible(self) -> bool:
        """Whether nothing fulfils it."""
        return self.text.startswith("no value of ")

    def allows(self, sizes: Mapping[str, int]) -> bool | None:
        """Whether it is fulfilled; None where a size that it speaks of is not given."""
        if not set(self.symbols) <= sizes.keys():
            return None
        return all(claim.holds(dict(sizes)) for claim in self.claims)

    def __str__(self) -> str:
        return f"holds only for {self.text}: {', '.join(self.nodes)}"


def size_claims(
    nodes: Iterable[Node], values: Mapping[str, AbstractValue]
) -> Iterator[tuple[str, Claim]]:
    """That sizes are 0 or more, where their bounds do not say it, with the first node that has one."""
    seen: set[int] = set()
    told: set[Dim] = set()
    for node in nodes:
        for name in node.outputs:
            value = values[name] if name else None
            if id(value) in seen:
                continue
            seen.add(id(value))
            for size in (isinstance(value, Abstract) and value.shape) or ():
                if isinstance(size, Expr) and size not in told:
                    told.add(size)
                    low = bounds(size)[0]
                    if low is None or low < 0:
                        yield node.label, Claim(size, 0, ">=")


def constraints(claims: Iterable[tuple[str, Claim]], own: frozenset[str]) -> tuple[Constraint, ...]:
    """The claims about the symbols in `own`, by node, solved where they are simple; others are told
    as they are. Those that speak of other symbols too are left out.
    """
    solved: dict[str, tuple[Sizes, list[str], list[Claim]]] = {}
    listed: dict[str, tuple[Claim, list[str]]] = {}
    for node, claim in claims:
        names = claim.symbols
        if not names or not names <= own:
            continue
        found = _solved(claim)
        if found is None:
            listed.setdefault(_text(claim), (claim, []))[1].append(node)
            continue
        name, values = found
        before, nodes, its_claims = solved.get(name, (Sizes(), [], []))
        solved[name] = (before.meet(values), [*nodes, node], [*its_claims, claim])
    return (
        *(
            Constraint(values.text(name), (name,), _once(nodes), _once(its_claims))
            for name, (values, nodes, its_claims) in solved.items()
            if not values.is_everything
        ),
        *(
            Constraint(text, tuple(sorted(claim.symbols)), _once(nodes), (claim,))
            for text, (claim, nodes) in listed.items()
        ),
    )


def _once(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))


def _solved(claim: Claim) -> tuple[str, Sizes] | None:
    """The symbol that a claim is about, and the values that fulfil it; None for several symbols."""
    difference = _without_common(claim.left - claim.right)
    if not isinstance(difference, Expr) or len(difference.symbols) != 1:
        return None
    (name,) = difference.symbols
    if claim.relation == ">=":
        found = solve(claim.left - claim.right, name, ">= 0")
    else:
        found = solve(difference, name, "= 0")
    if found is not None and claim.relation == "= or 1":
        for side in (claim.left - 1, claim.right - 1):
            one = solve(side, name, "= 0")
            found = None if one is None or found is None else found.join(one)
    return None if found is None else (name, found)


def _without_common(difference: Dim) -> Dim:
    """The size without the factors that all its terms have: (S*B - S) is 0 where B is 1."""
    if not isinstance(difference, Expr) or difference.constant:
        return difference
    first, *others = [monomial for monomial, _ in difference.terms]
    common: Monomial = ()
    for factor in first:
        wanted = common.count(factor) + 1
        if all(monomial.count(factor) >= wanted for monomial in others):
            common = (*common, factor)
    for factor in common:
        if factor.kind != "symbol":
            return difference
        difference = difference // symbol(factor.name)
        if not isinstance(difference, Expr):
            return difference
    return difference


def _text(claim: Claim) -> str:
    """The claim, solved for one symbol where it is linear: `B = S`."""
    difference = _without_common(claim.left - claim.right)
    if claim.relation != "=" or not isinstance(difference, Expr):
        return str(claim)
    for monomial, coefficient in difference.terms:
        alone = len(monomial) == 1 and monomial[0].kind == "symbol" and abs(coefficient) == 1
        rest = difference - coefficient * symbol(monomial[0].name) if alone else 0
        if alone and isinstance(rest, Expr) and monomial[0].name not in rest.symbols:
            return f"{monomial[0].name} = {rest * -coefficient}"
    return str(claim)
