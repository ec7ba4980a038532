"""Rules that a person gives for operators that are not known here, or known otherwise."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import cast

from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.signature import open_signature
from onnx_explorer.ir import Model, Node
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.resolve import Meaning, Resolved, Resolver, opset_of
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSparse,
    Attr,
    Change,
    Operator,
    Port,
)

GivenRule = Callable[..., object]
GivenRules = Mapping[tuple[str, str], GivenRule]
"""Rules by domain and operator."""

_VALUES = (Abstract, AbstractMap, AbstractOptional, AbstractSequence, AbstractSparse)
_ANY = "any type"


def checked_rules(given: object) -> GivenRules:
    """The rules with the domains in their one spelling.

    Raises:
        InferenceError: a key is no pair of domain and operator, or a rule cannot be called.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        msg = f'the rules are given as {given!r:.60}; expected a dict as {{("com.acme", "Foo"): rule}}'
        raise InferenceError(msg)
    rules: dict[tuple[str, str], GivenRule] = {}
    for key, rule in cast("Mapping[object, object]", given).items():
        match key:
            case (str(domain), str(op_type)) if callable(rule):
                rules[canonical_domain(domain), op_type] = rule
            case (str(), str()):
                msg = f"the rule for {key!r} is {rule!r:.60}; expected a function"
                raise InferenceError(msg)
            case _:
                msg = f'a rule is given for {key!r:.60}; expected a pair as ("com.acme", "Foo")'
                raise InferenceError(msg)
    return rules


class RuleResolver(Resolver):
    """Looks nodes up for one model, those with a given rule first."""

    def __init__(self, model: Model, rules: GivenRules) -> None:
        super().__init__(model)
        self._rules = rules
        self._made: dict[tuple[object, ...], Resolved] = {}

    def meaning(self, node: Node, imports: Mapping[str, int]) -> Meaning:
        rule = self._rules.get((canonical_domain(node.domain), node.op_type))
        if rule is None:
            return super().meaning(node, imports)
        domain = canonical_domain(node.domain)
        kinds = tuple(sorted((name, each.kind) for name, each in node.attributes.items()))
        opset = opset_of(domain, imports) or 1
        key = (domain, node.op_type, opset, kinds)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = _resolved(domain, node.op_type, rule, opset, kinds)
        return found


def _resolved(
    domain: str, op_type: str, rule: GivenRule, opset: int, kinds: Sequence[tuple[str, str]]
) -> Resolved:
    """An operator made for the rule: it takes and gives anything, and the attributes that the rule
    asks for.
    """
    attributes = {name: Attr(name, kind) for name, kind in kinds}
    for parameter in inspect.signature(rule).parameters.values():
        name, needed = parameter.name, parameter.default is parameter.empty
        if parameter.kind is parameter.KEYWORD_ONLY and needed and name != "at":
            attributes.setdefault(name, Attr(name, "any kind", required=True))
    anything = Port("input", _ANY, option="variadic", homogeneous=False, min_arity=0)
    made = Operator(
        op_type,
        doc=inspect.getdoc(rule),
        domain=domain,
        history=(
            Change(
                1,
                "a rule given for it",
                inputs=(anything,),
                outputs=(Port("output", _ANY, option="variadic", homogeneous=False, min_arity=0),),
                attributes=tuple(attributes.values()),
            ),
        ),
    )
    made.infer(since=1)(rule if inspect.isgeneratorfunction(rule) else _checked(rule))
    schema = made.schema(1)
    open_signature(schema)
    return Resolved(made, 1, opset, schema)


def _checked(rule: GivenRule) -> GivenRule:
    @wraps(rule)
    def checked(*inputs: object, **keywords: object) -> object:
        outputs = rule(*inputs, **keywords)
        is_several = isinstance(outputs, (tuple, list))
        for output in cast("Sequence[object]", outputs) if is_several else (outputs,):
            if output is not None and not isinstance(output, _VALUES):
                msg = f"it returned {output!r:.60}; expected onnx_explorer.schema.Abstract(dtype, shape)"
                raise TypeError(msg)
        return outputs

    return checked
