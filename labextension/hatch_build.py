"""The step of the Python build that builds the front end when its sources are newer than what it made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parent / "onnx_explorer"
PRODUCTS = (
    PACKAGE / "static" / "widget.js",
    PACKAGE / "static" / "loader.js",
    PACKAGE / "static" / "widget.css",
    PACKAGE / "labextension" / "package.json",
)


class FrontEnd(BuildHookInterface):
    """Hatch hook: bundle and labextension are never older than what they are made of."""

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        del version, build_data  # the same for a wheel, an sdist and an editable install
        if is_stale():
            build()


def sources() -> list[Path]:
    """Every file that the front end is made of."""
    single = [FOLDER / name for name in ("package.json", "yarn.lock", "tsconfig.json", "build.mjs")]
    trees = [path for tree in ("src", "style") for path in (FOLDER / tree).rglob("*")]
    return [path for path in single + trees if path.is_file()]


def is_stale() -> bool:
    if not all(product.exists() for product in PRODUCTS):
        return True
    oldest = min(product.stat().st_mtime for product in PRODUCTS)
    return any(source.stat().st_mtime > oldest for source in sources())


def build() -> None:
    # Without build isolation the tools stand beside this Python, which need not be on PATH.
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), sysconfig.get_path("scripts")])
    jlpm = shutil.which("jlpm", path=path)
    if jlpm is None:
        sys.exit(
            "jlpm is missing: install the build requirements of pyproject.toml, or build with isolation"
        )
    environment = {**os.environ, "PATH": path, "YARN_ENABLE_IMMUTABLE_INSTALLS": "true"}
    for command in (["install"], ["build:prod"]):
        ended = subprocess.run([jlpm, *command], cwd=FOLDER, env=environment, check=False)
        if ended.returncode:
            sys.exit(
                f"the front end was not built: `jlpm {command[0]}` failed in {FOLDER}, see above"
            )


if __name__ == "__main__" and is_stale():
    build()
