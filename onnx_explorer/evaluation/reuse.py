"""What a node may use again: its results of the run before, and buffers that nobody else holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.evaluation.frames import Frame
from onnx_explorer.evaluation.memory import memory_bytes
from onnx_explorer.evaluation.steps import Body, Kept, Plan, PlanStep
from onnx_explorer.ir import RunValue, read_names

Array = NDArray[np.generic]

KEPT_AT_ONCE = 1 << 24
KEPT_IN_ALL = 1 << 27
KEPT_OF_SIZES = 1 << 14
"""How many bytes a plan keeps from run to run: of one result that depends on constants alone, of
all of those, and of one that depends on shapes as well.
"""

FEW_BYTES = 1 << 10
SHARE_OF_MEMORY = 16
"""Where a node makes something of constants that take a few bytes (`ConstantOfShape`), it is the
short way to write a weight down. A plan keeps these as it would keep weights, up to a share of the
machine's memory.
"""

WORTHWHILE = 1 << 12
"""Elements from which on writing over an array saves more than asking whether one may."""


AHEAD_BYTES = (1 << 25) - (1 << 16)
"""The largest block that glibc's malloc keeps in its heap."""


def reserve() -> None:
    """Have a large block come and go untouched. glibc's malloc takes it for a sign to keep blocks of
    up to this size in its heap, and 64 MiB of them once they are free; before, it gives each large
    array back to the system, and the next one takes ten times as long to be filled for the first
    time. And numpy asks Linux for large pages where such a block is: what comes there afterwards is
    filled for the first time in half the time. Other allocators do not care.
    """
    np.empty(AHEAD_BYTES, np.uint8)


reserve()


def mark(plan: Plan, around: Iterable[str] = ()) -> None:
    """Say for each step which inputs it may write over, and how much of its results to keep: where
    all inputs are constant, or come from constants and shapes, the next run most likely has the
    very same ones. `around` are names from around a graph that are constant there.
    """
    plan.around = tuple(around)
    constant = {*plan.constants, *plan.around}
    steady = set(constant)
    for step in plan.steps:
        kernel = step.plain
        step.dead = tuple(name for name in step.dead if name not in plan.around)
        # Of a kernel that a person supplied nothing is known.
        if kernel is None or step.schema is None:
            continue
        ports = ((name, step.schema.port(i)) for i, name in enumerate(step.inputs))
        own = {name for name, port in ports if port and port.name in kernel.inplace}
        step.over = tuple(name for name in step.dead if name in own)
        step.keeps, step.of_shape = 0, False
        names = {name for name in step.inputs if name}
        if step.varies:
            continue
        if names <= constant:
            step.keeps = KEPT_AT_ONCE
            constant.update(step.outputs)
        elif kernel.of_shape or names <= steady:
            step.keeps = KEPT_OF_SIZES
            step.of_shape = kernel.of_shape
        else:
            continue
        steady.update(step.outputs)
    for step in plan.steps:
        for inner, names in _inside(step):
            mark(inner, (name for name, here in names if here in constant))


def _inside(step: PlanStep) -> Iterator[tuple[Plan, Iterable[tuple[str, str]]]]:
    """The graphs that a node runs, with what they read from around them: by which name, and what it
    is called where the node is.
    """
    if step.function is not None:
        yield step.function, zip(step.function.inputs, step.inputs, strict=False)
    for value in step.keywords.values():
        if isinstance(value, Body):
            captured = value.plan.captured
            yield value.plan, zip(captured, captured, strict=True)


def slim(plan: Plan, values: Mapping[str, RunValue]) -> None:
    """Leave nodes that depend on constants alone out of further runs, now that one has shown what
    they give.
    """
    lean = Plan(plan.path, plan.inputs, plan.outputs, full=plan)
    lean.generation = plan.generation
    lean.assumed = {name: values[name] for name in plan.around if name in values}
    known: dict[str, RunValue] = {**plan.constants, **lean.assumed}
    for step in plan.steps:
        kept = step.kept
        # Another run may have been fed something else in place of a constant.
        if kept is None or step.keeps != KEPT_AT_ONCE or not _same(kept.seen, step.inputs, known):
            lean.steps.append(step)
            continue
        results = kept.result if isinstance(kept.result, tuple) else (kept.result,)
        made = zip(step.outputs, results, strict=False)
        known.update({name: value for name, value in made if name})
    read = set(plan.outputs)
    for step in lean.steps:
        read.update(read_names(step.node), step.part.captured if step.part else ())
    lean.constants = cast("dict[str, Array]", {n: v for n, v in known.items() if n in read})
    lean.captured = tuple(name for name in plan.captured if name in read and name not in known)
    plan.lean = lean.lean = lean


def quicken(lean: Plan) -> None:
    """Leave what follows from shapes out of further runs as well, after one in which all shapes were
    those of the run before.
    """
    if lean.lean is not lean or lean.whole is not None or quickest(lean) is not lean:
        return
    known: dict[str, RunValue] = dict(lean.constants)
    quick = replace(lean, steps=[], whole=lean, quick=None)
    for step in lean.steps:
        kept = step.kept
        if kept is None or kept.generation is not quick.generation or step.of_shape:
            quick.steps.append(step)
            continue
        results = kept.result if isinstance(kept.result, tuple) else (kept.result,)
        made = zip(step.outputs, results, strict=False)
        known.update({name: value for name, value in made if name})
    quick.constants = cast("dict[str, Array]", known)
    quick.lean = quick
    lean.quick = quick


def quickest(lean: Plan) -> Plan:
    """A lean plan without what follows from shapes, where that is known."""
    quick = lean.quick
    return quick if quick is not None and quick.generation is lean.generation else lean


def is_as_assumed(lean: Plan, around: Mapping[str, RunValue]) -> bool:
    """Whether what a lean plan takes for constant is what it was."""
    return all(around.get(name) is value for name, value in lean.assumed.items())


def _same(seen: object, names: Sequence[str], known: Mapping[str, RunValue]) -> bool:
    return all(map(is_, cast("list[RunValue]", seen), map(known.get, names)))


def serves(kept: Kept, step: PlanStep, inputs: Sequence[RunValue]) -> bool:
    """Whether a node gets what it got when its results were kept: the very same arrays, since
    constants and what comes from them are the same objects in every run; for a node that looks at
    a shape alone, an array of the same shape.
    """
    if step.of_shape:
        return cast("Array", inputs[0]).shape == kept.seen
    return all(map(is_, cast("list[RunValue]", kept.seen), inputs))


def keep(
    frame: Frame, step: PlanStep, inputs: Sequence[RunValue], results: tuple[RunValue, ...]
) -> None:
    """Keep what a node gave for the next run, if that is small enough."""
    plan = frame.plan
    arrays = [value for value in results if isinstance(value, np.ndarray)]
    held = {id(_buffer(value)) for value in inputs if isinstance(value, np.ndarray)}
    size = sum(array.nbytes for array in map(_buffer, arrays) if id(array) not in held)
    # A node without inputs is a constant of the file, which the model holds anyway.
    spelled_out = step.keeps == KEPT_AT_ONCE and all(map(_is_short, inputs))
    room = (
        memory_bytes() // SHARE_OF_MEMORY - plan.spelled_out_bytes
        if spelled_out
        else min(step.keeps, KEPT_IN_ALL - plan.kept_bytes)
    )
    if len(arrays) < len(results) or (inputs and size > room):
        _give_up(plan, step)
        return
    if step.kept is None and inputs:
        if spelled_out:
            plan.spelled_out_bytes += size
        else:
            plan.kept_bytes += size
    seen = cast("Array", inputs[0]).shape if step.of_shape else inputs
    # One array is stored faster than a tuple of them.
    result = results[0] if len(step.outputs) == 1 else results
    step.kept = Kept(result, seen, _generation(frame))


def _is_short(value: RunValue) -> bool:
    return isinstance(value, np.ndarray) and value.nbytes <= FEW_BYTES


def keep_again(frame: Frame, step: PlanStep, kept: Kept) -> None:
    """Count what a node has kept among what this run gives, now that it has been looked at."""
    step.kept = Kept(kept.result, kept.seen, _generation(frame))


def _generation(frame: Frame) -> object:
    """That of a run which differs from the one before, or of which nothing was kept so far: its
    own. A run only ever adds to its own, so that all in one belongs together, whatever other
    threads run meanwhile.
    """
    if not frame.apart:
        frame.part()
        frame.plan.generation = frame.generation
    return frame.generation


def _give_up(plan: Plan, step: PlanStep) -> None:
    """Keep no more what a node gives, nor what depends on it: that never sees the same array twice."""
    lost = set(step.outputs)
    for later in plan.steps:
        if later.keeps and not later.of_shape and not lost.isdisjoint(later.inputs):
            later.keeps, later.kept = 0, None
            lost.update(later.outputs)
    for later in plan.steps:
        for inner, names in _inside(later):
            if any(here in lost and name in inner.around for name, here in names):
                _forget(inner)
    # Last, so that another thread does not take what depends on this node for known without it.
    step.keeps, step.kept = 0, None


def _forget(plan: Plan) -> None:
    """Take nothing from around a graph for constant."""
    for step in plan.steps:
        step.kept = None
    mark(plan)
    plan.lean = None


def _buffer(array: Array) -> Array:
    """The array whose elements a view shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def own_bytes(value: RunValue) -> int:
    """The memory that a value holds for itself; a view holds none."""
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None or type(value.base) is not np.ndarray else 0
    if isinstance(value, list):
        return sum(map(own_bytes, value))
    return 0


def unshared(step: PlanStep, values: Mapping[str, RunValue]) -> Array | None:
    """An input that a node may write over: an array that nothing but `values` and the list of the
    node's inputs refers to, and whose elements nothing else sees. Whoever fed it, another view, a
    list, a constant or another name would be one more.
    """
    for name in step.over:
        if getattr(values[name], "size", 0) >= WORTHWHILE and _holders(values, name) == _TWO:
            array = cast("Array", values[name])  # what else there is has no size
            flags = array.flags
            if flags.writeable and (flags.owndata or _owns_base(array)):
                return array
    return None


def _owns_base(view: Array) -> bool:
    """Whether a view is the only one that refers to the array whose elements it shows. One with
    gaps or repetitions is none to write into.
    """
    return (
        type(view.base) is np.ndarray
        # An array over memory of something else, a file or a buffer, is not numpy's to give away.
        and view.base.base is None
        and view.base.flags.owndata
        and sys.getrefcount(view.base) == _ONE
        and view.flags.c_contiguous
    )


def _holders(values: Mapping[str, RunValue], name: str) -> int:
    return sys.getrefcount(values[name])


def _count_of_two() -> int:
    values: dict[str, RunValue] = {"x": np.empty(0)}
    inputs = [values["x"]]
    return _holders(values, "x") if inputs else 0


def _count_of_one() -> int:
    view = np.empty(1)[:1]
    return sys.getrefcount(view.base)


_TWO, _ONE = _count_of_two(), _count_of_one()
"""What is counted for an array in one dict and one list, and for one that one view refers to."""
