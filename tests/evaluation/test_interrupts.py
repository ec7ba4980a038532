"""A run that a person interrupts anywhere: it stands between two nodes and can go on."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation import machine, past, walk

FILES = {str(Path(module.__file__)) for module in (machine, walk, past)}
FEEDS = {"x": np.float32([1, 2])}


def chain():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[2]")
    y = g.Add(x, np.float32([1, 1]), name="plus")
    g.output(g.Sub(g.Mul(y, y, name="square"), x, name="minus"), "out")
    return g.model()


class Interrupting:
    """Raises KeyboardInterrupt at a line of the machinery, counted over all that it runs."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, frame, event, _):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def reached(self) -> bool:
        return self._left <= 0


@pytest.mark.parametrize("move", ["run", "step"])
def test_an_interrupted_stepper_stands_between_two_nodes_and_goes_on(move):
    model, at, stopped = chain(), 0, True
    ox.Stepper(model, FEEDS).run()
    while stopped:
        at += 1
        stepper = ox.Stepper(model, FEEDS)
        interrupting, outside = Interrupting(at), sys.gettrace()
        sys.settrace(interrupting)
        try:
            getattr(stepper, move)()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(outside)
        stopped = interrupting.reached()
        ran = stepper.completed
        assert len(ran) == stepper.position, at
        assert ran == ("plus", "square", "minus")[: len(ran)]
        stepper.run()
        np.testing.assert_array_equal(stepper.outputs["out"], [3, 7])
        while stepper.completed:
            stepper.back()
        stepper.run()
        np.testing.assert_array_equal(stepper.outputs["out"], [3, 7])
    assert at > 20


DEEP = """
<ir_version: 9, opset_import: ["": 20, "my": 1]>
deep (float[2] x) => (float[2] y) {
  three = Constant<value = int64 {3}>()
  going = Constant<value = bool {1}>()
  y = Loop(three, going, x) <body = outer (int64 i, bool c, float[2] v) => (bool d, float[2] w) {
    d = Identity(c)
    yes = Identity(c)
    w = If(yes) <
      then_branch = then () => (float[2] r) {
        r = Loop(three, going, v) <body = inner (int64 j, bool e, float[2] u) => (bool f, float[2] z)
          { f = Identity(e) k = my.Tick(u) z = Softsign(k) }>
      },
      else_branch = else () => (float[2] s) { s = Abs(v) }
    >
  }>
}
"""


@pytest.mark.parametrize("at", [1, 5, 9])
def test_an_interruption_three_graphs_deep_leaves_all_that_was_made(at):
    ticks = []

    def tick(u):
        ticks.append(u)
        if len(ticks) == at:
            raise KeyboardInterrupt
        return u

    x = np.float32([3, -1])
    stepper = ox.Stepper(
        ox.load(onnx.parser.parse_model(DEEP)), {"x": x}, kernels={("my", "Tick"): tick}
    )
    with pytest.raises(KeyboardInterrupt):
        stepper.run()
    assert [frame.iteration for frame in stepper.frames] == [0, (at - 1) // 3, 0, (at - 1) % 3]
    stepper.run()
    # Nine times x / (1 + |x|): x / (1 + 9 |x|).
    np.testing.assert_allclose(stepper.outputs["y"], x / (1 + 9 * np.abs(x)), rtol=1e-6)
