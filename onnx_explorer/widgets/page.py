"""An explorer as one HTML file: no kernel behind it, and nothing asked from the network."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import cast

from onnx_explorer.checker.codes import CODES
from onnx_explorer.errors import SchemaError
from onnx_explorer.ops.registry import schema
from onnx_explorer.view import Scene
from onnx_explorer.view.manual import manual
from onnx_explorer.widgets.front_end import asset
from onnx_explorer.widgets.ranges import constants_with_nan, nodes_with_nan
from onnx_explorer.widgets.statistics import statistics
from onnx_explorer.widgets.summary import summary

# Whatever a model's texts try, the page fetches nothing and sends nothing.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob: 'wasm-unsafe-eval'; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)

# A module with an address is compiled beside the page, one that stands in it holds it up. Where such an
# address leads nowhere, it stands in the page all the same.
_START = """
{
  const text = document.getElementById("onnx-explorer-program").textContent;
  const src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const start = (script) =>
    document.head.append(Object.assign(document.createElement("script"), script));
  start({ type: "module", src, onerror: () => start({ type: "module", textContent: text }) });
}
"""


def html_page(
    scene: Scene,
    *,
    weights: bool = False,
    shared: Mapping[str, object] | None = None,
    record: Mapping[str, object] | None = None,
) -> str:
    """The page: the scene, the front end, and the answers to what can be asked without a kernel.
    With `weights` the numbers of each initializer are among them. `shared` are traits as the page
    begins with them; `record` is a run to step through.
    """
    answers = _answers(scene)
    if shared:
        answers["shared"] = shared
    if record:
        answers["record"] = record
    if weights:
        answers |= _numbers(scene)
    known = json.dumps(answers, allow_nan=False)
    packed = b64encode(scene.to_bytes()).decode()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(scene.title)}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 0 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16181c }} }}
#onnx-explorer {{ --ox-height: 100vh }}
{asset("widget.css")}
</style>
</head>
<body>
<main id="onnx-explorer"></main>
<script type="text/plain" id="onnx-explorer-scene">{packed}</script>
<script type="application/json" id="onnx-explorer-answers">{_in_script(known, json_text=True)}</script>
<script type="text/plain" id="onnx-explorer-program">{_in_script(asset("widget.js"))}</script>
<script>{_START}</script>
</body>
</html>
"""


def _in_script(text: str, *, json_text: bool = False) -> str:
    """Text that cannot end the script that it stands in. In JSON every `<` may be written as an
    escape; in JavaScript these two occur in strings alone.
    """
    if json_text:
        # Names in a file may hold bytes that are no UTF-8; json.dumps has escaped them.
        return text.replace("<", "\\u003c")
    return re.sub(r"<(/script|!--)", r"<\\\1", text, flags=re.IGNORECASE)


def _answers(scene: Scene) -> dict[str, object]:
    scanned = constants_with_nan(scene)
    found = nodes_with_nan(scene, scanned.names, None)
    answers: dict[str, object] = {"nan": {"nodes": found, "note": scanned.note(has_run=False)}}
    for box in scene.boxes:
        if box.version <= 0:
            continue
        key = f"operator {box.domain} {box.op} {box.version}"
        if key not in answers:
            try:
                answers[key] = manual(schema(box.op, box.version, box.domain))
            except SchemaError:  # an operator that has no page has no words
                continue
    for _, code, *_ in scene.diagnostics:
        if known := CODES.get(code):
            answers[f"code {code}"] = {
                name: getattr(known, name) for name in ("headline", "meaning", "example", "remedy")
            }
    return answers


def _numbers(scene: Scene) -> Mapping[str, object]:
    answers: dict[str, object] = {}
    for name, tensor in scene.constants.items():
        value = tensor.numpy()
        answers[f"initializer {name}"] = cast("object", summary(value))
        answers[f"statistics {name}"] = cast("object", statistics(value))
    return answers
