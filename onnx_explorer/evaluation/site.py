"""Where a kernel runs."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, slots=True)
class Place:
    """The `RunSite` of a node, in every run."""

    wanted: tuple[bool, ...]
    version: int


@dataclass(eq=False)
class Site:
    """The `RandomSite` of one run of a node: `visits` tells iterations of enclosing loops apart.

    Not frozen: it is made for each run of each node that asks for it.
    """

    wanted: tuple[bool, ...]
    version: int
    seed: int
    node_id: str
    visits: tuple[int, ...]

    @cached_property
    def rng(self) -> np.random.Generator:
        """Keyed by seed, node and iteration: coming back gives the same numbers again."""
        key = zlib.crc32(self.node_id.encode("utf-8", "surrogateescape"))
        return np.random.default_rng([self.seed, key, *self.visits])
