"""A run whose kernel is restarted, and one whose notebook is closed meanwhile."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

LONG = """
import numpy as np
import onnx_explorer as ox

g = ox.build.graph("long")
x = g.input("x", "float32[2]")
body = g.subgraph()
body.input("i", "int64[]")
body.input("going", "bool[]")
v = body.input("v", "float32[2]")
body.output(body.Identity(True, name="on"), "go_on", "bool[]")
body.output(body.Add(v, np.float32(1), name="more"), "next", "float32[2]")
end = g.Loop(np.int64(10**9), np.bool_(True), x, body=body, name="loop")
g.output(g.Neg(end, name="behind"), "y")
ox.explore(g.model(), {"x": np.float32([1, 2])})
"""


@pytest.fixture
def running(lab, empty_lab_page):
    """A run that does not end by itself, in an open notebook."""
    empty_lab_page.open(lab.write_notebook("long.ipynb", LONG))
    root = empty_lab_page.run_cell(0).locator("[data-onnx-explorer]")
    root.locator("[data-box-id=behind]").wait_for()
    root.scroll_into_view_if_needed()
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("running")
    return root


def test_a_restart_of_the_kernel_is_told_and_the_drawing_stays_of_use(running, lab_page):
    lab_page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    notices = running.locator(".ox-notices")
    expect(notices).to_contain_text("The kernel has ended or was restarted, and the run with it.")
    expect(running.locator(".ox-status")).not_to_contain_text("running")
    running.locator("[data-box-id=behind]").click()
    expect(running.locator(".ox-inspector h2")).to_have_text("Neg")
    running.locator("[data-action=step]").click()
    expect(notices).to_contain_text(re.compile(r"No kernel is connected: .* Run the cell again\."))
    again = lab_page.draw(0)
    again.locator("[data-action=step_into]").click()
    expect(again.locator(".ox-status")).to_contain_text("next is Identity on")


def test_a_notebook_that_is_closed_and_opened_again_shows_the_run_that_goes_on(running, lab_page):
    lab_page.page.evaluate("""async () => {
        await window.jupyterapp.commands.execute('docmanager:save');
        await window.jupyterapp.commands.execute('application:close');
    }""")
    expect(lab_page.page.locator("[data-onnx-explorer]")).to_have_count(0)
    lab_page.open("long.ipynb")
    again = lab_page.page.locator("[data-onnx-explorer-ready]")
    expect(again.locator(".ox-status")).to_contain_text("running")
    again.locator("[data-action=pause]").click()
    expect(again.locator(".ox-status")).to_contain_text("next is")
    again.locator("[data-action=step]").click()
    expect(again.locator(".ox-calls").first).to_contain_text("body of loop, round")
