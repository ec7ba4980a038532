"""Inference and runs of real models beside onnx and onnxruntime, in one process, one thread each.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/bench_models.py [MODEL ...]

Each reading is the best of several; only the ratios mean something on a shared machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from math import prod

import onnx
import onnxruntime

from onnx_explorer.evaluation import run
from onnx_explorer.files import load
from onnx_explorer.inference import infer
from tests.models.sources import DATA, RECORDED, recorded_values

REPEATS = 7


def best_ms(function: Callable[[], object]) -> float:
    readings: list[float] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        readings.append(1000 * (time.perf_counter() - start))
    return min(readings)


def session(path: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # A pool that spins after its run would take the core from the other library.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main(names: list[str]) -> None:
    print(
        f"{'model':16} {'load+infer':>11} {'onnx':>8} {'ratio':>6}   {'run':>8} {'ort':>8} {'ratio':>6}"
    )
    ratios: dict[str, list[float]] = {"infer": [], "run": []}
    for name in names:
        path = str(DATA / f"{name}.onnx")
        feeds, _ = recorded_values(name)
        model, peer = load(path), session(path)
        ours = best_ms(lambda path=path: infer(load(path)))
        theirs = best_ms(
            lambda path=path: onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True)
        )
        run_ours = best_ms(lambda model=model, feeds=feeds: run(model, feeds))
        run_theirs = best_ms(lambda peer=peer, feeds=feeds: peer.run(None, feeds))
        ratios["infer"].append(ours / theirs)
        ratios["run"].append(run_ours / run_theirs)
        print(
            f"{name:16} {ours:9.1f}ms {theirs:6.1f}ms {ours / theirs:6.2f}   "
            f"{run_ours:6.1f}ms {run_theirs:6.1f}ms {run_ours / run_theirs:6.2f}"
        )
    for what, found in ratios.items():
        print(f"geometric mean, {what}: {prod(found) ** (1 / len(found)):.2f}")


def bench_models() -> None:
    main(RECORDED)


if __name__ == "__main__":
    main(sys.argv[1:] or RECORDED)
