"""Real models for tests: some beside this file, some inside pinned wheels of package registries."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

DATA = Path(__file__).parent / "data"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "onnx_explorer_tests"

RECORDED = sorted(path.stem for path in DATA.glob("*.onnx"))
LIGHT_MODELS = sorted(path.stem for path in LIGHT.glob("*.onnx"))
WHEELS = {
    "silero_vad_16k_op15": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx"),
    "magika_v3_3": ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx"),
    "ppocr_v4_det": (
        "rapidocr-onnxruntime==1.4.4",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
    ),
}


def wheel_model(name):
    """The path of a model from its wheel, fetched once; skips where no registry can be reached."""
    path = CACHE / f"{name}.onnx"
    if not path.exists():
        requirement, member = WHEELS[name]
        wheel = _downloaded(requirement)
        part = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(wheel) as archive:
            part.write_bytes(archive.read(member))
        part.replace(path)
    return path


def _downloaded(requirement):
    folder = CACHE / f"{requirement.replace('==', '-')}-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
    done = subprocess.run(
        [*command, "--dest", folder, requirement], capture_output=True, text=True, check=False
    )
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        pytest.skip(f"{requirement} cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")
    return wheels[0]


def recorded_values(name):
    """The inputs and the outputs that were recorded with a model, each by name."""
    with np.load(DATA / f"{name}.npz") as arrays:
        values = {key: arrays[key] for key in arrays}
    return tuple(
        {key.removeprefix(kind): value for key, value in values.items() if key.startswith(kind)}
        for kind in ("in:", "out:")
    )


def onnxruntime_outputs(path, feeds):
    """What onnxruntime computes on the CPU, by name."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def light_feed(shape):
    """The input that the outputs beside the light models were computed from."""
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) / count).astype(np.float32)
