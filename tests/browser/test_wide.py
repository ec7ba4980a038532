"""What has very many inputs: no more of its lists is made than a person looks at."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import onnx_explorer as ox
from onnx_explorer import build

MANY = 1_000
FEW = 200


@pytest.fixture
def page(live):
    """One node that reads a thousand inputs."""
    g = build.graph("wide")
    inputs = [g.input(f"x{i}", "float32[2]") for i in range(MANY)]
    g.output(g.Concat(*inputs, axis=0, name="wide"), "y")
    return live(ox.explore(g.model()))


def read_to_the_end(rows: Locator, last: Locator) -> None:
    """Scrolls to the last piece, as a person would who looks for the last row: it fills itself."""
    expect(last).to_have_count(0)
    rows.locator(".ox-later").last.scroll_into_view_if_needed()
    last.scroll_into_view_if_needed()


def test_the_inputs_of_a_node_are_listed_as_far_as_one_has_scrolled(page):
    page.page.locator("[data-onnx-explorer-search]").fill("op:Concat")
    page.press("Enter")
    inspection = page.root.locator(".ox-inspection")
    ports = inspection.locator(".ox-port")
    expect(ports.filter(has_text="x0").first).to_be_visible()
    page.settle()
    assert 0 < ports.count() < FEW
    last = ports.filter(has=page.page.get_by_role("button", name=f"x{MANY - 1}", exact=True))
    read_to_the_end(inspection, last)
    expect(last).to_be_visible()
    assert ports.count() < MANY


def test_the_panel_of_inputs_has_the_rows_that_are_looked_at(page):
    page.root.get_by_role("button", name="Inputs", exact=True).click()
    panel = page.root.locator(".ox-inputs")
    rows = panel.locator("[data-input]")
    expect(panel.locator("[data-input=x0]")).to_be_visible()
    page.settle()
    assert rows.count() < FEW
    last = panel.locator(f"[data-input=x{MANY - 1}]")
    read_to_the_end(panel, last)
    last.get_by_role("combobox").select_option("zeros")
    expect(last.get_by_role("combobox")).to_have_value("zeros")
    assert rows.count() < MANY
