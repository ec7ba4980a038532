"""Narrow cells: what is asked for comes into sight, and nothing is cut."""

from __future__ import annotations

from playwright.sync_api import expect

import onnx_explorer as ox

CUT = "button => button.scrollWidth > button.clientWidth"


def test_a_key_opens_its_panel_where_it_is_seen(live):
    page = live(ox.explore(ox.example("digits")), width=900).page
    page.locator("[data-box-id=conv1]").click()
    page.keyboard.press("Shift+W")
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
