"""Walks in any order through graphs inside each other, through the widget."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pytest

import onnx_explorer as ox
from tests.widgets.asking import Asker
from tests.widgets.walks import functions, loops, mapped

MOVES = ["step"] * 4 + ["step_into"] * 6 + ["step_out"] * 2 + ["back"] * 3
OTHERS = ["run", "run_to", "goto", "restart", "break", "unbreak", "iteration", "look_inside"]
OTHERS += ["foresee"] * 4
REFUSALS = (
    "is not a function of other operators",
    "no function for",
    "has graphs of its own",
    "is neither",  # what a body hands through
    "there is no node",
    "has no node",
    "has not been entered",
)


def question(kind: str, asker: Asker, rng: random.Random) -> dict[str, object]:
    ids = sorted(drawn(asker))
    frames = asker.state.get("frames") or [{"path": "nowhere/"}]
    return {
        "run_to": {"target": rng.choice(ids)},
        "goto": {"position": rng.randrange(5)},
        "break": {"node": rng.choice(ids), "when": rng.choice(["always", "nan"])},
        "unbreak": {"index": 0},
        "iteration": {"path": rng.choice(frames)["path"], "iteration": rng.randrange(3)},
        "look_inside": {"node": rng.choice(ids)},
    }.get(kind, {})


def drawn(asker: Asker) -> set[str]:
    return {box.id for box in asker.explorer._debugger.scene_shown.boxes}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [loops, functions, mapped])
def test_any_walk_stands_at_what_is_drawn_and_ends_in_what_a_run_gives(make, seed, monkeypatch):
    rng = random.Random(seed)
    model, feeds = make()
    asker = Asker(model, feeds, monkeypatch)
    foreseen = ""
    for _ in range(50):
        kind = rng.choice(MOVES + OTHERS)
        reply = asker.ask(kind, **question(kind, asker, rng))
        if kind == "step_into" and foreseen:
            assert foreseen in gzip.decompress(asker.explorer.interiors).decode().split("\n")
        foreseen = reply.get("interior", "")
        if "error" in reply:
            assert any(text in reply["error"] for text in REFUSALS), (kind, reply)
        state, ids = asker.state, drawn(asker)
        assert state.get("failed") is None
        assert {state.get("current") or min(ids), *state.get("done", [])} <= ids
    while asker.state.get("breakpoints"):
        asker.ask("unbreak", index=0)
    asker.ask("run")
    whole = ox.run(model, feeds, seed=0)
    np.testing.assert_array_equal(asker.explorer.stepper.outputs["y"], whole["y"])
