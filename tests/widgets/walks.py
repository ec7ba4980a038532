"""Models in which a walk can get lost: loops, branches, functions and operators inside each other."""

from __future__ import annotations

import numpy as np
import onnx

from onnx_explorer import build
from onnx_explorer.files import load
from onnx_explorer.ir import Model

X = np.float32([[1, -2, 3, 0.5], [0, 1, -1, 2]])


def loops() -> tuple[Model, dict[str, np.ndarray]]:
    """An operator before a branch in a loop, in the branch a loop, in that an operator; and random
    numbers.
    """
    g = build.graph("loops", opset=20)
    x, flag = g.input("x", "float32[2, 4]"), g.input("flag", "bool[]")
    body = g.subgraph()
    i, more = body.input("i", "int64[]"), body.input("more", "bool[]")
    carried = body.input("carried", "float32[2, 4]")
    normed = body.LayerNormalization(carried, np.float32([1, 2, 3, 4]), name="norm")
    then, other = body.subgraph(), body.subgraph()
    inner = then.subgraph()
    inner.input("j", "int64[]")
    inner.input("again", "bool[]")
    each = inner.input("each", "float32[2, 4]")
    inner.output(inner.Identity(True))
    inner.output(inner.Add(inner.Softsign(each, name="soft"), np.float32(1), name="plus"))
    then.output(then.Loop(np.array(2), None, normed, body=inner, name="small"))
    other.output(other.Celu(normed, name="celu"))
    even = body.Equal(body.Mod(i, np.array(2)), np.array(0))
    decided = body.If(even, then_branch=then, else_branch=other, name="decide")
    body.output(body.Identity(more))
    noise = body.RandomUniformLike(decided, name="noise")
    body.output(body.Add(decided, noise, name="sum"))
    last = g.Loop(np.array(3), None, g.Relu(x, name="start"), body=body, name="loop")
    up, down = g.subgraph(), g.subgraph()
    up.output(up.Gelu(last, name="gelu"))
    down.output(down.Neg(last, name="neg"))
    picked = g.If(flag, then_branch=up, else_branch=down, name="pick")
    g.output(g.Softmax(picked, name="end"), "y")
    return g.model(), {"x": X, "flag": np.array(True)}


FUNCTIONS = """
<ir_version: 9, opset_import: ["": 20, "my": 1]>
functions (float[2,4] x, bool flag) => (float[2,4] y) {
  a = Neg(x)
  b = my.outer(a, flag)
  y = Softmax(b)
}
<domain: "my", opset_import: ["": 20, "my": 1]>
outer (p, f) => (q) {
  s = Softplus(p)
  q = If(f) <
    then_branch = yes () => (float[2,4] r) {
      three = Constant<value = int64 {3}>()
      going = Constant<value = bool {1}>()
      r = Loop(three, going, s) <body = round (int64 i, bool c, float[2,4] v)
        => (bool d, float[2,4] w) { d = Identity(c) k = my.small(v) w = Mish(k) }>
    },
    else_branch = no () => (float[2,4] z) { z = Abs(s) }
  >
}
<domain: "my", opset_import: ["": 20]>
small (u) => (v) { w = HardSwish(u) v = Elu(w) }
"""


def functions() -> tuple[Model, dict[str, np.ndarray]]:
    """A function in a loop in a branch in a function, with operators in all of them."""
    return load(onnx.parser.parse_model(FUNCTIONS)), {"x": X, "flag": np.array(True)}


def mapped() -> tuple[Model, dict[str, np.ndarray]]:
    """A graph that an operator runs for each element, with an operator inside."""
    g = build.graph("mapped", opset=20)
    rows = g.SplitToSequence(g.input("x", "float32[2, 4]"), axis=0, name="split")
    each = g.subgraph()
    row = each.input("row", "float32[1, 4]")
    each.output(each.LayerNormalization(row, np.float32([1, 2, 3, 4]), name="norm"))
    normed = g.SequenceMap(rows, body=each, name="map")
    g.output(g.ConcatFromSequence(normed, axis=0, name="join"), "y")
    return g.model(), {"x": X}
