"""The graphs of the examples, written with the builder."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onnx_explorer import build
from onnx_explorer.build import GraphBuilder, Handle
from onnx_explorer.ir import Model, TrainingInfo

Array = NDArray[np.float32]
Weights = Mapping[str, NDArray[np.generic]]
TRAINING = "ai.onnx.preview.training"
_Drawn = Callable[..., Array]


def digits(weights: Weights) -> Model:
    """Two convolutions and two dense layers over images `(batch, 1, 8, 8)` with pixels in
    [0, 1]; probabilities `(batch, 10)`.
    """
    return _digits(weights).model(
        doc="Reads handwritten digits of 8 x 8 pixels with values from 0 to 1."
    )


def _digits(weights: Weights) -> GraphBuilder:
    g = build.graph("digits", opset=20)
    w = {name: g.initializer(name, values) for name, values in weights.items()}
    x = g.input("image", "float32[batch, 1, 8, 8]")
    for n in (1, 2):
        x = g.Conv(x, w[f"conv{n}_W"], w[f"conv{n}_B"], name=f"conv{n}", pads=[1, 1, 1, 1])
        x = g.Relu(x, name=f"relu{n}")
        x = g.MaxPool(x, name=f"pool{n}", kernel_shape=[2, 2], strides=[2, 2])
    x = g.Flatten(x, name="flatten")
    x = g.Relu(g.Gemm(x, w["dense_W"], w["dense_B"], name="dense"), name="relu3")
    x = g.Gemm(x, w["logits_W"], w["logits_B"], name="logits")
    x = g.Softmax(x, name="softmax", axis=-1)
    g.output(x, "probabilities", "float32[batch, 10]")
    return g


def digits_training(weights: Weights) -> Model:
    """The digits network with its training: Adam on the mean cross entropy of a batch, at a rate
    that is an input. Weights start at random, biases and Adam's memory at 0.
    """
    g = _digits(weights)
    model = g.model(doc="Learns to read handwritten digits of 8 x 8 pixels.")
    w = {name: Handle(name, g) for name in weights}
    start, a = g.subgraph("initialization"), g.subgraph("training")
    memory = [
        {name: a.initializer(f"{name}_{kind}", np.zeros_like(weights[name])) for name in weights}
        for kind in ("mean", "square")
    ]
    step = a.initializer("step", np.int64(1))
    first: list[tuple[str, str]] = []

    def starts(trained: Handle, value: Handle) -> None:
        start.output(value)
        first.append((trained.name, value.name))

    for name, values in weights.items():
        shape = values.shape
        n_in = shape[0] if len(shape) == 2 else math.prod(shape[1:])
        starts(
            w[name],
            start.RandomNormal(shape=shape, scale=math.sqrt(2 / n_in))
            if name.endswith("_W")
            else start.ConstantOfShape(np.array(shape)),
        )
        for each in memory:
            starts(each[name], start.ConstantOfShape(np.array(shape)))
    starts(step, start.Identity(np.int64(1)))

    label, rate = a.input("label", "int64[batch]"), a.input("rate", "float32[]")
    a.output(a.SoftmaxCrossEntropyLoss(Handle("logits", g), label), "loss")
    gradients = a.ops(
        "Gradient",
        *w.values(),
        Handle("image", g),
        label,
        outputs=[f"{name}_gradient" for name in w],
        domain=TRAINING,
        xs=list(w),
        zs=["image", "label"],
        y="loss",
    )
    old = [handle for group in (w, *memory) for handle in group.values()]
    new = a.ops(
        "Adam",
        rate,
        step,
        *w.values(),
        *gradients,
        *(handle for group in memory for handle in group.values()),
        outputs=[f"{handle.name}_new" for handle in old],
        domain=TRAINING,
        norm_coefficient_post=3e-5,
    )
    then = a.Add(step, np.int64(1), name="count")
    for handle in (*new, then):
        a.output(handle)
    updates = [*zip(old, new, strict=True), (step, then)]
    info = TrainingInfo(
        start.graph(),
        a.graph(),
        tuple(first),
        tuple((trained.name, value.name) for trained, value in updates),
    )
    return replace(model, training=(info,), opset_imports={**model.opset_imports, TRAINING: 1})


def transformer(
    *, vocabulary: int = 64, width: int = 32, heads: int = 4, longest: int = 64
) -> Model:
    """Two encoder layers with learned positions over tokens `(batch, seq)`; logits over the
    vocabulary. The weights are drawn at random: it shows shapes, it has learned nothing.
    """
    random = np.random.default_rng(7)

    def drawn(*shape: int) -> Array:
        return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    g = build.graph("transformer", opset=20)
    tokens = g.input("tokens", "int64[batch, seq]")
    with g.scope("embedding"):
        length = g.Gather(g.Shape(tokens), np.int64(1), name="length", axis=0)
        places = g.Range(np.int64(0), length, np.int64(1), name="places")
        positions = g.Gather(
            g.initializer("position_table", drawn(longest, width)), places, name="positions"
        )
        h = g.Gather(g.initializer("word_table", drawn(vocabulary, width)), tokens, name="words")
        h = g.Add(h, positions, name="sum")
    for n in range(2):
        with g.scope(f"encoder/layer{n}"):
            h = _encoder_layer(g, h, width, heads, drawn)
    with g.scope("head"):
        h = _normalized(g, h, width)
        logits = g.MatMul(h, drawn(width, vocabulary), name="logits")
    g.output(logits, "logits", f"float32[batch, seq, {vocabulary}]")
    return g.model(doc="A transformer encoder with random weights and open batch and length.")


def _encoder_layer(g: GraphBuilder, h: Handle, width: int, heads: int, drawn: _Drawn) -> Handle:
    with g.scope("attention"):
        x = _normalized(g, h, width)
        batch_and_length = g.Slice(g.Shape(x), [0], [2], [0], name="batch_and_length")
        split = g.Concat(batch_and_length, np.array([heads, width // heads]), name="split", axis=0)
        joined = g.Concat(batch_and_length, np.array([width]), name="joined", axis=0)

        def projected(name: str, perm: list[int]) -> Handle:
            y = g.MatMul(x, drawn(width, width), name=name)
            return g.Transpose(g.Reshape(y, split, name=f"{name}_heads"), perm=perm)

        query, value = projected("query", [0, 2, 1, 3]), projected("value", [0, 2, 1, 3])
        scores = g.MatMul(query, projected("key", [0, 2, 3, 1]), name="scores")
        scaled = g.Mul(scores, np.float32((width // heads) ** -0.5), name="scaled")
        context = g.MatMul(g.Softmax(scaled, axis=-1), value, name="context")
        merged = g.Reshape(g.Transpose(context, perm=[0, 2, 1, 3]), joined, name="merged")
        h = g.Add(h, g.MatMul(merged, drawn(width, width), name="output"), name="residual")
    with g.scope("mlp"):
        x = _normalized(g, h, width)
        x = g.Gelu(g.MatMul(x, drawn(width, 2 * width), name="up"), approximate="tanh")
        return g.Add(h, g.MatMul(x, drawn(2 * width, width), name="down"), name="residual")


def _normalized(g: GraphBuilder, h: Handle, width: int) -> Handle:
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return g.LayerNormalization(h, ones, zeros, name="norm")


def loop_if() -> Model:
    """The Collatz sequence of `start`: halve what is even, else triple it and add one, until it
    is 1 or `limit` steps are done. Gives the last number, and all of them as `path`.
    """
    g = build.graph("collatz", opset=20)
    start = g.input("start", "int64[]")
    limit = g.input("limit", "int64[]")

    body = g.subgraph("step")
    body.input("iteration", "int64[]")
    body.input("going", "bool[]")
    number = body.input("number", "int64[]")
    is_even = body.Equal(body.Mod(number, 2, name="rest"), 0, name="is_even")
    halve, triple = body.subgraph("halve"), body.subgraph("triple")
    halve.output(halve.Div(number, 2, name="half"), "halved", "int64[]")
    tripled = triple.Add(triple.Mul(number, 3, name="threefold"), 1, name="plus_one")
    triple.output(tripled, "tripled", "int64[]")
    following = body.If(is_even, name="choose", then_branch=halve, else_branch=triple)
    body.output(
        body.Not(body.Equal(following, 1, name="is_one"), name="not_one"), "go_on", "bool[]"
    )
    body.output(following, "next", "int64[]")
    body.output(body.Identity(following, name="record"), "visited", "int64[]")

    last, path = g.Loop(
        limit, np.bool_(True), start, name="collatz", body=body, outputs=["last", "path"]
    )
    g.output(last, type="int64[]")
    g.output(path, type="int64[steps]")
    return g.model(doc="The Collatz sequence, with a Loop and an If.")


def shape_error() -> Model:
    """A network over images `(batch, 1, 8, 8)` whose second convolution lacks its padding; the
    dense layer, three layers on, gets 288 features and expects 512.
    """
    random = np.random.default_rng(11)

    def drawn(*shape: int) -> Array:
        return (random.standard_normal(shape) * 0.1).astype(np.float32)

    g = build.graph("shape_error", opset=20)
    x = g.input("image", "float32[batch, 1, 8, 8]")
    x = g.Conv(x, drawn(8, 1, 3, 3), name="conv1", pads=[1, 1, 1, 1])
    x = g.Relu(x, name="relu1")
    x = g.Conv(x, drawn(32, 8, 3, 3), name="conv2")
    x = g.MaxPool(x, name="pool", kernel_shape=[2, 2], strides=[2, 2])
    x = g.Flatten(x, name="flatten")
    x = g.Gemm(x, g.initializer("dense_W", drawn(512, 10)), name="dense")
    x = g.Softmax(x, name="softmax", axis=-1)
    g.output(x, "probabilities", "float32[batch, 10]")
    return g.model(doc="Fails on purpose: conv2 lacks the padding that the dense layer counts on.")
