"""Pictures of models in files, without a notebook."""

from __future__ import annotations

import os
from collections.abc import Collection
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_explorer.errors import ExplorerError
from onnx_explorer.inference import infer
from onnx_explorer.ir.expected import expect_flag, path_to_write, shown
from onnx_explorer.view.constant_boxes import with_constants
from onnx_explorer.view.dot import dot_text
from onnx_explorer.view.drawing import scene_of
from onnx_explorer.view.graphviz import rendered
from onnx_explorer.view.paint import Painting
from onnx_explorer.view.scene import Scene

if TYPE_CHECKING:
    from onnx_explorer.ir.expected import Source

FORMATS = ("svg", "png", "pdf", "dot")


def draw(
    model: Source,
    path: str | os.PathLike[str],
    *,
    depth: int | None = 1,
    constants: bool = False,
) -> Path:
    """A picture of a model, or of a file, with the inferred type on every edge; the ending of `path` says which
    kind: `.svg`, `.png`, `.pdf`, or `.dot` for Graphviz's language. Groups stand open down to
    `depth` below the whole graph, all of them with None. With `constants` each constant is a box of
    its own.

    Raises:
        ExplorerError: there is no Graphviz engine, it failed, or the ending is another one.
        FileNotFoundError: there is no such folder.
    """
    expect_flag("constants", constants, ExplorerError)
    scene = scene_of(infer(model))
    if constants:
        scene = with_constants(scene)
    return draw_scene(scene, path, groups_down_to(scene, depth))


def draw_scene(
    scene: Scene,
    path: str | os.PathLike[str],
    expanded: Collection[int],
    painting: Painting | None = None,
) -> Path:
    """What `draw` does, for a scene with these groups open, in the colours of an overlay."""
    file = path_to_write(path, "the name of a picture to write", ExplorerError)
    kind = file.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        found = f"'.{kind}'" if kind else "no ending"
        msg = f"{file.name}: found {found}, expected one of .{', .'.join(FORMATS)}"
        raise ExplorerError(msg)
    text = dot_text(scene, expanded, painting)
    file.write_bytes(text.encode() if kind == "dot" else rendered(text, kind))
    return file


def groups_down_to(scene: Scene, depth: int | None) -> Collection[int]:
    """The groups that lie at most so deep; those directly in the whole graph are at depth 1."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, Integral)):
        raise ExplorerError(f"depth = {shown(depth)}; expected a whole number, or None for all")
    depths: list[int] = []
    for group in scene.groups:
        depths.append(0 if group.parent < 0 else depths[group.parent] + 1)
    return {group for group, at in enumerate(depths) if depth is None or at <= depth}
