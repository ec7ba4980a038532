"""The explorer as a notebook widget."""

from onnx_explorer.widgets.explorer import Explorer, document, explore

__all__ = ["Explorer", "document", "explore"]
