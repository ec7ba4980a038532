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


def test_a_schema_prints_as_its_signature_and_what_each_part_takes():
    text = str(ox.schema("Conv", 11))
    for part in (
        "Conv-11 (ai.onnx, since opset 11; versions 1, 11, 22)",
        "Y = Conv(X, W, B=None, *, auto_pad='NOTSET', dilations=None, group=1,",
        "  B  T, optional  what is added",
        "  group         int = 1            number of",
        "  T  float32, float16, float64\n",
    ):
        assert part in f"{text}\n"
    assert "Loop(M=None, cond=None, *v_initial, body)" in str(ox.schema("Loop"))
    assert "  body  graph, required  inputs: iteration" in str(ox.schema("Loop"))


def test_the_text_of_every_version_fits_into_a_terminal():
    for schema in ox.schemas(history=True):
        lines = str(schema).splitlines()
        assert max(map(len, lines)) <= 100
        assert len(lines) <= 50


def test_a_version_cites_its_own_place_in_the_standard():
    assert ox.schema("Conv", 11).doc.rstrip().endswith("Spec: ai.onnx Conv-11")
    assert ox.schema("Conv").doc.rstrip().endswith("Spec: ai.onnx Conv-22")
    assert ox.schema("And").doc.rstrip().endswith("Spec: ai.onnx And-7")
    for schema in ox.schemas(history=True):
        assert schema.doc.rstrip().endswith(f" {schema.name}-{schema.since_version}")
