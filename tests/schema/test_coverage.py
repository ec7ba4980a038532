"""The table of what the pages cover, in the map of the code."""

from pathlib import Path

import onnx_explorer
from onnx_explorer.ops.coverage import table

MAP = Path(onnx_explorer.__file__).parent / "README.md"


def test_the_map_says_what_the_pages_cover():
    assert table() in MAP.read_text("utf-8")
