"""`train_step`: one iteration of the training that a model file describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeGuard, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError, ModelError
from onnx_explorer.evaluation.run import run
from onnx_explorer.ir import Graph, Model, OptionalType, RunValue, Tensor, TrainingInfo, Value
from onnx_explorer.ir.expected import expect_flag, model_of

if TYPE_CHECKING:
    from onnx_explorer.ir.expected import Source

Kind = Literal["initialization", "update"]


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """What one training step gave: the model with its new weights, and every output of the graph
    and of the training algorithm by name.
    """

    model: Model
    outputs: Mapping[str, RunValue]

    def __repr__(self) -> str:
        numbers = [f"{n} {v.item():.6g}" for n, v in self.outputs.items() if _is_number(v)]
        return f"<training step of {self.model.graph.name!r}: {', '.join(numbers)}>"


def _is_number(value: RunValue) -> TypeGuard[NDArray[np.generic]]:
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"


def train_step(
    model: Source,
    feeds: Mapping[str, object],
    *,
    initialize: bool = False,
    seed: int | None = None,
) -> TrainingStep:
    """One training iteration of a model with training information: each of its algorithms runs
    together with the graph, and what its update bindings name is written to the initializers.
    The model itself stays as it is; the step holds a new one.

        for place, (images, labels) in enumerate(batches):
            feeds = {"images": images, "labels": labels}
            model = ox.train_step(model, feeds, initialize=place == 0).model

    `feeds` are the inputs of the graph and of the algorithms. With `initialize` the initialization
    graphs run first and set what their bindings name, as at the start of a training. `seed` makes
    random operators repeatable.

    Raises:
        EvaluationError: the model has no training information; a feed or a node fails, as in
            `run`; a binding names something that is not there; an update has another dtype or
            shape than what it replaces.
        ModelError: graph and algorithm use one name for two things.
    """
    model = model_of(model)
    expect_flag("initialize", initialize, EvaluationError)
    if not model.training:
        raise EvaluationError(f"the model {model.graph.name!r} has no training information")
    if not isinstance(cast("object", feeds), Mapping):
        raise EvaluationError(f"the feeds are a {type(feeds).__name__}; expected a dict by name")
    if initialize:
        model = _initialized(model, seed)
    outputs: dict[str, RunValue] = {}
    left = set(feeds)
    for place in range(len(model.training)):
        training = _training_of(model)[place]
        known = {v.name for v in training.graph.inputs}
        given = {name: value for name, value in feeds.items() if name in known}
        _expect_all(training, model, place, given)
        left -= set(given)
        outputs |= run(training, {**_current(model, place), **given}, seed=seed)
        model = _updated(model, place, model.training[place].update_binding, outputs, "update")
    if left:
        name = min(left)
        raise EvaluationError(f"feed {name!r} is an input of neither the graph nor an algorithm")
    return TrainingStep(model, outputs)


def _expect_all(training: Model, model: Model, place: int, given: Mapping[str, object]) -> None:
    """Say what is missing without the weights, which nobody has to feed."""
    trained = _current(model, place)
    for value in training.graph.inputs:
        held = value.name in trained or value.name in training.graph.initializers
        if not held and value.name not in given and not isinstance(value.type, OptionalType):
            fed = f"only {', '.join(map(repr, given))}" if given else "nothing"
            raise EvaluationError(f"input {value.name!r} ({value.type}) is missing; fed was {fed}")


def _initialized(model: Model, seed: int | None) -> Model:
    for place, info in enumerate(model.training):
        if info.initialization is not None:
            made = run(replace(model, graph=info.initialization, training=()), {}, seed=seed)
            bindings = info.initialization_binding
            model = _updated(model, place, bindings, made, "initialization")
    return model


_TRAINING: WeakKeyDictionary[Model, list[Model]] = WeakKeyDictionary()


def _training_of(model: Model) -> list[Model]:
    """For each algorithm the graph joined with it: a model that takes as inputs what is trained,
    so that it, and its plan, serve every step.
    """
    if model not in _TRAINING:
        _TRAINING[model] = [
            _joined(model, place, info) for place, info in enumerate(model.training)
        ]
    return _TRAINING[model]


def _joined(model: Model, place: int, info: TrainingInfo) -> Model:
    graph, algorithm = model.graph, info.algorithm or Graph("algorithm")
    names = Counter(_names(graph))
    names.update(_names(algorithm))
    twice = next((name for name, times in names.items() if times > 1), None)
    if twice is not None:
        raise ModelError(
            f"{twice!r} is made twice in graph {graph.name!r} and algorithm {algorithm.name!r} "
            "of the training, which run as one"
        )
    trained = _current(model, place)
    declared = {v.name for v in (*graph.inputs, *algorithm.inputs)}
    kept = {**graph.initializers, **algorithm.initializers}
    joined = Graph(
        graph.name,
        (*graph.nodes, *algorithm.nodes),
        inputs=(
            *graph.inputs,
            *algorithm.inputs,
            *(Value(n, Tensor.of(v).type) for n, v in trained.items() if n not in declared),
        ),
        outputs=(*graph.outputs, *algorithm.outputs),
        initializers={n: t for n, t in kept.items() if n not in trained},
        sparse_initializers=(*graph.sparse_initializers, *algorithm.sparse_initializers),
    )
    return replace(model, graph=joined, training=())


def _names(graph: Graph) -> Iterable[str]:
    """Every name that a graph gives a value; an input with a default is one."""
    yield from {v.name for v in graph.inputs} | set(graph.initializers)
    yield from (sparse.name for sparse in graph.sparse_initializers)
    yield from (name for node in graph.nodes for name in node.outputs if name)


def _current(model: Model, place: int) -> dict[str, NDArray[np.generic]]:
    """What any algorithm or initialization writes to and this one sees, as it is now."""
    for name, _ in model.training[place].update_binding:
        _initializer(model, place, name, "update")
    bindings = (b for i in model.training for b in (*i.initialization_binding, *i.update_binding))
    algorithm = model.training[place].algorithm
    seen = {**model.graph.initializers, **(algorithm.initializers if algorithm else {})}
    return {name: seen[name].numpy() for name, _ in bindings if name in seen}


def _initializer(model: Model, place: int, name: str, kind: Kind) -> Tensor:
    algorithm = model.training[place].algorithm
    found = model.graph.initializers.get(name)
    if found is None and algorithm is not None:
        found = algorithm.initializers.get(name)
    if found is None:
        raise EvaluationError(
            f"an {kind} binding names {name!r}, which is no initializer of the graph or the "
            "training algorithm"
        )
    return found


def _updated(
    model: Model,
    place: int,
    bindings: tuple[tuple[str, str], ...],
    outputs: Mapping[str, RunValue],
    kind: Kind,
) -> Model:
    """The model with the initializers that the bindings name set to outputs."""
    new: dict[str, Tensor] = {}
    for name, output in bindings:
        old = _initializer(model, place, name, kind)
        if output not in outputs:
            raise EvaluationError(
                f"an {kind} binding sets {name!r} to {output!r}, which is no output"
            )
        made = Tensor.of(np.asarray(outputs[output]), name)
        if made.type != old.type:
            raise EvaluationError(
                f"an {kind} binding sets {name!r}, {old.type}, to {output!r}, which is {made.type}"
            )
        new[name] = made
    info = model.training[place]
    algorithm = None if info.algorithm is None else _with(info.algorithm, new)
    infos = list(model.training)
    infos[place] = replace(info, algorithm=algorithm)
    made = replace(model, graph=_with(model.graph, new), training=tuple(infos))
    _TRAINING[made] = _training_of(model)
    return made


def _with(graph: Graph, new: Mapping[str, Tensor]) -> Graph:
    """The graph with other values for those of its initializers that are in `new`."""
    if not new.keys() & graph.initializers.keys():
        return graph
    initializers = {n: new.get(n, tensor) for n, tensor in graph.initializers.items()}
    return replace(graph, initializers=initializers)
