"""Constants as boxes of their own: asked for by button, key and Python, found, walked to, kept."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox

BOXES = "[data-kind=initializer]"


def shared():
    """One weight that two products read, and a number that the second's bias is scaled by."""
    g = ox.build.graph("shared")
    x = g.input("x", "float32[n, 2]")
    weight = g.initializer("weight", np.ones((2, 2), np.float32))
    h = g.MatMul(x, weight, name="first")
    h = g.MatMul(h, weight, name="second")
    g.output(g.Mul(h, g.initializer("half", np.float32(0.5)), name="scaled"), "y")
    return g.model()


def test_the_hit_that_is_looked_at_stays_where_constants_become_boxes(live):
    shown = live(ox.explore(shared()))
    count = shown.root.locator(".ox-search .ox-count")
    shown.root.locator("[data-onnx-explorer-search]").fill("op:MatMul")
    shown.press("Enter", "Enter")
    expect(count).to_have_text("2 of 2")
    shown.page.get_by_role("button", name="Constants", exact=True).click()
    expect(shown.root.locator(BOXES)).to_have_count(2)
    shown.settle()
    expect(count).to_have_text("2 of 2")


def test_a_button_and_a_key_show_all_and_fold_them_in_again(live):
    explorer = ox.explore(shared())
    shown = live(explorer)
    page, root = shown.page, shown.root
    expect(root.locator(BOXES)).to_have_count(0)
    button = page.get_by_role("button", name="Constants", exact=True)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(root.locator(BOXES)).to_have_count(2)
    expect(root.locator("[data-box-id='const:half']")).to_contain_text("0.5")
    shown.settle()
    assert explorer.constants is True
    page.keyboard.press("k")
    expect(root.locator(BOXES)).to_have_count(0)
    expect(button).to_have_attribute("aria-pressed", "false")


def test_one_is_selected_found_and_walked_to(live):
    explorer = ox.explore(shared(), constants=True)
    shown = live(explorer)
    page, root = shown.page, shown.root
    weight = root.locator("[data-box-id='const:weight']")
    weight.click()
    expect(weight).to_have_attribute("data-selected", "")
    shown.settle()
    assert explorer.selected == "value:weight"
    inspector = root.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("header")).to_contain_text("initializer")
    expect(inspector).to_contain_text("MatMul first")
    expect(inspector).to_contain_text("MatMul second")
    # Two edges leave it.
    expect(root.locator(".ox-wire[data-hot]")).to_have_count(2)
    root.locator(".ox-canvas").focus()
    page.keyboard.press("ArrowDown")
    expect(inspector.locator("header")).to_contain_text("first")
    root.locator("[data-onnx-explorer-search]").fill("half")
    hit = root.locator("[data-onnx-explorer-hit]")
    expect(hit).to_have_count(1)
    hit.click()
    expect(inspector.locator("h2")).to_have_text("half")
    shown.shot("constants")


def test_one_that_is_part_of_a_node_is_found_and_leads_there(live):
    shown = live(ox.explore(shared()))
    page, root = shown.page, shown.root
    root.locator("[data-onnx-explorer-search]").fill("half")
    hit = root.locator("[data-onnx-explorer-hit]")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text("in Mul scaled")
    page.keyboard.press("Enter")
    inspector = root.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_have_text("half")
    expect(inspector.locator("header")).to_contain_text("initializer")
    expect(root.locator("[data-box-id=scaled][data-hit]")).to_have_count(1)
    shown.settle()
    assert shown.explorer.selected == "value:half"


def test_those_of_one_node_stay_when_the_model_is_changed_on_trial(live):
    explorer = ox.explore(shared())
    shown = live(explorer, scheme="dark", width=900)
    page, root = shown.page, shown.root
    root.locator("[data-box-id=scaled]").click()
    page.keyboard.press("Shift+K")
    expect(root.locator(BOXES)).to_have_count(1)
    switch = page.get_by_role("button", name="its constants")
    expect(switch).to_have_attribute("aria-pressed", "true")
    shown.settle()
    assert explorer.constants == ("scaled",)
    page.keyboard.press("Shift+W")
    size = page.get_by_label("Size n")
    size.fill("4")
    size.press("Enter")
    expect(root.locator("text[data-edge-value=y]")).to_have_text("float32[4, 2]")
    expect(root.locator(BOXES)).to_have_count(1)
    switch.click()
    expect(root.locator(BOXES)).to_have_count(0)
    shown.settle()
    explorer.constants = ["second"]
    expect(root.locator(BOXES)).to_have_count(1)
    expect(root.locator("[data-box-id='const:weight']")).to_be_visible()
