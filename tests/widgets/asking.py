"""The front end's side of an explorer, without a browser."""

from __future__ import annotations

import json

import onnx_explorer as ox
from onnx_explorer.widgets import front_end


class Asker:
    """Asks an explorer, and keeps what comes back."""

    def __init__(self, model, feeds, monkeypatch) -> None:
        monkeypatch.setattr(front_end, "asset", lambda name: f"/* {name} */")
        monkeypatch.setattr("onnx_explorer.widgets.explorer.asset", lambda name: f"/* {name} */")
        self.explorer = ox.explore(model, feeds)
        self.replies: list[dict] = []
        monkeypatch.setattr(
            self.explorer, "send", lambda content, buffers=None: self.replies.append(content)
        )

    def ask(self, kind: str, *buffers: bytes, **question: object) -> dict:
        self.explorer._handle_custom_msg({"id": 1, "kind": kind, **question}, list(buffers))
        json.dumps(self.replies[-1], allow_nan=False)
        json.dumps(self.explorer.state, allow_nan=False)
        return self.replies[-1]

    @property
    def state(self) -> dict:
        return self.explorer.state
