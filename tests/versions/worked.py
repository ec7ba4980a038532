"""What a case that is worked out by hand looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.soundness.drawing import Case


@dataclass(frozen=True)
class Worked:
    """Inputs of some versions of an operator, and the outputs that arithmetic gives."""

    op: str
    versions: tuple[int, ...]
    inputs: tuple[object, ...]
    outputs: tuple[object, ...]
    attributes: dict[str, object] = field(default_factory=dict)
    domain: str = ""
    around: Callable[..., object] | None = None

    def case(self) -> Case:
        """The case as the soundness tests have it, with an output of each port in turn."""
        names = tuple("" if wanted is None else f"out{i}" for i, wanted in enumerate(self.outputs))
        inputs = tuple(as_input(value) for value in self.inputs)
        return Case(inputs, self.attributes, names, self.around)


def worked(op, versions, inputs, outputs, *, domain="", around=None, **attributes):
    """A `Worked`; inputs in lists of floats are float32, of ints int64."""
    return Worked(op, versions, inputs, outputs, attributes, domain, around)


def as_input(value):
    if not isinstance(value, (list, float, int)):
        return value
    array = np.array(value)
    match array.dtype.kind:
        case "f":
            return array.astype(np.float32)
        case "U":
            return array.astype(object)
        case _:
            return array
