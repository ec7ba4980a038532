"""Between Python and the drawing, in a notebook: both ways, beside other widgets, and saved."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import READY

INSPECTOR = "[data-onnx-explorer-inspector]"

COMPOSED = """
import ipywidgets
import onnx_explorer as ox
w = ox.explore(ox.example('digits'))
menu = ipywidgets.Text(description='colour')
ipywidgets.jslink((menu, 'value'), (w, 'overlay_name'))
heard = []
w.on_select(heard.append)
ipywidgets.VBox([menu, w])
"""
INTERACTIVE = """
def look(node):
    w.select(node)
    w.highlight([node], 'crimson')
ipywidgets.interact(look, node=['conv1', 'dense'])
None
"""


@pytest.fixture
def notebook(lab_page):
    """An explorer in a box with a field, and cells that speak with it."""
    lab_page.write(
        COMPOSED,
        "print(w.selection, heard)",
        INTERACTIVE,
        "w.focus('logits'); w.view_box",
        "print([round(n) for n in w.view_box])",
        "w.view_box = (0, 0, 500, 300)",
        "print(w.overlay_name)",
        height=1600,
    )
    return lab_page.draw(0)


def test_a_selection_is_heard_in_python_and_comes_from_there(notebook, lab_page):
    notebook.locator("[data-box-id=pool1]").click()
    lab_page.run_cell_until(1, "('pool1',) [('pool1',)]")
    output = lab_page.run_cell(2)
    expect(notebook.locator(f"{INSPECTOR} h2")).to_have_text("Conv")
    output.locator("select").select_option("dense")
    expect(notebook.locator(f"{INSPECTOR} h2")).to_have_text("Gemm")
    expect(notebook.locator("[data-box-id=dense]")).to_have_attribute("data-marked", "")
    expect(notebook.locator("[data-box-id][data-marked]")).to_have_count(1)


def test_a_field_of_ipywidgets_chooses_the_overlay_without_the_kernel(notebook, lab_page):
    field = lab_page.cell(0).locator(".widget-vbox .widget-text input")
    field.fill("parameters")
    field.press("Enter")
    expect(notebook.locator("[data-box-id=dense] .ox-tag")).to_have_text("8.26 k")
    notebook.locator("[data-onnx-explorer-overlay]").select_option("dtype")
    expect(field).to_have_value("dtype")
    lab_page.run_cell_until(6, "dtype")


def test_the_part_that_is_shown_is_the_same_on_both_sides(notebook, lab_page):
    # Near to it nothing else is shown.
    notebook.locator(".ox-canvas").focus()
    for _ in range(4):
        lab_page.page.keyboard.press("+")
    lab_page.run_cell(3)
    across, down = notebook.locator("[data-box-id=logits]").evaluate(
        "e => { const m = e.transform.baseVal.consolidate().matrix; return [m.e, m.f]; }"
    )

    def has_logits(said):
        x, y, width, height = json.loads(said or "[]") or (0, 0, 0, 0)
        return x < across < x + width and y < down < y + height

    lab_page.run_cell_until(4, has_logits)
    lab_page.run_cell(5)
    lab_page.wait_until("""() => {
        const { clientWidth, clientHeight } = document.querySelector('.ox-canvas');
        const world = document.querySelector('.ox-world');
        const zoom = world.transform.baseVal.consolidate().matrix.a;
        return Math.abs(zoom / Math.min(clientWidth / 500, clientHeight / 300) - 1) < 0.01;
    }""")


def test_a_saved_state_brings_the_drawing_back_without_a_kernel(lab, empty_lab_page):
    lab_page = empty_lab_page
    lab_page.open(lab.write_notebook("ways.ipynb", COMPOSED))
    notebook = lab_page.draw(0)
    search = notebook.locator("[data-onnx-explorer-search]")
    search.fill("name:dense")
    search.press("Enter")
    notebook.locator("[data-onnx-explorer-overlay]").select_option("parameters")
    # What is saved is the page's own state, and this is all of it.
    expect(notebook.locator(f"{INSPECTOR} h2")).to_have_text("Gemm")
    expect(notebook.locator("[data-box-id=dense] .ox-tag")).to_have_text("8.26 k")
    lab_page.page.evaluate("""async () => {
        const { commands } = window.jupyterapp;
        await commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState');
        await commands.execute('docmanager:save');
        await window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown();
    }""")
    lab_page.reload("ways.ipynb")
    root = lab_page.page.locator(READY)
    root.wait_for()
    expect(root.locator("[data-box-id=dense]")).to_be_visible()
    expect(root.locator(f"{INSPECTOR} h2")).to_have_text("Gemm")
    expect(root.locator("[data-box-id=dense] .ox-tag")).to_have_text("8.26 k")
    lab_page.shot("saved-state")
