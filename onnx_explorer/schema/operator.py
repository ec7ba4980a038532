"""An operator through all its versions: facts as forward deltas, folded into schemas."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, TypeVar

from onnx_explorer.errors import SchemaError
from onnx_explorer.ir.model import Function as FunctionBody
from onnx_explorer.ir.model import Node
from onnx_explorer.ir.types import Type
from onnx_explorer.schema.typesets import TypeSet

Option = Literal["single", "optional", "variadic"]
Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: `type` is a type variable of the operator or ONNX's notation of one
    type. `differentiable` is None where the standard does not say.
    """

    name: str
    type: str
    doc: str = ""
    option: Option = "single"
    homogeneous: bool = True
    min_arity: int = 1
    differentiable: bool | None = None


@dataclass(frozen=True, slots=True)
class Attr:
    """An attribute: neither `required` nor a `default` means that it may be absent (None).

    `as_` turns the decoded value into what pages work with (`as_=DType`); `one_of` lists the
    values that are allowed.
    """

    name: str
    type: str
    default: object = None
    required: bool = False
    as_: Callable[[object], object] | None = None
    one_of: tuple[object, ...] = ()
    doc: str = ""


@dataclass(frozen=True, slots=True)
class TypeConstraint:
    """A type variable and the types it may stand for."""

    name: str
    allowed: TypeSet
    doc: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one version of an operator changed, and why. Ports are restated in full where they
    change; everything else says only what differs from the version before.
    """

    since: int
    reason: str
    inputs: tuple[Port, ...] | None = None
    outputs: tuple[Port, ...] | None = None
    attributes: tuple[Attr, ...] = ()
    drop: tuple[str, ...] = ()
    types: Mapping[str, TypeSet] = field(default_factory=dict[str, TypeSet])
    widen: Mapping[str, TypeSet] = field(default_factory=dict[str, TypeSet])
    narrow: Mapping[str, TypeSet] = field(default_factory=dict[str, TypeSet])
    drop_types: tuple[str, ...] = ()
    differentiable: Mapping[str, bool | None] = field(default_factory=dict[str, bool | None])
    doc: str | None = None
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example of the newest version, small enough to check by hand; a test runs it.

    Values stand in the order of the ports, None for one left out. Plain numbers and nested lists
    are float32, int64, bool or string tensors; other dtypes are given as numpy arrays, and the
    elements of a sequence in a tuple. `around` are nodes of the same graph, for an operator that
    names values of it.
    """

    inputs: tuple[object, ...]
    outputs: tuple[object, ...]
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    around: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class OpSchema:
    """One version of an operator, folded: what a node of this version may look like."""

    name: str
    domain: str
    since_version: int
    doc: str
    reason: str
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    attributes: Mapping[str, Attr] = field(default_factory=dict[str, Attr])
    type_constraints: Mapping[str, TypeConstraint] = field(
        default_factory=dict[str, TypeConstraint]
    )
    deprecated: bool = False
    operator: Operator | None = field(default=None, repr=False, compare=False)

    @property
    def has_body(self) -> bool:
        """Whether the standard gives this version as a function of other operators."""
        return self.operator is not None and self.operator.body_at(self.since_version) is not None

    @property
    def examples(self) -> tuple[Example, ...]:
        """Worked examples, of the operator's newest version."""
        return tuple(self.operator.examples) if self.operator else ()

    @property
    def label(self) -> str:
        """What the version is called in sentences: `Conv-11`, `ai.onnx.ml::Scaler-1`."""
        around = f"{self.domain}::" if self.domain else ""
        return f"{around}{self.name}-{self.since_version}"

    def __repr__(self) -> str:
        return f"<OpSchema {self.label}>"

    def _repr_markdown_(self) -> str:
        from onnx_explorer.schema.page import markdown

        return markdown(self)

    def function_body(
        self, node: Node, types: Mapping[str, Type], opset: int
    ) -> FunctionBody | None:
        """The operator as a function of others, for one node; None where the standard gives none,
        or none for a node like this.

        `types` are the types of the node's inputs by name; `opset` is the version of the default
        operator set that the body is written in.

        Raises:
            SchemaError: these are other things.
        """
        from onnx_explorer.schema.expand import function_body

        if self.operator is None:
            return None
        return function_body(self.operator, self.since_version, node, types, opset)

    @property
    def min_inputs(self) -> int:
        return _arity(self.inputs)[0]

    @property
    def max_inputs(self) -> int | None:
        """None where any number is allowed."""
        return _arity(self.inputs)[1]

    @property
    def min_outputs(self) -> int:
        return _arity(self.outputs)[0]

    @property
    def max_outputs(self) -> int | None:
        """None where any number is allowed."""
        return _arity(self.outputs)[1]

    def port(self, index: int, *, output: bool = False) -> Port | None:
        """The port that the input (or output) at this position belongs to, if there is one."""
        ports = self.outputs if output else self.inputs
        if index < len(ports):
            return ports[index]
        return ports[-1] if ports and ports[-1].option == "variadic" else None

    def __str__(self) -> str:
        from onnx_explorer.schema.text import text

        return text(self)


@dataclass(frozen=True, slots=True)
class PageFunction:
    """A rule or kernel of a page with what its signature asks for."""

    function: Callable[..., object]
    since: int
    attributes: tuple[str, ...]
    takes_at: bool = False
    takes_dtype: bool = False
    is_generator: bool = False
    on_sizes: PageFunction | None = None
    inplace: tuple[str, ...] = ()
    of_shape: bool = False
    random: bool = False


class Operator:
    """All versions of one operator, with the rules and kernels that its page attaches."""

    def __init__(
        self, name: str, *, doc: str | None, history: tuple[Change, ...], domain: str = ""
    ) -> None:
        self.name = name
        self.domain = domain
        # A page hands over its `__doc__`, which type checkers take for optional.
        self.doc = doc or ""
        self.history = history
        self.versions = tuple(change.since for change in history)
        self.examples: list[Example] = []
        self._schemas: dict[int, OpSchema] = {}
        self._rules: list[PageFunction] = []
        self._kernels: list[PageFunction] = []
        self._bodies: list[PageFunction] = []
        self._vjps: list[PageFunction] = []
        self._agains: list[PageFunction] = []
        self._costs: list[PageFunction] = []
        self._folded: dict[tuple[str, int], PageFunction | None] = {}

    def schema(self, version: int) -> OpSchema:
        """The schema introduced by exactly this version."""
        if not self._schemas:
            from onnx_explorer.schema.folding import folded

            self._schemas = folded(self)
        return self._schemas[version]

    def version_at(self, opset: int) -> int | None:
        """The newest version that an opset knows; None when the operator came later."""
        return max((v for v in self.versions if v <= opset), default=None)

    def example(
        self,
        inputs: tuple[object, ...],
        outputs: tuple[object, ...],
        *,
        around: tuple[Node, ...] = (),
        **attributes: object,
    ) -> None:
        """Add a worked example of the newest version."""
        self.examples.append(Example(inputs, outputs, attributes, around))

    def infer(self, since: int) -> Callable[[Function], Function]:
        """Attach a rule that holds from version `since` on."""
        return self._attach(self._rules, since)

    def kernel(
        self,
        since: int,
        *,
        sizes: bool | Callable[..., object] = False,
        inplace: tuple[str, ...] = (),
        of_shape: bool = False,
        random: bool = False,
    ) -> Callable[[Function], Function]:
        """Attach a kernel that holds from version `since` on.

        `sizes` marks one that only moves data or does exact integer arithmetic: it also works on
        object arrays of sizes, symbolic ones included. Where dtype decides the meaning (an
        integer division truncates), `sizes` is a function of its own for them, which may ask for
        the `dtype` of the first input.

        `inplace` names inputs that the kernel may write into when nobody else needs them: it takes
        such an input once more as `out`, and returns it if its result fits in. `of_shape` marks a
        kernel that looks at shapes alone, never at elements; `random` one whose `at` is a
        `RandomSite`.
        """
        return self._attach(
            self._kernels, since, sizes=sizes, inplace=inplace, of_shape=of_shape, random=random
        )

    def body(self, since: int) -> Callable[[Function], Function]:
        """Attach the operator as a function of others, from version `since` on.

        The function takes a `Body`, then the names of the inputs (None for one left out), then
        attributes by keyword; it returns the names of the outputs, or None where the node has no
        body in this context.
        """
        return self._attach(self._bodies, since)

    def vjp(self, since: int) -> Callable[[Function], Function]:
        """Attach the vector-Jacobian product, from version `since` on.

        The function takes the cotangents of the outputs, the inputs and the outputs, each as a
        tuple, then attributes by keyword; it returns the cotangents of the inputs, or of the
        first one alone. Floats of 16 bits and fewer come as float32.
        """
        return self._attach(self._vjps, since)

    def again(self, since: int) -> Callable[[Function], Function]:
        """Attach how a node is run again at less cost than its kernel is, from version `since` on:
        what can be worked out once stands ready then, and what the kernel looks at is not looked at.

        The function takes the inputs and the outputs of one run, each as a tuple, then attributes
        by keyword. It returns what to call instead of the kernel, with the inputs and perhaps `out`
        alone, or None. The dtypes are those of this run then, all else may differ: where the call
        does not fit it raises something or returns `NotImplemented` before it has written into
        `out`, and the kernel has its turn. What it keeps stays in memory, so it keeps no inputs but
        small ones. In place of a kernel that calls subgraphs it returns the `Call` whose outputs are
        those of the node; that is made once, of no inputs and outputs.
        """
        return self._attach(self._agains, since)

    def cost(self, since: int) -> Callable[[Function], Function]:
        """Attach what a node costs, from version `since` on.

        The function takes the shapes of the inputs and of the outputs, each as a tuple, then
        attributes by keyword, and returns a `Cost`. It is asked when all shapes are known.
        """
        return self._attach(self._costs, since)

    def body_at(self, version: int) -> PageFunction | None:
        """The body for a version; None when the operator is not defined by others."""
        return self._look_up("body", self._bodies, version)

    def rule_at(self, version: int) -> PageFunction | None:
        """The rule for a version; None when the page has none that covers it."""
        return self._look_up("rule", self._rules, version)

    def kernel_at(self, version: int) -> PageFunction | None:
        """The kernel for a version; None when the page has none that covers it."""
        return self._look_up("kernel", self._kernels, version)

    def vjp_at(self, version: int) -> PageFunction | None:
        """The vector-Jacobian product for a version; None when the page has none."""
        return self._look_up("vjp", self._vjps, version)

    def again_at(self, version: int) -> PageFunction | None:
        """How a node of a version is run again; None when the page has none but the kernel."""
        found = self._look_up("again", self._agains, version)
        kernel = self.kernel_at(version)
        # A kernel that came later knows nothing of one that was written for another.
        return found if found and kernel and found.since >= kernel.since else None

    def cost_at(self, version: int) -> PageFunction | None:
        """The cost for a version; None when the page does not say what is counted."""
        return self._look_up("cost", self._costs, version)

    def _attach(
        self,
        functions: list[PageFunction],
        since: int,
        *,
        sizes: bool | Callable[..., object] = False,
        inplace: tuple[str, ...] = (),
        of_shape: bool = False,
        random: bool = False,
    ) -> Callable[[Function], Function]:
        if since not in self.versions:
            msg = (
                f"{self.name}, change {since}: there is no such version; there are {self.versions}"
            )
            raise SchemaError(msg)

        def attach(function: Function) -> Function:
            on_sizes = None
            if sizes is True:
                on_sizes = _page_function(function, since)
            elif sizes:
                on_sizes = _page_function(sizes, since, given_dtype=True)
            made = _page_function(function, since)
            functions.append(
                replace(made, on_sizes=on_sizes, inplace=inplace, of_shape=of_shape, random=random)
            )
            functions.sort(key=lambda f: f.since)
            return function

        return attach

    def _look_up(
        self, kind: str, functions: list[PageFunction], version: int
    ) -> PageFunction | None:
        key = (kind, version)
        if key not in self._folded:
            newest = max((f for f in functions if f.since <= version), key=_since, default=None)
            if newest and not self._ports_only_grew(newest.since, version):
                newest = None
            self._folded[key] = newest
        return self._folded[key]

    def _ports_only_grew(self, since: int, version: int) -> bool:
        schemas = [self.schema(v) for v in self.versions if since <= v <= version]
        return all(
            _names(new)[: len(_names(old))] == _names(old)
            for before, after in pairwise(schemas)
            for old, new in ((before.inputs, after.inputs), (before.outputs, after.outputs))
        )

    def __repr__(self) -> str:
        return f"Operator({self.name!r}, versions={self.versions})"


def _since(function: PageFunction) -> int:
    return function.since


def _names(ports: tuple[Port, ...]) -> list[tuple[str, bool]]:
    return [(port.name, port.option == "variadic") for port in ports]


def _page_function(
    function: Callable[..., object], since: int, *, given_dtype: bool = False
) -> PageFunction:
    """What the signature says; `given_dtype` where `dtype` is the driver's, not an attribute."""
    given = {"at", "out", "dtype"} if given_dtype else {"at", "out"}
    # A ufunc takes no attributes; what its signature lists is numpy's own.
    parameters = () if hasattr(function, "nin") else inspect.signature(function).parameters.values()
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    return PageFunction(
        function,
        since,
        attributes=tuple(k for k in keywords if k not in given),
        takes_at="at" in keywords,
        takes_dtype=given_dtype and "dtype" in keywords,
        is_generator=inspect.isgeneratorfunction(function),
    )


def _arity(ports: tuple[Port, ...]) -> tuple[int, int | None]:
    low, high = 0, 0
    for port in ports:
        if port.option == "variadic":
            return high + port.min_arity, None
        high += 1
        if port.option == "single":
            low = high
    return low, high
