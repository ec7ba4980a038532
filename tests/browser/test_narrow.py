"""Narrow cells: what is asked for comes into sight, and nothing is cut."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import onnx_explorer as ox

CUT = "button => button.scrollWidth > button.clientWidth"


def test_a_key_opens_its_panel_where_it_is_seen(live):
    page = live(ox.explore(ox.example("digits")), width=900).page
    page.locator("[data-box-id=conv1]").click()
    page.keyboard.press("Shift+W")
    expect(page.get_by_role("button", name="Take over")).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("Size batch")).to_be_in_viewport()
    expect(page.locator(".ox-tab[data-panel='what-if']")).to_be_in_viewport()


def test_the_names_of_panels_stay_in_sight_below_a_long_failure(live):
    explorer = ox.explore(ox.example("shape_error"))
    shown = live(explorer)
    shown.page.locator("[data-action=run]").click()
    shown.page.locator(".ox-debugger .ox-failure, .ox-debugger dl").first.wait_for()
    strip = shown.page.locator(".ox-strip")
    expect(strip).to_be_in_viewport(ratio=0.99)


def test_the_titles_of_columns_are_whole(live):
    page = live(ox.explore(ox.example("digits")), width=640).page
    page.locator(".ox-canvas").focus()
    page.keyboard.press("l")
    for name in ("parameters", "output bytes", "macs"):
        title = page.locator(f".ox-table [data-column='{name}']")
        title.click()
        expect(page.locator("[aria-sort=descending] button")).to_have_attribute("data-column", name)
        assert not title.evaluate(CUT)


def test_the_bar_is_one_row_beside_a_notebook_s_folder_and_two_at_most_below(live):
    shown = live(ox.explore(ox.example("digits")), width=967)
    page, bar = shown.page, shown.page.locator(".ox-bar")
    more = page.get_by_role("button", name="More", exact=True)
    expect(more).to_be_visible()
    # As wide as a cell is in JupyterLab with its folder at the side, in windows of 1400 and 900 pixels.
    for width, rows in ((967, 1), (470, 2)):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "([bar, rows]) => bar.clientHeight < 12 + 34 * rows",
            arg=[bar.element_handle(), rows],
        )
        assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    page.set_viewport_size({"width": 1400, "height": 900})
    expect(more).to_be_hidden()
    expect(page.get_by_role("button", name="Constants", exact=True)).to_be_visible()


def test_what_is_seldom_used_is_reached_by_keys_and_gives_the_focus_back(live):
    page = live(ox.explore(ox.example("digits")), width=900).page
    more = page.get_by_role("button", name="More", exact=True)
    constants = page.get_by_role("button", name="Constants", exact=True)
    expect(more).to_have_attribute("aria-expanded", "false")
    expect(constants).to_be_hidden()
    more.press("Enter")
    expect(page.get_by_role("button", name="Open more groups")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(constants).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-box-id='const:conv1_W']")).to_be_visible()
    expect(constants).to_be_hidden()
    expect(more).to_be_focused()
    more.press("Enter")
    expect(constants).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(constants).to_be_hidden()
    expect(more).to_be_focused()


@pytest.mark.parametrize("width", [900, 1400])
def test_the_names_of_panels_have_room_for_what_is_in_them(live, width: int):
    shown = live(ox.explore(ox.example("digits")), width=width)
    page = shown.page
    for node in ("conv1", "conv2"):
        page.locator(f"[data-box-id={node}]").click()
        shown.press("Shift+B")
    shown.press("Shift+W")
    page.get_by_label("Size batch").fill("2")
    page.get_by_label("Size batch").press("Enter")
    page.locator(".ox-canvas").focus()
    shown.press("w")
    field = page.locator(".ox-panel[data-panel=watch] input").first
    field.fill("mean(relu1)")
    field.press("Enter")
    strip = page.locator(".ox-strip")
    expect(strip).to_have_text("InputsWatch (1)What if •Breakpoints (2)")
    for element in (strip, page.locator(".ox-debugger")):
        assert element.evaluate("one => one.scrollWidth <= one.clientWidth")
    shown.shot(f"strip-{width}")
