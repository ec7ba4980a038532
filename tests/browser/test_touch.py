"""The drawing under fingers: pan, pinch, tap and rest."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import onnx_explorer as ox

Fingers = Callable[..., None]


@pytest.fixture
def page(exported):
    page = exported(ox.explore(ox.example("transformer")), width=1000, height=800)
    touch = {"enabled": True, "maxTouchPoints": 2}
    page.context.new_cdp_session(page).send("Emulation.setTouchEmulationEnabled", touch)
    # Whether there are fingers is looked at when the drawing is made.
    page.reload()
    page.locator("[data-onnx-explorer-ready]").wait_for()
    return page


@pytest.fixture
def fingers(page) -> Fingers:
    """Puts fingers down, moves them or lifts them: `fingers("Start", (x, y), …)`."""
    session = page.context.new_cdp_session(page)

    def touch(what: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": f"touch{what}", "touchPoints": points})

    return touch


def view(page: Page) -> tuple[float, float, float]:
    """How far the drawing is moved, and how much larger it is."""
    text = page.locator(".ox-world").get_attribute("transform") or ""
    x, y, k = map(float, re.findall(r"-?[\d.]+", text))
    return x, y, k


def place_of(page: Page, box: str) -> tuple[float, float]:
    rect = page.locator(f"[data-box-id='{box}']").bounding_box()
    assert rect is not None
    return rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2


def first_node(page: Page) -> str:
    return page.locator(".ox-card[data-kind=node]").first.get_attribute("data-box-id") or ""


def test_one_finger_moves_the_drawing(page, fingers):
    x, y, k = view(page)
    fingers("Start", (300, 400))
    for step in range(1, 6):
        fingers("Move", (300 + 10 * step, 400 - 20 * step))
    fingers("End")
    moved = re.compile(rf"translate\({x + 50:g},{y - 100:g}\) scale\({k:g}\)")
    expect(page.locator(".ox-world")).to_have_attribute("transform", moved)
    # Longer than a finger rests that is told what is under it.
    page.wait_for_timeout(600)
    expect(page.locator(".ox-tooltip")).to_be_hidden()


def test_two_fingers_that_move_apart_make_it_larger(page, fingers):
    _, _, k = view(page)
    fingers("Start", (300, 400), (400, 400))
    for step in range(1, 6):
        fingers("Move", (300 - 10 * step, 400), (400 + 10 * step, 400))
    fingers("End")
    page.wait_for_function(
        "least => document.querySelector('.ox-world').transform.baseVal.consolidate().matrix.a > least",
        arg=1.7 * k,
    )


def test_a_tap_selects(page, fingers):
    node = first_node(page)
    fingers("Start", place_of(page, node))
    fingers("End")
    expect(page.locator(f"[data-box-id='{node}']")).to_have_attribute("data-selected", "")


def test_a_finger_that_rests_is_told_what_is_under_it_and_selects_nothing(page, fingers):
    place = place_of(page, first_node(page))
    fingers("Start", place)
    hint = page.locator(".ox-tooltip")
    expect(hint).to_be_visible()
    fingers("End")
    expect(hint).not_to_be_empty()
    fingers("Start", (20, 400))
    expect(hint).to_be_hidden()
    fingers("End")
    expect(page.locator(".ox-card[data-selected]")).to_have_count(0)
