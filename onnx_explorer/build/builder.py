"""The builder of one graph, its subgraphs, and the handles of values that it deals in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol, cast, overload

from onnx_explorer.build.attributes import as_tensor, attribute
from onnx_explorer.build.dtypes import bound_dtypes, dtype_at, made_dtype
from onnx_explorer.build.given import (
    checked_imports,
    checked_name,
    checked_outputs,
    checked_type,
)
from onnx_explorer.errors import ModelError
from onnx_explorer.ir import (
    Attribute,
    DType,
    Function,
    Graph,
    Model,
    Node,
    Tensor,
    TensorType,
    Type,
    Value,
)
from onnx_explorer.ir.expected import expect_name, shown
from onnx_explorer.ops.registry import canonical_domain, operator, schema
from onnx_explorer.schema import OpSchema

# The IR version that brought an opset: the oldest readers that know a model's operators read it.
_IR_VERSIONS = (
    (25, 13),
    (24, 12),
    (23, 11),
    (21, 10),
    (19, 9),
    (15, 8),
    (12, 7),
    (11, 6),
    (10, 5),
    (9, 4),
)


class Handle:
    """A value of a graph that is being built; `+ - * / @ **` add the node that they name.

    `dtype` is its element type where the builder knows it.
    """

    __slots__ = ("dtype", "graph", "name")
    # Lets numpy leave `array + value` to the value.
    __array_ufunc__ = None

    def __init__(self, name: str, graph: GraphBuilder, dtype: DType | None = None) -> None:
        self.name = name
        self.graph = graph
        self.dtype = dtype

    def __add__(self, other: object) -> Handle:
        return self._with("Add", self, other)

    def __radd__(self, other: object) -> Handle:
        return self._with("Add", other, self)

    def __sub__(self, other: object) -> Handle:
        return self._with("Sub", self, other)

    def __rsub__(self, other: object) -> Handle:
        return self._with("Sub", other, self)

    def __mul__(self, other: object) -> Handle:
        return self._with("Mul", self, other)

    def __rmul__(self, other: object) -> Handle:
        return self._with("Mul", other, self)

    def __truediv__(self, other: object) -> Handle:
        return self._with("Div", self, other)

    def __rtruediv__(self, other: object) -> Handle:
        return self._with("Div", other, self)

    def __matmul__(self, other: object) -> Handle:
        return self._with("MatMul", self, other)

    def __rmatmul__(self, other: object) -> Handle:
        return self._with("MatMul", other, self)

    def __pow__(self, other: object) -> Handle:
        return self._with("Pow", self, other)

    def __rpow__(self, other: object) -> Handle:
        return self._with("Pow", other, self)

    def __neg__(self) -> Handle:
        return self.graph.op("Neg", self)

    def _with(self, op_type: str, first: object, second: object) -> Handle:
        if first is None or second is None:
            raise ModelError(f"{op_type} of {self.name!r} and None; expected a value or an array")
        return self.graph.op(op_type, first, second)

    def __repr__(self) -> str:
        return f"<value {self.name!r}>"


class Call(Protocol):
    """An operator as a method of a builder."""

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  # `outputs` is never an attribute
        self,
        *inputs: object,
        name: str | None = None,
        outputs: int | Sequence[str],
        **attributes: object,
    ) -> tuple[Handle, ...]: ...
    @overload
    def __call__(
        self, *inputs: object, name: str | None = None, **attributes: object
    ) -> Handle: ...


@dataclass(slots=True)
class _Names:
    """The names taken in a model; subgraphs share them, since they see what is around them."""

    taken: set[str] = field(default_factory=set[str])
    nodes: set[str] = field(default_factory=set[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    scopes: list[str] = field(default_factory=list[str])

    def numbered(self, stem: str) -> str:
        """A name that nothing has. It is not taken before a node is made of it."""
        stem = "".join(f"{scope}/" for scope in self.scopes) + stem
        name = f"{stem}_{self.counts[stem] + 1}"
        while name in self.taken or name in self.nodes:
            self.counts[stem] += 1
            name = f"{stem}_{self.counts[stem] + 1}"
        return name

    def scoped(self, name: str) -> str:
        return "".join(f"{scope}/" for scope in self.scopes) + name

    def claim(self, *names: str) -> None:
        """Take all of the names, or none."""
        for name, count in Counter(names).items():
            if name in self.taken or count > 1:
                raise ModelError(f"the name {name!r} is taken already; names are unique in a model")
        self.taken.update(names)


@dataclass(slots=True)
class _Draft:
    op_type: str
    domain: str
    name: str
    inputs: tuple[Handle | None, ...]
    outputs: tuple[Handle | None, ...]
    attributes: Mapping[str, Attribute]

    def node(self) -> Node:
        return Node(
            self.op_type,
            tuple(h.name if h else "" for h in self.inputs),
            tuple(h.name if h else "" for h in self.outputs),
            self.attributes,
            domain=self.domain,
            name=self.name,
        )


class GraphBuilder:
    """A graph in the making; each operator is a method, as in `g.Relu(x)`."""

    def __init__(self, name: str, imports: Mapping[str, int], names: _Names | None = None) -> None:
        self.name = checked_name("the graph", name)
        self.imports = dict(imports)
        self._names = names or _Names()
        self._drafts: list[_Draft] = []
        self._inputs: list[tuple[Handle, Type | None]] = []
        self._outputs: list[tuple[Handle, Type | None]] = []
        self._initializers: dict[str, Tensor] = {}
        self._produced: set[Handle] = set()

    # -- values ------------------------------------------------------------------------------

    def input(self, name: str, type: str | Type | None = None) -> Handle:  # noqa: A002
        """An input of the graph: `g.input("x", "float32[batch, 3]")`."""
        declared = checked_type(f"input {checked_name('an input', name)!r}", type)
        dtype = declared.dtype if isinstance(declared, TensorType) else None
        self._names.claim(name)
        handle = Handle(name, self, dtype)
        self._inputs.append((handle, declared))
        return handle

    def output(
        self,
        value: Handle,
        name: str | None = None,
        type: str | Type | None = None,  # noqa: A002
    ) -> None:
        """Make a value an output of the graph, under a new name if one is given. Without a `type`
        it declares none; `ox.infer(model).annotate()` declares what is inferred, as files should.
        """
        if not isinstance(cast("object", value), Handle):
            given = shown(cast("object", value))
            raise ModelError(
                f"an output is given as {given}; expected a value, as operators return"
            )
        self._expect_own(value, "an output")
        if name is not None:
            checked_name("an output", name)
        declared = checked_type(f"output {name or value.name!r}", type)
        is_output = any(handle is value for handle, _ in self._outputs)
        if value not in self._produced or is_output:
            # Inputs, initializers and values of enclosing graphs keep their own name.
            value = self.op("Identity", value, name=name)
        elif name is not None and name != value.name:
            self._names.claim(name)
            self._names.taken.discard(value.name)
            value.name = name
        self._outputs.append((value, declared))

    def initializer(self, name: str, values: object) -> Handle:
        """A constant of the graph under a name of its own, to be used more than once."""
        tensor = as_tensor(values, checked_name("an initializer", name))
        self._names.claim(name)
        self._initializers[name] = tensor
        return Handle(name, self, tensor.dtype)

    # -- nodes -------------------------------------------------------------------------------

    def __getattr__(self, op_type: str) -> Call:
        if op_type.startswith("_") or not op_type[0].isupper():
            raise AttributeError(f"{type(self).__name__!r} has no attribute {op_type!r}")

        def call(
            *inputs: object,
            name: str | None = None,
            outputs: int | Sequence[str] | None = None,
            **attributes: object,
        ) -> Handle | tuple[Handle, ...]:
            made = self._add(op_type, "", inputs, name, outputs, attributes)
            return made[0] if outputs is None else made

        return call  # pyright: ignore[reportReturnType]  # an overloaded protocol of one function

    def op(
        self,
        op_type: str,
        *inputs: object,
        domain: str = "",
        name: str | None = None,
        **attributes: object,
    ) -> Handle:
        """A node with one output. `domain` names the set that its operator belongs to."""
        return self._add(op_type, domain, inputs, name, None, attributes)[0]

    def ops(
        self,
        op_type: str,
        *inputs: object,
        outputs: int | Sequence[str],
        domain: str = "",
        name: str | None = None,
        **attributes: object,
    ) -> tuple[Handle, ...]:
        """A node with as many outputs as said, or with outputs of these names ("": left out)."""
        return self._add(op_type, domain, inputs, name, outputs, attributes)

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Nodes made inside are named `name/...`, and drawn as one group."""
        checked_name("a scope", name)
        self._names.scopes.append(name)
        try:
            yield
        finally:
            self._names.scopes.pop()

    def subgraph(self, name: str = "body") -> GraphBuilder:
        """A builder for an attribute of If, Loop or Scan; values of this graph may be used in it."""
        return GraphBuilder(name, self.imports, self._names)

    # -- the whole ---------------------------------------------------------------------------

    def graph(self) -> Graph:
        """The graph as built so far."""
        return Graph(
            self.name,
            tuple(draft.node() for draft in self._drafts),
            tuple(Value(handle.name, declared) for handle, declared in self._inputs),
            tuple(Value(handle.name, declared) for handle, declared in self._outputs),
            dict(self._initializers),
        )

    def model(
        self, *, functions: Iterable[Function] = (), doc: str = "", ir_version: int | None = None
    ) -> Model:
        """The graph as a model that imports the builder's opsets."""
        try:
            functions = tuple(functions)
        except TypeError:
            given = shown(cast("object", functions))
            msg = f"functions = {given}; expected a list of ir.Function"
            raise ModelError(msg) from None
        for function in functions:
            if not isinstance(cast("object", function), Function):
                given = shown(cast("object", function))
                raise ModelError(f"a function is given as {given}; expected an ir.Function")
        if not isinstance(cast("object", doc), str):
            raise ModelError(f"doc = {shown(cast('object', doc))}; expected a text")
        if ir_version is not None and (
            not isinstance(cast("object", ir_version), int) or ir_version < 1
        ):
            given = shown(cast("object", ir_version))
            raise ModelError(f"ir_version = {given}; expected a whole number, 1 or more")
        opset = self.imports.get("", 1)
        oldest = next((ir for since, ir in _IR_VERSIONS if opset >= since), 3)
        return Model(
            self.graph(),
            dict(self.imports),
            ir_version or oldest,
            {function.key: function for function in functions},
            producer_name="onnx_explorer",
            doc=doc,
        )

    # -- inside ------------------------------------------------------------------------------

    def _add(
        self,
        op_type: str,
        domain: str,
        inputs: tuple[object, ...],
        name: str | None,
        outputs: int | Sequence[str] | None,
        attributes: Mapping[str, object],
    ) -> tuple[Handle, ...]:
        checked_name("an operator", op_type)
        expect_name("the domain", domain, ModelError)
        found = self._schema(op_type, domain)
        where = f"{op_type}-{found.since_version}" if found else op_type
        if found and found.max_inputs is not None and len(inputs) > found.max_inputs:
            raise ModelError(
                f"{where} got {len(inputs)} inputs, but takes at most {found.max_inputs}: "
                f"{', '.join(port.name for port in found.inputs)}"
            )
        # All that can be refused comes first: a call that fails leaves nothing behind.
        plain = {
            key: self._finished(value) for key, value in attributes.items() if value is not None
        }
        decoded = {key: attribute(key, value, found, where) for key, value in plain.items()}
        names = self._names
        if name is not None:
            checked_name(f"a node of {where}", name)
        for index, value in enumerate(inputs):
            if isinstance(value, Handle):
                self._expect_own(value, f"input {index} of {where}")
        name = names.numbered(op_type.lower()) if name is None else names.scoped(name)
        known = [value.dtype if isinstance(value, Handle) else None for value in inputs]
        bound = bound_dtypes(found, known) if found else {}
        given = [
            _given(value, index, where, dtype_at(found.port(index) if found else None, bound))
            for index, value in enumerate(inputs)
        ]
        outputs_named = _output_names(where, name, found, plain, outputs)
        constants = {
            index: replace(value, name=_constant_name(name, index, found))
            for index, value in enumerate(given)
            if isinstance(value, Tensor)
        }
        names.claim(*filter(None, outputs_named), *(each.name for each in constants.values()))
        names.nodes.add(name)
        self.imports.setdefault(canonical_domain(domain), 1)
        self._initializers.update((each.name, each) for each in constants.values())
        ports = [found.port(i, output=True) if found else None for i in range(len(outputs_named))]
        made_of = made_dtype(found, decoded) if found and len(ports) == 1 else None
        made = tuple(
            Handle(output, self, dtype_at(port, bound) or made_of)
            for output, port in zip(outputs_named, ports, strict=True)
        )
        self._drafts.append(
            _Draft(
                op_type,
                domain,
                name,
                tuple(
                    Handle(value.name, self) if isinstance(value, Tensor) else value
                    for value in (constants.get(i, each) for i, each in enumerate(given))
                ),
                tuple(handle if handle.name else None for handle in made),
                decoded,
            )
        )
        self._produced.update(made)
        return made

    def _schema(self, op_type: str, domain: str) -> OpSchema | None:
        domain = canonical_domain(domain)
        has_page = domain == "" or operator(op_type, domain) is not None
        if domain in self.imports and has_page:
            return schema(op_type, self.imports[domain], domain)
        return None

    def _expect_own(self, value: Handle, what: str) -> None:
        """Raise ModelError for a value of another model."""
        if value.graph._names is not self._names:  # noqa: SLF001 - another builder's
            raise ModelError(f"{what} is {value.name!r} of another builder; a graph uses its own")

    def _finished(self, value: object) -> object:
        return value.graph() if isinstance(value, GraphBuilder) else value


def _given(value: object, index: int, where: str, dtype: DType | None) -> Handle | Tensor | None:
    """An input as it was handed over, constants as tensors."""
    if value is None or isinstance(value, Handle):
        return value
    if isinstance(value, str):
        raise ModelError(
            f"input {index} of {where} is the text {value!r}, but expected a value "
            "(what g.input and operators return), an array, or None"
        )
    return as_tensor(value, dtype=dtype)


def _constant_name(node: str, index: int, found: OpSchema | None) -> str:
    port = found.port(index) if found else None
    label = port.name if port else f"input{index}"
    return f"{node}_{label}{index if port and port.option == 'variadic' else ''}"


def _output_names(
    where: str,
    name: str,
    found: OpSchema | None,
    attributes: Mapping[str, object],
    outputs: int | Sequence[str] | None,
) -> tuple[str, ...]:
    """The names of a node's outputs; "" for one that is left out."""
    if outputs is None:
        wanted = _natural_outputs(found, attributes)
        if wanted != 1:
            raise ModelError(f"{where} has {wanted} outputs here; say outputs={wanted}")
        return (name,)
    outputs = checked_outputs(where, outputs)
    if not isinstance(outputs, int):
        return outputs
    return tuple(
        f"{name}_{port.name}{i if port.option == 'variadic' else ''}"
        if found and (port := found.port(i, output=True))
        else f"{name}_{i}"
        for i in range(outputs)
    )


def _natural_outputs(found: OpSchema | None, attributes: Mapping[str, object]) -> int:
    """How many outputs a call without `outputs=` has: what its bodies give, or what it must have."""
    if found is None:
        return 1
    branch, body = attributes.get("then_branch"), attributes.get("body")
    if isinstance(branch, Graph):
        return len(branch.outputs)
    if isinstance(body, Graph) and found.name == "Loop":
        return len(body.outputs) - 1
    if isinstance(body, Graph):
        return len(body.outputs)
    return max(found.min_outputs, 1)


def graph(
    name: str = "graph", *, opset: int = 21, imports: Mapping[str, int] | None = None
) -> GraphBuilder:
    """A new builder. `imports` names further operator sets, as in `{"ai.onnx.ml": 3}`.

    Raises:
        ModelError: a version is no whole number of 1 or more.
    """
    return GraphBuilder(name, checked_imports(opset, imports))
