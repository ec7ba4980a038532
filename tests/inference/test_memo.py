"""What inferences remember for each other: speed depends on it, results never do."""

import gc
import weakref

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.files import load
from onnx_explorer.inference import forget
from onnx_explorer.inference.rules import Rules
from onnx_explorer.ir import collector
from tests.models.sources import DATA


@pytest.fixture
def rules_run(monkeypatch):
    """The operators whose rules run, one by one."""
    ran = []
    original = Rules._run

    def counted(self, use, *rest):
        ran.append(use.resolved.schema.name)
        return original(self, use, *rest)

    monkeypatch.setattr(Rules, "_run", counted)
    return ran


def test_a_rule_runs_once_for_all_nodes_that_look_the_same(rules_run):
    forget()
    g = graph("chain", opset=20)
    value = g.input("x", "float32[batch, 8]")
    for _ in range(50):
        value = g.Relu(g.Add(value, value))
    g.output(value, "y")
    ox.infer(g.model())
    assert sorted(rules_run) == ["Add", "Relu"]


def test_a_model_that_is_loaded_and_inferred_again_runs_no_rule(rules_run):
    ox.infer(load(DATA / "swin_script.onnx"))
    rules_run.clear()
    again = ox.infer(load(DATA / "swin_script.onnx"))
    assert rules_run == []
    assert again.diagnostics == ()


def test_what_is_remembered_changes_no_result():
    for path in (DATA / "gpt2_dynamo.onnx", DATA / "bert_dynamo.onnx"):
        ox.infer(load(path))
        again = ox.infer(load(path))
        forget()
        first = ox.infer(load(path))
        assert {name: str(first[name]) for name in first} == {
            name: str(again[name]) for name in again
        }
        assert [str(a) for a in first.assumptions] == [str(a) for a in again.assumptions]


def counted(limit):
    """The first ten of what NonZero finds in a vector; in `limit` elements it finds that many."""
    g = graph("counted", opset=20)
    x = g.input("x", f"float32[{limit}]")
    found = g.NonZero(x, name="nz")
    g.output(g.Slice(found, np.array([0]), np.array([10]), np.array([1])), "y")
    return g.model()


@pytest.mark.parametrize("order", [[4, "n"], ["n", 4]])
def test_sizes_of_one_name_in_two_models_are_not_taken_for_the_same(order):
    forget()
    wanted = {4: "int64[1, nz_count]", "n": "int64[1, min(nz_count, 10)]"}
    for limit in order:
        assert str(ox.infer(counted(limit))["y"]) == wanted[limit]


def test_equal_numbers_of_other_kinds_are_kept_apart():
    def model(value):
        g = graph("kinds", opset=20)
        g.output(g.Identity(g.Cast(np.array(value), to="int64")), "y")
        return g.model()

    def sized(value):
        g = graph("sized", opset=20)
        x = g.input("x", "float32[8]")
        g.output(g.Reshape(x, g.Cast(np.array([value, 4]), to="int64")), "y")
        return str(ox.infer(g.model())["y"])

    assert str(ox.infer(model(True))["y"]) == "int64[]"
    assert sized(2.0) == sized(2) == "float32[2, 4]"


def test_types_and_their_model_are_let_go_without_the_collector():
    """They hold each other by no cycle: memory comes back when the last name goes."""
    gc.collect()
    gc.disable()
    try:
        model = load(DATA / "vit_script.onnx")
        types = ox.infer(model, {"batch": 2})
        kept = weakref.ref(model)
        del model, types
        assert kept() is None
    finally:
        gc.enable()


def test_garbage_that_is_made_between_inferences_is_collected(monkeypatch):
    # In a process that holds little; the more there is, the rarer all of it is looked through.
    monkeypatch.setattr(collector._Promoted, "since", 0)
    monkeypatch.setattr(collector._Promoted, "before", 0)

    class Ring:
        pass

    refs = []
    for _ in range(120):
        ring = Ring()
        ring.me = ring
        refs.append(weakref.ref(ring))
        del ring
        ox.infer(load(DATA / "vit_script.onnx"))
    assert sum(r() is not None for r in refs) < 115


def test_a_model_that_fails_is_let_go():
    g = graph("bad", opset=20)
    x = g.input("x", "float32[2, 3]")
    g.output(g.MatMul(x, np.zeros((4, 5), "f4"), name="fc"), "y")
    model = g.model()
    types = ox.infer(model)
    assert types.errors
    assert ox.infer(model).errors, "remembered or not"
    kept = weakref.ref(model)
    del types, model, g, x
    gc.collect()
    assert kept() is None
