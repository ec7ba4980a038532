"""The nodes of a model that take the longest, beside onnxruntime's time for the same nodes.

    python -m tests.benchmarks.slowest MODEL [ROWS]

Both on one thread. onnxruntime changes no node here: neither fuses nor folds.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import onnx
from onnxruntime import GraphOptimizationLevel
from threadpoolctl import threadpool_limits

from onnx_explorer.evaluation import run
from onnx_explorer.evaluation.machine import Machine
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.files import load
from tests.benchmarks.cases import Case, case
from tests.benchmarks.readings import session

RUNS = 15


def main(name: str, rows: int = 25) -> None:
    found = case(name)
    with threadpool_limits(1):
        ours, operators = _ours(found)
    theirs = _theirs(found)
    by_operator: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
    for node, took in ours.items():
        total = by_operator[operators[node]]
        total[0] += took
        total[1] += theirs.get(node, 0.0)
        total[2] += 1
    print(f"{'operator':44}{'nodes':>8}{'ours us':>10}{'theirs us':>10}{'ratio':>8}")
    for operator, (a, b, count) in sorted(by_operator.items(), key=lambda item: -item[1][0]):
        print(f"{operator:44}{count:8}{a:10.0f}{b:10.0f}{a / b if b else 0:8.2f}")
    a, b = sum(ours.values()), sum(theirs.values())
    print(f"{'all':44}{len(ours):8}{a:10.0f}{b:10.0f}{a / b:8.2f}\n")
    worst = sorted(ours, key=lambda node: theirs.get(node, 0.0) - ours[node])[:rows]
    for node in worst:
        a, b = ours[node], theirs.get(node, 0.0)
        label = f"{operators[node]} {node}"
        print(f"{label[-50:]:52}{a:10.0f}{b:10.0f}{a / b if b else 0:8.2f}")


def _ours(found: Case) -> tuple[dict[str, float], dict[str, str]]:
    """Microseconds of each node of the main graph, with all that is inside it, by first output."""
    model = load(found.path)
    run(model, found.feeds)  # after which constants are out of the way
    plan = plan_of(model, tuple(v.name for v in model.graph.outputs))
    best: dict[str, float] = {}
    operators: dict[str, str] = {}
    for _ in range(RUNS):
        machine = Machine(plan, found.feeds, 0, free=True)
        spent: dict[str, float] = defaultdict(float)
        with np.errstate(all="ignore"):
            while not machine.done:
                step = machine.stack[0].step
                start = time.perf_counter()
                machine.advance()
                if step is not None:
                    key = next(filter(None, step.node.outputs))
                    spent[key] += 1e6 * (time.perf_counter() - start)
                    operators[key] = step.node.op_type
        for key, took in spent.items():
            best[key] = min(took, best.get(key, took))
    return best, operators


def _theirs(found: Case) -> dict[str, float]:
    """The same from onnxruntime's own profile, where nodes go by their names: they get new ones."""
    model = onnx.load(found.path)
    for node in model.graph.node:
        node.name = next(filter(None, node.output))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "named.onnx"
        onnx.save(model, path)
        runner = session(
            path,
            graph_optimization_level=GraphOptimizationLevel.ORT_DISABLE_ALL,
            enable_profiling=True,
            profile_file_prefix=f"{folder}/profile",
        )
        for _ in range(RUNS):
            runner.run(None, found.feeds)
        events = json.loads(Path(runner.end_profiling()).read_text())
    best: dict[str, float] = {}
    for event in events:
        name, kind = event["name"], "_kernel_time"
        if event.get("cat") == "Node" and name.endswith(kind):
            key = name.removesuffix(kind)
            best[key] = min(event["dur"], best.get(key, event["dur"]))
    return best


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
