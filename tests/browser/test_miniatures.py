"""Values on the edges of the drawing, near enough to be read."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox


def roots():
    g = ox.build.graph("roots")
    x = g.input("x", "float32[n]")
    root = g.Sqrt(g.Sub(x, 1.0, name="less"), name="root")
    g.output(g.ReduceSum(root, keepdims=0, name="sum"), "total")
    g.output(g.Relu(root, name="positive"), "kept")
    return g.model()


def test_edges_show_what_a_run_has_made(live):
    feeds = {"x": np.linspace(0, 9, 200, dtype=np.float32)}
    shown = live(ox.explore(roots(), feeds))
    page, root = shown.page, shown.root
    shown.settle()
    expect(root.locator(".ox-labels .ox-miniature")).to_have_count(0)
    root.locator("[data-action=step]").click()
    expect(root.locator(".ox-labels .ox-miniature")).not_to_have_count(0)
    shown.settle()
    root.locator("[data-action=run]").click()
    # The root of what is below 0 is NaN, and so is the sum.
    total = root.locator(".ox-label:has([data-edge-value=total]) .ox-miniature")
    expect(total).to_have_text("nan")
    expect(total).to_have_attribute("data-bad", "")
    kept = root.locator(".ox-label:has([data-edge-value=kept]) .ox-miniature")
    expect(kept.locator(".ox-miniature-cross")).to_have_count(1)
    shown.shot("miniatures")
    label = root.locator("text[data-edge-value=kept]")
    label.hover()
    expect(page.locator(".ox-tooltip")).to_contain_text("NaN")


def test_other_inputs_give_other_miniatures(live):
    shown = live(ox.explore(roots(), {"x": np.full(4, 5, np.float32)}), scheme="dark", width=900)
    page, root = shown.page, shown.root
    root.locator("[data-action=run]").click()
    # Four times the root of 4.
    total = root.locator(".ox-label:has([data-edge-value=total]) .ox-miniature")
    expect(total).to_have_text("8")
    page.locator(".ox-canvas").focus()
    page.keyboard.press("Shift+I")
    page.get_by_label("How x is filled").select_option("list")
    page.get_by_label("Numbers for x").fill("10 10")
    page.get_by_label("Numbers for x").press("Enter")
    page.get_by_role("button", name="Run with these").click()
    expect(total).to_have_text("6")
    expect(root.locator("text[data-edge-value=kept]")).to_have_text("float32[n=2]")
    shown.shot("miniatures-dark")


def test_a_new_run_takes_back_what_the_last_one_has_shown(live):
    explorer = ox.explore(roots(), {"x": np.full(4, 5, np.float32)})
    shown = live(explorer)
    explorer.run()
    kept = shown.root.locator("text[data-edge-value=kept]")
    expect(kept).to_have_text("float32[n=4]")
    explorer.feed("x", np.full(2, 10, np.float32))
    explorer.restart()
    expect(kept).to_have_text("float32[n]")
    expect(shown.root.locator(".ox-label .ox-miniature")).to_have_count(0)


def test_a_value_whose_miniature_was_of_another_run_says_none_of_its_numbers(live):
    explorer = ox.explore(roots(), {"x": np.full(4, 5, np.float32)})
    shown = live(explorer)
    total = shown.root.locator(".ox-label:has([data-edge-value=total])")
    tooltip = shown.page.locator(".ox-tooltip")
    explorer.run()
    expect(total.locator(".ox-miniature")).to_have_text("8")
    explorer.restart()
    shown.settle()
    total.hover()
    expect(tooltip).to_contain_text("total")
    expect(tooltip).not_to_contain_text("values")
    # Too far away for miniatures, so that nobody asks for them anew.
    explorer.run()
    shown.page.locator(".ox-canvas").focus()
    shown.press(*"-" * 4)
    expect(total).to_have_count(1)
    explorer.feed("x", np.full(2, 10, np.float32))
    explorer.restart()
    explorer.run()
    shown.settle()
    total.hover()
    expect(tooltip).to_contain_text("observed")
    expect(tooltip).not_to_contain_text("values: 8")
