"""The command that writes `onnx_explorer/proto/` from `onnx_explorer.proto`.

    python proto/generate.py [OUT]

protoc comes from a pinned `grpcio-tools`, installed into a temporary folder. The pin is on purpose the
last protoc (26.1) whose Python code does not check the version of the runtime: it loads under protobuf
5, 6 and 7 alike, while code of a newer protoc refuses every major version but its own and the next.
"""

# ruff: noqa: INP001, S603 - a script, that runs its own pinned tool

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = "grpcio-tools==1.63.2"
HERE = Path(__file__).parent
PACKAGE = HERE.parent / "onnx_explorer" / "proto"


def install(folder: Path) -> None:
    """Put protoc into `folder`. Raises CalledProcessError where no wheel can be had."""
    command = (sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:")
    subprocess.run([*command, "--target", str(folder), TOOL], check=True, capture_output=True)


def generate(tool: Path, out: Path) -> None:
    """Write `onnx_explorer_pb2.py` and its stub into `out`."""
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc"),
            f"--proto_path={HERE}",
            f"--python_out={out}",
            f"--pyi_out={out}",
            str(HERE / "onnx_explorer.proto"),
        ],
        check=True,
        env={**os.environ, "PYTHONPATH": str(tool)},
    )


if __name__ == "__main__":
    destination = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    destination.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        generate(Path(folder), destination)
