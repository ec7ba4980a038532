"""Cases of one version of an operator: what the generators of the soundness tests draw for it,
from seeds that do not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.registry import operator
from onnx_explorer.schema import OpSchema
from tests.soundness.drawing import Case, Draw, fitting_versions
from tests.soundness.table import GENERATORS

TRIES = 400  # draws until a case fits an old version


class Seeded(Draw):
    """Draws from a seed. Ranks and sizes fit, and types are those that `version` allows: float32
    in every other seed, where it is one of them. No size is 0: onnxruntime may divide by it, and
    takes the whole process down.
    """

    def __init__(self, seed: int, version: OpSchema, schema: OpSchema) -> None:
        super().__init__(None, schema)
        self._seeded = np.random.default_rng(seed)
        self._usual = seed % 2 == 0
        self._notations = {n for c in version.type_constraints.values() for n in c.allowed}

    def size(self, low=1, high=4):
        return int(self._seeded.integers(low, high, endpoint=True))

    def sizes(self, count, low=1, high=4):
        return super().sizes(count, low or min(high, 1), high)

    def flag(self):
        return bool(self._seeded.integers(2))

    def rarely(self):
        return False

    def permutation(self, count):
        return self._seeded.permutation(count).tolist()

    def pick(self, *choices):
        allowed = [c for c in choices if getattr(c, "notation", None) in self._notations]
        if self._usual and DType.FLOAT32 in allowed:
            return DType.FLOAT32
        return super().pick(*(allowed or choices))


def drawn(version: OpSchema) -> Iterator[Case]:
    """Cases that this version of an operator knows the ports, attributes and types of."""
    found = operator(version.name, version.domain)
    newest = found.schema(found.versions[-1])
    for seed in range(TRIES):
        for schema in (version, newest):
            try:
                case = GENERATORS[version.domain, version.name](Seeded(seed, version, schema))
            except (KeyError, TypeError, AttributeError):
                continue  # the generator needs ports that the version does not have
            case = as_it_was(case, newest, version)
            if version in fitting_versions(found, case):
                yield case
                break


def as_it_was(case: Case, newest: OpSchema, version: OpSchema) -> Case:
    """The case with inputs as attributes of the same name, where they were attributes before, and
    without optional attributes that came later.
    """
    inputs, attributes = [], dict(case.attributes)
    for index, value in enumerate(case.inputs):
        port, before = newest.port(index), version.port(index)
        name = None if port is None else port.name
        if name in version.attributes and (before is None or before.name != name):
            if value is not None:
                attributes[name] = value.tolist()
        else:
            inputs.append(value)
    while inputs and inputs[-1] is None:
        inputs.pop()
    later = attributes.keys() - version.attributes.keys()
    kept = {name: value for name, value in attributes.items() if name not in later}
    return replace(case, inputs=tuple(inputs), attributes=kept)
