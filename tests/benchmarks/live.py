"""How much memory a run needs at least."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from onnx_explorer.evaluation.machine import Machine
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.ir import Model


def live_peak(model: Model, feeds: Mapping[str, np.ndarray]) -> int:
    """The most bytes that the inputs and outputs of a node, and all that is read later, take up:
    each buffer counted once, without what is fed and without the model's own tensors.
    """
    plan = plan_of(model, tuple(v.name for v in model.graph.outputs))
    machine = Machine(plan, feeds, 0, free=True)
    given = _buffers(machine)
    peak, before = 0, given
    with np.errstate(all="ignore"):
        while not machine.done:
            machine.advance()
            after = _buffers(machine)
            both = {**before, **after}
            peak = max(peak, sum(size for key, size in both.items() if key not in given))
            before = after
    return peak


def _buffers(machine: Machine) -> dict[int, int]:
    found: dict[int, int] = {}
    for frame in machine.stack:
        for value in frame.values.values():
            if isinstance(value, np.ndarray):
                while isinstance(value.base, np.ndarray):
                    value = value.base
                found[id(value)] = value.nbytes
    return found
