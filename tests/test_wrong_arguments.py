"""What the public functions and methods answer to arguments of the wrong kind."""

from __future__ import annotations

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph

FEEDS = {"x": np.float32([3, 1])}


def model():
    g = graph("chain", opset=20)
    root = g.Sqrt(g.input("x", "float32[2]"), name="root")
    g.output(g.Softmax(g.Add(root, g.initializer("one", np.float32([1, 1]))), name="soft"), "y")
    return g.model()


def stepper():
    made = ox.Stepper(model(), FEEDS)
    made.step()
    return made


def types():
    return ox.infer(model())


CALLS = {
    "load of half a character": (lambda: ox.load("\ud800"), "expected the name of an ONNX file"),
    "load of a number": (lambda: ox.load(5), "cannot load a model from 'int'; expected a path"),
    "save of a path": (lambda: ox.save("m.onnx", "m.onnx"), "a str came; expected a Model"),
    "save to a number": (lambda: ox.save(model(), 5), "the path 5: expected the name"),
    "external_data": (lambda: ox.save(model(), "m", external_data=5), "is given as 5"),
    "draw to a number": (lambda: ox.draw(model(), 5), "the path 5: expected the name of a picture"),
    "draw depth": (lambda: ox.draw(model(), "m.svg", depth="2"), "depth = '2'; expected a whole"),
    "draw flag": (
        lambda: ox.draw(model(), "m.svg", constants="yes"),
        "constants = 'yes'; expected True or False",
    ),
    "explore flag": (lambda: ox.explore(model(), constants="yes"), "constants = 'yes'; expected"),
    "page flag": (
        lambda: ox.explore(model()).to_html("m.html", record="no"),
        "record = 'no'; expected True or False",
    ),
    "history": (lambda: ox.schemas(history="Relu"), "history = 'Relu'; expected True or False"),
    "strict": (lambda: ox.infer(model(), strict=[]), r"strict = \[\]; expected True or False"),
    "initialize": (
        lambda: ox.train_step(model(), FEEDS, initialize=1),
        "initialize = 1; expected True or False",
    ),
    "operators": (lambda: stepper().step_into(operators="Softmax"), "operators = 'Softmax'; expec"),
    "example": (lambda: ox.example([1]), r"the example is given as \[1\]"),
    "schema domain": (lambda: ox.schema("Relu", domain=[1]), r"the domain is given as \[1\]"),
    "function_body": (
        lambda: ox.schema("Gelu").function_body(None, {}, 20),
        "node = None; expected an ir.Node",
    ),
    "group": (
        lambda: ox.explore(model(), group=lambda node: 1 / 0),
        "group raised ZeroDivisionError for node 'root'",
    ),
    "schemas domain": (lambda: ox.schemas("ai.onnx.nl"), "did you mean 'ai.onnx.ml'"),
    "explore feeds": (
        lambda: ox.explore(model(), feeds=5),
        "the feeds are given as 5; expected a dict",
    ),
    "infer inputs": (lambda: ox.infer(model(), [1]), r"given as \[1\]; expected a dict"),
    "explain axis": (lambda: types().explain("y", axis="a"), "axis 'a' of 'y'; expected a whole"),
    "explain name": (lambda: types().explain([1]), r"no value \[1\]; a name is a text"),
    "types of a list": (lambda: types()[[1]], r"no value \[1\]; a name is a text"),
    "with_type": (lambda: types().with_type(None, "float32[]"), "the value is given as None"),
    "with_attribute": (lambda: types().with_attribute(5, "axis", 1), "the node is given as 5"),
    "attribute name": (
        lambda: types().with_attribute("soft", 5, 1),
        "of node 'soft' is given as 5",
    ),
    "with_initializer": (lambda: types().with_initializer(5, 1), "the initializer is given as 5"),
    "near initializer": (lambda: types().with_initializer("on", 1), "did you mean 'one'"),
    "run outputs": (lambda: ox.run(model(), FEEDS, 5), "the outputs are 5; expected a list"),
    "run near output": (lambda: ox.run(model(), FEEDS, ["Y"]), "did you mean 'y'"),
    "run kernels": (lambda: ox.run(model(), FEEDS, kernels=[]), r"the kernels are given as \[\]"),
    "compare against": (lambda: ox.compare(model(), FEEDS, np.ones(2)), "against = an array of"),
    "compare rtol": (
        lambda: ox.compare(model(), FEEDS, "float64", rtol=10**400),
        "rtol = an integer of 1329 bits; expected a number",
    ),
    "theirs": (lambda: ox.compare(model(), FEEDS, "float64").theirs([1]), r"no value \[1\]"),
    "train_step": (lambda: ox.train_step(model(), FEEDS), "'chain' has no training information"),
    "replay": (lambda: ox.replay(5), "the path 5: expected the name of a recorded run"),
    "record": (lambda: stepper().record("a\0b"), "expected the name of the file to write"),
    "run_to": (lambda: stepper().run_to(5), "to run to is given as 5"),
    "run_to near": (lambda: stepper().run_to("sof"), "neither .*; did you mean 'soft'"),
    "iterations": (lambda: stepper().iterations(None), "the subgraph is given as None"),
    "iterations of none": (lambda: stepper().iterations("loop/body"), "no subgraph 'loop/body/'"),
    "set": (lambda: stepper().set(None, 1), "the value to set is given as None"),
    "set later": (lambda: stepper().set("y", 1), "'y' is not there; node 'soft' makes it"),
    "retry inputs": (lambda: stepper().retry(3), "the inputs to try are given as 3"),
    "retry attributes": (lambda: stepper().retry(attributes=3), "attributes to try are given as 3"),
    "retry attribute": (lambda: stepper().retry(attributes={5: 1}), "of Add-14 is given as 5"),
    "unwatch": (lambda: stepper().unwatch("mean(x)"), r"'mean\(x\)' is not watched"),
    "remove_breakpoint": (lambda: stepper().remove_breakpoint(None), "None is none of the"),
    "budget": (lambda: ox.Stepper(model(), FEEDS, budget_bytes="1"), "budget_bytes = '1'"),
    "value not there": (lambda: stepper().values["y"], "run_to\\('value:y'\\) leads there"),
    "value of a frame": (lambda: stepper().frames[0]["z"], "no value 'z'; there are"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_argument_is_answered_with_what_was_found_and_expected(call):
    ask, told = CALLS[call]
    with pytest.raises(ox.ExplorerError, match=told):
        ask()


@pytest.mark.parametrize(
    "write",
    [
        lambda path: ox.save(model(), path),
        lambda path: ox.draw(model(), path),
        lambda path: ox.explore(model()).to_html(path),
        lambda path: ox.explore(model()).to_svg(path),
        lambda path: stepper().record(path),
    ],
    ids=["save", "draw", "to_html", "to_svg", "record"],
)
def test_a_file_in_a_folder_that_is_not_there_is_told_before_anything_is_made(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no place: there is no folder '.*missing'"):
        write(tmp_path / "missing" / "net.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_check_reports_what_is_no_model():
    assert "cannot load a model from 'list'" in str(ox.check([1]))


def test_a_value_that_is_not_there_is_a_key_error_too():
    values = stepper().values
    with pytest.raises(KeyError):
        values["y"]
    assert values.get("y") is None
    assert "y" not in values
    assert "x" in values
