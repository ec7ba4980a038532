"""The tell-tale text of a node: what tells it apart from others of its operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from onnx_explorer.dims import Dim
from onnx_explorer.ir import Tensor, TensorType, Type
from onnx_explorer.view.labels import dtype_text, elements_text, number_text, shortened

LONGEST = 32
_FEW = 8


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A node as details see it: attributes with defaults filled in, types and constants of its
    inputs (None where one is left out, unknown or no constant).
    """

    op_type: str
    attributes: Mapping[str, object]
    types: Sequence[Type | None]
    constants: Sequence[Tensor | None]

    def ints(self, name: str) -> tuple[int, ...]:
        """An attribute that is a list of ints; () where it is absent."""
        value = self.attributes.get(name)
        if not isinstance(value, tuple):
            return ()
        return tuple(v for v in value if isinstance(v, int))  # pyright: ignore[reportUnknownVariableType]

    def number(self, name: str) -> float | None:
        value = self.attributes.get(name)
        return value if isinstance(value, int | float) else None

    def text(self, name: str) -> str:
        value = self.attributes.get(name)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")

    def shape(self, index: int) -> tuple[Dim, ...] | None:
        type_ = self.types[index] if index < len(self.types) else None
        return type_.shape if isinstance(type_, TensorType) else None

    def constant(self, index: int) -> Tensor | None:
        return self.constants[index] if index < len(self.constants) else None

    def elements(self, index: int) -> str:
        """A small constant input as text; "" for others."""
        tensor = self.constant(index)
        return elements_text(tensor) if tensor is not None and tensor.size <= _FEW else ""

    def scalar(self, index: int) -> str:
        """The one element of a constant input, whatever its rank; "" for others."""
        tensor = self.constant(index)
        return elements_text(tensor).strip("[]") if tensor is not None and tensor.size == 1 else ""


def detail(facts: NodeFacts) -> str:
    """The text, "" where there is nothing worth saying."""
    write = _DETAILS.get(facts.op_type)
    return shortened(write(facts), LONGEST) if write else ""


def _window(facts: NodeFacts, kernel: Sequence[Dim]) -> str:
    text = "×".join(map(str, kernel))
    strides = facts.ints("strides")
    if any(s != 1 for s in strides):
        same = len(set(strides)) == 1
        text += f" /{strides[0] if same else '×'.join(map(str, strides))}"
    dilations = facts.ints("dilations")
    if any(d != 1 for d in dilations):
        text += f" dilated {max(dilations)}"
    return text


def _conv(facts: NodeFacts) -> str:
    weights = facts.shape(1)
    group = facts.number("group") or 1
    kernel: Sequence[Dim] = facts.ints("kernel_shape") or (weights or ())[2:]
    parts = [_window(facts, kernel)] if kernel else []
    if weights and len(weights) > 1:
        channels = weights[0] if facts.op_type == "Conv" else weights[1] * int(group)
        parts.append(str(channels))
    if group != 1:
        depthwise = weights and weights[0] == group
        parts.append("depthwise" if depthwise else f"{int(group)} groups")
    return ", ".join(parts)


def _pool(facts: NodeFacts) -> str:
    return _window(facts, facts.ints("kernel_shape"))


def _matrix(facts: NodeFacts) -> str:
    """Features in and out, where the right side is a constant."""
    weights = facts.shape(1)
    if facts.constant(1) is None or weights is None or len(weights) != 2:
        return ""
    transposed = facts.op_type == "Gemm" and facts.number("transB")
    rows, columns = reversed(weights) if transposed else weights
    return f"{rows}→{columns}"


def _operand(sign: str) -> Callable[[NodeFacts], str]:
    """`× 0.125` where one side is a small constant."""

    def write(facts: NodeFacts) -> str:
        right, left = facts.scalar(1) or facts.elements(1), facts.scalar(0) or facts.elements(0)
        if right:
            return f"{sign} {right}"
        return f"{left} {sign}" if left else ""

    return write


def _axis(facts: NodeFacts) -> str:
    axis = facts.number("axis")
    return "" if axis is None else f"axis {int(axis)}"


def _axes(facts: NodeFacts) -> str:
    axes = facts.ints("axes")
    text = ", ".join(map(str, axes)) if axes else facts.elements(1).strip("[]")
    if not text:
        return ""
    return f"ax{'e' if ',' in text else 'i'}s {text}"


def _reduction(facts: NodeFacts) -> str:
    axes = _axes(facts)
    return f"{axes}, kept" if axes and facts.number("keepdims") else axes


def _slice(facts: NodeFacts) -> str:
    def part(index: int, name: str) -> list[str]:
        given = facts.ints(name)
        text = ", ".join(map(str, given)) if given else facts.elements(index).strip("[]")
        return text.split(", ") if text else []

    starts, ends, axes = part(1, "starts"), part(2, "ends"), part(3, "axes")
    steps = part(4, "steps")
    if len(starts) != 1 or len(ends) != 1:
        return _joined_axes(axes)
    backward = bool(steps) and steps[0].startswith("-")
    start, end = starts[0], ends[0]
    if _beyond(start, below=not backward) or (start == "0" and not backward):
        start = ""
    if _beyond(end, below=backward):
        end = ""
    step = f":{steps[0]}" if steps and steps[0] != "1" else ""
    where = f" {_joined_axes(axes)}" if axes else ""
    return f"[{start}:{end}{step}]{where}"


def _beyond(index: str, *, below: bool) -> bool:
    """Whether an index is too far for any axis, as exporters write an open end."""
    return len(index) > 9 and index.startswith("-") == below


def _joined_axes(axes: Sequence[str]) -> str:
    return f"ax{'e' if len(axes) > 1 else 'i'}s {', '.join(axes)}" if axes else ""


def _reshape(facts: NodeFacts) -> str:
    target = facts.elements(1) or (list(s) if (s := facts.ints("shape")) else "")
    return f"to {target}" if target else ""


def _pads(facts: NodeFacts) -> str:
    pads = facts.elements(1) or (list(p) if (p := facts.ints("pads")) else "")
    mode = facts.text("mode")
    return " ".join(filter(None, (str(pads), "" if mode == "constant" else mode)))


def _resize(facts: NodeFacts) -> str:
    scales = facts.elements(2) or facts.elements(1)
    return " ".join(filter(None, (facts.text("mode"), f"× {scales}" if scales else "")))


def _clip(facts: NodeFacts) -> str:
    bounds: list[str] = []
    for index, name in ((1, "min"), (2, "max")):
        value = facts.number(name)
        bounds.append(facts.elements(index) if value is None else number_text(value))
    return " … ".join(b or "∞" for b in bounds) if any(bounds) else ""


def _recurrent(facts: NodeFacts) -> str:
    hidden, direction = facts.number("hidden_size"), facts.text("direction")
    parts = [str(int(hidden))] if hidden else []
    return ", ".join([*parts, *([direction] if direction != "forward" else [])])


def _split(facts: NodeFacts) -> str:
    sizes = facts.elements(1) or (list(s) if (s := facts.ints("split")) else "")
    return ", ".join(filter(None, (str(sizes), _axis(facts))))


def _epsilon(facts: NodeFacts) -> str:
    epsilon = facts.number("epsilon")
    return "" if epsilon is None else f"ε {number_text(epsilon)}"


def _indexed_axis(facts: NodeFacts) -> str:
    index = facts.elements(1)
    return ", ".join(filter(None, (f"[{index.strip('[]')}]" if index else "", _axis(facts))))


_DETAILS: dict[str, Callable[[NodeFacts], str]] = {
    "Conv": _conv,
    "ConvTranspose": _conv,
    "ConvInteger": _conv,
    "Gemm": _matrix,
    "MatMul": _matrix,
    "Add": _operand("+"),
    "Sub": _operand("−"),
    "Mul": _operand("×"),
    "Div": _operand("÷"),
    "Pow": _operand("^"),
    "Mod": _operand("mod"),
    "Equal": _operand("="),
    "Greater": _operand(">"),
    "GreaterOrEqual": _operand("≥"),
    "Less": _operand("<"),
    "LessOrEqual": _operand("≤"),
    "Cast": lambda f: f"to {dtype_text(int(f.number('to') or 0))}",
    "Transpose": lambda f: ", ".join(map(str, f.ints("perm"))),
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Pad": _pads,
    "Resize": _resize,
    "Upsample": _resize,
    "Clip": _clip,
    "Gather": _indexed_axis,
    "LayerNormalization": _epsilon,
    "BatchNormalization": _epsilon,
    "InstanceNormalization": _epsilon,
    "RMSNormalization": _epsilon,
    "LeakyRelu": lambda f: number_text(f.number("alpha") or 0),
    "Einsum": lambda f: f.text("equation"),
    **dict.fromkeys(("MaxPool", "AveragePool", "LpPool"), _pool),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent),
    **dict.fromkeys(("Squeeze", "Unsqueeze"), _axes),
    **dict.fromkeys(
        (
            "Concat",
            "Softmax",
            "LogSoftmax",
            "Hardmax",
            "GatherElements",
            "ArgMax",
            "ArgMin",
            "ScatterElements",
            "CumSum",
            "TopK",
        ),
        _axis,
    ),
    **dict.fromkeys(
        (
            "ReduceMean",
            "ReduceSum",
            "ReduceMax",
            "ReduceMin",
            "ReduceProd",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceSumSquare",
        ),
        _reduction,
    ),
}
