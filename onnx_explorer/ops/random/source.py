"""Where random operators draw from."""

from __future__ import annotations

from math import isfinite

import numpy as np

from onnx_explorer.schema import Attr, RandomSite

Source = np.random.Generator | np.random.RandomState

SEED = Attr("seed", "float", doc="start of the random numbers; default: the run's")


def source(seed: float | None, at: RandomSite) -> Source:
    """The run's random numbers for this node; with a seed always the same ones, which are those
    that other implementations in numpy draw.
    """
    if seed is None or not isfinite(seed):
        return at.rng
    return np.random.RandomState(int(seed) % 2**32)
