"""The explorer in a notebook: what it draws, what its step bar shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.browser.conftest import GIVEN_UP
from tests.browser.live import LivePage

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"

# What `ox.infer` says about the digits, worked out by hand: 3 x 3 kernels with a padding of 1 keep
# 8 x 8, each pooling halves it, and 32 channels of 2 x 2 flatten to 128.
LABELS = {
    "image": "float32[batch, 1, 8, 8]",
    "conv1": "float32[batch, 16, 8, 8]",
    "relu1": "float32[batch, 16, 8, 8]",
    "pool1": "float32[batch, 16, 4, 4]",
    "conv2": "float32[batch, 32, 4, 4]",
    "relu2": "float32[batch, 32, 4, 4]",
    "pool2": "float32[batch, 32, 2, 2]",
    "flatten": "float32[batch, 128]",
    "dense": "float32[batch, 64]",
    "relu3": "float32[batch, 64]",
    "logits": "float32[batch, 10]",
    "probabilities": "float32[batch, 10]",
}


@pytest.fixture
def explorer(lab_page):
    """The explorer that the first notebook's first cell shows."""
    lab_page.show(NOTEBOOK, height=1800)
    root = lab_page.draw(1)
    # Room for the whole graph at a size at which labels are drawn.
    root.evaluate("root => root.style.setProperty('--ox-height', '1300px')")
    return root


def test_the_notebook_draws_the_digits(explorer, lab_page):
    expect(explorer.locator("[data-box-id]")).to_have_count(13)
    lab_page.shot("explore")


def test_each_edge_says_its_type(explorer):
    labels = explorer.locator("text[data-edge-value]")
    expect(labels).to_have_count(len(LABELS))
    for value, type_ in LABELS.items():
        expect(explorer.locator(f"text[data-edge-value='{value}']")).to_have_text(type_)


def test_three_steps_show_the_pooled_value(explorer, lab_page):
    step = explorer.locator("[data-action=step]")
    for position in (1, 2, 3):
        step.click()
        expect(explorer).to_contain_text(f"{position} of 11")
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("pool1")
    expect(inspector).to_contain_text("float32[1, 16, 4, 4]")
    lab_page.shot("explore-stepped")
    lab_page.set_theme("JupyterLab Dark")
    expect(explorer).to_have_attribute("data-theme", "dark")
    lab_page.shot("explore-dark")


def test_a_click_on_a_node_brings_the_words_of_its_operator(explorer, lab_page):
    explorer.locator("[data-box-id=conv1]").click()
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    # conv1 is a Conv-11: what came with 22 is told as later.
    expect(inspector.locator(".ox-version[data-place=here]")).to_contain_text("11 – 21")
    expect(inspector.locator(".ox-version[data-place=after]")).to_contain_text("bfloat16")
    expect(inspector.locator(".ox-example").first).to_contain_text("[[[12, 23]]]")
    lab_page.shot("operator")


def test_a_search_by_fields_leads_to_hits_and_back_again(explorer):
    search = explorer.locator("[data-onnx-explorer-search]")
    search.fill("op:gemm dim:64")
    hits = explorer.locator("[data-onnx-explorer-hit]")
    # 128 go in and 64 come out, then 64 go in and 10 come out.
    expect(hits).to_have_count(2)
    hits.last.click()
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_have_text("Gemm")
    expect(inspector).to_contain_text("64→10")
    expect(hits.first).to_be_hidden()
    explorer.locator("[data-action=go-back]").click()
    expect(inspector.locator("h2")).to_have_text("digits")


def test_the_paths_between_two_nodes_are_lit(explorer, lab_page):
    explorer.locator("[data-box-id=relu1]").click()
    explorer.locator("[data-box-id=dense]").click(modifiers=["Shift"])
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("5 nodes lie between the two")
    faded = explorer.locator("[data-box-id][data-faded]")
    # Two before relu1, and four behind dense.
    expect(faded).to_have_count(6)
    lab_page.shot("path")


def test_the_numbers_of_a_weight_are_drawn(explorer):
    explorer.locator("[data-box-id=conv2]").click()
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    inspector.get_by_role("button", name="conv2_W", exact=True).click()
    expect(inspector.locator(".ox-histogram rect")).to_have_count(24)
    expect(inspector.locator(".ox-heat canvas")).to_have_attribute("data-rows", "3")
    expect(inspector).to_contain_text("4,608")


def test_after_a_click_on_the_drawing_keys_are_its_own_and_not_the_notebooks(explorer, lab_page):
    """In command mode arrows select cells and `x` cuts them, whatever in the notebook has the focus."""
    page = lab_page.page
    cells = lab_page.count_cells()
    page.locator(".jp-Cell.jp-mod-active .jp-InputPrompt").click()
    explorer.locator("[data-box-id=conv1]").click()
    expect(page.locator(".jp-Notebook.jp-mod-commandMode")).to_be_visible()
    for key in ("ArrowDown", "x", "d", "d"):
        page.keyboard.press(key)
    expect(explorer.locator("[data-box-id=relu1]")).to_have_attribute("data-selected", "")
    explorer.locator("[data-onnx-explorer-fit]").click()
    page.keyboard.press("x")
    assert lab_page.count_cells() == cells


BROKEN = "import onnx_explorer as ox\nw = ox.explore(ox.example('shape_error'))\nw"


def test_a_label_that_is_drawn_anew_while_it_is_pressed_has_been_clicked(live):
    explorer = ox.explore(ox.example("digits"))
    shown = live(explorer)
    label = shown.root.locator("text[data-edge-value=conv1]")
    label.hover()
    shown.page.mouse.down()
    explorer.step()
    expect(label).to_contain_text("batch=1")
    shown.page.mouse.up()
    shown.settle()
    assert explorer.selected == "value:conv1"


def test_a_card_that_is_moved_while_it_is_pressed_has_been_clicked(live):
    g = ox.build.graph("moved")
    x = g.input("x", "float32[2]")
    with g.scope("above"):
        x = g.Neg(g.Abs(x, name="inner"))
    g.output(g.Relu(x, name="below"), "y")
    explorer = ox.explore(g.model())
    shown = live(explorer)
    explorer.select("above/inner")
    shown.root.locator(".ox-canvas").focus()
    shown.settle()
    card = shown.root.locator("[data-box-id=below]")
    card.hover()
    before = card.bounding_box()
    shown.page.mouse.down()
    # It closes the group.
    shown.press("Enter")
    shown.settle()
    assert card.bounding_box() != before
    shown.page.mouse.up()
    shown.settle()
    assert explorer.selected == "node:below"


@pytest.fixture
def broken(lab_page):
    """The explorer of the model with a wrong shape, its variable `w` at hand in further cells."""
    lab_page.write(BROKEN, "print(w.selected)", "w.selected = 'node:conv2'", height=1200)
    return lab_page.draw(0)


def test_the_edge_that_does_not_fit_is_marked_by_more_than_colour(broken, lab_page):
    label = broken.locator("text[data-edge-value='flatten']")
    expect(label).to_contain_text("float32[batch, 288]")
    expect(broken.locator("[data-mark=mismatch]").first).to_be_attached()
    lab_page.shot("mismatch")


def test_a_run_stops_at_the_failing_node(broken, lab_page):
    broken.locator("[data-action=run]").click()
    inspector = broken.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("288 columns")
    expect(inspector).to_contain_text("512 rows")
    lab_page.shot("failure")


def test_what_is_selected_is_the_same_on_both_sides(broken, lab_page):
    broken.locator("[data-box-id=pool]").click()
    lab_page.run_cell_until(1, "node:pool")
    lab_page.run_cell(2)
    expect(broken.locator("[data-box-id=conv2]")).to_have_attribute("data-selected", "")
    inspector = broken.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_have_text("Conv")
    expect(inspector).to_contain_text("conv2")
    expect(inspector).to_contain_text("float32[batch, 32, 6, 6]")


def test_a_loop_opens_to_its_body(lab_page):
    lab_page.write("import onnx_explorer as ox\nox.explore(ox.example('loop_if'))")
    root = lab_page.draw(0)
    expect(root.locator("[data-box-id='collatz/body/is_even']")).to_be_visible()
    lab_page.shot("loop")


BLOCKS = """
import onnx_explorer as ox
g = ox.build.graph("blocks")
x = g.input("x", "float32[n, 8]")
for i in range(2):
    with g.scope(f"block.{i}"):
        x = g.Tanh(g.Relu(x, name="relu"), name="tanh")
g.output(x, "y")
ox.explore(g.model())
"""


def test_groups_are_walked_closed_and_entered_with_keys_alone(lab_page):
    lab_page.write(BLOCKS)
    root = lab_page.draw(0)
    press = lab_page.page.keyboard.press
    heading = root.locator("[data-onnx-explorer-inspector] h2")
    groups = root.locator(".ox-card[data-kind=group]")
    root.locator(".ox-canvas").focus()
    for title in ("x", "Relu", "Tanh"):
        press("ArrowDown")
        expect(heading).to_have_text(title)
    press("g")
    expect(heading).to_have_text("block.0")
    press("Enter")
    expect(groups).to_have_count(1)
    expect(groups).to_contain_text("×2")
    press("Enter")
    expect(groups).to_have_count(0)
    press("z")
    crumbs = root.locator(".ox-crumbs")
    expect(crumbs).to_contain_text("block.0")
    expect(root.locator("[data-box-id='block.1/tanh']")).to_have_count(0)
    press("u")
    expect(crumbs).to_be_hidden()
    press("/")
    lab_page.page.keyboard.type("op:tanh")
    press("Escape")
    for count in ("1 of 2", "2 of 2"):
        press("n")
        expect(root.locator(".ox-search .ox-count")).to_have_text(count)
    expect(root.locator("[data-box-id='block.1/tanh']")).to_have_attribute("data-selected", "")
    # The notebook has heard none of it.
    assert lab_page.count_cells() == 1
    expect(lab_page.page.locator(".jp-Dialog")).to_have_count(0)


LONG_LOOP = """
import numpy as np
import onnx_explorer as ox
g = ox.build.graph("long")
body = g.subgraph()
body.input("i", "int64[]")
body.input("going", "bool[]")
x = body.input("x", "float32[]")
body.output(body.Identity(True), "go_on", "bool[]")
body.output(body.Add(x, 1.0), "next", "float32[]")
start = g.input("start", "float32[]")
g.output(g.Loop(np.int64(10**9), np.bool_(True), start, body=body, name="loop"), "end", "float32[]")
w = ox.explore(g.model())
w
"""


def test_a_long_run_can_be_paused(lab_page):
    lab_page.write(LONG_LOOP, "print(w.state['running'])")
    root = lab_page.draw(0)
    status = root.locator(".ox-status")
    root.locator("[data-action=run]").click()
    expect(status).to_contain_text("running")
    # The kernel answers others meanwhile.
    expect(lab_page.run_cell(1)).to_have_text("True")
    root.locator("[data-action=pause]").click()
    expect(status).to_contain_text("next is")
    expect(root.locator("[data-action=step]")).to_be_enabled()


SLOW = """
import onnx_explorer as ox
w = ox.explore(ox.example('digits'))
w._explorer = 'await new Promise(done => setTimeout(done, 2500));' + w._explorer
w
"""


LATE = """
import onnx_explorer as ox
from onnx_explorer.widgets import explorer
asset = explorer.asset
late = {'loader.js': 'await new Promise(done => setTimeout(done, 2500));'}
explorer.asset = lambda name: late.get(name, '') + asset(name)
w = ox.explore(ox.example('digits'))
explorer.asset = asset
w
"""


def test_an_explorer_that_loads_slowly_hears_its_kernel(lab_page):
    lab_page.write(SLOW)
    root = lab_page.draw(0)
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("finished")


def test_an_explorer_that_was_given_up_for_its_lateness_hears_its_kernel(lab_page):
    lab_page.write(LATE)
    root = lab_page.draw(0)
    assert lab_page.errors == [GIVEN_UP]
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("finished")


def test_a_saved_notebook_shows_a_still_picture_in_place_of_the_widget(lab, empty_lab_page):
    lab_page = empty_lab_page
    lab_page.open(lab.write_notebook("broken.ipynb", BROKEN))
    lab_page.draw(0)
    still = lab_page.page.locator(".onnx-explorer-still")
    still.wait_for(state="attached")
    expect(still).to_be_hidden()
    lab_page.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    lab_page.clear()
    lab_page.open("broken.ipynb")
    expect(still).to_be_visible()
    expect(still).to_contain_text("shape_error")
    complaint = lab_page.page.get_by_text("model not found")
    complaint.wait_for(state="attached")
    expect(complaint).to_be_hidden()
    lab_page.shot("still")


def test_what_is_selected_while_the_cell_is_off_the_page_is_in_view_when_it_is_back(live):
    # JupyterLab takes cells off the page that are scrolled far away.
    explorer = ox.explore(ox.example("transformer"))
    shown = live(explorer)
    shown.page.evaluate("() => { window.cell = document.getElementById('cell'); cell.remove(); }")
    explorer.selected = "node:head/logits"
    # Not `settle`, which waits for a drawing: there is none until the cell is back.
    shown.page.evaluate("() => { window.quiet = 0; }")
    shown.page.wait_for_function("() => window.quiet > 1")
    shown.page.evaluate("() => document.body.append(window.cell)")
    expect(shown.root.locator("[data-box-id='head/logits']")).to_be_visible()
    expect(shown.root.locator(".ox-notice")).to_have_count(0)


def test_an_empty_graph_says_that_there_is_nothing_to_draw(live):
    page = live(ox.explore(ox.build.graph("empty").model())).page
    expect(page.locator(".ox-stage")).to_contain_text("nothing to draw")


def test_python_and_the_page_may_select_at_once(live, monkeypatch):
    """Neither takes for new what the other has said before: that would go round forever."""
    explorer = ox.explore(ox.example("digits"))
    said: list[str] = []
    hear = LivePage._saved

    def hear_late(page: LivePage, traits: str) -> None:
        if "selected" in traits:
            if not said:
                explorer.select("conv1", "dense")
            said.append(traits)
        hear(page, traits)

    monkeypatch.setattr(LivePage, "_saved", hear_late)
    shown = live(explorer)
    shown.page.set_default_timeout(10_000)
    shown.root.locator("[data-edge-value=relu1]").first.click()
    shown.settle()
    assert len(said) == 1
    assert explorer.selected == "value:relu1"


def test_another_node_of_the_same_operator_is_said(live):
    page = live(ox.explore(ox.example("digits"))).page
    for name in ("conv1", "conv2"):
        page.locator(f"[data-box-id={name}]").click()
        expect(page.locator(".ox-inspector .ox-said")).to_contain_text(name)
