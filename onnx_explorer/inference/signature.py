"""The ports of an operator version, prepared for the one question asked of every node: do these
inputs fit? What to say when they do not is left to `node`, which looks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from onnx_explorer.inference.abstraction import notation_of
from onnx_explorer.ir import DType
from onnx_explorer.schema import Abstract, AbstractValue, OpSchema, Port

Bound = Mapping[str, str]
"""Type variables with the types that inputs bind them to, in ONNX's notation."""


class _Input:
    """An input port: the notations and, for dense tensors, the dtypes that it takes."""

    __slots__ = ("allowed", "dtypes", "optional", "variable")

    def __init__(self, schema: OpSchema, port: Port) -> None:
        constraint = schema.type_constraints.get(port.type)
        self.allowed = constraint.allowed if constraint else frozenset((port.type,))
        self.dtypes = _dtypes(self.allowed)
        self.optional = port.option == "optional"
        free = constraint is None or (port.option == "variadic" and not port.homogeneous)
        self.variable = None if free else port.type


class _Output:
    """An output port and where its dtype comes from: a type variable, or the schema alone."""

    __slots__ = ("_only", "_variable", "name")

    def __init__(self, schema: OpSchema, port: Port) -> None:
        self.name = port.name
        constraint = schema.type_constraints.get(port.type)
        self._variable = port.type if constraint else None
        allowed = constraint.allowed if constraint else frozenset((port.type,))
        self._only = dtype_in(next(iter(allowed))) if len(allowed) == 1 else None

    def dtype_for(self, bound: Bound, said: DType | None) -> DType | None:
        """The dtype of a tensor here: what inputs bind wins over what the rule said."""
        if self._variable is None:
            return self._only or said
        notation = bound.get(self._variable)
        if notation is None:
            return said or self._only
        return dtype_in(notation) or said


class Signature:
    """The ports of one schema; an open one takes and gives anything."""

    __slots__ = (
        "_bound",
        "_inputs",
        "_outputs",
        "_schema",
        "is_open",
        "max_in",
        "max_out",
        "min_in",
        "min_out",
    )

    def __init__(self, schema: OpSchema) -> None:
        self._schema = schema
        self.is_open = False
        self._inputs = [_Input(schema, port) for port in schema.inputs]
        self.min_in, self.max_in = schema.min_inputs, schema.max_inputs
        self.min_out, self.max_out = schema.min_outputs, schema.max_outputs
        self._outputs: dict[int, _Output] = {}
        # Answers by the dtypes, of which few come together.
        self._bound: dict[tuple[object, ...], dict[str, str] | None] = {}

    def bound(
        self, inputs: Sequence[AbstractValue | None], n_outputs: int
    ) -> dict[str, str] | None:
        """What the inputs bind; None when something about them, or about how many inputs and
        outputs there are, does not fit.
        """
        if self.is_open:
            return {}
        key = (n_outputs, *[_kind(value) for value in inputs])
        if None in key:  # not of tensors alone
            return self._find_bound(inputs, n_outputs)
        try:
            return self._bound[key]
        except KeyError:
            found = self._bound[key] = self._find_bound(inputs, n_outputs)
            return found

    def _find_bound(
        self, inputs: Sequence[AbstractValue | None], n_outputs: int
    ) -> dict[str, str] | None:
        n = len(inputs)
        if n < self.min_in or (self.max_in is not None and n > self.max_in):
            return None
        if n_outputs < self.min_out or (self.max_out is not None and n_outputs > self.max_out):
            return None
        bound: dict[str, str] = {}
        ports, last = self._inputs, len(self._inputs) - 1
        for index, value in enumerate(inputs):
            port = ports[min(last, index)]
            if value is None:
                if not port.optional:
                    return None
                continue
            if type(value) is Abstract:
                dtype = value.dtype
                if dtype is None:
                    continue
                if dtype not in port.dtypes:
                    return None
                notation = dtype.notation
            else:
                text = notation_of(value)
                if text is None:
                    continue
                if text not in port.allowed:
                    return None
                notation = text
            if port.variable is not None and bound.setdefault(port.variable, notation) != notation:
                return None
        return bound

    def output(self, index: int) -> _Output | None:
        """The port of an output; None where there is none."""
        found = self._outputs.get(index)
        if found is None:
            port = self._schema.port(index, output=True)
            if port is None or self.is_open:
                return None
            found = self._outputs[index] = _Output(self._schema, port)
        return found


def _kind(value: AbstractValue | None) -> object:
    """What counts of an input; None where that is more than the dtype of a tensor."""
    if value is None:
        return "left out"
    if type(value) is not Abstract:
        return None
    return value.dtype or "unknown"


_made: dict[int, Signature] = {}


def signature_of(schema: OpSchema) -> Signature:
    """The signature of a schema; made once, as schemas live as long as the process."""
    found = _made.get(id(schema))
    if found is None:
        found = _made[id(schema)] = Signature(schema)
    return found


def open_signature(schema: OpSchema) -> None:
    """Let the operator take and give anything, whatever its ports say."""
    signature_of(schema).is_open = True


@cache
def _dtypes(allowed: frozenset[str]) -> frozenset[DType]:
    return frozenset(dtype for text in allowed if (dtype := dtype_in(text)) is not None)


@cache
def dtype_in(notation: str) -> DType | None:
    """The dtype of a dense tensor type in ONNX's notation; None for other types."""
    return DType.from_label(notation[7:-1]) if notation.startswith("tensor(") else None
