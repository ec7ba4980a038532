"""The panel of inputs: filled, pasted, from files, wrong and mended, with mouse and keyboard."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

import onnx_explorer as ox
from tests.browser.barriers import barriers


def model():
    g = ox.build.graph("picture")
    image = g.input("image", "float32[batch, 3, height, width]")
    bias = g.input("bias", "float32[3]")
    mean = g.ReduceMean(image, np.array([0, 2, 3]), keepdims=0, name="mean")
    g.output(g.Add(mean, bias, name="add"), "sum")
    return g.model()


def test_inputs_are_given_and_the_model_runs_again_with_them(live, tmp_path):
    explorer = ox.explore(model())
    shown = live(explorer)
    page, root = shown.page, shown.root
    page.locator(".ox-canvas").focus()
    page.keyboard.press("Shift+I")
    bias = page.locator("[data-input=bias]")
    bias.get_by_label("How bias is filled").select_option("list")
    numbers = bias.get_by_label("Numbers for bias")
    numbers.fill("10 twenty 30")
    numbers.press("Enter")
    expect(bias.locator(".ox-error")).to_contain_text("is no value")
    # Nothing of what was typed is lost.
    expect(numbers).to_have_value("10 twenty 30")
    numbers.fill("10 20")
    numbers.press("Enter")
    expect(bias.locator(".ox-error")).to_contain_text("axis 0 is 2, not 3")
    shown.shot("inputs-wrong")
    numbers.fill("10 20 30")
    numbers.press("Enter")
    expect(bias.locator(".ox-error")).to_be_hidden()
    page.get_by_label("Size height").fill("5")
    page.get_by_label("Size height").press("Enter")
    expect(page.locator("[data-input=image]")).to_contain_text("float32[1, 3, 5, 64]")
    file = tmp_path / "ones.npy"
    np.save(file, np.ones((1, 3, 4, 2)))
    page.get_by_label("File for image").set_input_files(file)
    expect(page.locator("[data-input=image]")).to_contain_text("float32[1, 3, 4, 2]")
    # The file decides the sizes now.
    expect(page.get_by_label("Size height")).to_be_disabled()
    page.get_by_role("button", name="Run with these").click()
    expect(root.locator(".ox-status")).to_contain_text("finished")
    # The mean of ones, and 10, 20, 30.
    np.testing.assert_array_equal(explorer.stepper.outputs["sum"], [11, 21, 31])


def test_the_browser_reads_a_picture(live, tmp_path):
    explorer = ox.explore(model())
    shown = live(explorer, scheme="dark", width=900)
    page = shown.page
    page.get_by_role("button", name="Inputs", exact=True).click()
    # A bitmap of one red pixel: 54 bytes of head, then blue, green, red and a byte to fill the row.
    head = b"BM" + (58).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    head += (40).to_bytes(4, "little") + (1).to_bytes(4, "little") * 2
    head += (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24)
    file = tmp_path / "red.bmp"
    file.write_bytes(head + bytes([0, 0, 255, 0]))
    page.get_by_label("File for image").set_input_files(file)
    expect(page.locator("[data-input=image]")).to_contain_text("red.bmp")
    np.testing.assert_array_equal(explorer.inputs["image"], [[[[1]], [[0]], [[0]]]])
    shown.shot("inputs-dark")
    text = tmp_path / "notes.txt"
    text.write_text("no array")
    page.get_by_label("File for bias").set_input_files(text)
    expect(page.locator("[data-input=bias] .ox-error")).to_contain_text(".npy, .npz")
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK no zip")
    page.get_by_label("File for bias").set_input_files(broken)
    expect(page.locator("[data-input=bias] .ox-error")).to_contain_text("cannot be read")
    assert barriers(page) == []


def test_the_range_of_activations_is_that_of_the_run_that_is_looked_at(live):
    g = ox.build.graph("squares")
    x = g.input("x", "float32[2]")
    g.output(g.Mul(x, x, name="square"), "y")
    explorer = ox.explore(g.model(), {"x": np.float32([1, 3])})
    explorer.overlay("activation range")
    shown = live(explorer)
    explorer.run()
    tag = shown.root.locator("[data-box-id=square] .ox-tag")
    expect(tag).to_contain_text("9")
    explorer.feed("x", np.float32([2, 4]))
    shown.root.locator(".ox-canvas").focus()
    shown.press("Shift+I")
    # It ends at the same node.
    shown.page.get_by_role("button", name="Run with these").click()
    expect(tag).to_contain_text("16")
