"""An exported page: one file, without a kernel and without a network."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import onnx_explorer as ox
from tests.browser.barriers import barriers
from tests.browser.pictures import shoot


@pytest.fixture
def page(exported):
    """The page of a model with a wrong shape."""
    return exported(ox.explore(ox.example("shape_error")), weights=True)


def test_a_page_alone_draws_explains_and_shows_numbers(page):
    expect(page.locator("[data-box-id]")).to_have_count(9)
    page.locator("[data-box-id=dense]").click()
    inspector = page.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("inner sizes differ: 288")
    expect(inspector).to_contain_text("a matrix product with a summand")
    inspector.get_by_text("What does this mean?").click()
    expect(inspector.locator(".ox-code")).to_contain_text("there must be as many of both")
    inspector.get_by_role("button", name="dense_W", exact=True).click()
    expect(inspector.locator(".ox-histogram rect")).to_have_count(24)


def test_what_has_the_focus_is_marked_as_no_place_for_the_shortcuts_of_a_notebook(page):
    """Some are looked for from the focus outwards, and found there before any mark further out."""
    page.locator("[data-box-id=dense]").click()
    focused = page.locator(":focus")
    expect(focused).to_have_class("ox-canvas")
    expect(focused).to_have_attribute("data-lm-suppress-shortcuts", "true")
    page.keyboard.press("Tab")
    expect(focused).not_to_have_class("ox-canvas")
    expect(focused).to_have_attribute("data-lm-suppress-shortcuts", "true")


def test_a_search_without_a_hit_shows_what_can_be_asked_for(page):
    page.locator("[data-onnx-explorer-search]").fill("operator:Conv")
    expect(page.get_by_role("status").filter(has_text="no hit")).to_be_visible()
    expect(page.locator(".ox-fields")).to_be_visible()
    page.locator("[data-onnx-explorer-search]").fill("op:Conv")
    expect(page.locator(".ox-fields")).to_be_hidden()


def test_a_browser_that_imports_nothing_from_a_page_on_the_disk_draws_it_all_the_same(
    tabs, tmp_path
):
    path = ox.explore(ox.example("digits")).to_html(tmp_path / "model.html")
    opened = tabs.new_page()
    # It says on its console that it found nothing there.
    opened.add_init_script("URL.createObjectURL = () => 'blob:null/nothing'")
    opened.goto(path.as_uri())
    opened.locator("[data-onnx-explorer]").wait_for()
    opened.close()


def test_a_page_alone_offers_nothing_that_needs_a_kernel(page):
    step = page.locator("[data-action=step]")
    expect(step).to_be_attached()
    expect(step).to_be_hidden()
    page.locator("text[data-edge-value=conv1]").click()
    inspector = page.locator("[data-onnx-explorer-inspector]")
    expect(inspector.locator("h2")).to_have_text("conv1")
    two_frames(page)
    expect(inspector.locator(".ox-error")).to_have_count(0)


def two_frames(page: Page) -> None:
    """What a page alone asks itself has been answered by then."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def test_escape_leaves_the_search_field_and_then_ends_the_search(page):
    field = page.locator("[data-onnx-explorer-search]")
    page.locator(".ox-canvas").focus()
    page.keyboard.press("/")
    page.keyboard.type("op:conv")
    hits = page.locator(".ox-search .ox-count")
    expect(hits).to_have_text("2")
    page.keyboard.press("Escape")
    expect(field).to_have_value("op:conv")
    page.keyboard.press("n")
    expect(hits).to_have_text("1 of 2")
    expect(page.locator("[data-onnx-explorer-inspector] h2")).to_have_text("Conv")
    page.keyboard.press("n")
    expect(hits).to_have_text("2 of 2")
    page.keyboard.press("N")
    expect(hits).to_have_text("1 of 2")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")


def test_a_checker_of_accessibility_finds_nothing_serious(page):
    found: list[str] = []

    def look(at: str) -> None:
        found.extend(barriers(page, at))
        page.emulate_media(color_scheme="dark")
        page.locator("[data-theme=dark]").wait_for()
        # What a thing is does not depend on colours.
        found.extend(barriers(page, f"{at}, dark", rule="color-contrast"))
        page.emulate_media(color_scheme="light")
        page.locator("[data-theme=light]").wait_for()

    look("the model")
    page.locator("[data-box-id=dense]").click()
    expect(page.locator(".ox-example").first).to_be_visible()
    look("a node")
    page.get_by_role("button", name="dense_W", exact=True).click()
    expect(page.locator(".ox-histogram")).to_be_visible()
    look("a weight")
    page.locator("[data-onnx-explorer-search]").fill("relu")
    expect(page.locator("[data-onnx-explorer-hit]").first).to_be_visible()
    look("a search")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    look("the help")
    page.keyboard.press("Escape")
    page.locator("[data-action=table]").click()
    expect(page.locator(".ox-table-row").first).to_be_visible()
    page.locator("[data-onnx-explorer-overlay]").select_option("macs")
    expect(page.locator("[data-onnx-explorer-legend]")).to_be_visible()
    look("the table and an overlay")
    page.locator("[data-onnx-explorer-overlay]").select_option("dtype")
    expect(page.locator("[data-onnx-explorer-legend] header")).to_contain_text("dtype")
    look("an overlay of words")
    assert found == []


def test_the_graph_can_be_walked_without_a_mouse(page):
    page.locator(".ox-canvas").focus()
    title = page.locator("[data-onnx-explorer-inspector] h2")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("image")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("Conv")
    # Told to those who do not see it.
    expect(page.get_by_role("status").filter(has_text="Conv")).to_be_attached()
    page.keyboard.press("[")
    expect(title).to_have_text("image")
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    expect(title).to_have_text("Softmax")


def test_a_reader_steps_through_a_recorded_run(exported):
    explorer = ox.explore(ox.example("digits"))
    page = exported(explorer, record=True)
    status = page.locator(".ox-status")
    expect(status).to_contain_text("0 of 11: next is Conv conv1")
    page.locator(".ox-canvas").focus()
    page.keyboard.press("F10")
    expect(status).to_contain_text("1 of 11: next is Relu")
    expect(page.locator("[data-box-id=conv1]")).to_have_attribute("data-step", "done")
    expect(page.locator(".ox-labels .ox-miniature")).not_to_have_count(0)
    page.locator("[data-action=run]").click()
    expect(status).to_contain_text("11 of 11: finished")
    page.locator("text[data-edge-value=probabilities]").click()
    inspector = page.locator("[data-onnx-explorer-inspector]")
    explorer.run()
    best = int(explorer.stepper.outputs["probabilities"].argmax())
    expect(inspector.locator(".ox-top tbody tr").first).to_contain_text(str(best))
    inspector.locator("[data-view=table]").click()
    expect(inspector.locator(".ox-cells td")).to_have_count(10)
    shoot(page, "recorded")
    page.locator(".ox-timeline input").fill("2")
    expect(status).to_contain_text("2 of 11: next is MaxPool")
    expect(inspector).to_contain_text("has not been computed yet")
    page.keyboard.press("Shift+F10")
    expect(status).to_contain_text("1 of 11")
    page.locator("[data-box-id=relu1]").click(force=True)  # It pulses.
    expect(inspector.locator("h2")).to_have_text("Relu")
    expect(inspector).to_contain_text("has not been computed yet")
    expect(inspector.locator(".ox-error")).to_have_count(0)
    # What a kernel alone can do is not offered.
    expect(page.locator(".ox-tab")).to_have_count(0)


def test_a_recorded_run_in_the_dark_and_narrow_is_as_accessible(exported):
    page = exported(ox.explore(ox.example("digits")), record=True, scheme="dark", width=900)
    page.locator("[data-action=run]").click()
    page.locator("text[data-edge-value=probabilities]").click()
    expect(page.locator(".ox-viewer")).to_be_visible()
    shoot(page, "recorded-dark")
    assert barriers(page) == []


def step_to(page: Page, box: str) -> None:
    """Steps until the run stands before this box."""
    current = page.locator("[data-box-id][data-step=current]")
    while (here := current.get_attribute("data-box-id")) != box:
        page.keyboard.press("F10")
        expect(current).not_to_have_attribute("data-box-id", here or "")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 900)])
def test_a_reader_goes_into_a_recorded_loop_and_looks_at_its_rounds(exported, scheme, width):
    feeds = {"start": np.int64(6), "limit": np.int64(100)}
    explorer = ox.explore(ox.example("loop_if"), feeds)
    page = exported(explorer, record=True, scheme=scheme, width=width)
    page.locator(".ox-canvas").click(position={"x": 5, "y": 70})
    step_to(page, "collatz")
    page.keyboard.press("F11")
    stack = page.locator(".ox-calls").first
    expect(stack).to_contain_text("body of collatz")
    expect(page.locator("[data-step=current][data-box-id^='collatz/body/']")).to_be_visible()
    step_to(page, "collatz/body/choose")
    page.keyboard.press("e")
    # 6 is even.
    expect(stack).to_contain_text("then_branch of choose")
    shoot(page, f"recorded-inside-{scheme}")
    page.keyboard.press("Shift+F11")
    expect(stack).not_to_contain_text("then_branch")
    page.keyboard.press("o")
    expect(page.locator(".ox-status")).not_to_contain_text("collatz")
    # A value of the body, in each of its eight rounds: from 6 comes 3, then 10, and so on.
    page.keyboard.press("/")
    page.keyboard.type("choose")
    page.keyboard.press("Enter")
    inspector = page.locator("[data-onnx-explorer-inspector]")
    slider = inspector.get_by_role("slider", name="Round of body of collatz")
    slider.focus()
    slider.press("Home")
    expect(inspector).to_contain_text("round 0 (0–7)")
    slider.press("ArrowRight")
    expect(inspector).to_contain_text("round 1 (0–7)")
    assert barriers(page) == []


def test_a_reader_goes_into_a_recorded_operator_with_the_keys(exported):
    g = ox.build.graph("norm", opset=17)
    x = g.Neg(g.input("x", "float32[rows, 4]"), name="before")
    g.output(g.Abs(g.LayerNormalization(x, np.ones(4, np.float32), name="home"), name="behind"))
    explorer = ox.explore(g.model(), {"x": np.float32([[1, 2, 3, 6]])})
    page = exported(explorer, record=True)
    page.locator(".ox-canvas").click(position={"x": 5, "y": 70})
    status = page.locator(".ox-status")
    page.keyboard.press("F11")
    expect(status).to_contain_text("next is LayerNormalization home. This page holds nothing")
    page.keyboard.press("F11")
    inner = page.locator("[data-box-id='home/body/flatten_1']")
    expect(inner).to_have_attribute("data-step", "current")
    expect(inner).to_be_in_viewport()
    expect(page.locator(".ox-calls").first).to_contain_text("body of home")
    for _ in range(3):
        page.keyboard.press("F10")
    # The mean of the row.
    expect(page.locator("[data-value='home/body/reducemean_1']")).to_contain_text("-3")
    page.keyboard.press("Shift+F11")
    expect(status).to_contain_text("2 of 3: next is Abs behind")
    expect(inner).to_have_count(0)


def test_a_page_of_a_run_that_failed_ends_at_the_node_and_says_why(exported):
    g = ox.build.graph("clash")
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[z, w]")
    g.output(g.Gemm(g.Relu(a, name="first"), b, name="product"), "y")
    feeds = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    page = exported(ox.explore(g.model(), feeds), record=True)
    page.locator(".ox-canvas").click(position={"x": 5, "y": 70})
    page.keyboard.press("F5")
    product = page.locator("[data-box-id=product]")
    expect(product).to_have_attribute("data-step", "failed")
    expect(page.locator(".ox-status")).to_contain_text("1 of 2: Gemm product failed")
    # Three columns meet two rows.
    expect(page.locator(".ox-failure")).to_contain_text("3 columns")
    expect(page.locator("[data-action=step]")).to_be_disabled()
    shoot(page, "recorded-failure")
    page.keyboard.press("Shift+F10")
    expect(product).to_have_attribute("data-step", "current")
    page.keyboard.press("F10")
    expect(product).to_have_attribute("data-step", "failed")
