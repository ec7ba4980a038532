"""What derivatives are compared with: central differences in float64, along random directions."""

from dataclasses import replace

import numpy as np

from onnx_explorer.build import graph
from onnx_explorer.evaluation import run
from onnx_explorer.ir import Attribute, Node, Value

TRAINING = "ai.onnx.preview.training"
STEP = 1e-5


def untyped(model):
    """The model without the types of its inputs and outputs."""
    graph = model.graph
    inputs, outputs = (tuple(Value(v.name) for v in vs) for vs in (graph.inputs, graph.outputs))
    return replace(model, graph=replace(graph, inputs=inputs, outputs=outputs, value_info=()))


def with_gradient(model, y, xs, weights):
    """The model, and the derivatives of sum(y × weights) by `xs`: `("d", x)` is named `d_x`."""
    graph = model.graph
    zs = [v.name for v in graph.inputs if v.name not in xs]
    nodes = (
        *graph.nodes,
        Node("Mul", (y, "weights"), ("weighted",)),
        Node(
            "Gradient",
            (*xs, *zs, "weights"),
            tuple(f"d_{x}" for x in xs),
            domain=TRAINING,
            attributes={
                "xs": Attribute("xs", "strings", tuple(x.encode() for x in xs)),
                "zs": Attribute("zs", "strings", tuple(z.encode() for z in (*zs, "weights"))),
                "y": Attribute("y", "string", b"weighted"),
            },
        ),
    )
    graph = replace(
        graph,
        nodes=nodes,
        inputs=(*graph.inputs, Value("weights")),
        outputs=(*graph.outputs, *(Value(f"d_{x}") for x in xs)),
    )
    opsets = {**model.opset_imports, TRAINING: 1}
    return replace(model, graph=graph, opset_imports={"": 28, **opsets})


def check(model, feeds, xs, y, *, rng, directions=3, seed=0):
    """Compare the derivatives of a weighted sum of `y` by each of `xs` with central differences.

    A direction along which the two one-sided differences disagree crosses a kink, and is left
    out. Returns how many directions were compared, none of an output that is not all finite floats.
    """
    base = run(model, feeds, [y], seed=seed)[y]
    if base.dtype.kind != "f" or not np.isfinite(base).all():
        return 0
    weights = rng.standard_normal(base.shape)
    derived = run(
        with_gradient(model, y, xs, weights),
        {**feeds, "weights": weights},
        [f"d_{x}" for x in xs],
        seed=seed,
    )

    def value(x, along):
        changed = {**feeds, x: feeds[x] + along}
        return float(np.sum(run(model, changed, [y], seed=seed)[y] * weights))

    compared = 0
    middle = float(np.sum(base * weights))
    for x in xs:
        found = derived[f"d_{x}"]
        assert found.shape == feeds[x].shape
        assert found.dtype == feeds[x].dtype
        for _ in range(directions):
            along = rng.standard_normal(feeds[x].shape)
            ahead, behind = value(x, STEP * along), value(x, -STEP * along)
            if np.isfinite([ahead, behind]).all():
                assert np.isfinite(found).all(), f"by {x}: {found}, but differences are finite"
            scale = max(1.0, abs(middle), float(np.sum(np.abs(found))))
            # A smooth function bends by STEP² times its curvature; a kink by STEP times a slope.
            if not np.isfinite([ahead, behind]).all() or (
                abs(ahead - 2 * middle + behind) > 1e-3 * STEP * scale
            ):
                continue
            slope, wanted = np.sum(found * along), (ahead - behind) / (2 * STEP)
            if abs(slope - wanted) > 1e-6 * scale:
                # Where a curvature jumps, the differences themselves are off, by STEP times that.
                half = STEP / 2 * along
                finer = (value(x, half) - value(x, -half)) / STEP
                if abs(finer - wanted) > abs(slope - wanted) / 4:
                    continue
            assert slope == wanted or abs(slope - wanted) <= 1e-6 * scale, (
                f"by {x}: {slope}, but differences give {wanted}"
            )
            compared += 1
    return compared


def check_node(op_type, feeds, xs, *, outputs=("y",), opset=28, **attributes):
    """Compare the derivatives of each named output of one node, as `check` does, where it is
    smooth. `feeds` are its inputs in order, None for one left out.
    """
    g = graph("g", opset=opset)
    inputs = [None if feed is None else g.input(name) for name, feed in feeds.items()]
    g.ops(op_type, *inputs, outputs=list(outputs), **attributes)
    given = {name: feed for name, feed in feeds.items() if feed is not None}
    rng = np.random.default_rng(0)
    for y in filter(None, outputs):
        assert check(g.model(), given, xs, y, rng=rng) == 3 * len(xs)
