"""What a file declares, in the walk: inputs start from it, other values are compared with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from onnx_explorer.dims import DimError, substitute
from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.declared import conflict_text, refined, says_the_same, undecided
from onnx_explorer.inference.journal import Journal
from onnx_explorer.inference.memo import Circumstances, Difference, DifferenceKey, Memo
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.scope import Scope
from onnx_explorer.ir import Type, Value
from onnx_explorer.schema import Abstract, AbstractValue, abstract_of


class Declarations:
    """The declared types of one inference; each is read once. `numbers` are what symbols stand for
    that were bound, in declarations as elsewhere.
    """

    def __init__(
        self,
        memo: Memo,
        names: FreshNames,
        journal: Journal,
        input_symbols: Callable[[], frozenset[str]],
    ) -> None:
        self._memo = memo
        self._names = names
        self._journal = journal
        self._input_symbols = input_symbols
        self._inputs: dict[int, AbstractValue] = {}
        self.numbers: Mapping[str, int] = {}
        self._circumstances: Circumstances | None = None
        self._own: dict[DifferenceKey, Difference] = {}

    def of_input(self, value: Value, path: str) -> AbstractValue:
        """The declared type of an input, open dims named after it."""
        known = self._inputs.get(id(value.type))
        if known is not None:
            return known
        stated = abstract_of(value.type)
        filled = self._memo.intern(self._names.filled(stated, path, value.name))
        if filled == stated:  # a type that leaves nothing open serves all inputs that have it
            self._inputs[id(value.type)] = filled
        return filled

    def settled(
        self, scope: Scope, name: str, value: AbstractValue, declared: Type
    ) -> AbstractValue:
        """Inference wins over what the file declares; where it knows less, the file helps."""
        key = (id(value), id(declared))
        known = self._memo.agreements.get(key)
        if known is not None:
            return known[0]
        if says_the_same(value, declared):
            self._memo.agreements[key] = (value, value, declared)
            return value
        difference = self._difference(scope, name, value, declared)
        if difference.conflict:
            text = f"declared as {declared}, inferred as {type_of(value)}: {difference.conflict}"
            self._journal.report(scope.path, "declared-mismatch", text, value=name)
        for text in difference.assumed:
            if text not in scope.assumed:  # one declaration that asks for it is enough
                scope.assumed.add(text)
                self._journal.assume(scope, name, f"{text}, as {name!r} is declared")
        return difference.agreed

    def _difference(
        self, scope: Scope, name: str, value: AbstractValue, declared: Type
    ) -> Difference:
        symbols = self._input_symbols()
        if self._circumstances is None:
            self._circumstances = (symbols, frozenset(self.numbers.items()))
        key = (id(value), id(declared), self._circumstances)
        # What depends on sizes that were made up holds in one inference only.
        table = self._memo.differences if self._names.none_made else self._own
        known = table.get(key)
        if known is not None:
            return known
        stated = self._bound(abstract_of(declared))
        conflict = conflict_text(value, stated)
        if conflict:
            return Difference(value, declared, value, (), conflict)
        assumed = tuple(undecided(value, stated, symbols, self._names))
        filled = stated
        if not isinstance(value, Abstract) or value.shape is None:
            filled = self._names.filled(stated, scope.path, name)
        agreed = self._memo.intern(refined(value, filled, self._names))
        found = Difference(value, declared, agreed, assumed, "")
        if filled is stated:
            table[key] = found
        return found

    def _bound(self, stated: AbstractValue) -> AbstractValue:
        """What a declaration says once symbols are bound: it may contradict only then."""
        if not self.numbers or not isinstance(stated, Abstract) or not stated.shape:
            return stated
        try:
            return replace(stated, shape=tuple(substitute(s, self.numbers) for s in stated.shape))
        except DimError:  # no sizes at all for these numbers
            return stated
