"""Boxes coloured by numbers, and the table of nodes, in an exported page."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import onnx_explorer as ox

TABLE = "[data-onnx-explorer-table]"
LEGEND = "[data-onnx-explorer-legend]"


@pytest.fixture
def page(exported):
    return exported(ox.explore(ox.example("digits")), height=1500)


def tag(page: Page, node: str) -> Locator:
    return page.locator(f"[data-box-id={node}] .ox-tag")


def test_boxes_are_coloured_and_numbered_by_their_parameters(page):
    page.locator("[data-onnx-explorer-overlay]").select_option("parameters")
    # 16 filters of 3 x 3 with a bias; 128 x 64 weights with 64 biases.
    expect(tag(page, "conv1")).to_have_text("160")
    expect(tag(page, "dense")).to_have_text("8.26 k")
    expect(tag(page, "relu1")).to_have_count(0)
    expect(page.locator(LEGEND)).to_contain_text("8.26 k")
    fill = "e => getComputedStyle(e.querySelector('.ox-card-face')).fill"
    colours = {n: page.locator(f"[data-box-id={n}]").evaluate(fill) for n in ("conv1", "dense")}
    assert colours["conv1"] != colours["dense"]
    page.locator(f"{LEGEND} [data-action=close]").click()
    expect(page.locator(LEGEND)).to_be_hidden()
    expect(page.locator(".ox-tag")).to_have_count(0)


def test_keys_go_through_the_overlays_and_clear_them(page):
    page.locator(".ox-canvas").focus()
    legend = page.locator(f"{LEGEND} header b")
    page.keyboard.press("v")
    expect(legend).to_have_text("parameters")
    page.keyboard.press("v")
    expect(legend).to_have_text("output bytes")
    page.keyboard.press("V")
    expect(legend).to_have_text("parameters")
    page.keyboard.press("Escape")
    expect(page.locator(LEGEND)).to_be_hidden()


def test_open_sizes_can_be_changed_in_the_legend(page):
    page.locator("[data-onnx-explorer-overlay]").select_option("macs")
    size = page.locator(LEGEND).get_by_label("batch")
    size.fill("1")
    # 64 places x 16 filters x 9.
    expect(tag(page, "conv1")).to_have_text("9.22 k")
    size.fill("1000")
    expect(tag(page, "conv1")).to_have_text("9.22 M")


def test_the_inspector_says_what_is_open_as_arithmetic(page):
    page.locator("[data-box-id=conv1]").click()
    inspector = page.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("9216*batch")


def test_the_table_is_sorted_filtered_and_linked_to_the_drawing(page):
    page.locator("[data-action=table]").click()
    table = page.locator(TABLE)
    rows = table.locator(".ox-table-row")
    expect(rows).to_have_count(11)
    table.locator("[data-column=parameters]").click()
    expect(rows.first).to_contain_text("dense")
    expect(table.locator("[aria-sort=descending]")).to_have_text("Parameters")
    table.get_by_label("Filter the table").fill("op:conv")
    expect(rows).to_have_count(2)
    expect(table).to_contain_text("2 of 11 nodes")
    rows.first.click()
    inspector = page.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_have_text("Conv")
    expect(rows.first).to_have_attribute("aria-selected", "true")
    expect(page.locator("[data-box-id=conv2]")).to_have_attribute("data-selected", "")


def test_the_table_is_walked_by_keys_and_shows_what_is_selected(page):
    page.locator(".ox-canvas").focus()
    page.keyboard.press("l")
    title = page.locator("[data-onnx-explorer-inspector] h2")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("Conv")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("Relu")
    page.keyboard.press("End")
    expect(title).to_have_text("Softmax")
    page.locator("[data-box-id=dense]").click()
    selected = page.locator(f"{TABLE} [aria-selected=true]")
    expect(selected).to_contain_text("dense")
    page.locator(f"{TABLE} .ox-table-body").focus()
    page.keyboard.press("l")
    expect(page.locator(TABLE)).to_be_hidden()


def test_a_page_begins_with_what_the_explorer_showed_in_python(exported):
    explorer = ox.explore(ox.example("digits"))
    explorer.overlay("latency", {"conv1": 1.5, "dense": 3}, unit="ms")
    explorer.select("dense")
    explorer.highlight(["conv1"], "#d55e00")
    page = exported(explorer, height=1500)
    expect(tag(page, "conv1")).to_have_text("1.5 ms")
    expect(page.locator(LEGEND)).to_contain_text("ms")
    expect(page.locator("[data-onnx-explorer-inspector] h2")).to_have_text("Gemm")
    marked = page.locator("[data-box-id=conv1] .ox-card-face")
    expect(marked).to_have_css("stroke", "rgb(213, 94, 0)")


def test_nodes_that_read_nan_are_found(exported):
    g = ox.build.graph("net", opset=20)
    x = g.input("x", "float32[2]")
    h = g.Add(x, np.float32([1, np.nan]), name="add")
    g.output(g.Relu(h, name="relu"), "y")
    page = exported(ox.explore(g.model()))
    page.locator("[data-onnx-explorer-search]").fill("has:nan")
    hits = page.locator("[data-onnx-explorer-hit]")
    expect(hits).to_have_count(1)
    expect(hits).to_contain_text("add")


def test_the_legend_says_its_whole_name_beside_the_unit(live):
    explorer = ox.explore(ox.example("digits"))
    explorer.overlay("added difference", {"conv1": 2.0, "dense": 1.0}, unit="× tolerance")
    shown = live(explorer)
    head = shown.root.locator("[data-onnx-explorer-legend] header p")
    expect(head).to_have_text("added difference × tolerance")
    assert head.evaluate("p => p.scrollWidth <= p.clientWidth")
    assert head.locator("b").evaluate("b => getComputedStyle(b).textOverflow") != "ellipsis"
    shown.shot("legend")
