"""`train_step`: training as a model file describes it."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import TrainingInfo

TRAINING = "ai.onnx.preview.training"


def fitting(*, update=("w", "w_new"), initialization=("w", "one"), dtype="float64"):
    """y = w·x, trained on (y - t)² by steps of 0.1: dw is 2·(w·x - t)·x."""
    g = graph("fit", opset=18, imports={TRAINING: 1})
    x = g.input("x", f"{dtype}[]")
    w = g.initializer("w", np.array(3.0, dtype))
    y = g.Mul(x, w)
    g.output(y, "y")
    start, a = g.subgraph("start"), g.subgraph("algorithm")
    start.output(start.Constant(value=np.array(1.0, dtype)), "one")
    t, count = a.input("t", f"{dtype}[]"), a.initializer("count", np.array(0))
    error = a.Sub(y, t)
    a.output(a.Mul(error, error), "loss")
    (d,) = a.ops(
        "Gradient", w, x, t, outputs=["dw"], domain=TRAINING, xs=["w"], zs=["x", "t"], y="loss"
    )
    a.output(a.Sub(w, a.Mul(np.array(0.1, dtype), d)), "w_new")
    a.output(a.Add(count, np.array(1)), "count_new")
    info = TrainingInfo(
        start.graph(), a.graph(), (initialization,), (update, ("count", "count_new"))
    )
    return replace(g.model(), training=(info,))


def weight(model):
    return model.graph.initializers["w"].numpy()


def test_a_step_moves_the_weight_down_the_gradient():
    model = fitting()
    step = ox.train_step(model, {"x": 2.0, "t": 4.0})
    assert step.outputs["y"] == 6
    assert step.outputs["loss"] == 4
    assert weight(step.model) == pytest.approx(3 - 0.1 * 2 * (6 - 4) * 2)
    assert weight(model) == 3, "the model itself stays as it is"


def test_initialization_sets_the_weight_first():
    step = ox.train_step(fitting(), {"x": 2.0, "t": 4.0}, initialize=True)
    assert step.outputs["y"] == 2
    assert weight(step.model) == pytest.approx(1 - 0.1 * 2 * (2 - 4) * 2)


def test_initializers_of_the_algorithm_are_updated_too():
    model = fitting()
    for _ in range(3):
        model = ox.train_step(model, {"x": 2.0, "t": 4.0}).model
    assert model.training[0].algorithm.initializers["count"].numpy() == 3
    assert weight(model) == pytest.approx(2 + 0.2**3)


def test_a_trained_model_is_saved_and_trained_on(tmp_path):
    model = ox.train_step(fitting(), {"x": 2.0, "t": 4.0}).model
    ox.save(model, tmp_path / "m.onnx")
    again = ox.load(tmp_path / "m.onnx")
    assert ox.run(again, {"x": 1.0})["y"] == weight(model)
    assert weight(ox.train_step(again, {"x": 2.0, "t": 4.0}).model) == pytest.approx(2.04)


def test_several_algorithms_run_one_after_the_other():
    model = fitting()
    (info,) = model.training
    twice = replace(model, training=(info, info))
    once_more = ox.train_step(
        ox.train_step(model, {"x": 2.0, "t": 4.0}).model, {"x": 2.0, "t": 4.0}
    )
    assert weight(ox.train_step(twice, {"x": 2.0, "t": 4.0}).model) == weight(once_more.model)


def test_each_algorithm_sees_what_the_others_and_the_initialization_wrote():
    """w ← w + c by one algorithm, c ← c + w by the other: (1, 10), (11, 21), (32, 53)."""
    g = graph("two", opset=18)
    x, w = g.input("x", "float64[]"), g.initializer("w", np.array(5.0))
    c = g.initializer("c", np.array(10.0))
    g.output(g.Mul(x, w), "y")
    start, first, second = (g.subgraph(name) for name in ("start", "first", "second"))
    start.output(start.Constant(value=np.array(1.0)), "one")
    first.output(first.Add(w, c), "w_new")
    second.output(second.Add(c, w), "c_new")
    training = (
        TrainingInfo(start.graph(), first.graph(), (("w", "one"),), (("w", "w_new"),)),
        TrainingInfo(None, second.graph(), (), (("c", "c_new"),)),
    )
    model = ox.train_step(replace(g.model(), training=training), {"x": 1.0}, initialize=True).model
    assert [weight(model), model.graph.initializers["c"].numpy()] == [11, 21]
    model = ox.train_step(model, {"x": 1.0}).model
    assert [weight(model), model.graph.initializers["c"].numpy()] == [32, 53]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"update": ("v", "w_new")}, "an update binding names 'v', which is no initializer"),
        ({"update": ("w", "w_old")}, "sets 'w' to 'w_old', which is no output"),
        ({"update": ("w", "count_new")}, r"'w', float64\[\], to 'count_new', which is int64\[\]"),
        ({"initialization": ("w", "two")}, "an initialization binding sets 'w' to 'two'"),
    ],
)
def test_a_wrong_binding_is_told(given, found):
    with pytest.raises(ox.EvaluationError, match=found):
        ox.train_step(fitting(**given), {"x": 2.0, "t": 4.0}, initialize=True)


def test_wrong_feeds_are_told():
    with pytest.raises(ox.EvaluationError, match=r"input 't' .* is missing; fed was only 'x'$"):
        ox.train_step(fitting(), {"x": 2.0})
    with pytest.raises(ox.EvaluationError, match="feed 'q' is an input of neither"):
        ox.train_step(fitting(), {"x": 2.0, "t": 1.0, "q": 1.0})


def test_feeds_that_are_no_dict_are_told():
    with pytest.raises(ox.EvaluationError, match="expected a dict"):
        ox.train_step(fitting(), None)


def test_a_model_without_training_is_told():
    with pytest.raises(ox.EvaluationError, match="'digits' has no training information"):
        ox.train_step(ox.example("digits"), {})


def test_a_name_in_both_graphs_is_told():
    model = fitting()
    (info,) = model.training
    algorithm = replace(
        info.algorithm,
        initializers={**info.algorithm.initializers, "y": model.graph.initializers["w"]},
    )
    clashing = replace(model, training=(replace(info, algorithm=algorithm),))
    with pytest.raises(ox.ModelError, match="'y' is made twice"):
        ox.train_step(clashing, {"x": 2.0, "t": 4.0})


def test_the_digits_are_learned_from_the_model_file():
    data = load_digits()
    images = (data.images[:, None] / 16).astype(np.float32)
    model, losses = ox.example("digits_training"), []
    for i in 2 * list(range(0, 1280, 64)):
        feeds = {"image": images[i : i + 64], "label": data.target[i : i + 64], "rate": 3e-3}
        step = ox.train_step(model, feeds, initialize=not losses, seed=1)
        model, losses = step.model, [*losses, step.outputs["loss"]]
    assert losses[0] == pytest.approx(np.log(10), rel=0.3), "untrained, all digits are as likely"
    right = ox.run(model, {"image": images[1400:]})["probabilities"].argmax(1) == data.target[1400:]
    assert right.mean() > 0.8
