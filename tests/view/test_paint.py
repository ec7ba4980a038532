"""The colours of overlays in pictures."""

from __future__ import annotations

import pytest

from onnx_explorer import build, example, infer
from onnx_explorer.view import scene_of
from onnx_explorer.view.dot import dot_text
from onnx_explorer.view.overlay import Overlay
from onnx_explorer.view.paint import Scale, amount_text, built_in, painting

BRIGHT, DARK = "#f9f080", "#31176b"


def scene():
    g = build.graph("net")
    x = g.input("x", "float32[n, 2]")
    for name in ("first/one", "first/two", "second/one", "second/two"):
        x = g.Add(x, x, name=name)
    g.output(x, "y")
    return scene_of(infer(g.model()))


VALUES = {"first/one": 1.0, "first/two": 2.0, "second/one": 10.0, "second/two": 5.0}


def test_a_closed_group_has_the_colour_of_what_its_nodes_make_together():
    found = scene()
    summed = painting(found, Overlay("ms", VALUES, "ms"), {0})
    assert {key: paint.text for key, paint in summed.paints.items()} == {
        "g1": "3 ms",
        "g2": "15 ms",
    }
    assert summed.paints["g2"].colour == DARK
    assert summed.paints["g2"].ink == "#ffffff"
    largest = painting(found, Overlay("ms", VALUES, "ms", "max"), {0})
    assert {key: paint.text for key, paint in largest.paints.items()} == {
        "g1": "2 ms",
        "g2": "10 ms",
    }


def test_the_scale_is_that_of_what_is_drawn():
    opened = painting(scene(), Overlay("ms", VALUES, "ms"), {0, 1, 2})
    (least,) = [paint for paint in opened.paints.values() if paint.text == "1 ms"]
    assert opened.legend == "ms: 0 ms … 10 ms"
    # A tenth of the way from bright to dark.
    assert least.colour not in {BRIGHT, DARK}
    assert least.ink == "#000000"


def test_words_have_a_colour_each_and_a_mixed_group_has_none():
    words = {"first/one": "cpu", "first/two": "gpu", "second/one": "gpu", "second/two": "gpu"}
    found = painting(scene(), Overlay("device", words), {0})
    assert {key: paint.text for key, paint in found.paints.items()} == {"g2": "gpu"}


def test_built_in_overlays_take_open_sizes_as_given():
    overlay = built_in(scene(), "flops", {"n": 3})
    assert overlay is not None
    assert overlay.values == dict.fromkeys(VALUES, 6)
    digits = scene_of(infer(example("digits")))
    parameters = built_in(digits, "parameters", {})
    assert parameters is not None
    # 16 filters of 3 x 3, and a bias each.
    assert parameters.values["conv1"] == 160
    dtypes = built_in(digits, "dtype", {})
    assert dtypes is not None
    assert set(dtypes.values.values()) == {"float32"}
    assert built_in(digits, "latency", {}) is None


def test_a_picture_has_the_colours_the_numbers_and_the_legend():
    found = scene()
    text = dot_text(found, {0}, painting(found, Overlay("m\\s", VALUES, "ms"), {0}))
    assert 'g2 [label="second …\\n15 ms"' in text
    assert f'fillcolor="{DARK}", fontcolor="#ffffff"' in text
    assert 'label="m\\\\s: 0 ms … 15 ms"' in text


@pytest.mark.parametrize(
    ("numbers", "low", "logarithmic"),
    [([3, 4], 0, False), ([-2, 4], -2, False), ([1, 10, 10, 10, 10_000], 1, True), ([], 0, False)],
)
def test_the_scale_begins_at_nothing_unless_it_has_to(numbers, low, logarithmic):
    scale = Scale.of([float(n) for n in numbers])
    assert (scale.low, scale.logarithmic) == (low, logarithmic)


# The front end writes the same.
@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (0, "", "0"),
        (1350, "", "1.35 k"),
        (118_013_952, "", "118 M"),
        (0.0256, "ms", "0.0256 ms"),
        (12_000, "ms", "12,000 ms"),
        (999_700, "", "1 M"),
        (2e20, "", "200 E"),
        (-3.4028235e38, "", "-3.4e+38"),
        (3.4028235e38, "ms", "3.4e+38 ms"),
    ],
)
def test_numbers_are_written_in_three_digits(number, unit, text):
    assert amount_text(number, unit) == text
