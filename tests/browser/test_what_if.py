"""The what-if panel: a clash mended on trial, in the drawing at once, taken back and taken over."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.browser.barriers import barriers


def clash():
    g = ox.build.graph("clash")
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[2, n]")
    product = g.Gemm(a, b, name="product")
    flat = g.Reshape(product, g.initializer("shape", np.array([-1, 1])), name="flat")
    g.output(g.Relu(flat, name="positive"), "y")
    return g.model()


def test_a_changed_attribute_mends_the_model_on_trial(live):
    explorer = ox.explore(clash())
    shown = live(explorer)
    page, root = shown.page, shown.root
    label = root.locator("text[data-edge-value=y]")
    product = root.locator("[data-box-id=product]")
    expect(product.locator(".ox-sign")).to_have_count(1)
    product.click()
    shown.settle()
    place = shown.view
    shown.press("Shift+W")
    field = page.get_by_label("Attribute transA")
    field.fill("yes")
    field.press("Enter")
    expect(page.locator(".ox-change .ox-error:visible")).to_contain_text("transA")
    expect(field).to_have_value("yes")
    field.fill("1")
    field.press("Enter")
    # The product is 3 by n now.
    expect(label).to_have_text("float32[3*n, 1]")
    expect(root.locator("[data-box-id=product] .ox-sign")).to_have_count(0)
    expect(page.locator(".ox-finding[data-fate=gone]")).to_have_count(1)
    size = page.get_by_label("Size n")
    size.fill("4")
    size.press("Enter")
    expect(label).to_have_text("float32[12, 1]")
    expect(root.locator(".ox-labels [data-changed] text[data-edge-value=y]")).to_have_count(1)
    # The drawing has kept its place, and what was selected is selected.
    shown.settle()
    expect(root.locator(".ox-world")).to_have_attribute("transform", place)
    expect(product).to_have_attribute("data-selected", "")
    shown.shot("what-if")
    page.get_by_label("Take back n = 4").click()
    expect(label).to_have_text("float32[3*n, 1]")
    page.get_by_role("button", name="Reset").click()
    expect(root.locator("[data-box-id=product] .ox-sign")).to_have_count(1)
    expect(root.locator(".ox-labels [data-changed]")).to_have_count(0)


def test_what_was_tried_is_taken_over_and_runs(live):
    explorer = ox.explore(clash())
    shown = live(explorer, scheme="dark", width=900)
    page, root = shown.page, shown.root
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("Gemm product failed")
    page.get_by_role("button", name="What if").click()
    field = page.get_by_label("Type of b")
    field.fill("float32[3, 5]")
    field.press("Enter")
    expect(root.locator("text[data-edge-value=y]")).to_have_text("float32[10, 1]")
    shown.settle()
    shown.shot("what-if-dark")
    assert barriers(page) == []
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_role("button", name="Take over")).to_be_disabled()
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("3 of 3: finished")
    assert explorer.types.errors == ()
    assert explorer.stepper.outputs["y"].shape == (10, 1)


def test_an_attribute_that_is_left_out_is_offered_where_a_node_fails_and_on_trial(live):
    g = ox.build.graph("narrow")
    x, w = g.input("x", "float32[1, 1, h, w]"), g.input("w", "float32[1, 1, 3, 3]")
    g.output(g.Relu(g.Conv(x, w, name="conv"), name="positive"), "y")
    feeds = {"x": np.ones((1, 1, 2, 2), np.float32), "w": np.ones((1, 1, 3, 3), np.float32)}
    shown = live(ox.explore(g.model(), feeds))
    page, root = shown.page, shown.root
    root.locator("[data-action=run]").click()
    failing = root.locator(".ox-failing")
    # A window of 3 by 3 does not fit into 2 by 2.
    pads = failing.get_by_label("pads", exact=True)
    expect(pads).to_have_value("")
    expect(pads).to_have_attribute("placeholder", "not set")
    expect(failing.get_by_label("group", exact=True)).to_have_attribute(
        "placeholder", "1 (default)"
    )
    expect(failing.get_by_label("strides", exact=True)).to_be_visible()
    pads.scroll_into_view_if_needed()
    shown.shot("left-out")
    pads.fill("[1, 1, 1, 1]")
    pads.press("Enter")
    expect(root.locator(".ox-status")).to_contain_text("1 of 2: next is Relu")
    root.locator("[data-box-id=conv]").click()
    shown.press("Shift+W")
    field = page.get_by_label("Attribute strides")
    expect(field).to_have_attribute("placeholder", "not set")
    field.fill("[2, 2]")
    field.press("Enter")
    expect(page.locator(".ox-changed code")).to_have_text("conv.strides = [2, 2]")


def of_conv2(live):
    """The panel with the attributes of a node."""
    shown = live(ox.explore(ox.example("digits")))
    shown.page.locator("[data-box-id=conv2]").click()
    shown.press("Shift+W")
    return shown


def test_what_is_typed_meanwhile_stays_where_it_is_typed(live):
    shown = of_conv2(live)
    page = shown.page
    pads = page.get_by_label("Attribute pads")
    pads.fill("[0,0,0,0]")
    pads.press("Enter")
    expect(page.locator(".ox-changed")).to_be_visible()
    shown.settle()
    expect(pads).to_be_focused()
    expect(pads).to_have_value("[0, 0, 0, 0]")
    pads.fill("[1,1,1,1]")
    pads.press("Tab")
    page.keyboard.type("SAME")
    expect(page.locator(".ox-changed")).to_contain_text("[1,1,1,1]")
    shown.settle()
    field = page.get_by_label("Attribute auto_pad")
    expect(field).to_be_focused()
    expect(field).to_have_value("SAME")


def test_what_is_typed_while_an_answer_comes_is_entered_when_it_is_left(live):
    shown = of_conv2(live)
    page = shown.page
    field = page.get_by_label("Attribute auto_pad")
    field.click()
    page.keyboard.type("VAL")
    # The answer to another change makes all fields anew.
    page.get_by_label("Attribute pads").evaluate(
        "pads => { pads.value = '[0,0,0,0]'; pads.dispatchEvent(new Event('change')); }"
    )
    changed = page.locator(".ox-changed code")
    expect(changed).to_have_text("conv2.pads = [0,0,0,0]")
    shown.settle()
    expect(field).to_be_focused()
    expect(field).to_have_value("VAL")
    expect(changed).to_have_count(1)
    page.keyboard.type("ID")
    page.get_by_label("Attribute pads").evaluate(
        "pads => { pads.value = '[2,2,2,2]'; pads.dispatchEvent(new Event('change')); }"
    )
    expect(changed).to_have_text("conv2.pads = [2,2,2,2]")
    shown.settle()
    page.keyboard.press("Tab")
    expect(changed).to_have_text(["conv2.pads = [2,2,2,2]", "conv2.auto_pad = VALID"])
