"""A scene without a front end: what a saved notebook shows."""

from __future__ import annotations

from html import escape

from onnx_explorer.view.scene import Box, Scene

ROWS = 40
"""How many nodes are listed."""


def still_text(scene: Scene) -> str:
    """The model in lines: its facts, then a node per line with what goes in and comes out."""
    boxes = [box for box in scene.boxes if box.kind not in {"input", "output"}]
    lines = [f"{scene.title}: " + ", ".join(f"{k} {v}" for k, v in _facts(scene))]
    lines += [f"  {' '.join(_row(box))}" for box in boxes[:ROWS]]
    if len(boxes) > ROWS:
        lines.append(f"  … and {len(boxes) - ROWS:,} more nodes")
    return "\n".join(lines)


def still_html(scene: Scene) -> str:
    """The same as a table; the widget's own style sheet hides it while a widget lives."""
    boxes = [box for box in scene.boxes if box.kind not in {"input", "output"}]
    facts = ", ".join(f"{k} {v}" for k, v in _facts(scene))
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _row(box))}</tr>"
        for box in boxes[:ROWS]
    )
    more = f"<p>… and {len(boxes) - ROWS:,} more nodes</p>" if len(boxes) > ROWS else ""
    return (
        '<div class="onnx-explorer-still">'
        f"<p><b>{escape(scene.title)}</b> {escape(facts)}</p>"
        "<table><thead><tr><th>operator</th><th>name</th><th>output</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{more}</div>"
    )


def _facts(scene: Scene) -> list[tuple[str, str]]:
    wanted = {"Opset", "Nodes", "Parameters"}
    return [(label.lower(), text) for label, text in scene.model if label in wanted]


def _row(box: Box) -> tuple[str, str, str]:
    outputs = ", ".join(type_ for _, _, type_ in box.outputs)
    return (f"{box.op} {box.detail}".strip(), box.name, outputs)
