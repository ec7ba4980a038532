"""Pictures from Graphviz: the `dot` of the machine, or the one in the wheel `graphviz-pure`."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from onnx_explorer.errors import ExplorerError

MISSING = (
    "no Graphviz engine found: install Graphviz (it brings the command `dot`), "
    "or `pip install onnx-explorer[draw]`"
)


@cache
def engine() -> str | None:
    """The command that lays out graphs; None where there is none."""
    return shutil.which("dot") or _from_wheel()


def svg(dot: str, *, timeout_s: float = 60) -> str:
    """The picture of a graph in DOT, without a prologue, so that it can stand in a page.

    Raises:
        ExplorerError: as `rendered`.
    """
    text = rendered(dot, "svg", timeout_s=timeout_s).decode()
    return text[text.index("<svg") :]


def rendered(dot: str, kind: str, *, timeout_s: float = 60) -> bytes:
    """The picture of a graph in DOT, as `svg`, `png` or another kind that the engine knows.

    Raises:
        ExplorerError: there is no engine, or it failed or took too long.
    """
    command = engine()
    if command is None:
        raise ExplorerError(MISSING)
    try:
        done = subprocess.run(  # noqa: S603  # the engine found above; the graph goes in as input
            [command, "-Kdot", f"-T{kind}"],
            input=dot.encode(),
            capture_output=True,
            timeout=timeout_s,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise ExplorerError(
            f"Graphviz took longer than {timeout_s:g} s; fold more groups"
        ) from error
    except subprocess.CalledProcessError as error:
        said: bytes = error.stderr
        if b"not recognized" in said:
            msg = f"this Graphviz ({command}) writes no {kind}; take .svg or .png, or install Graphviz"
            raise ExplorerError(msg) from error
        raise ExplorerError(f"Graphviz failed: {said.decode(errors='replace')}") from error
    except OSError as error:
        raise ExplorerError(f"Graphviz failed: {error}") from error
    return done.stdout


def _from_wheel() -> str | None:
    try:
        listed = files("graphviz-pure") or ()
    except PackageNotFoundError:
        return None
    for file in listed:
        if file.name in {"graphviz-pure", "graphviz-pure.exe"}:
            path = Path(str(file.locate()))
            return str(path) if path.is_file() else None
    return None
