"""Real models beside onnx, onnxruntime and onnx's reference evaluator: `make bench`.

`make bench ARGS="-k swin"` takes some of them; ONNX_EXPLORER_MODELS names a folder of more.
"""

from __future__ import annotations

import logging
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from threadpoolctl import threadpool_limits

from onnx_explorer.evaluation import Stepper, run
from onnx_explorer.files import load
from onnx_explorer.inference import infer
from tests.benchmarks.cases import Case, case, names
from tests.benchmarks.live import live_peak
from tests.benchmarks.readings import SECONDS, Row, beside, once, session
from tests.inference.peers import by_onnx, by_onnx_shape_inference, by_onnxruntime

FEW = 3
"""Runs that one side makes before it is the other's turn."""

models = pytest.mark.parametrize("name", names())


@models
@pytest.mark.benchmark(group="run")
def bench_run(benchmark, name):
    """One thread each is what counts: two of them wait for each other when a core is taken."""
    found = case(name)
    model, feeds = load(found.path), found.feeds
    one, two = session(found.path), session(found.path, 2)

    def ours_on_two() -> None:
        with threadpool_limits(2):
            run(model, feeds)

    with threadpool_limits(1):
        row = beside(
            benchmark,
            lambda: run(model, feeds),
            {
                "onnxruntime": lambda: one.run(None, feeds),
                "ours on 2": ours_on_two,
                "theirs on 2": lambda: two.run(None, feeds),
            },
        )
        ours, theirs = (row.peers.pop(f"{whose} on 2") for whose in ("ours", "theirs"))
        row.more["on two threads"] = f"{ours:.2f} / {theirs:.2f} = {ours / theirs:.2f}"
        _compare_reference(row, found, lambda: run(model, feeds))
    tracemalloc.start()
    run(model, feeds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    live = live_peak(model, feeds)
    if live > 2**20:  # below that, Python's own objects count more than tensors
        row.more["peak MiB / live"] = f"{peak / 2**20:.0f} / {live / 2**20:.0f} = {peak / live:.2f}"


def _compare_reference(row: Row, found: Case, ours: Callable[[], object]) -> None:
    """In turns with us, a few runs each: both are slower where the other has just had the caches.
    Where it takes seconds, once is enough.
    """
    try:
        evaluator = ReferenceEvaluator(str(found.path))
        theirs = partial(evaluator.run, None, found.feeds)
        took, own = once(theirs), row.ours
        if took < 2000:
            for _ in range(max(1, min(60, int(1000 * SECONDS / FEW / took)))):
                own = min(own, *(once(ours) for _ in range(FEW)))
                took = min(took, *(once(theirs) for _ in range(FEW)))
    except Exception as error:  # noqa: BLE001  (whatever it raises, it has no time)
        row.more["reference ms"] = type(error).__name__
        return
    row.more["reference ms"] = f"{took:.1f} / {own:.1f} = {took / own:.1f} x"


@models
@pytest.mark.benchmark(group="step")
def bench_step(benchmark, name):
    """Every node, forward; the peer is our own run."""
    found = case(name)
    model, feeds = load(found.path), found.feeds

    def walk() -> None:
        stepper = Stepper(model, feeds)
        while not stepper.done:
            stepper.step()

    with threadpool_limits(1):
        beside(benchmark, walk, {"run": lambda: run(model, feeds)})


@models
@pytest.mark.benchmark(group="run with all values kept")
def bench_keep(benchmark, name):
    """`Stepper.run`; the peer is our own run. Then the same with breakpoints that stop nothing."""
    found = case(name)
    model, feeds = load(found.path), found.feeds
    ((operator, _),) = Counter(node.op_type for node in model.graph.nodes).most_common(1)

    def walk(**stop: object) -> None:
        stepper = Stepper(model, feeds)
        if stop:
            stepper.add_breakpoint(**stop)
        stepper.run()

    with threadpool_limits(1):
        row = beside(
            benchmark,
            walk,
            {
                "run": lambda: run(model, feeds),
                "operator": lambda: walk(operator=operator, skip=10**9),
                "NaN": lambda: walk(condition="nan", skip=10**9),
            },
        )
    for stop in ("operator", "NaN"):
        row.more[f"with a stop at {stop}"] = f"{row.peers.pop(stop) / row.ours:.2f} x"


@models
@pytest.mark.benchmark(group="load")
def bench_load(benchmark, name):
    path = case(name).path
    beside(benchmark, lambda: load(path), {"onnx": lambda: onnx.load(path)})


@models
@pytest.mark.benchmark(group="load and infer")
def bench_infer(benchmark, name, tmp_path, monkeypatch):
    """Beside onnx in turns; the other two take seconds on some models, so they run once."""
    path = case(name).path
    row = beside(benchmark, lambda: infer(load(path)), {"onnx": lambda: by_onnx(onnx.load(path))})
    monkeypatch.chdir(tmp_path)  # where onnxruntime's tool fails, it leaves a file
    for label, peer in (
        ("onnxruntime's symbolic ms", by_onnxruntime),
        ("onnx-shape-inference ms", by_onnx_shape_inference),
    ):
        row.more[label] = _once_or_why_not(peer, path)


def _once_or_why_not(peer: Callable[[onnx.ModelProto], onnx.ModelProto], path: Path) -> str:
    logging.disable(logging.CRITICAL)
    try:
        return f"{once(lambda: peer(onnx.load(path))):.0f}"
    except Exception as error:  # noqa: BLE001  (whatever it raises, it has no time)
        return type(error).__name__
    finally:
        logging.disable(logging.NOTSET)
