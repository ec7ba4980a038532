"""One node, run and inferred: where the two must agree."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from onnx_explorer.build import graph
from onnx_explorer.dims import UndecidedError, bounds, evaluate, symbol, symbols
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer
from onnx_explorer.ir import (
    UNKNOWN_DIM,
    DType,
    MapType,
    OptionalType,
    SequenceType,
    Tensor,
    TensorType,
)
from tests.soundness.drawing import Listed, Maybe

# Operators whose rank is the length of an input, which may be a symbol.
RANK_BY_LENGTH = {
    *("AffineGrid", "Col2Im", "ConstantOfShape", "Expand", "GatherND", "Reshape", "Unsqueeze"),
    *(f"Reduce{kind}" for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min")),
    *("ReduceProd", "ReduceSum", "ReduceSumSquare"),
}
# Operators whose rank may be open even where all lengths are known: SequenceAt gives an element of
# a sequence, If the output of a branch, whose ranks may differ; Squeeze without axes drops the sizes that are 1.
RANK_BY_DATA = {"If", "SequenceAt", "Squeeze"}
# Operators whose sizes may depend on elements that are no constants: those of the first input, the
# items of a sequence, the keys of a map, how often a body runs. All others must tell every size
# where their small inputs are constants.
SIZE_BY_DATA = {
    *(
        "CastMap",
        "ConcatFromSequence",
        "If",
        "ImageDecoder",
        "Loop",
        "NonMaxSuppression",
        "NonZero",
        "Range",
    ),
    *("Resize", "Scan", "SequenceAt", "StringNormalizer", "StringSplit", "Unique"),
}


def one_node(schema, case):
    """The case as a model, with the shapes that it has, and what to feed it."""
    if schema.domain:
        builder = graph(opset=21, imports={schema.domain: schema.since_version})
    else:
        builder = graph(opset=schema.since_version)
    handles, feeds = [], {}
    for index, value in enumerate(case.inputs):
        name = f"in{index}"
        if value is None:
            handles.append(None)
            continue
        handles.append(builder.input(name, declared(value)))
        feeds[name] = _fed(value)
    if case.around:
        case.around(builder, *handles)
    made = builder.ops(
        schema.name,
        *handles,
        outputs=case.outputs,
        domain=schema.domain,
        name="node",
        **{k: v(builder) if callable(v) else v for k, v in case.attributes.items()},
    )
    for handle in made:
        if handle.name:
            builder.output(handle)
    return builder.model(), feeds


def _fed(value):
    match value:
        case Listed(items):
            return items
        case Maybe(inner):
            return inner
        case _:
            return value


def declared(value):
    """The type of an input; what the items of a sequence do not share is left open."""
    if isinstance(value, Listed):
        shapes = [np.shape(item) for item in value.items]
        if len({len(shape) for shape in shapes}) != 1:
            return SequenceType(TensorType(value.dtype))
        sizes = zip(*shapes, strict=True)
        shape = tuple(each[0] if len(set(each)) == 1 else UNKNOWN_DIM for each in sizes)
        return SequenceType(TensorType(value.dtype, shape))
    if isinstance(value, Maybe):
        return OptionalType(TensorType(value.dtype, value.shape))
    if isinstance(value, dict):
        (key, content), *_ = value.items()
        of_value = TensorType(DType.from_numpy(np.asarray(content).dtype), ())
        return MapType(DType.STRING if isinstance(key, str) else DType.INT64, of_value)
    return TensorType(DType.from_numpy(value.dtype), value.shape)


def symbolic(model, shared):
    """The model with a symbol for every size of its inputs, and the number of each symbol; with
    `shared`, equal sizes get the same one.
    """
    sizes, inputs = {}, []
    for value in model.graph.inputs:
        if isinstance(value.type, TensorType):
            names = [
                f"size{size}" if shared else f"{value.name}.{axis}"
                for axis, size in enumerate(value.type.shape)
            ]
            sizes.update(zip(names, value.type.shape, strict=True))
            value = replace(value, type=replace(value.type, shape=tuple(map(symbol, names))))
        inputs.append(value)
    return replace(model, graph=replace(model.graph, inputs=tuple(inputs))), sizes


def with_constants(model, feeds):
    """The model with its small inputs of whole numbers, and all after the first, as constants."""
    constants = {
        name: Tensor.of(value, name)
        for index, (name, value) in enumerate(feeds.items())
        if isinstance(value, np.ndarray) and value.size <= 64
        if index or value.dtype.kind in "iu"
    }
    inputs = tuple(value for value in model.graph.inputs if value.name not in constants)
    graph = replace(model.graph, inputs=inputs, initializers=constants)
    # Before IR version 4 an initializer had to be an input as well.
    return replace(model, graph=graph, ir_version=max(model.ir_version, 4))


def ran_and_agreed(schema, case, shared):
    """Whether the case ran; that inference agrees with what came out is asserted."""
    model, feeds = one_node(schema, case)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = run(model, feeds, seed=0)
    except EvaluationError:
        outputs = None
    constant = with_constants(model, feeds)
    views = {
        "declared": (model, {}),
        "symbols": symbolic(model, shared),
        "constants": (constant, {}),
        "symbols and constants": symbolic(constant, shared),
    }
    for view, (variant, sizes) in views.items():
        types = infer(variant)
        if outputs is None:
            continue
        described = f"{view}: {described_node(schema, case)}"
        assert not types.errors, f"{described} runs\n" + "\n".join(map(str, types.errors))
        for name, value in outputs.items():
            agree(schema, types.get(name), value, sizes, f"{described}, {name}")
    return outputs is not None


def described_node(schema, case):
    inputs = ", ".join("-" if value is None else str(declared(value)) for value in case.inputs)
    return f"{schema.label}({inputs}) {case.attributes}"


def agree(schema, inferred, value, sizes, where, *, is_item=False):
    """Asserts that a type holds for a value that a run gave."""
    if isinstance(inferred, OptionalType):
        if value is not None and inferred.element is not None:
            agree(schema, inferred.element, value, sizes, f"{where} element", is_item=True)
        return
    if isinstance(value, list):
        assert isinstance(inferred, SequenceType), f"{where}: {inferred}, ran to a list"
        for item in value:
            if inferred.element is not None:
                agree(schema, inferred.element, item, sizes, f"{where} item", is_item=True)
        return
    if isinstance(value, dict):
        assert isinstance(inferred, MapType), f"{where}: {inferred}, ran to a map"
        return
    real = TensorType(DType.from_numpy(value.dtype), value.shape)
    where = f"{where}: {inferred}, ran to {real} with {sizes}"
    assert isinstance(inferred, TensorType), where
    assert inferred.dtype is real.dtype, where
    if inferred.shape is None:
        is_open = schema.name in RANK_BY_DATA
        is_open |= schema.name in RANK_BY_LENGTH and where.startswith("symbols:")
        assert is_open or is_item, where
        return
    assert len(inferred.shape) == value.ndim, where
    for size, ran in zip(inferred.shape, value.shape, strict=True):
        try:
            assert evaluate(size, sizes) == ran, where
        except UndecidedError:
            assert not symbols(size) <= sizes.keys(), where
            is_open = is_item or schema.name in SIZE_BY_DATA
            assert is_open or "constants" not in where.partition(":")[0], where
            low, high = bounds(size)
            assert low is None or low <= ran, f"{where}; {size} is at least {low}"
            assert high is None or ran <= high, f"{where}; {size} is at most {high}"
