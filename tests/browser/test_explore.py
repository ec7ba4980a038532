"""The explorer in a notebook: what it draws, what its step bar shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_explore.ipynb"
READY = "[data-onnx-explorer-ready]"

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
def explorer(lab, lab_page):
    """The explorer that the first notebook's first cell shows."""
    shutil.copy(NOTEBOOK, lab.root / NOTEBOOK.name)
    lab_page.open(NOTEBOOK.name)
    output = lab_page.run_cell(1)
    root = output.locator(READY)
    root.wait_for()
    return root


def test_the_notebook_draws_the_digits(explorer, lab_page):
    nodes = explorer.locator("[data-box-id]")
    expect(nodes).to_have_count(13)
    lab_page.shot("explore")


def test_each_edge_says_its_type(explorer):
    labels = explorer.locator("text[data-edge-value]")
    said = {e.get_attribute("data-edge-value"): e.text_content() for e in labels.all()}
    assert said == LABELS


def test_three_steps_show_the_pooled_value(explorer, lab_page):
    step = explorer.locator("[data-action=step]")
    for position in (1, 2, 3):
        step.click()
        expect(explorer).to_contain_text(f"{position} of 11")
    inspector = explorer.locator("[data-onnx-explorer-inspector]")
    expect(inspector).to_contain_text("pool1")
    expect(inspector).to_contain_text("float32[1, 16, 4, 4]")
    lab_page.shot("explore-stepped")


def test_dark(explorer, lab_page):
    lab_page.set_theme("JupyterLab Dark")
    lab_page.page.wait_for_timeout(500)
    lab_page.shot("explore-dark")
    lab_page.set_theme("JupyterLab Light")
