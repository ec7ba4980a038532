"""The watch list: expressions added, refused, followed through a loop, and removed by key."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.browser.barriers import barriers


def halving():
    g = ox.build.graph("halving")
    start = g.input("start", "float32[]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Div(x, 2.0, name="half"), "next", "float32[]")
    end = g.Loop(np.int64(12), np.bool_(True), start, body=body, name="loop")
    g.output(g.Neg(end, name="negate"), "negative", "float32[]")
    return g.model()


def test_an_expression_is_followed_through_a_loop(live):
    shown = live(ox.explore(halving(), {"start": np.float32(16)}))
    page, root = shown.page, shown.root
    page.locator("text[data-edge-value='loop/body/next']").first.click()
    shown.press("w")
    field = page.get_by_label("Expression to watch")
    # The selected value as an expression calls it.
    expect(field).to_have_value("next")
    field.fill("sqr(next)")
    field.press("Enter")
    expect(page.locator(".ox-watches .ox-error")).to_contain_text("no function 'sqr'")
    expect(field).to_have_value("sqr(next)")
    for text in ("next", "sqrt(abs(next)) - 1", "negative > 0"):
        field.fill(text)
        field.press("Enter")
        expect(field).to_have_value("")
    expect(page.locator(".ox-watches .ox-error")).to_be_hidden()
    half = page.locator("[data-box-id='loop/body/half']")
    half.locator("[data-stop]").click()
    expect(half).to_have_attribute("data-breakpoint", "")
    for _ in range(7):
        root.locator("[data-action=run]").click()
        shown.settle()
    row = page.locator("li[data-watch=next]")
    # Six times half of 16.
    expect(row).to_contain_text("0.25")
    expect(row.locator(".ox-spark")).to_have_attribute("aria-label", "next: 6 values, 0.25 to 8")
    shown.shot("watch")
    assert barriers(page) == []
    row.get_by_role("button").focus()
    page.keyboard.press("Delete")
    expect(page.locator("[data-watch]")).to_have_count(2)
    expect(page.locator(".ox-tab[data-panel=watch]")).to_have_text("Watch (2)")
