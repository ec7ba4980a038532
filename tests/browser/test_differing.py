"""A value beside another one in the viewer."""

from __future__ import annotations

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import onnx_explorer as ox


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
    root.locator("text[data-edge-value=positive]").click()
    select = page.get_by_label("Compare positive with")
    expect(select.locator("option")).to_have_text(["nothing", "another value…"])
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
    found = Axe().run(page).response["violations"]
    assert [v["id"] for v in found if v["impact"] in {"serious", "critical"}] == []
    # The run before, once there is one.
    explorer.feed("x", "zeros")
    page.locator(".ox-canvas").focus()
    page.keyboard.press("Home")
    expect(root.locator(".ox-status")).to_contain_text("0 of 1")
    page.keyboard.press("r")
    select = page.get_by_label("Compare positive with")
    select.select_option("former")
    expect(page.locator(".ox-side-by-side").first).to_contain_text(f"max0{feeds['x'].max():.5g}")
