"""A scene in Graphviz's language. Ids are integers: text from a model stands in labels alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from onnx_explorer.view.categories import Category
from onnx_explorer.view.fold import Folding, fold
from onnx_explorer.view.scene import Box, Mark, Scene

# Pale fills that print well; the hues are those of the widget's boxes.
_FILLS: dict[Category, str] = {
    "convolution": "#dcecf6",
    "matrix": "#e3f1fa",
    "recurrent": "#e8e6f3",
    "activation": "#fae8dc",
    "normalization": "#dcf2ec",
    "pooling": "#f8ecf3",
    "reduction": "#f1e6ee",
    "elementwise": "#eaecf0",
    "shape": "#f5f1da",
    "tensor": "#fcf2dc",
    "logic": "#f0ebe2",
    "control": "#f0dfe8",
    "quantization": "#dff0f2",
    "sequence": "#edf0da",
    "random": "#edf0da",
    "io": "#e4e6e9",
    "other": "#efefef",
}
_STROKES: dict[Mark, str] = {
    "known": 'color="#70757c"',
    "unknown": 'color="#70757c", style=dashed',
    "mismatch": 'color="#b3261e", fontcolor="#b3261e", penwidth=2.5',
}
_SIGNS: dict[Mark, str] = {"known": "", "unknown": "? ", "mismatch": "⚠ "}
_MOST_LABELS = 150


def dot_text(scene: Scene, expanded: Collection[int] = ()) -> str:
    """The scene with these groups expanded, as a digraph from top to bottom."""
    folding = fold(scene.groups, scene.boxes, scene.edges, expanded)
    return "\n".join(_lines(scene, folding, expanded))


def _lines(scene: Scene, folding: Folding, expanded: Collection[int]) -> Iterator[str]:
    yield "digraph {"
    # Without these limits large graphs take minutes.
    yield "  nslimit=0.1; nslimit1=1; mclimit=0.2; ranksep=0.35; nodesep=0.25"
    yield '  fontname="Helvetica"; fontsize=11; fontcolor="#555555"; color="#b8bcc2"'
    yield '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, height=0.3, color="#8a9099"]'
    yield '  edge [fontname="Helvetica", fontsize=9, arrowsize=0.6]'
    boxes: dict[int, list[int]] = {}
    groups: dict[int, list[int]] = {}
    for box in folding.boxes:
        boxes.setdefault(scene.boxes[box].group, []).append(box)
    for group in folding.groups:
        groups.setdefault(scene.groups[group].parent, []).append(group)
    yield from _content(scene, 0, boxes, groups, expanded, "  ")
    labelled = len(folding.edges) <= _MOST_LABELS
    for edge in folding.edges:
        several = f" (×{len(edge.edges)})" if len(edge.edges) > 1 else ""
        text = f"{_SIGNS[edge.mark]}{edge.label}{several}" if labelled else ""
        yield f"  {edge.source} -> {edge.target} [label={_quoted(f' {text} ')}, {_STROKES[edge.mark]}]"
    yield "}"


def _content(
    scene: Scene,
    group: int,
    boxes: dict[int, list[int]],
    groups: dict[int, list[int]],
    expanded: Collection[int],
    indent: str,
) -> Iterator[str]:
    for box in boxes.get(group, ()):
        yield f"{indent}b{box} [{_box(scene.boxes[box])}]"
    for folded in groups.get(group, ()):
        label = _quoted(f"{scene.groups[folded].label} …")
        yield f'{indent}g{folded} [label={label}, fillcolor="#ffffff", peripheries=2]'
    for inner, child in enumerate(scene.groups):
        if child.parent != group or inner not in expanded:
            continue
        yield f"{indent}subgraph cluster_{inner} {{"
        yield f"{indent}  label={_quoted(child.label)}"
        yield from _content(scene, inner, boxes, groups, expanded, f"{indent}  ")
        yield f"{indent}}}"


def _box(box: Box) -> str:
    if box.kind in {"input", "output"}:
        return f'label={_quoted(box.name)}, shape=ellipse, fillcolor="{_FILLS["io"]}"'
    title = f"{box.op}  {box.detail}".strip()
    return f'label={_quoted(title)}, fillcolor="{_FILLS[box.category]}"'


def _quoted(text: str) -> str:
    """A string of DOT that stands for exactly this text: no escapes, no ids, no markup."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    plain = plain.encode("utf-8", "replace").decode()
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
