"""Into operators in the drawing: their functions open where a run goes into them, and close behind it."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

import onnx_explorer as ox


def norm_model():
    g = ox.build.graph("norm", opset=20)
    x = g.Neg(g.input("x", "float32[rows, 4]"), name="before")
    scale, bias = np.float32([1, 2, 3, 4]), np.float32([0, 0, 1, 1])
    normed = g.LayerNormalization(x, scale, bias, epsilon=0.25, name="home")
    g.output(g.Softmax(g.Gelu(normed, name="act"), name="behind"), "y")
    return g.model()


@pytest.fixture
def norm(live):
    return live(ox.explore(norm_model(), {"x": np.float32([[1, 2, 3, 6], [1, 0, 0, 0]])}))


def rounds(live):
    """A model whose loop, with an operator inside, is closed at first."""
    g = ox.build.graph("rounds", opset=20)
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[2]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Softsign(x, name="soft"), "next", "float32[2]")
    start = g.input("start", "float32[2]")
    last = g.Loop(np.int64(3), None, g.Neg(start, name="before"), body=body, name="loop")
    g.output(g.Neg(last, name="after"), "y", "float32[2]")
    page = live(ox.explore(g.model(), {"start": np.float32([3, 1])}))
    expect(page.root.locator("[data-box-id='loop/body/soft']")).to_be_visible()
    page.root.locator("[data-action=collapse-all]").click()
    expect(page.root.locator("[data-box-id='loop/body/soft']")).to_have_count(0)
    return page


def test_the_keys_lead_into_an_operator_and_back_to_the_view_before(norm):
    root = norm.root
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    norm.press("F10")
    expect(root.locator("[data-box-id=home]")).to_have_attribute("data-step", "current")
    norm.settle()
    before = norm.view
    norm.press("F11")
    flatten = root.locator("[data-box-id='home/body/flatten_1']")
    expect(flatten).to_have_attribute("data-step", "current")
    expect(flatten).to_be_in_viewport()
    expect(root.locator(".ox-calls").first).to_contain_text("body of home")
    # What is inside says its types, and what the run has made of them.
    expect(root.locator("text[data-edge-value='home/body/sub_1']").first).to_contain_text(
        "float32[rows, 4]"
    )
    norm.press(*["F10"] * 4)
    expect(root.locator("[data-box-id='home/body/mul_1']")).to_have_attribute(
        "data-step", "current"
    )
    expect(root.locator("text[data-edge-value='home/body/reducemean_1']").first).to_contain_text(
        "float32[rows=2, 1]"
    )
    norm.press("Shift+F10")
    expect(root.locator("[data-box-id='home/body/sub_1']")).to_have_attribute(
        "data-step", "current"
    )
    norm.press("Shift+F11")
    expect(root.locator(".ox-status")).to_contain_text("2 of 4: next is Gelu")
    expect(flatten).to_have_count(0)
    expect(root.locator("[data-box-id=home]")).to_have_attribute("data-step", "done")
    expect(root.locator(".ox-world")).to_have_attribute("transform", before)
    # Counted as what the model holds.
    expect(root.locator("[data-onnx-explorer-inspector]")).to_contain_text("4 nodes")


# Counts what the engine is asked for and has not answered yet.
COUNT_LAYOUTS = """() => {
    window.layouts = window.unanswered = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (...message) {
        if (!this.counted) this.addEventListener('message', () => { window.unanswered--; });
        this.counted = true;
        window.layouts++;
        window.unanswered++;
        return post.apply(this, message);
    };
}"""


def test_while_a_run_rests_the_inside_of_the_next_operator_is_laid_out(norm):
    root, page = norm.root, norm.page
    asked = []
    norm.explorer.on_msg(lambda _widget, content, _buffers: asked.append(content["kind"]))
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    norm.settle()
    page.evaluate(COUNT_LAYOUTS)
    norm.press("s")
    page.wait_for_function("() => window.layouts > 0 && window.unanswered === 0")
    norm.settle()
    assert asked.count("foresee") == 1
    # Nobody has gone there: nothing is drawn of it.
    expect(root.locator("[data-box-id^='home/body/']")).to_have_count(0)
    page.evaluate("() => { window.layouts = 0; }")
    norm.press("F11")
    expect(root.locator("[data-box-id='home/body/flatten_1']")).to_have_attribute(
        "data-step", "current"
    )
    norm.settle()
    assert page.evaluate("window.layouts") == 0


def test_what_is_searched_for_stays_on_the_way_into_an_operator_with_what_is_found_in_it(norm):
    root, search = norm.root, norm.root.locator("[data-onnx-explorer-search]")
    norm.explorer.step()
    norm.settle()
    search.fill("op:sub")
    root.locator("[data-action=step_into]").click()
    expect(root.locator("[data-box-id='home/body/sub_1']")).to_have_attribute("data-hit", "")
    expect(search).to_have_value("op:sub")


def test_by_mouse_a_breakpoint_inside_an_operator_stops_the_next_run(norm):
    root = norm.root
    root.locator("[data-action=step]").click()
    norm.settle()
    root.locator("[data-action=step_into]").click()
    minus = root.locator("[data-box-id='home/body/sub_1']")
    expect(minus).to_be_attached()
    minus.locator("[data-stop]").click()
    expect(minus).to_have_attribute("data-breakpoint", "")
    root.locator("[data-action=restart]").click()
    expect(minus).to_have_count(0)
    root.locator("[data-action=run]").click()
    expect(minus).to_have_attribute("data-step", "current")
    expect(minus).to_be_in_viewport()
    root.locator("[data-action=step_out]").click()
    expect(root.locator(".ox-status")).to_contain_text("2 of 4: next is Gelu")
    # The function stays at hand: a click on the node opens it, and its values are there.
    root.locator("[data-box-id=home] [data-toggle]").first.click()
    expect(minus).to_be_attached()
    norm.settle()
    norm.explorer.selected = "value:home/body/reducemean_1"
    inspector = root.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_contain_text("reducemean_1")
    expect(inspector).to_contain_text("-3")


def test_a_step_into_opens_a_closed_loop_and_an_operator_in_it(live):
    page = rounds(live)
    root = page.root
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    page.press("F10", "F11", "F10")
    soft = root.locator("[data-box-id='loop/body/soft']")
    expect(soft).to_have_attribute("data-step", "current")
    page.press("F11")
    inner = root.locator("[data-box-id='loop/body/soft/body/abs_1']")
    expect(inner).to_have_attribute("data-step", "current")
    stack = root.locator(".ox-calls").first
    expect(stack).to_contain_text("body of loop")
    expect(stack).to_contain_text("body of soft")
    page.press("Shift+F11")
    expect(inner).to_have_count(0)
    # The next round.
    expect(stack).to_contain_text("round 1 (0–1)")
    page.press("Shift+F11")
    expect(soft).to_have_count(0)
    expect(root.locator(".ox-status")).to_contain_text("2 of 3: next is Neg after")


def test_what_a_person_opens_meanwhile_stays_open(live):
    page = rounds(live)
    root = page.root
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    page.press("F10")
    page.settle()
    root.locator("[data-action=expand-all]").click()
    soft = root.locator("[data-box-id='loop/body/soft']")
    expect(soft).to_be_visible()
    page.press("F11", "F10")
    expect(soft).to_have_attribute("data-step", "current")
    page.press("Shift+F11")
    expect(root.locator(".ox-status")).to_contain_text("2 of 3: next is Neg after")
    expect(soft).to_be_visible()


def test_a_node_is_looked_into_from_the_inspector_and_a_stop_set_there_is_met(norm):
    root = norm.root
    root.locator("[data-box-id=home]").click()
    root.locator("[data-look-inside]").click()
    minus = root.locator("[data-box-id='home/body/sub_1']")
    expect(minus).to_be_in_viewport()
    minus.locator("[data-stop]").click()
    expect(minus).to_have_attribute("data-breakpoint", "")
    root.locator("[data-action=run]").click()
    expect(minus).to_have_attribute("data-step", "current")
    expect(root.locator(".ox-calls").first).to_contain_text("body of home")


def test_a_node_without_a_function_offers_nothing_and_says_so_on_the_way_in(norm):
    root = norm.root
    inside = root.locator("[data-look-inside]")
    root.locator("[data-box-id=home]").click()
    expect(inside).to_have_count(1)
    root.locator("[data-box-id=before]").click()
    expect(root.locator("[data-onnx-explorer-inspector] h2")).to_have_text("Neg")
    expect(inside).to_have_count(0)
    norm.press("F11")
    expect(root.locator(".ox-status")).to_contain_text(
        "Neg-13 is not a function of other operators: stepped over"
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 900)])
def test_inside_an_operator_as_it_looks(live, scheme, width):
    feeds = {"x": np.float32([[1, 2, 3, 6], [1, 0, 0, 0]])}
    page = live(ox.explore(norm_model(), feeds), scheme=scheme, width=width)
    page.root.locator("[data-action=step]").click()
    page.settle()
    page.root.locator("[data-action=step_into]").click()
    expect(page.root.locator("[data-box-id='home/body/flatten_1']")).to_be_in_viewport()
    page.shot(f"inside-{scheme}")


def test_before_the_first_run_the_key_of_breakpoints_sets_one_on_the_first_node(norm):
    root = norm.root
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    norm.press("F9")
    expect(root.locator("[data-box-id=before]")).to_have_attribute("data-breakpoint", "")
    norm.press("F5")
    expect(root.locator("[data-box-id=before]")).to_have_attribute("data-step", "current")
    norm.press("F5")
    expect(root.locator(".ox-status")).to_contain_text("4 of 4")


def test_the_selected_node_inside_an_operator_is_run_to(norm):
    root = norm.root
    norm.explorer.step()
    norm.settle()
    root.locator("[data-action=step_into]").click()
    sqrt = root.locator("[data-box-id='home/body/sqrt_1']")
    expect(sqrt).to_be_attached()
    root.locator("[data-action=restart]").click()
    expect(sqrt).to_have_count(0)
    norm.settle()
    norm.explorer.select("home/body/sqrt_1")
    root.locator("[data-onnx-explorer-canvas]").focus()
    norm.press("t")
    expect(sqrt).to_have_attribute("data-step", "done")
    expect(sqrt).to_be_in_viewport()
