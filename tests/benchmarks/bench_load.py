"""Time and memory of `ox.load` against `onnx.load`.

    python tests/benchmarks/bench_load.py [--large] [MODEL ...]

Each reading is the least processor time of several runs, in a process of its own, with the file in
the page cache.
`--large` adds files of 1.5 GB and 2.7 GiB, written into a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from onnx_explorer.files.wire import Rope

_MEASURE = """
import gc, json, sys, time, psutil
library, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
if library == "onnx":
    import onnx
    load = lambda: onnx.load(path)
else:
    from onnx_explorer.files import load as read
    load = lambda: read(path)
process = psutil.Process()
before = process.memory_info().rss
best = grown = None
runs, begin = 0, time.perf_counter()
while runs < 3 or time.perf_counter() - begin < seconds:
    runs += 1
    gc.collect()
    start = time.process_time()
    try:
        model = load()
    except Exception as error:
        print(json.dumps({"error": type(error).__name__}))
        sys.exit()
    took = 1000 * (time.process_time() - start)
    best = took if best is None else min(best, took)
    grown = grown or (process.memory_info().rss - before) / 2**20
    del model
print(json.dumps({"ms": best, "mib": grown}))
"""


def measure(library: str, path: Path, seconds: float) -> dict[str, float | str]:
    command = [sys.executable, "-c", _MEASURE, library, str(path), str(seconds)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def write_chain(path: Path, nodes: int) -> None:
    """A graph of many small nodes: attributes, shared inputs, scoped names."""
    made = []
    value = "x"
    for i in range(nodes):
        kind = ("MatMul", "Add", "Softmax")[i % 3]
        inputs = [value] if kind == "Softmax" else [value, "w"]
        made.append(
            helper.make_node(
                kind,
                inputs,
                [f"/layers.{i // 60}/mlp/{kind}_{i}_output_0"],
                name=f"/layers.{i // 60}/mlp/{kind}_{i}",
                **({"axis": -1} if kind == "Softmax" else {}),
            )
        )
        value = made[-1].output[0]
    square = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 4])
    weight = helper.make_tensor("w", TensorProto.FLOAT, [4, 4], [0.5] * 16)
    out = helper.make_tensor_value_info(value, TensorProto.FLOAT, [4, 4])
    graph = helper.make_graph(made, "chain", [square], [out], [weight])
    path.write_bytes(helper.make_model(graph).SerializeToString())


def write_weights(path: Path, nodes: int, weights: int, weight_bytes: int) -> None:
    """The same chain with large initializers in the one file, whatever its size."""
    write_chain(path, nodes)
    model = onnx.load(path)
    graph, head = Rope(), model.graph
    pieces = []
    for i in range(weights):
        tensor = Rope()
        tensor.number(1, weight_bytes // 4)
        tensor.number(2, TensorProto.FLOAT)
        tensor.text(8, f"weight_{i}")
        tensor.head(9, weight_bytes)
        pieces.append(tensor.joined())
    graph.add(head.SerializeToString())
    size = graph.size
    heads = []
    for piece in pieces:
        field = Rope()
        field.head(5, len(piece) + weight_bytes)
        heads.append(field.joined() + piece)
        size += len(heads[-1]) + weight_bytes
    model.ClearField("graph")
    with path.open("wb") as file:
        outer = Rope()
        outer.add(model.SerializeToString())
        outer.head(7, size)
        file.write(outer.joined())
        file.write(graph.joined())
        for start in heads:
            file.write(start)
            file.write(bytes(weight_bytes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [(path, 1.5) for path in options.models]
        write_chain(folder / "5,472 nodes", 5472)
        write_chain(folder / "100,000 nodes", 100_000)
        cases += [(folder / "5,472 nodes", 3), (folder / "100,000 nodes", 8)]
        if options.large:
            write_weights(folder / "1.5 GB", 5472, 96, 16 * 10**6)
            write_weights(folder / "2.7 GiB", 5472, 96, 30 * 10**6)
            cases += [(folder / "1.5 GB", 1), (folder / "2.7 GiB", 1)]
        print(f"{'model':24}{'onnx ms':>10}{'ours ms':>10}{'ratio':>8}{'ours MiB':>10}")
        for path, seconds in cases:
            ours, theirs = measure("ours", path, seconds), measure("onnx", path, seconds)
            print(f"{path.name:24}", end="")
            if "error" in theirs:
                print(f"{theirs['error'][:9]:>10}{ours['ms']:10.1f}{'':8}{ours['mib']:10.1f}")
            else:
                ratio = float(ours["ms"]) / float(theirs["ms"])
                print(f"{theirs['ms']:10.1f}{ours['ms']:10.1f}{ratio:8.2f}{ours['mib']:10.1f}")


if __name__ == "__main__":
    main()
