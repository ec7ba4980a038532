"""What a file declares, in the walk: inputs start from it, other values are compared with it."""

from __future__ import annotations

from collections.abc import Callable

from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.declared import conflict_text, refined, says_the_same, undecided
from onnx_explorer.inference.journal import Journal
from onnx_explorer.inference.memo import Memo
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.scope import Scope
from onnx_explorer.ir import Type, Value
from onnx_explorer.schema import Abstract, AbstractValue, abstract_of


class Declarations:
    """The declared types of one inference; each is read once."""

    def __init__(
        self,
        memo: Memo,
        names: FreshNames,
        journal: Journal,
        input_symbols: Callable[[], frozenset[str]],
    ) -> None:
        self._intern = memo.intern
        self._names = names
        self._journal = journal
        self._input_symbols = input_symbols
        self._inputs: dict[int, AbstractValue] = {}
        # By the identities of both; the value is kept with the answer.
        self._settled: dict[tuple[int, int], tuple[AbstractValue, AbstractValue]] = {}

    def of_input(self, value: Value, path: str) -> AbstractValue:
        """The declared type of an input, open dims named after it."""
        known = self._inputs.get(id(value.type))
        if known is not None:
            return known
        stated = abstract_of(value.type)
        filled = self._intern(self._names.filled(stated, path, value.name))
        if filled == stated:  # a type that leaves nothing open serves all inputs that have it
            self._inputs[id(value.type)] = filled
        return filled

    def settled(
        self, scope: Scope, name: str, value: AbstractValue, declared: Type
    ) -> AbstractValue:
        """Inference wins over what the file declares; where it knows less, the file helps."""
        key = (id(value), id(declared))
        known = self._settled.get(key)
        if known is not None:
            return known[1]
        if says_the_same(value, declared):
            self._settled[key] = (value, value)
            return value
        stated = abstract_of(declared)
        conflict = conflict_text(value, stated)
        if conflict:
            self._journal.report(
                scope.path,
                "declared-mismatch",
                f"declared as {declared}, inferred as {type_of(value)}: {conflict}",
                value=name,
            )
            return value
        open_sizes = tuple(undecided(value, stated, self._input_symbols(), self._names))
        for text in open_sizes:
            if text in scope.assumed:  # one declaration that asks for it is enough
                continue
            scope.assumed.add(text)
            text = f"{text}, as {name!r} is declared"
            self._journal.assume(scope.path, scope.maker_of(name), text)
        filled = stated
        if not isinstance(value, Abstract) or value.shape is None:
            filled = self._names.filled(stated, scope.path, name)
        agreed = self._intern(refined(value, filled, self._names))
        if filled is stated and not open_sizes:
            self._settled[key] = (value, agreed)
        return agreed
