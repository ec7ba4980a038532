"""A scene without a front end: what a saved notebook shows."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from onnx_explorer.errors import ExplorerError
from onnx_explorer.view.dot import dot_text
from onnx_explorer.view.fold import fold
from onnx_explorer.view.graphviz import engine, svg
from onnx_explorer.view.scene import Box, Scene

ROWS = 40
"""How many nodes are listed."""
MOST_DRAWN = 80
"""A picture of more boxes is no help in a notebook."""
PATIENCE_S = 3
"""A picture that takes longer is left out."""


def still_text(scene: Scene) -> str:
    """The model in lines: its facts, then a node per line with what goes in and comes out."""
    boxes = [box for box in scene.boxes if box.kind not in {"input", "output"}]
    lines = [f"{scene.title}: " + ", ".join(f"{k} {v}" for k, v in _facts(scene))]
    lines += [f"  {' '.join(filter(None, _row(box)))}" for box in boxes[:ROWS]]
    if len(boxes) > ROWS:
        lines.append(f"  … and {len(boxes) - ROWS:,} more nodes")
    return "\n".join(lines)


def still_html(scene: Scene) -> str:
    """A picture where there is a Graphviz engine and the graph is small, else the same lines as a
    table. The widget's own style sheet hides it while a widget lives.
    """
    facts = ", ".join(f"{k} {v}" for k, v in _facts(scene))
    return (
        '<div class="onnx-explorer-still">'
        f"<p><b>{escape(scene.title)}</b> {escape(facts)}</p>"
        f"{_picture(scene) or _table(scene)}</div>"
    )


def _picture(scene: Scene) -> str:
    folding = fold(scene.groups, scene.boxes, scene.edges, ())
    if len(folding.boxes) + len(folding.groups) > MOST_DRAWN or engine() is None:
        return ""
    try:
        picture = svg(dot_text(scene), timeout_s=PATIENCE_S)
    except ExplorerError:
        return ""
    # As an image it is allowed where pages take no SVG from notebooks, and cannot run anything.
    encoded = b64encode(picture.encode()).decode()
    return f'<img alt="Graph of the model" src="data:image/svg+xml;base64,{encoded}">'


def _table(scene: Scene) -> str:
    boxes = [box for box in scene.boxes if box.kind not in {"input", "output"}]
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _row(box))}</tr>"
        for box in boxes[:ROWS]
    )
    more = f"<p>… and {len(boxes) - ROWS:,} more nodes</p>" if len(boxes) > ROWS else ""
    head = "<thead><tr><th>operator</th><th>name</th><th>output</th></tr></thead>"
    return f"<table>{head}<tbody>{rows}</tbody></table>{more}"


def _facts(scene: Scene) -> list[tuple[str, str]]:
    wanted = {"Opset", "Nodes", "Parameters"}
    return [(label.lower(), text) for label, text in scene.model if label in wanted]


def _row(box: Box) -> tuple[str, str, str]:
    outputs = ", ".join(type_ for _, _, type_ in box.outputs)
    return (f"{box.op} {box.detail}".strip(), box.name, outputs)
