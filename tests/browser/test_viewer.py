"""The viewer of values: each view of what a run or the file holds, in a real notebook."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

MODEL = """
import numpy as np
import onnx_explorer as ox

rng = np.random.default_rng(0)
weight = rng.normal(size=(100, 90)).astype(np.float32)
weight[50, 7], weight[3, 80], weight[9, 9] = np.nan, np.inf, -np.inf
y, x = np.mgrid[0:32, 0:32] / 32.0
picture = np.stack([x, y, 1 - x])[None].astype(np.float32)

g = ox.build.graph("values")
image = g.input("image", "float32[1, 3, 32, 32]")
words = g.input("words", "string[2]")
g.output(g.Identity(g.initializer("weight", weight)), "copy")
g.output(g.Relu(image), "bright")
g.output(g.Softmax(g.ReduceMean(image, np.array([2, 3, 0]), keepdims=0, name="mean")), "means")
g.output(g.Softmax(g.initializer("logits", np.array([[0, 3, 1, 2]], np.float32))), "chances")
g.output(g.Sin(g.initializer("time", np.linspace(0, 20, 1000))), "wave")
g.output(g.StringConcat(words, words), "double")
w = ox.explore(g.model(), {"image": picture, "words": np.array(["ab", "cd"], object)})
w
"""


@pytest.fixture
def values(lab_page):
    """The explorer of a model with values of many kinds, run to its end."""
    cells = (MODEL, "w.selected = 'value:weight'", "w.selected = 'value:copy'")
    lab_page.write(*cells, height=1000)
    root = lab_page.draw(0)
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("finished")
    return root


def select(root, value):
    root.locator(f"text[data-edge-value='{value}']").click()
    return root.locator(".ox-viewer")


def test_every_kind_of_value_has_its_view(values, lab_page):
    viewer = select(values, "bright")
    expect(viewer).to_have_attribute("data-view", "image")
    expect(viewer.locator("canvas")).to_have_attribute("data-rows", "32")
    viewer.scroll_into_view_if_needed()
    lab_page.shot("viewer-image")
    viewer.get_by_label("Layout").select_option("NHWC")
    # Read the other way the sizes 1, 3, 32, 32 are 3 rows of 32 pixels.
    expect(viewer.locator("canvas")).to_have_attribute("data-rows", "3")

    viewer = select(values, "chances")
    expect(viewer).to_have_attribute("data-view", "top")
    # Of 0, 3, 1 and 2 the second is the highest: e^3 / (1 + e + e^2 + e^3) = 64.4 %.
    expect(viewer.locator("tbody tr").first).to_contain_text("64.4 %")
    viewer.scroll_into_view_if_needed()
    lab_page.shot("viewer-top")

    viewer = select(values, "wave")
    expect(viewer.locator(".ox-line .ox-band")).to_have_count(1)
    expect(viewer).to_contain_text("range of 4 elements")
    viewer.scroll_into_view_if_needed()
    lab_page.shot("viewer-line")

    viewer = select(values, "double")
    expect(viewer.locator(".ox-texts li")).to_have_text(["abab", "cdcd"])


def test_nan_and_infinities_are_seen_in_a_weight_and_its_slices_can_be_chosen(values, lab_page):
    lab_page.run_cell(1)
    viewer = values.locator(".ox-viewer")
    expect(viewer).to_have_attribute("data-view", "heat")
    expect(viewer.locator(".ox-sign")).to_have_text(["inf × 1", "−inf × 1", "NaN × 1"])
    expect(viewer).to_contain_text("1 of 2 rows")
    viewer.scroll_into_view_if_needed()
    lab_page.shot("viewer-heat")
    lab_page.page.set_viewport_size({"width": 900, "height": 1000})
    viewer.locator("[data-view=table]").click()
    viewer.get_by_label("From row").fill("50")
    expect(viewer.locator("td[data-sign=nan]")).to_have_count(1)
    viewer.get_by_label("Axis 0").select_option("→ columns")
    # Rows and columns have changed places: the table is anew at its beginning.
    expect(viewer.locator("td[data-sign='-inf']")).to_have_count(1)
    viewer.scroll_into_view_if_needed()
    lab_page.set_theme("JupyterLab Dark")
    expect(values).to_have_attribute("data-theme", "dark")
    lab_page.shot("viewer-table-dark")
    viewer.locator("[data-view=heat]").click()
    expect(viewer.locator("canvas")).to_be_visible()
    viewer.locator("canvas").hover()
    lab_page.shot("viewer-heat-dark")
    # What was chosen is still chosen when one comes back.
    title = values.locator(".ox-inspector h2")
    lab_page.run_cell(2)
    expect(title).to_have_text("copy")
    viewer.locator("[data-view=table]").click()
    expect(viewer).to_have_attribute("data-view", "table")
    lab_page.run_cell(1)
    expect(title).to_have_text("weight")
    expect(viewer).to_have_attribute("data-view", "heat")
