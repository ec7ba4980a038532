"""Walks by keys in any order, in the widget and in a page that recorded the run."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.widgets.walks import functions, loops

KEYS = ["F10"] * 4 + ["F11"] * 6 + ["Shift+F11"] * 2 + ["Shift+F10"] * 4 + ["F5", "Home"]


@pytest.mark.parametrize(("make", "seed"), [(loops, 1), (functions, 2)])
def test_a_recorded_page_walks_as_the_widget_does(live, exported, make, seed):
    rng = random.Random(seed)
    explorer = ox.explore(*make())
    page = exported(explorer, record=True)
    widget = live(explorer)
    trail = ["Home", *rng.choices(KEYS, k=14), "Home", "F5"]
    pages = (page, widget.page)
    for each in pages:
        each.locator(".ox-canvas").focus()
    for n, key in enumerate(trail):
        for each in pages:
            each.keyboard.press(key)
        widget.settle()
        # Why there was nothing to go into is said by the kernel alone.
        told, _, _ = page.locator(".ox-status").inner_text().partition(". ")
        expect(widget.root.locator(".ox-status"), str(trail[: n + 1])).to_contain_text(told)
        for each in pages:
            each.locator("[data-onnx-explorer-ready]").wait_for()
        if "next is" in told:
            current = explorer.state["current"]
            for each in pages:
                lit = each.locator(".ox-card[data-step=current]")
                expect(lit, str(trail[: n + 1])).to_have_attribute("data-box-id", current)
    expect(page.locator(".ox-status")).to_contain_text("finished")
