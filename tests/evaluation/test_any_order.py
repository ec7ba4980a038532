"""Controls in any order, in all kinds of graphs in each other."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import Function

FEEDS = {"x": np.float32([3, -1])}


def deep():
    """Loop, in it If, in one branch Scan, in its body a call of a function; all of them random."""
    f = graph("f", opset=20)
    a = f.input("a")
    noise = f.RandomUniformLike(a, name="noise")
    f.output(f.Softsign(f.Add(a, noise, name="add"), name="soft"))
    made = f.graph()
    outputs = tuple(value.name for value in made.outputs)
    soft = Function("Soft", "local", ("a",), outputs, made.nodes, {"": 20})

    g = graph("deep", opset=20, imports={"local": 1})
    x = g.input("x", "float32[2]")
    body = g.subgraph("body")
    i, more = body.input("i", "int64[]"), body.input("more", "bool[]")
    carried = body.input("carried", "float32[2]")
    then, other = body.subgraph("then"), body.subgraph("other")
    each = then.subgraph("each")
    total = each.input("total", "float32[2]")
    row = each.input("row", "float32[2]")
    called = each.op("Soft", each.Mul(row, carried, name="mul"), domain="local", name="call")
    each.output(each.Add(total, called, name="total_up"))
    each.output(each.Neg(called, name="minus"), "row_out")
    rows = np.float32([[1, 2], [3, 4]])
    end, scanned = then.Scan(carried, rows, body=each, num_scan_inputs=1, name="scan", outputs=2)
    then.output(then.Add(end, then.ReduceSum(scanned, np.array([0]), keepdims=0)))
    other.output(other.Sub(carried, x, name="less"))
    even = body.Equal(body.Mod(i, np.array(2)), np.array(0), name="even")
    decided = body.If(even, then_branch=then, else_branch=other, name="decide")
    body.output(body.Identity(more, name="on"))
    body.output(decided)
    body.output(body.ReduceMax(decided, keepdims=0, name="peak"))
    last, peaks = g.Loop(np.array(3), None, x, body=body, name="loop", outputs=2)
    g.output(g.LayerNormalization(last, np.float32([1, 2]), name="norm"), "out")
    g.output(peaks, "peaks")
    return g.model(functions=[soft])


DEEP = deep()
TARGETS = ("call", "value:peaks", "node:norm", "less", "scan", "noise", "even", "total_up")


def single_moves(stepper, count):
    moves = stepper.moves()
    for _, _rest in zip(range(count), moves, strict=False):
        pass
    moves.close()


def set_and_back(stepper, count):
    names = [n for n, value in stepper.values.items() if value.dtype == np.float32]
    stepper.set(names[count % len(names)], stepper.values[names[count % len(names)]] + 1)
    stepper.back()


def stop_and_run(stepper, count):
    places = ({"operator": "Softsign"}, {"node": "less"}, {"larger_than": 2}, {"value": "peaks"})
    made = stepper.add_breakpoint(**places[count % len(places)], skip=count // len(places))
    stepper.run()
    stepper.remove_breakpoint(made)


CONTROLS = {
    "step": lambda s, _: s.step(),
    "into": lambda s, _: s.step_into(),
    "into_graphs": lambda s, _: s.step_into(operators=False),
    "out": lambda s, _: s.step_out(),
    "back": lambda s, _: s.back(),
    "goto": lambda s, n: s.goto(n % (s.total + 1)),
    "restart": lambda s, _: s.restart(),
    "run_to": lambda s, n: s.run_to(TARGETS[n % len(TARGETS)]),
    "run": lambda s, _: s.run(),
    "stop_and_run": stop_and_run,
    "moves": single_moves,
    "set_and_back": set_and_back,
    "look": lambda s, n: list(s.values.values())[n % len(s.values)],
    "rounds": lambda s, _: [
        dict(f) for f in s.iterations("loop/body/decide/then_branch/scan/body")
    ],
}


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(CONTROLS)), st.integers(0, 20)), max_size=14),
    st.sampled_from([None, 0, 40]),
)
def test_any_order_of_controls_in_all_kinds_of_graphs_ends_in_the_values_of_a_run(moves, budget):
    wanted = ox.run(DEEP, FEEDS, seed=5)
    stepper = ox.Stepper(DEEP, FEEDS, seed=5, budget_bytes=budget)
    for name, number in moves:
        CONTROLS[name](stepper, number)
        assert stepper.failure is None
    stepper.run()
    assert stepper.done
    for name, value in wanted.items():
        np.testing.assert_array_equal(stepper.outputs[name], value)
