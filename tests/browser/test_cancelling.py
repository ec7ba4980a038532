"""A layout that takes long is told of, and can be cancelled. The worker is held up by the test."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import onnx_explorer as ox
from onnx_explorer import build
from onnx_explorer.ir import Model
from tests.browser.panels import view
from tests.browser.pictures import shoot

# Long before the engine would give up by itself.
AT_ONCE_MS = 5_000
# While `held` is set, no worker hears of what it is to lay out.
HELD_UP = """
    window.held = false;
    window.made = 0;
    window.ended = 0;
    const Real = window.Worker;
    window.Worker = class extends Real {
        constructor(...given) { super(...given); window.made++; }
        postMessage(...given) { if (!window.held) super.postMessage(...given); }
        terminate() { window.ended++; super.terminate(); }
    };
"""


@pytest.fixture
def open_page(exported):
    def open_it(model: Model | None = None, *, held: bool = False) -> Page:
        script = HELD_UP.replace("held = false", f"held = {str(held).lower()}")
        return exported(ox.explore(model or layers()), script=script, drawn=not held)

    return open_it


def test_a_group_that_is_cancelled_stays_closed_and_opens_later(open_page):
    page = open_page()
    closed = page.locator(".ox-card[data-kind=group]")
    expect(closed).to_have_count(3)
    page.evaluate("window.held = true")
    closed.first.click()
    progress = page.locator("[data-onnx-explorer-progress]")
    expect(progress).to_contain_text("Laying out 'stage 0'")
    expect(progress).to_contain_text("boxes")
    expect(page.locator(".ox-stage .ox-said[role=status]")).to_have_text(
        "Laying out 'stage 0', 54 boxes. Escape cancels."
    )
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(progress).to_be_hidden(timeout=AT_ONCE_MS)
    page.locator("[data-onnx-explorer-ready]").wait_for()
    expect(closed).to_have_count(3)
    page.wait_for_function("window.ended === 1 && window.made === 2")
    page.evaluate("window.held = false")
    closed.first.click()
    expect(page.locator("[data-box-id='stage 0/relu 0']")).to_be_visible()


def test_escape_cancels_what_the_keyboard_has_opened_and_forward_leads_there_again(open_page):
    page = open_page()
    page.evaluate("window.held = true")
    page.locator("[data-action=expand-all]").focus()
    page.keyboard.press("Enter")
    progress = page.locator("[data-onnx-explorer-progress]")
    expect(progress).to_contain_text("Laying out 3 groups")
    page.keyboard.press("Escape")
    expect(progress).to_be_hidden(timeout=AT_ONCE_MS)
    expect(page.locator(".ox-card[data-kind=group]")).to_have_count(3)
    page.evaluate("window.held = false")
    page.keyboard.press("]")
    expect(page.locator(".ox-card[data-kind=group]")).to_have_count(0)
    page.locator("[data-onnx-explorer-ready]").wait_for()


def test_constants_that_are_cancelled_are_no_boxes_and_the_button_is_up(open_page):
    page = open_page(layers(scaled=True))
    button = page.get_by_role("button", name="Constants", exact=True)
    boxes = page.locator("[data-kind=initializer]")
    page.evaluate("window.held = true")
    button.click()
    progress = page.locator("[data-onnx-explorer-progress]")
    expect(progress).to_be_visible()
    expect(progress).to_contain_text("Laying out the graph")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false", timeout=AT_ONCE_MS)
    page.locator("[data-onnx-explorer-ready]").wait_for()
    expect(boxes).to_have_count(0)
    page.evaluate("window.held = false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(boxes).to_have_count(1)
    # And the other way round, where the layout without them is no longer known.
    page.evaluate("window.held = true")
    page.locator("[data-action=expand-all]").click()
    button.click()
    expect(progress).to_be_visible()
    page.keyboard.press("Escape")
    expect(progress).to_be_hidden(timeout=AT_ONCE_MS)
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(boxes).to_have_count(1)


def test_a_later_request_takes_the_place_of_one_that_is_under_way(open_page):
    page = open_page()
    page.evaluate("window.held = true")
    page.locator(".ox-card[data-kind=group]").first.click()
    expect(page.locator("[data-onnx-explorer-progress]")).to_be_visible()
    page.evaluate("window.held = false")
    page.locator(".ox-card[data-kind=group]").last.click()
    expect(page.locator("[data-box-id='stage 2/relu 0']")).to_be_visible()
    expect(page.locator("[data-onnx-explorer-progress]")).to_be_hidden()


def test_a_first_drawing_that_is_cancelled_is_drawn_in_rows(open_page):
    page = open_page(held=True)
    progress = page.locator("[data-onnx-explorer-progress]")
    expect(progress).to_contain_text("Laying out the graph")
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.locator("[data-onnx-explorer-ready]").wait_for()
    expect(page.locator(".ox-card[data-kind=group]")).to_have_count(3)
    expect(page.get_by_role("alert")).to_contain_text("plain rows")


def test_what_is_under_way_is_told_below_the_drawing(open_page):
    page = open_page()
    page.evaluate("window.held = true")
    view(page, "expand-all")
    progress = page.locator("[data-onnx-explorer-progress]")
    expect(progress).to_be_visible()
    for width in (1400, 900):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.body.clientWidth === width", arg=width)
        inside = page.locator(".ox-stage").bounding_box()
        box = progress.bounding_box()
        assert inside
        assert box
        assert inside["x"] <= box["x"]
        assert box["x"] + box["width"] <= inside["x"] + inside["width"]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.locator(f"[data-theme={scheme}]").wait_for()
            shoot(page, f"progress_{scheme}_{width}")


def layers(*, scaled: bool = False) -> Model:
    """Three scopes, too large to stand open at first; behind a product with a constant if asked."""
    g = build.graph("layers")
    x = g.input("x", "float32[batch, 64]")
    if scaled:
        x = g.Mul(x, g.initializer("half", np.float32(0.5)), name="scaled")
    for stage in range(3):
        for i in range(50):
            x = g.Relu(x, name=f"stage {stage}/relu {i}")
    g.output(x, "y")
    return g.model()
