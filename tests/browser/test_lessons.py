"""What the notebooks do in Python, done in their drawings with keyboard and mouse."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

import onnx_explorer as ox

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def indices(notebook, *texts):
    """Where the code cells stand that contain these texts."""
    cells = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells
    code = [(i, cell.source) for i, cell in enumerate(cells) if cell.cell_type == "code"]
    return [next(i for i, source in code if text in source) for text in texts]


@pytest.fixture
def lesson(lab_page):
    """Opens a notebook, runs the cells with these texts, and gives the last one's explorer."""

    def run(notebook, *texts):
        lab_page.show(NOTEBOOKS / f"{notebook}.ipynb", height=1000)
        *before, last = indices(notebook, *texts)
        for index in before:
            lab_page.run_cell(index)
        return lab_page.draw(last)

    return run


def click_beside(root):
    root.locator("[data-onnx-explorer-canvas]").click(position={"x": 5, "y": 5})


def status(root):
    return root.locator(".ox-status")


def rows_of(viewer):
    """The table's texts: it is drawn as a whole, so it is all there with its first cell."""
    viewer.locator("tbody td").first.wait_for()
    return viewer.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )


def test_attention_is_watched_on_a_walk_through_a_transformer(lesson, lab_page):
    root = lesson("02_step", "ox.example", "ox.explore(model")
    click_beside(root)
    press = lab_page.page.keyboard.press
    press("/")
    lab_page.page.keyboard.type("softmax")
    press("Enter")
    press("Escape")
    expect(root.locator(".ox-inspector h2")).to_have_text("Softmax")
    press("F9")
    softmax = root.locator("[data-box-id='encoder/layer0/attention/softmax_1']")
    expect(softmax).to_have_attribute("data-breakpoint", "")
    press("F5")
    expect(softmax).to_have_attribute("data-step", "current")
    expect(status(root)).to_contain_text("next is Softmax")
    press("F10")
    expect(softmax).to_have_attribute("data-step", "done")
    label = root.locator("text[data-edge-value='encoder/layer0/attention/softmax_1']").first
    # One sentence, four heads, five tokens that look at five.
    expect(label).to_contain_text("float32[batch=1, 4, seq=5, seq=5]")
    label.click()
    viewer = root.locator(".ox-viewer")
    expect(viewer).to_have_attribute("data-view", "heat")
    expect(viewer.locator("canvas")).to_have_attribute("data-rows", "5")
    viewer.scroll_into_view_if_needed()
    lab_page.shot("lesson-attention")
    viewer.locator("[data-view=table]").click()
    first = rows_of(viewer)
    assert np.shape(first) == (5, 5)
    np.testing.assert_allclose(np.float64(first).sum(axis=1), 1, atol=1e-4)
    viewer.get_by_label("Index of axis 1").fill("3")
    expect(viewer.locator("td").first).not_to_have_text(first[0][0])
    np.testing.assert_allclose(np.float64(rows_of(viewer)).sum(axis=1), 1, atol=1e-4)
    click_beside(root)
    press("Shift+F10")
    expect(softmax).to_have_attribute("data-step", "current")
    press("F5")
    expect(status(root)).to_contain_text("62 of 62: finished")
    expect(root.locator(".ox-breakpoint small")).to_have_text("1×")


def test_a_loop_is_walked_into_its_branch_and_out_again(lesson, lab_page):
    root = lesson("02_step", "ox.example", "collatz = ", "ox.explore(collatz")
    click_beside(root)
    press = lab_page.page.keyboard.press

    def current(node):
        box = root.locator(f"[data-box-id='collatz/body/{node}']")
        expect(box).to_have_attribute("data-step", "current")

    press("F11")
    current("rest")
    press("F10")
    current("is_even")
    press("F10")
    current("choose")
    press("F11")
    # 6 is even.
    current("choose/then_branch/half")
    expect(root.locator(".ox-calls").first).to_contain_text("then_branch of")
    press("Shift+F11")
    current("is_one")
    lab_page.shot("lesson-loop")
    press("Shift+F11")
    expect(status(root)).to_contain_text("1 of 1: finished")
    press("/")
    lab_page.page.keyboard.type("choose")
    press("Enter")
    root.locator(".ox-inspection").get_by_text("collatz/body/next").click()
    around = root.locator(".ox-calls input[type=range]")
    # 6, then 3, 10, 5, 16, 8, 4, 2, 1 as every book has it: eight rounds.
    expect(around).to_have_attribute("max", "7")
    around.focus()
    for step, number in (("Home", 3), ("ArrowRight", 10), ("ArrowRight", 5)):
        around.press(step)
        expect(root.locator(".ox-inspection .ox-head").first).to_have_text(str(number))


def hold_back(explorer, *kinds):
    """Questions of these kinds are not answered; each is, when what it left in this list is called."""
    answer, held = explorer._answer, []

    def answer_others(number, question, buffers):
        if question["kind"] not in kinds:
            return answer(number, question, buffers)
        return held.append(lambda: answer(number, question, buffers))

    explorer._answer = answer_others
    return held


def test_the_slider_of_rounds_stays_in_the_hand(live):
    explorer = ox.explore(ox.example("loop_if"), {"start": 9, "limit": 20})
    explorer.run()
    explorer.selected = "value:collatz/body/next"
    shown = live(explorer)
    slider = shown.root.locator(".ox-calls input[type=range]")
    value = shown.root.locator(".ox-inspection .ox-head").first
    slider.press("Home")
    # From 9 the rounds lead to 28, 14, 7 ...
    expect(value).to_have_text("28")
    around = hold_back(explorer, "iterations")
    slider.press("ArrowRight")
    expect(value).to_have_text("14")
    rounds = hold_back(explorer, "iteration")
    slider.press("ArrowRight")
    # The answer is of the round before.
    around.pop()()
    shown.settle()
    expect(slider).to_be_focused()
    expect(slider).to_have_value("2")
    rounds.pop()()
    expect(value).to_have_text("7")
    expect(slider).to_be_focused()


# -- models that fail -------------------------------------------------------------------------


def gemm():
    g = ox.build.graph("classifier", opset=20)
    weight = g.initializer("fc.weight", np.zeros((10, 96), np.float32))
    g.output(g.Gemm(g.input("x", "float32[N, 96]"), weight, name="fc"), "logits")
    return g.model(), {"x": np.zeros((2, 96), np.float32)}


def padding():
    return ox.example("shape_error"), {"image": np.zeros((1, 1, 8, 8), np.float32)}


def batch():
    g = ox.build.graph("heads", opset=20)
    target = g.initializer("target", np.array([1, 12, 64]))
    g.output(g.Reshape(g.input("x", "float32[batch, 768]"), target, name="split_heads"), "heads")
    return g.model(), {"x": np.zeros((3, 768), np.float32)}


def channels():
    g = ox.build.graph("vision", opset=20)
    weight = g.initializer("conv.weight", np.zeros((8, 3, 3, 3), np.float32))
    g.output(g.Conv(g.input("image", "float32[1, 24, 24, 3]"), weight, name="conv"), "maps")
    return g.model(), {"image": np.zeros((1, 24, 24, 3), np.float32)}


def index():
    g = ox.build.graph("picks", opset=20)
    picked = g.Gather(g.input("x", "float32[4, 3]"), g.input("wanted", "int64[k]"), name="pick")
    g.output(g.ReduceSum(picked, np.array([0]), keepdims=0, name="total"), "sums")
    return g.model(), {"x": np.arange(12, dtype=np.float32).reshape(4, 3), "wanted": [0, 4]}


def told(root, *texts):
    """The finding at the top of the panel; its link is pressed, and the node is selected."""
    finding = root.locator(".ox-problem").first
    for text in texts:
        expect(finding).to_contain_text(text)
    link = finding.locator(".ox-link")
    operator, name = str(link.text_content()).split()
    link.click()
    expect(root.locator(".ox-inspector h2")).to_have_text(operator)
    expect(root.locator(f"[data-box-id='{name}'][data-selected]")).to_be_visible()


def stopped(root, came, expected):
    root.page.keyboard.press("F5")
    failing = root.locator(".ox-failing")
    expect(failing).to_contain_text(came)
    expect(failing).to_contain_text(expected)
    # However far one has scrolled, it is in view.
    expect(failing.locator("dl").first).to_be_in_viewport()
    return failing


def goes_on(root, shape):
    expect(root.locator(".ox-failing")).to_have_count(0)
    expect(status(root)).to_have_text(re.compile("next is|finished"))
    # Only where nodes are left: the retry itself may have been the last one.
    if "finished" not in str(status(root).text_content()):
        root.page.keyboard.press("F5")
    expect(status(root)).to_contain_text("finished")
    expect(root.locator(".ox-failing")).to_have_count(0)
    expect(root.locator(".ox-stepping")).to_contain_text(shape)


def test_a_weight_on_its_side_is_tried_the_other_way_round(live):
    root = live(ox.explore(*gemm())).root
    told(root, "96 (axis 1 of 'x'", "against 10 (axis 0 of 'fc.weight'", "Mend: is transB = 1")
    failing = stopped(root, "96 columns", "10 rows")
    failing.get_by_label("transB").fill("1")
    failing.get_by_role("button", name="try again").click()
    goes_on(root, "float32[2, 10]")


def test_a_size_is_followed_back_to_the_convolution_that_lost_it(live):
    shown = live(ox.explore(*padding()), width=900)
    root = shown.root
    told(root, "288 (axis 1 of 'flatten'", "against 512 (axis 0 of 'dense_W'")
    root.locator("text[data-edge-value=flatten]").click()
    root.locator(".ox-dims button", has_text="288").click()
    # 32 channels of 3 by 3; a kernel of 3 by 3 without padding has made 6 of 8, pooling halves it.
    derived = root.locator(".ox-derived")
    expect(derived.filter(has_text=re.compile(r"conv2\[2\] = 6"))).to_be_visible()
    shown.shot("lesson-derivation")
    derived.get_by_role("button", name="conv2[2]").click()
    expect(root.locator(".ox-inspector h2")).to_have_text("conv2")
    failing = stopped(root, "288 columns", "512 rows")
    shown.shot("lesson-failing")
    failing.get_by_label("Another value for flatten").fill("zeros[1, 512]")
    failing.get_by_label("Another value for flatten").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "float32[1, 10]")


def test_a_batch_that_is_baked_in_is_set_free(live):
    root = live(ox.explore(*batch()), scheme="dark").root
    told(root, "it holds only for batch = 1", "asks for [1, 12, 64]; with -1 it holds for every")
    # 3 × 768 elements.
    failing = stopped(root, "2304 elements", "asks for 768")
    failing.get_by_label("Another value for target").fill("[-1, 12, 64]")
    failing.get_by_label("Another value for target").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "float32[3, 12, 64]")


def test_channels_that_stand_last_are_told_and_the_image_fed_the_other_way(live):
    root = live(ox.explore(*channels())).root
    told(root, "24 (axis 1 of 'image'", "against 3 (axis 1 of 'conv.weight'", "[0, 3, 1, 2]")
    failing = stopped(root, "24 channels", "3 × group 1 = 3")
    failing.get_by_label("Another value for image").fill("zeros[1, 3, 24, 24]")
    failing.get_by_label("Another value for image").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "float32[1, 8, 22, 22]")


def test_an_index_outside_is_seen_when_it_runs_and_replaced(live):
    explorer = ox.explore(*index())
    root = live(explorer).root
    expect(root.locator(".ox-problem")).to_have_count(0)
    click_beside(root)
    failing = stopped(root, "index 4", "axis 0 of data has size 4: expected -4 to 3")
    failing.get_by_label("Another value for wanted").fill("[0, 3]")
    failing.get_by_role("button", name="set").last.click()
    expect(failing).to_have_count(0)
    goes_on(root, "float32[3]")
    # 0, 1, 2 and 9, 10, 11.
    np.testing.assert_array_equal(explorer.stepper.outputs["sums"], [9, 11, 13])


def test_what_is_typed_stays_when_more_is_told_of_the_node_that_failed(live):
    explorer = ox.explore(*gemm())
    words = hold_back(explorer, "operator")
    root = live(explorer).root
    click_beside(root)
    failing = stopped(root, "96 columns", "10 rows")
    field = failing.get_by_label("transB")
    field.fill("1")
    field.press("ArrowLeft")
    words.pop()()
    # What kind of attribute it is comes with the words of the operator.
    expect(field).to_have_attribute("title", re.compile("^int"))
    expect(field).to_be_focused()
    expect(field).to_have_value("1")
    field.press("Backspace")
    expect(field).to_have_value("1")
    field.press("Enter")
    goes_on(root, "float32[2, 10]")


def test_the_five_models_of_the_lesson_are_mended_in_the_notebook(lab, empty_lab_page):
    lab_page = empty_lab_page
    lab_page.page.set_viewport_size({"width": 1400, "height": 1000})
    lesson = nbformat.read(NOTEBOOKS / "03_failing_shapes.ipynb", as_version=4)
    count = len(lesson.cells)
    # Those that the lesson draws are in it; a reader draws the others in cells of their own.
    added = [
        "ox.explore(broken)",
        "ox.explore(baked, {'x': zeros(3, 768)})",
        "ox.explore(g.model())",
    ]
    lesson.cells += map(nbformat.v4.new_code_cell, added)
    nbformat.write(lesson, lab.root / "mended.ipynb")
    lab_page.open("mended.ipynb")
    first, sideways, padded, baked, last, picks, draws_sideways, draws_picks = indices(
        "03_failing_shapes",
        *("import numpy", "sideways = ", "ox.example", "baked = ", "image = g.input"),
        *("picks = ", "ox.explore(sideways)", "ox.explore(picks"),
    )

    def drawn(before, index):
        lab_page.run_cell(before)
        return lab_page.draw(index)

    lab_page.run_cell(first)
    root = drawn(sideways, draws_sideways)
    told(root, "against 10 (axis 0 of 'fc.weight'")
    failing = stopped(root, "96 columns", "10 rows")
    failing.get_by_label("transB").fill("1")
    failing.get_by_role("button", name="try again").click()
    expect(status(root)).to_contain_text("finished")

    root = drawn(padded, count)
    told(root, "288 (axis 1 of 'flatten'")
    failing = stopped(root, "288 columns", "512 rows")
    failing.get_by_label("Another value for flatten").fill("zeros[1, 512]")
    failing.get_by_label("Another value for flatten").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "[1, 10]")

    root = drawn(baked, count + 1)
    told(root, "it holds only for batch = 1")
    failing = stopped(root, "2304 elements", "asks for 768")
    failing.get_by_label("Another value for target").fill("[-1, 12, 64]")
    failing.get_by_label("Another value for target").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "float32[3, 12, 64]")

    root = drawn(last, count + 2)
    told(root, "224 (axis 1 of 'image'")
    failing = stopped(root, "224 channels", "3 × group 1 = 3")
    failing.get_by_label("Another value for image").fill("zeros[1, 3, 24, 24]")
    failing.get_by_label("Another value for image").press("Enter")
    expect(failing).to_have_count(0)
    goes_on(root, "float32[1, 8, 22, 22]")

    root = drawn(picks, draws_picks)
    click_beside(root)
    failing = stopped(root, "index 4", "axis 0 of data has size 4")
    failing.get_by_label("Another value for wanted").fill("[0, 3]")
    failing.get_by_role("button", name="set").last.click()
    expect(failing).to_have_count(0)
    goes_on(root, "float32[3]")
    lab_page.shot("lesson-mended")


# -- comparing --------------------------------------------------------------------------------


def test_the_table_of_a_comparison_leads_to_the_wrong_weight(lesson, lab_page):
    root = lesson(
        "04_compare", "ox.example", "weights[7] *=", "found = ox.compare", "ox.explore(bad"
    )
    # Filter 7 of the second convolution was enlarged: it alone adds to the difference.
    (compared,) = indices("04_compare", "found = ox.compare")
    rows = lab_page.cell(compared).locator("table tbody tr")
    # It and the seven nodes behind it.
    expect(rows).to_have_count(8)
    expect(rows.first.locator("td").first).to_have_text("conv2")
    expect(rows.first).to_contain_text("[0, 7, ")
    for i in range(1, 8):
        expect(rows.nth(i).locator("td").last).to_have_text("0")
    conv = root.locator("[data-box-id=conv2]")
    expect(conv).to_have_attribute("data-step", "done")
    expect(status(root)).to_contain_text("4 of 11: next is Relu")
    inspector = root.locator(".ox-inspector")
    expect(inspector.locator("h2")).to_have_text("conv2")
    root.get_by_label("Compare conv2 with").select_option("compared")
    # One channel of 4 by 4 of 32: the rest is the same.
    expect(root.locator(".ox-differences")).to_contain_text("496 of 512")
    # It is shown where it differs.
    differing = root.locator(".ox-differences .ox-viewer")
    expect(differing.get_by_label("Index of axis 1")).to_have_value("7")
    root.locator(".ox-differences canvas").scroll_into_view_if_needed()
    lab_page.shot("lesson-compared")
    conv.click()
    expect(inspector.locator("h2")).to_have_text("Conv")
    inspector.get_by_role("button", name="conv2_W", exact=True).click()
    expect(inspector.locator("h2")).to_have_text("conv2_W")
    # 16 × 3 × 3 of its elements are another filter than the other model's.
    expect(root.locator(".ox-differences")).to_contain_text(f"{4608 - 144} of 4608")
    viewer = root.locator(".ox-viewer").first
    viewer.locator("[data-view=table]").click()
    # The fields are those of the table only when it is there.
    expect(viewer.locator("td").first).to_be_visible()
    viewer.get_by_label("Index of axis 0").fill("7")
    good = ox.example("digits").graph.initializers["conv2_W"].numpy()[7, 0]
    expect(viewer.locator("td").first).to_have_text(re.compile(rf"^{1.05 * good[0, 0]:.3f}"))
    np.testing.assert_allclose(np.float64(rows_of(viewer)), 1.05 * good, rtol=1e-3)
    lab_page.shot("lesson-weight")
