"""Between Python and the drawing, in a notebook: both ways, beside other widgets, and saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

READY = "[data-onnx-explorer-ready]"
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
def notebook(lab, lab_page):
    """An explorer in a box with a field, and cells that speak with it."""
    lab_page.page.set_viewport_size({"width": 1400, "height": 1600})
    lab_page.open(
        lab.write_notebook(
            "ways.ipynb",
            COMPOSED,
            "print(w.selection, heard)",
            INTERACTIVE,
            "w.focus('logits'); w.view_box",
            "print([round(n) for n in w.view_box])",
            "w.view_box = (0, 0, 500, 300)",
            "print(w.overlay_name)",
        )
    )
    root = lab_page.run_cell(0).locator(READY)
    root.wait_for()
    return root


def test_a_selection_is_heard_in_python_and_comes_from_there(notebook, lab_page):
    notebook.locator("[data-box-id=pool1]").click()
    lab_page.run_cell_until(1, "('pool1',) [('pool1',)]")
    output = lab_page.run_cell(2)
    expect(notebook.locator(f"{INSPECTOR} h2")).to_have_text("Conv")
    output.locator("select").select_option("dense")
    expect(notebook.locator(f"{INSPECTOR} h2")).to_have_text("Gemm")
    marked = notebook.locator("[data-box-id][data-marked]")
    expect(marked).to_have_count(1)


def test_a_field_of_ipywidgets_chooses_the_overlay_without_the_kernel(notebook, lab_page):
    field = lab_page.cell(0).locator(".widget-vbox .widget-text input")
    field.fill("parameters")
    field.press("Enter")
    expect(notebook.locator("[data-box-id=dense] .ox-tag")).to_have_text("8.26 k")
    notebook.locator("[data-onnx-explorer-overlay]").select_option("dtype")
    expect(field).to_have_value("dtype")
    lab_page.run_cell_until(6, "dtype")


def test_the_part_that_is_shown_is_the_same_on_both_sides(notebook, lab_page):
    lab_page.run_cell(3)
    lab_page.page.wait_for_timeout(400)
    shown = lab_page.run_cell(4).text_content()
    assert shown is not None
    x, y, width, height = (float(n) for n in shown.strip("[]\n ").split(","))
    place = notebook.locator("[data-box-id=logits]").evaluate(
        "e => { const m = e.transform.baseVal.consolidate().matrix; return [m.e, m.f]; }"
    )
    assert x < place[0] < x + width
    assert y < place[1] < y + height
    lab_page.run_cell(5)
    scale = "e => e.transform.baseVal.consolidate().matrix.a"
    lab_page.page.wait_for_timeout(300)
    size = notebook.locator(".ox-canvas").evaluate("e => [e.clientWidth, e.clientHeight]")
    zoom = notebook.locator(".ox-world").evaluate(scale)
    assert zoom == pytest.approx(min(size[0] / 500, size[1] / 300), rel=0.01)


def test_a_saved_state_brings_the_drawing_back_without_a_kernel(notebook, lab, lab_page):
    search = notebook.locator("[data-onnx-explorer-search]")
    search.fill("name:dense")
    search.press("Enter")
    notebook.locator("[data-onnx-explorer-overlay]").select_option("parameters")
    lab_page.page.wait_for_timeout(500)
    lab_page.page.evaluate("""async () => {
        const { commands } = window.jupyterapp;
        await commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState');
        await commands.execute('docmanager:save');
        await window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown();
    }""")
    later = type(lab_page)(lab, lab_page.page.context.new_page())
    later.open("ways.ipynb")
    root = later.page.locator(READY)
    root.wait_for()
    expect(root.locator("[data-box-id=dense]")).to_be_visible()
    expect(root.locator(f"{INSPECTOR} h2")).to_have_text("Gemm")
    expect(root.locator("[data-box-id=dense] .ox-tag")).to_have_text("8.26 k")
    later.shot("saved-state")
    later.page.close()
