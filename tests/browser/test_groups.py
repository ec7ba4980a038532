"""Groups that are equal, and nearly: one opened beside what the others have otherwise."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import onnx_explorer as ox
from onnx_explorer import build
from tests.browser.panels import layers as twelve_layers


@pytest.fixture
def layers():
    return ox.explore(twelve_layers(around=""))


def test_a_group_is_opened_beside_what_others_have_otherwise(live, layers):
    shown = live(layers)
    page, root = shown.page, shown.root
    page.get_by_role("button", name="Close groups").click()
    times = root.locator(".ox-card [data-alike]").first
    expect(times).to_have_text("×10")
    times.locator("rect").click()
    assert_selected(page, "group:layer.0")
    expect(root.locator("[data-box-id='layer.0/act'][data-odd]")).to_have_count(1)
    expect(root.locator("[data-odd]")).to_have_count(1)
    inspector = root.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("header")).to_contain_text("group · 3 nodes")
    expect(inspector).to_contain_text("The same inside: 9")
    expect(inspector).to_contain_text("Dropout is added")
    shown.shot("groups")
    # An entry leads to its place in the other group, whose node tells of this one in turn.
    inspector.get_by_role("button", name="Gelu act").click()
    expect(root.locator("[data-box-id='layer.7/act']")).to_have_attribute("data-selected", "")
    expect(inspector).to_contain_text("layer.0: Gelu → Relu")


def test_what_has_been_closed_stays_closed_in_another_view(live, layers):
    inside = "[data-box-id='layer.0/act']"
    shown = live(layers)
    expect(shown.root.locator(inside)).to_be_attached()
    shown.page.get_by_role("button", name="Close groups").click()
    expect(shown.root.locator(inside)).to_have_count(0)
    shown.settle()
    assert layers.expanded == ("",)
    again = live(layers)
    expect(again.root.locator(".ox-card[data-kind=group]")).not_to_have_count(0)
    expect(again.root.locator(inside)).to_have_count(0)


def test_one_that_is_nearly_like_the_others_says_so_and_opens_beside_them(live, layers):
    shown = live(layers)
    page, root = shown.page, shown.root
    page.get_by_role("button", name="Close groups").click()
    nearly = root.locator(".ox-card [data-alike]", has_text="≈12")
    expect(nearly).to_have_count(2)
    nearly.last.hover()
    hint = page.locator(".ox-tooltip")
    expect(hint).to_contain_text("11 others hold nearly the same")
    expect(hint).to_contain_text("layer.0 and 9 like it: Gelu → Relu")
    shown.shot("groups-nearly")
    beside = root.locator(".ox-card[data-kind=input]")
    beside.evaluate("card => { card.stays = true; }")
    nearly.last.locator("rect").click()
    assert_selected(page, "group:layer.7")
    expect(root.locator("[data-box-id='layer.7/act'][data-odd]")).to_have_count(1)
    # What looks as before has been moved, not made anew.
    assert beside.evaluate("card => card.stays")


def test_the_same_by_keyboard_alone(live, layers):
    shown = live(layers, scheme="dark", width=900)
    page, root = shown.page, shown.root
    layers.select("layer.7/act")
    root.locator(".ox-canvas").focus()
    shown.press("g")
    assert_selected(page, "group:layer.7")
    expect(root.locator(".ox-frame[data-selected]")).to_have_count(1)
    inspector = root.locator("[data-onnx-explorer-inspector]")
    link = inspector.get_by_role("button", name="Relu act").first
    link.focus()
    page.keyboard.press("Enter")
    assert_selected(page, "node:layer.0/act")
    root.locator(".ox-canvas").focus()
    page.keyboard.press("[")
    assert_selected(page, "group:layer.7")
    shown.shot("groups-dark")


def test_a_group_without_equals_says_so(live):
    g = build.graph("alone")
    x = g.input("x", "float32[2]")
    y = g.Relu(g.Relu(x, name="head/act"), name="head/again")
    g.output(g.Relu(y, name="act"), "y")
    shown = live(ox.explore(g.model()))
    page, root = shown.page, shown.root
    status = root.locator(".ox-status")
    root.locator("[data-box-id=act]").click()
    page.keyboard.press("g")
    expect(status).to_have_text("No group is around what is selected.")
    root.locator("[data-box-id='head/act']").click()
    page.keyboard.press("g")
    assert_selected(page, "group:head")
    expect(status).to_have_text("No group beside head is like it.")


def assert_selected(page: Page, selected: str) -> None:
    page.wait_for_function("name => window.model.get('selected') === name", arg=selected)
