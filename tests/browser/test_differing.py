"""A value beside another one in the viewer."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.browser.barriers import barriers


def test_two_values_are_looked_at_side_by_side(live):
    g = ox.build.graph("waves")
    x = g.input("x", "float32[16, 24]")
    g.output(g.Relu(x, name="relu"), "positive")
    rows, columns = np.mgrid[0:16, 0:24]
    feeds = {"x": np.sin(rows / 3 + columns / 4).astype(np.float32)}
    explorer = ox.explore(g.model(), feeds)
    shown = live(explorer)
    page, root = shown.page, shown.root
    root.locator("[data-action=run]").click()
    shown.settle()
    root.locator("text[data-edge-value=positive]").click()
    select = page.get_by_label("Compare positive with")
    expect(select.locator("option")).to_have_text(["nothing", "another step", "another value…"])
    select.select_option("value")
    field = page.get_by_label("The other value")
    field.fill("nothing here")
    field.press("Enter")
    expect(page.locator(".ox-differences .ox-error")).to_contain_text("not been computed")
    field.fill("x")
    field.press("Enter")
    # What is below 0 differs, at most by 1.
    different = int((feeds["x"] < 0).sum())
    expect(page.locator(".ox-differences")).to_contain_text(f"{16 * 24 - different} of 384")
    expect(page.locator(".ox-differences canvas")).to_be_visible()
    page.locator(".ox-differences").scroll_into_view_if_needed()
    page.locator(".ox-differences canvas").scroll_into_view_if_needed()
    shown.shot("difference")
    assert barriers(page) == []
    # The run before, once there is one.
    explorer.feed("x", "zeros")
    page.locator(".ox-canvas").focus()
    shown.press("Home")
    expect(root.locator(".ox-status")).to_contain_text("0 of 1")
    shown.press("r")
    expect(root.locator(".ox-status")).to_contain_text("finished")
    shown.settle()
    select = page.get_by_label("Compare positive with")
    select.select_option("former")
    expect(page.locator(".ox-side-by-side").first).to_contain_text(f"max0{feeds['x'].max():.5g}")


def test_another_step_or_iteration_is_picked_by_slider_number_and_keys(live):
    g = ox.build.graph("halving")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[2]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Div(x, 2.0, name="half"), "next", "float32[2]")
    start = g.Neg(g.input("start", "float32[2]"), name="turn")
    end = g.Loop(np.int64(3), None, start, body=body, name="loop")
    g.output(g.Abs(end, name="positive"), "y", "float32[2]")
    shown = live(ox.explore(g.model(), {"start": np.float32([8, 16])}), width=900, scheme="dark")
    page, root = shown.page, shown.root
    root.locator("[data-action=run]").click()
    shown.settle()
    shown.explorer.selected = "value:y"
    page.get_by_label("Compare y with").select_option("step")
    differences = page.locator(".ox-differences")
    slider = page.get_by_label("The other step", exact=True)
    # What came just before it: 1 and 2, less -1 and -2.
    expect(differences.locator("output")).to_have_text("Loop loop → loop")
    expect(differences.locator(".ox-side-by-side").first).to_contain_text("max2-14")
    slider.focus()
    page.keyboard.press("Home")
    expect(differences.locator("output")).to_have_text("input → start")
    expect(differences.locator(".ox-side-by-side").first).to_contain_text("max216-7")
    page.keyboard.press("ArrowRight")
    expect(differences.locator("output")).to_have_text("Neg turn → turn")
    # The arrow is the slider's: nothing else is selected.
    expect(page.get_by_label("Compare y with")).to_be_visible()
    slider.scroll_into_view_if_needed()
    shown.shot("other-step")
    assert barriers(page) == []
    shown.settle()
    shown.explorer.selected = "value:loop/body/next"
    page.get_by_label("Compare loop/body/next with").select_option("iteration")
    number = page.get_by_label("The other round by number")
    expect(number).to_have_value("1")
    number.fill("0")
    # After three rounds -1 and -2, after the first -4 and -8.
    expect(differences.locator(".ox-side-by-side").first).to_contain_text("max-1-46")
    expect(page.get_by_label("The other round", exact=True)).to_have_value("0")
