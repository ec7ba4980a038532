"""The debugger of the explorer: keys, loops and their iterations, breakpoints, a failure mended."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

COUNTING = """
import numpy as np
import onnx_explorer as ox

g = ox.build.graph("counting")
start = g.input("start", "float32[]")
body = g.subgraph()
body.input("i", "int64[]")
body.input("going", "bool[]")
x = body.input("x", "float32[]")
body.output(body.Identity(True), "go_on", "bool[]")
body.output(body.Sqrt(body.Sub(x, 1.0, name="less"), name="root"), "next", "float32[]")
doubled = g.Mul(start, 2.0, name="double")
end = g.Loop(np.int64(4), np.bool_(True), doubled, body=body, name="loop")
g.output(g.Neg(end, name="negate"), "negative", "float32[]")
w = ox.explore(g.model(), {"start": np.float32(13)})
w
"""


@pytest.fixture
def counting(lab_page):
    """A loop of four rounds of sqrt(x - 1), with a node before and behind it, all of it open."""
    lab_page.write(COUNTING, height=1000)
    root = lab_page.draw(0)
    expect(root.locator("[data-box-id='loop/body/root']")).to_be_visible()
    return root


# The keys that the page gets are told when all have heard of them: which of them the browser is not to obey.
TAKEN = """root => {
    window.taken = [];
    const note = event => setTimeout(() => {
        if (event.defaultPrevented) window.taken.push(event.key);
    });
    root.parentElement.addEventListener('keydown', note, {capture: true});
}"""


def test_the_keys_of_a_debugger_lead_into_a_loop_and_out(counting, lab_page):
    page = lab_page.page
    counting.evaluate(TAKEN)

    def inside(node):
        return counting.locator(f"[data-box-id='loop/body/{node}']")

    counting.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    page.keyboard.press("F10")
    expect(counting.locator(".ox-status")).to_contain_text("1 of 3")
    page.keyboard.press("F11")
    stack = counting.locator(".ox-calls").first
    expect(stack).to_contain_text("body of loop")
    page.keyboard.press("F10")
    expect(inside("less")).to_have_attribute("data-step", "current")
    page.keyboard.press("F10")
    expect(inside("root")).to_have_attribute("data-step", "current")
    page.keyboard.press("Shift+F10")
    expect(inside("less")).to_have_attribute("data-step", "current")
    page.keyboard.press("Shift+F11")
    expect(counting.locator(".ox-status")).to_contain_text("2 of 3: next is Neg")
    # Shift+F10 would have brought one.
    expect(page.locator(".lm-Menu")).to_have_count(0)
    page.keyboard.press("F5")
    expect(counting.locator(".ox-status")).to_contain_text("finished")
    # While text is typed F5 belongs to the explorer too.
    counting.locator("[data-onnx-explorer-search]").click()
    page.keyboard.press("F5")
    lab_page.wait_until("() => window.taken.join(' ') === 'F10 F11 F10 F10 F10 F11 F5 F5'")


def test_letters_without_a_meaning_do_nothing_to_the_notebook(counting, lab_page):
    page = lab_page.page
    cells = lab_page.count_cells()
    counting.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})
    for key in ("x", "m", "0", "0"):  # cut the cell, make it text, restart the kernel
        page.keyboard.press(key)
    page.keyboard.press("F10")
    expect(counting.locator(".ox-status")).to_contain_text("1 of 3")
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    assert lab_page.count_cells() == cells


def test_breakpoints_iterations_and_the_timeline(counting, lab_page):
    page = lab_page.page
    box = counting.locator("[data-box-id='loop/body/root']")
    box.locator("[data-stop]").click()
    expect(box).to_have_attribute("data-breakpoint", "")
    run = counting.locator("[data-action=run]")
    status = counting.locator(".ox-status")
    for round_ in (1, 2):
        run.click()
        expect(counting.locator(".ox-breakpoint small")).to_have_text(f"{round_}×")
    expect(counting.locator(".ox-calls").first).to_contain_text("round 1 (0–1)")
    # Of 26 the first round makes the square root of 25.
    counting.locator("text[data-edge-value='loop/body/next']").first.click()
    slider = counting.locator(".ox-calls input[type=range]")
    slider.focus()
    slider.press("ArrowLeft")
    expect(counting.locator(".ox-inspection")).to_contain_text("max5")
    lab_page.shot("debugger")
    counting.get_by_label("stop at NaN").check()
    expect(counting.locator(".ox-tab[data-panel=breakpoints]")).to_have_text("Breakpoints (2)")
    counting.locator(".ox-breakpoint select").select_option("inf")
    expect(counting.locator(".ox-breakpoint")).to_contain_text("after Sqrt root")
    expect(counting.get_by_label("stop at NaN")).to_be_checked()
    counting.locator(".ox-breakpoint").get_by_label("Remove").click()
    expect(box).not_to_have_attribute("data-breakpoint", "")
    # 26, 5, 2, 1, 0: the fourth root is that of 0, and a fifth round would be NaN.
    run.click()
    expect(status).to_contain_text("finished")
    around = counting.locator(".ox-calls input[type=range]")
    expect(around).to_have_attribute("max", "3")
    timeline = counting.locator(".ox-timeline input")
    timeline.fill("1")
    expect(status).to_contain_text("1 of 3: next is Loop")
    timeline.fill("3")
    expect(status).to_contain_text("finished")
    page.set_viewport_size({"width": 900, "height": 1000})
    lab_page.set_theme("JupyterLab Dark")
    expect(counting).to_have_attribute("data-theme", "dark")
    counting.scroll_into_view_if_needed()
    lab_page.shot("debugger-dark")


CLASH = """
import numpy as np
import onnx_explorer as ox

g = ox.build.graph("clash")
a, b = g.input("a", "float32[x, y]"), g.input("b", "float32[z, w]")
g.output(g.Relu(g.Gemm(a, b, name="product"), name="positive"), "y")
w = ox.explore(g.model(), {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)})
w
"""


def test_a_failed_node_is_tried_again_with_another_attribute_or_value(lab_page):
    lab_page.write(CLASH, height=1100)
    root = lab_page.draw(0)
    root.locator("[data-action=run]").click()
    failing = root.locator(".ox-failing")
    # A is 2 by 3, B is 2 by 4: 3 columns do not meet 2 rows.
    expect(failing).to_contain_text("float32[2, 3]")
    said = ["came", "A of shape [2, 3] has 3 columns", "but", "B of shape [2, 4] has 2 rows"]
    expect(failing.locator("dt, dd")).to_have_text(said)
    root.scroll_into_view_if_needed()
    lab_page.shot("failing")
    failing.get_by_label("transA").fill("1")
    failing.get_by_role("button", name="try again").click()
    expect(root.locator(".ox-status")).to_contain_text("1 of 2: next is Relu")
    root.locator("[data-action=back]").click()
    expect(root.locator(".ox-status")).to_contain_text("0 of 2: next is Gemm")
    root.locator("[data-action=restart]").click()
    root.locator("[data-action=run]").click()
    failing.get_by_label("Another value for b").fill("ones[3, 5]")
    lab_page.page.set_viewport_size({"width": 900, "height": 1100})
    lab_page.set_theme("JupyterLab Dark")
    expect(root).to_have_attribute("data-theme", "dark")
    lab_page.shot("failing-dark")
    failing.get_by_label("Another value for b").press("Enter")
    expect(failing).to_have_count(0)
    root.locator("[data-action=run]").click()
    expect(root.locator(".ox-status")).to_contain_text("2 of 2: finished")
    expect(root.locator(".ox-stepping")).to_contain_text("float32[2, 5]")
