"""A scene in Graphviz's language. Ids are integers: text from a model stands in labels alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from onnx_explorer.view.categories import Category
from onnx_explorer.view.fold import Folding, fold
from onnx_explorer.view.paint import Paint, Painting
from onnx_explorer.view.scene import Box, Group, Mark, Scene

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
# Signs that every font has: pictures are drawn with whatever one a machine has.
_SIGNS: dict[Mark, str] = {"known": "", "unknown": "? ", "mismatch": "! "}
_MOST_LABELS = 150


def dot_text(scene: Scene, expanded: Collection[int] = (), painting: Painting | None = None) -> str:
    """The scene with these groups expanded, as a digraph from top to bottom. With a painting boxes
    have its colours in place of those of what they do.
    """
    folding = fold(scene.groups, scene.boxes, scene.edges, expanded)
    return "\n".join(_lines(scene, folding, expanded, painting))


def _lines(
    scene: Scene, folding: Folding, expanded: Collection[int], painting: Painting | None
) -> Iterator[str]:
    yield "digraph {"
    if painting:
        yield f"  label={_quoted(painting.legend)}; labelloc=t; labeljust=l"
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
    paints = painting.paints if painting else None
    yield from _content(scene, 0, boxes, groups, expanded, paints, "  ")
    labelled = len(folding.edges) <= _MOST_LABELS
    constants = {f"b{box}" for box in folding.boxes if scene.boxes[box].kind == "initializer"}
    for edge in folding.edges:
        several = f" (×{len(edge.edges)})" if len(edge.edges) > 1 else ""
        # A constant says its type itself.
        label = "" if edge.source in constants else edge.label
        text = f"{_SIGNS[edge.mark]}{label}{several}" if labelled else ""
        yield f"  {edge.source} -> {edge.target} [label={_quoted(f' {text} ')}, {_STROKES[edge.mark]}]"
    yield "}"


def _content(
    scene: Scene,
    group: int,
    boxes: dict[int, list[int]],
    groups: dict[int, list[int]],
    expanded: Collection[int],
    paints: Mapping[str, Paint] | None,
    indent: str,
) -> Iterator[str]:
    for box in boxes.get(group, ()):
        look = (
            _box(scene.boxes[box])
            if paints is None
            else _painted(scene.boxes[box], paints.get(f"b{box}"))
        )
        yield f"{indent}b{box} [{look}]"
    for folded in groups.get(group, ()):
        paint = paints.get(f"g{folded}") if paints else None
        label = _label(f"{scene.groups[folded].label} …", paint)
        yield f"{indent}g{folded} [label={label}, {_fill(paint)}, peripheries=2]"
    for inner, child in enumerate(scene.groups):
        if child.parent != group or inner not in expanded:
            continue
        yield f"{indent}subgraph cluster_{inner} {{"
        yield f"{indent}  label={_quoted(_frame_title(scene, child))}"
        yield from _content(scene, inner, boxes, groups, expanded, paints, f"{indent}  ")
        yield f"{indent}}}"


def _frame_title(scene: Scene, group: Group) -> str:
    """Its label, and the node whose subgraph or function it is."""
    if group.box < 0:
        return group.label
    owner = scene.boxes[group.box]
    return f"{owner.op} {owner.name}".strip() + f": {group.label}"


def _box(box: Box) -> str:
    if box.kind in {"input", "output"}:
        return f'label={_quoted(box.name)}, shape=ellipse, fillcolor="{_FILLS["io"]}"'
    if box.kind == "initializer":
        return f'{_constant(box)}, fillcolor="#ffffff"'
    title = f"{box.op}  {box.detail}".strip()
    return f'label={_quoted(title)}, fillcolor="{_FILLS[box.category]}"'


def _painted(box: Box, paint: Paint | None) -> str:
    if box.kind == "initializer":
        return f"{_constant(box)}, {_fill(paint)}"
    end = box.kind in {"input", "output"}
    title = box.name if end else f"{box.op}  {box.detail}".strip()
    shape = ", shape=ellipse" if end else ""
    return f"label={_label(title, paint)}, {_fill(paint)}{shape}"


def _constant(box: Box) -> str:
    """Smaller than a node: its name, and below it its type or its one number."""
    label = f"{_quoted(box.name)[:-1]}\\n{_quoted(box.detail)[1:]}"
    return f"label={label}, style=filled, fontsize=8, height=0.2, margin=0.06"


def _label(title: str, paint: Paint | None) -> str:
    """The title, and below it what the overlay says."""
    if paint is None or not paint.text:
        return _quoted(title)
    return f"{_quoted(title)[:-1]}\\n{_quoted(paint.text)[1:]}"


def _fill(paint: Paint | None) -> str:
    if paint is None:
        return 'fillcolor="#ffffff"'
    return f'fillcolor="{paint.colour}", fontcolor="{paint.ink}"'


def _quoted(text: str) -> str:
    """A string of DOT that stands for exactly this text: no escapes, no ids, no markup."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    plain = plain.encode("utf-8", "replace").decode()
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
