"""What a notebook shows for a schema."""

import onnx_explorer as ox


def test_a_schema_reads_as_a_page():
    page = ox.schema("Reshape", 14)._repr_markdown_()
    for part in (
        "## Reshape-14",
        "**shape** (tensor(int64)): 1-D;",
        "**allowzero** (int, default 0)",
        "`data = [[1, 2, 3], [4, 5, 6]], shape = [3, -1]` gives `reshaped = [[1, 2], [3, 4], [5, 6]]`",
        "**14**: a 0 may mean an empty axis",
        "- 25: 2-bit integers",
    ):
        assert part in page


def test_an_absent_section_is_left_out():
    assert "### Attributes" not in ox.schema("Relu")._repr_markdown_()
