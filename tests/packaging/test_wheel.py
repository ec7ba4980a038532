"""What `pip wheel .` makes, and when it builds the front end anew."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IN_LAB = "data/share/jupyter/labextensions/onnx-explorer"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)),
    ]
    subprocess.run(command, check=True)
    (path,) = folder.iterdir()
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


@pytest.mark.parametrize(
    "name",
    [
        "onnx_explorer/__init__.py",
        "onnx_explorer/py.typed",
        "onnx_explorer/static/widget.js",
        "onnx_explorer/static/loader.js",
        "onnx_explorer/static/widget.css",
        "onnx_explorer/examples/digits.onnx",
    ],
)
def test_the_wheel_holds_the_package_and_its_bundle(wheel, name):
    assert name in wheel


def test_the_wheel_holds_each_python_file_of_the_package(wheel):
    package = ROOT / "onnx_explorer"
    assert {p.relative_to(ROOT).as_posix() for p in package.rglob("*.py")} <= set(wheel)


def test_the_wheel_puts_the_extension_where_jupyterlab_looks(wheel):
    inside = {name.partition(f"{IN_LAB}/")[2] for name in wheel if IN_LAB in name}
    assert {"package.json", "install.json"} <= inside
    assert any(name.startswith("static/remoteEntry.") for name in inside)
    assert not any(name.startswith("onnx_explorer/labextension/") for name in wheel)


def test_the_bundle_in_the_wheel_is_the_one_just_built(wheel):
    built = ROOT / "onnx_explorer/static/widget.js"
    assert wheel["onnx_explorer/static/widget.js"] == built.read_bytes()


@pytest.fixture
def build_hook(tmp_path, monkeypatch):
    """The hook over a front end of two source files, built a moment after they were written."""
    path = ROOT / "labextension/hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build", path)
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    folder, package = tmp_path / "labextension", tmp_path / "onnx_explorer"
    products = [package / product.relative_to(hook.PACKAGE) for product in hook.PRODUCTS]
    sources = [folder / "package.json", folder / "src/core/scene.ts"]
    for age, path in [(0, p) for p in sources] + [(10, p) for p in products]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (age, age))
    monkeypatch.setattr(hook, "FOLDER", folder)
    monkeypatch.setattr(hook, "PRODUCTS", tuple(products))
    return hook


def test_a_bundle_newer_than_its_sources_is_not_built_again(build_hook):
    assert not build_hook.is_stale()


def test_a_changed_source_makes_the_bundle_stale(build_hook):
    os.utime(build_hook.FOLDER / "src/core/scene.ts", (20, 20))
    assert build_hook.is_stale()


def test_a_new_source_makes_the_bundle_stale(build_hook):
    (build_hook.FOLDER / "src/core/fold.ts").touch()
    assert build_hook.is_stale()


def test_a_missing_product_makes_the_bundle_stale(build_hook):
    build_hook.PRODUCTS[1].unlink()
    assert build_hook.is_stale()
