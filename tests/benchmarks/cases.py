"""What is measured: real models with the values that they are fed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onnx_explorer.files import load
from tests.models.sources import (
    DATA,
    LIGHT,
    LIGHT_MODELS,
    RECORDED,
    WHEELS,
    light_feed,
    recorded_values,
    wheel_model,
)

MORE = os.environ.get("ONNX_EXPLORER_MODELS", "")
"""A folder of further models: each `NAME.onnx` beside a `NAME.npz` of arrays `in:INPUT`."""


@dataclass(frozen=True)
class Case:
    """A model file and what goes in."""

    path: Path
    feeds: Mapping[str, np.ndarray]


def names() -> list[str]:
    more = sorted(path.stem for path in Path(MORE).glob("*.onnx")) if MORE else []
    return list(dict.fromkeys([*RECORDED, *WHEELS, *LIGHT_MODELS, *more]))


def case(name: str) -> Case:
    """The model of this name; skips where it comes from a registry that cannot be reached."""
    if name in RECORDED:
        return Case(DATA / f"{name}.onnx", recorded_values(name)[0])
    if name in WHEELS:
        return Case(wheel_model(name), _wheel_feeds(name))
    if name in LIGHT_MODELS:
        path = LIGHT / f"{name}.onnx"
        graph = load(path).graph
        (fed,) = [v for v in graph.inputs if v.name not in graph.initializers]
        return Case(path, {fed.name: light_feed(fed.type.shape)})
    with np.load(Path(MORE) / f"{name}.npz") as arrays:
        feeds = {key[3:]: arrays[key] for key in arrays if key.startswith("in:")}
    return Case(Path(MORE) / f"{name}.onnx", feeds)


def _wheel_feeds(name: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    if name == "silero_vad_16k_op15":
        return {
            "input": rng.normal(size=(1, 576)).astype(np.float32) * np.float32(0.1),
            "state": np.zeros((2, 1, 128), np.float32),
            "sr": np.array(16000),
        }
    if name == "magika_v3_3":
        return {"bytes": rng.integers(0, 257, (2, 2048)).astype(np.int32)}
    return {"x": rng.normal(size=(1, 3, 320, 320)).astype(np.float32)}
