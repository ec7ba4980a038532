"""Steps through a model in a process of its own and prints, as JSON, the most memory that it held.

    python -m tests.benchmarks.stepped MODEL BUDGET_BYTES

Pages of the mapped weights are not counted: the system takes them back when it needs them.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from threading import Event, Thread

import numpy as np

from onnx_explorer.evaluation import Stepper
from onnx_explorer.files import load


def anonymous_bytes() -> int:
    """The memory of this process that no file stands behind."""
    (found,) = re.findall(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found) * 1024


class Watching(Thread):
    """Looks every few milliseconds, during nodes too."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.over = Event()

    def run(self) -> None:
        while not self.over.wait(0.002):
            self.most = max(self.most, anonymous_bytes())


def main(path: str, budget_bytes: int) -> None:
    model = load(path)
    (fed,) = model.graph.inputs
    feeds = {fed.name: np.ones(fed.type.shape, np.float32)}
    before = anonymous_bytes()
    watching = Watching()
    watching.start()
    started = time.perf_counter()
    stepper = Stepper(model, feeds, budget_bytes=budget_bytes)
    while not stepper.done:
        stepper.step()
    took = time.perf_counter() - started
    watching.over.set()
    watching.join()
    ran = len(stepper.completed)
    print(json.dumps({"most": watching.most, "before": before, "seconds": took, "nodes": ran}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
