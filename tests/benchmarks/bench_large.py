"""Files of many nodes and of much weight, and what a node costs beside its kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import psutil
import pytest
from onnx import NodeProto, TensorProto, helper

from onnx_explorer.evaluation import Stepper, run
from onnx_explorer.files import load
from onnx_explorer.files.wire import Rope
from onnx_explorer.inference import infer
from tests.benchmarks.readings import ROWS, Row, beside

NODES = 5000
STOPS: dict[str, dict[str, object]] = {
    "no breakpoint": {},
    "one operator": {"operator": "Neg", "skip": 10**9},
    "one value": {"value": "v4999", "skip": 10**9},
    "the first NaN": {"condition": "nan"},
}
"""Breakpoints that stop nothing here."""


@pytest.fixture(params=[5472, 100_000], ids="{} nodes".format)
def chain(request, tmp_path) -> Path:
    return _written(tmp_path / "chain.onnx", _layers(request.param))


@pytest.mark.benchmark(group="load")
def bench_load_of_many_nodes(benchmark, chain):
    beside(benchmark, lambda: load(chain), {"onnx": lambda: onnx.load(chain)})


@pytest.mark.benchmark(group="load and infer")
def bench_infer_of_many_nodes(benchmark, chain):
    def theirs() -> None:
        onnx.shape_inference.infer_shapes(onnx.load(chain), data_prop=True)

    beside(benchmark, lambda: infer(load(chain)), {"onnx": theirs})


@pytest.mark.parametrize("weight", [16 * 10**6, 30 * 10**6], ids=["1.5 GB", "2.7 GiB"])
@pytest.mark.benchmark(group="load")
def bench_load_of_much_weight(benchmark, tmp_path, weight):
    path = tmp_path / "heavy.onnx"
    write_weights(path, 5472, 96, weight)
    before = psutil.Process().memory_info().rss
    kept = load(path)
    grown = psutil.Process().memory_info().rss - before
    row = beside(benchmark, lambda: load(path), {})
    row.more["grown MiB"] = f"{grown / 2**20:.1f}"
    assert len(kept.graph.nodes) == 5472


@pytest.mark.benchmark(group=f"{NODES} times np.negative")
def bench_nodes_without_work(benchmark, tmp_path):
    """The peer is the kernel alone."""
    model, feeds, alone = _negations(tmp_path)
    row = beside(benchmark, lambda: run(model, feeds), {"kernel": alone})
    row.name, row.more = "run", _per_node(row)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.benchmark(group=f"{NODES} times np.negative")
def bench_steps_without_work(benchmark, tmp_path, stop):
    model, feeds, alone = _negations(tmp_path)

    def walk() -> None:
        stepper = Stepper(model, feeds)
        if STOPS[stop]:
            stepper.add_breakpoint(**STOPS[stop])
        stepper.run()

    row = beside(benchmark, walk, {"kernel": alone})
    row.name, row.more = f"stepper, {stop}", _per_node(row)


@pytest.mark.benchmark(group=f"{NODES} times np.negative")
def bench_single_steps_without_work(benchmark, tmp_path):
    model, feeds, alone = _negations(tmp_path)

    def walk() -> None:
        stepper = Stepper(model, feeds)
        for _ in range(NODES):
            stepper.step()

    row = beside(benchmark, walk, {"kernel": alone})
    row.name, row.more = "single steps", _per_node(row)


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="reads Linux's account of memory"
)
@pytest.mark.benchmark(group="step with little memory")
def bench_steps_of_much_weight(benchmark, tmp_path):
    """4 GB of weights beside the model, and as much in values, of which a sixteenth may be kept."""
    path = tmp_path / "additions.onnx"
    write_additions(path, 64, 1 << 24)
    budget = 1 << 28

    def stepped() -> dict[str, float]:
        command = [sys.executable, "-m", "tests.benchmarks.stepped", path, str(budget)]
        return json.loads(subprocess.check_output(command))

    found = benchmark.pedantic(stepped)
    row = Row(benchmark.group, "4 GB of weights", 1000 * found["seconds"])
    row.more = {
        "budget MiB": f"{budget >> 20}",
        "peak MiB beside mapped files": f"{found['most'] / 2**20:.0f}",
    }
    ROWS.append(row)
    assert found["nodes"] == 64
    assert found["most"] < 1 << 30


def _per_node(row) -> dict[str, str]:
    return {"overhead us/node": f"{1000 * (row.ours - row.peers['kernel']) / NODES:.2f}"}


def _negations(folder: Path):
    nodes = (helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(NODES))
    model = load(_written(folder / "negations.onnx", nodes, "v0", f"v{NODES}"))
    values = np.ones((4, 4), np.float32)

    def alone() -> None:
        found = values
        for _ in range(NODES):
            found = np.negative(found)

    return model, {"v0": values}, alone


def _layers(nodes: int) -> Iterator[NodeProto]:
    """A chain with attributes, shared inputs and scoped names."""
    value = "x"
    for i in range(nodes):
        kind = ("MatMul", "Add", "Softmax")[i % 3]
        scoped = f"/layers.{i // 60}/mlp/{kind}_{i}"
        made = f"{scoped}_output_0" if i < nodes - 1 else "y"
        axis = {"axis": -1} if kind == "Softmax" else {}
        inputs = [value] if kind == "Softmax" else [value, "w"]
        yield helper.make_node(kind, inputs, [made], name=scoped, **axis)
        value = made


def _written(path: Path, nodes: Iterator[NodeProto], first: str = "x", last: str = "y") -> Path:
    fed, made = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4]) for name in (first, last)
    )
    weight = helper.make_tensor("w", TensorProto.FLOAT, [4, 4], [0.5] * 16)
    graph = helper.make_graph(list(nodes), "chain", [fed], [made], [weight])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def write_additions(path: Path, nodes: int, elements: int) -> None:
    """A chain of additions of weights that all stand in one file beside the model: one hole."""
    model = onnx.load(_written(path, _additions(nodes), "v0", f"v{nodes}"))
    shape = [1024, elements // 1024]
    for value in (*model.graph.input, *model.graph.output):
        for size, wanted in zip(value.type.tensor_type.shape.dim, shape, strict=True):
            size.dim_value = wanted
    del model.graph.initializer[:]
    for i in range(nodes):
        weight = model.graph.initializer.add(
            name=f"w{i}", data_type=TensorProto.FLOAT, dims=shape, data_location=1
        )
        place = {"location": "weights.bin", "offset": 4 * elements * i, "length": 4 * elements}
        for key, value in place.items():
            weight.external_data.add(key=key, value=str(value))
    path.write_bytes(model.SerializeToString())
    with path.with_name("weights.bin").open("wb") as file:
        file.truncate(4 * elements * nodes)


def _additions(nodes: int) -> Iterator[NodeProto]:
    for i in range(nodes):
        yield helper.make_node("Add", [f"v{i}", f"w{i}"], [f"v{i + 1}"])


def write_weights(path: Path, nodes: int, weights: int, weight_bytes: int) -> None:
    """A chain and large initializers in one file, which is a hole where the weights are."""
    model = onnx.load(_written(path, _layers(nodes)))
    heads = []
    for i in range(weights):
        tensor = Rope()
        tensor.number(1, weight_bytes // 4)
        tensor.number(2, TensorProto.FLOAT)
        tensor.text(8, f"weight_{i}")
        tensor.head(9, weight_bytes)
        inner = tensor.joined()
        field = Rope()
        field.head(5, len(inner) + weight_bytes)
        heads.append(field.joined() + inner)
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    outer = Rope()
    outer.add(model.SerializeToString())
    outer.head(7, len(graph) + sum(map(len, heads)) + weights * weight_bytes)
    with path.open("wb") as file:
        file.write(outer.joined())
        file.write(graph)
        for head in heads:
            file.write(head)
            file.seek(weight_bytes, 1)
        file.truncate()
