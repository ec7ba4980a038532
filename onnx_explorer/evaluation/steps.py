"""A graph ready to run, as data: its steps, and what is known of each before the first run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import Model, Node, RunValue, Type
from onnx_explorer.schema import OpSchema, PageFunction

Uses = tuple[int, int, tuple[tuple[str, Type], ...]]
"""Of a function: the version of the operator that states it, the opset that it is written in, and
the types that it is given.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A subgraph as a kernel sees it: a plan, and the values around it that it reads."""

    name: str
    plan: Plan
    declared: tuple[Type | None, ...]
    inferred: Callable[[], Mapping[str, Type]]

    @property
    def n_inputs(self) -> int:
        return len(self.plan.inputs)

    @property
    def n_outputs(self) -> int:
        return len(self.plan.outputs)

    @property
    def output_types(self) -> tuple[Type | None, ...]:
        """What the file declares for each output, or else what inference says."""
        if None not in self.declared:
            return self.declared
        types = self.inferred()
        return tuple(
            declared or types.get(name)
            for name, declared in zip(self.plan.outputs, self.declared, strict=True)
        )


@dataclass(slots=True, eq=False)
class Kept:
    """What a node gave in an earlier run. All that carries one `generation` comes from one run of
    the graph: what depends on constants and shapes is the same again when those are.
    """

    result: RunValue | tuple[RunValue, ...]
    seen: object
    """Its inputs; for a node that looks at a shape alone, that shape."""
    generation: object


@dataclass(slots=True, eq=False, repr=False)
class PlanStep:
    """One node, ready to run. Exactly one of `kernel`, `function` and `problem` is set.

    `problem` says why the node cannot run; it counts only when the node is reached.
    """

    node: Node
    id: str
    kernel: PageFunction | None = None
    keywords: dict[str, object] = field(default_factory=dict[str, object])
    schema: OpSchema | None = None
    attributes: dict[str, object] = field(default_factory=dict[str, object])
    """All attributes of an operator, decoded; `keywords` are those that its kernel takes."""
    function: Plan | None = None
    problem: str = ""
    operator: str = ""
    version: int = 0
    dead: tuple[str, ...] = ()
    checked: tuple[object, ...] | None = None
    """Dtypes of the inputs that the schema takes, as a run has shown."""
    steady: bool = False
    """Whether these dtypes are the same in every run."""
    tensors: bool = False
    """Whether a node with subgraphs gives tensors only, for all that they declare. Their dtypes are
    compared with what it `gave` before: while they are the same, what reads them is steady.
    """
    gave: tuple[object, ...] | None = None
    part: Plan | None = None
    """What a Gradient differentiates: a part of the graph around it."""
    bodies: dict[Uses, Plan | None] = field(default_factory=dict["Uses", "Plan | None"])
    """The function that the standard gives for this node, by its uses; made when it is looked into
    or its derivative is asked for.
    """
    opset: int = 0
    """The version of the default operator set around the node; 0 where none is imported."""
    plain: PageFunction | None = None
    """The kernel, unless it is one that calls subgraphs."""
    call: Callable[..., object] | None = None
    """The kernel with its keywords, where there is nothing to do but to call it: known after the
    first run.
    """
    again: Callable[..., object] | None = None
    """Makes such a call that costs less, of the inputs and outputs of a run."""
    tries: int = 0
    """How many of these there have been."""
    choose: Callable[..., object] | None = None
    """For a node that gives what one of its subgraphs gives: tells from the inputs which it is."""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    fetch: Callable[[Mapping[str, RunValue]], Sequence[RunValue]] = field(init=False)
    """Looks the inputs up: None for those left out; a KeyError for those that are not there."""
    input: str = ""
    """The input, where there is just one."""
    output: str = ""
    """The output, where there is just one."""
    wanted: tuple[bool, ...] = ()
    """Which outputs have a name."""
    over: tuple[str, ...] = ()
    """Inputs that the kernel may write its result over when nobody else holds them."""
    keeps: int = 0
    """How many bytes of results are worth keeping for the next run. 0: it never gets the very same
    inputs again, or does not give the same outputs for them.
    """
    of_shape: bool = False
    kept: Kept | None = None

    def __post_init__(self) -> None:
        self.inputs, self.outputs = self.node.inputs, self.node.outputs
        plain = len(self.inputs) > 1 and all(self.inputs)
        self.fetch = itemgetter(*self.inputs) if plain else partial(_fetched, self.inputs)
        self.input = self.inputs[0] if len(self.inputs) == 1 else ""
        self.output = self.outputs[0] if len(self.outputs) == 1 else ""
        self.wanted = tuple(map(bool, self.outputs))

    @property
    def varies(self) -> bool:
        """Whether its kernel gets something new in every run: random numbers, or the values of the
        graph that it differentiates.
        """
        return self.part is not None or (self.kernel is not None and self.kernel.random)

    def __repr__(self) -> str:
        return f"<node {self.id!r} ({self.operator})>"


def _fetched(names: Sequence[str], values: Mapping[str, RunValue]) -> Sequence[RunValue]:
    return [values[name] if name else None for name in names]


@dataclass(slots=True, eq=False)
class Plan:
    """The steps of one graph in running order. `captured` are names read from around it."""

    path: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    steps: list[PlanStep] = field(default_factory=list[PlanStep])
    constants: dict[str, NDArray[np.generic]] = field(
        default_factory=dict[str, NDArray[np.generic]]
    )
    captured: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    """For a graph inside another: what it captures, or is given, that is constant there."""
    assumed: Mapping[str, RunValue] = field(default_factory=dict[str, RunValue])
    """For a lean plan of such a graph: what these were in the run that showed it."""
    dtypes: tuple[object, ...] | None = None
    """For a graph inside another: those of what it was given and captures, as the latest run had
    them. While they are the same, those of its nodes are.
    """
    steady: bool = False
    """Whether its outputs have the same dtypes in every run in which its inputs have."""
    reads: frozenset[str] = frozenset()
    """For a main graph: every name that its nodes or outputs read."""
    kept_bytes: int = 0
    """How much it keeps of results that depend on constants alone."""
    spelled_out_bytes: int = 0
    """How much of those that are made of a few bytes each."""
    sound: bool = False
    """Whether it is known that something makes each output, and that every node can run."""
    generation: object = field(default_factory=object)
    """That of the results that its steps keep from the latest run."""
    function: Model | None = None
    """Of the function that the standard gives for an operator: the function as a model, its inputs
    of the types that it is given.
    """
    stated: str = ""
    """Of such a function: which one it is, where the standard states none for the node's version in
    the model's opset.
    """
    lean: Plan | None = None
    """The same without the nodes whose results are kept for good, once a run has shown them."""
    quick: Plan | None = None
    """Of a lean plan: the same without what follows from shapes as well, as long as these stay what
    they were in the runs of its generation. Nodes that look at shapes are still there.
    """
    whole: Plan | None = None
    """Of a quick plan: the lean one that it leaves nodes out of."""
    full: Plan | None = None
    """Of a lean or quick plan: the one with all nodes."""
    turns: AbstractContextManager[object] = field(default_factory=nullcontext[None])
    """Of a main graph: held during a run. A lock where the dtypes of inputs are open: its nodes are
    ready for those of one run, which another thread must not change meanwhile.
    """
