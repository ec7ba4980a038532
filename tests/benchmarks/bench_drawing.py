"""The explorer in Chromium: from an opened page to the drawn graph, and how it answers a person."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from onnx_explorer import build, explore
from onnx_explorer.ir import Model
from tests.benchmarks.readings import beside

FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
PER_LAYER = 20
# What the page is asked to do, and how long it takes until it has been painted.
PAN_MS = """async () => {
    const stage = document.querySelector('.ox-svg');
    const times = [];
    for (let i = 0; i < 30; i++) {
        const started = performance.now();
        stage.dispatchEvent(new WheelEvent('wheel', {deltaY: 40, bubbles: true, cancelable: true}));
        await new Promise(requestAnimationFrame);
        await new Promise(done => setTimeout(done));
        times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[15];
}"""
SEARCH_MS = """async () => {
    const box = document.querySelector('[data-onnx-explorer-search]');
    const times = [];
    for (const text of ['op:gemm', 'op:gemm dim:64', 'layer 3/relu', 'in:layer op:relu', 'layer 7']) {
        const started = performance.now();
        box.value = text;
        box.dispatchEvent(new Event('input'));
        times.push(performance.now() - started);
    }
    return Math.max(...times);
}"""
OPEN_MS = """async () => {
    const root = document.querySelector('[data-onnx-explorer]');
    const card = document.querySelector('.ox-card[data-kind=group]');
    if (!card) return NaN;
    const started = performance.now();
    card.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1}));
    await new Promise(requestAnimationFrame);
    while (!root.hasAttribute('data-onnx-explorer-ready'))
        await new Promise(requestAnimationFrame);
    return performance.now() - started;
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium found")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.mark.parametrize("nodes", [1_500, 10_000, 50_000], ids="{} nodes".format)
@pytest.mark.benchmark(group="page to drawn graph")
def bench_drawing(benchmark, chromium, tmp_path, nodes):
    path = explore(layers(nodes)).to_html(tmp_path / "model.html")
    pages: list[Page] = []

    def opened() -> None:
        if pages:
            pages.pop().close()
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        page.goto(path.as_uri())
        page.locator("[data-onnx-explorer-ready]").wait_for(timeout=120_000)
        pages.append(page)

    row = beside(benchmark, opened, {})
    (page,) = pages
    row.more = {
        "pan ms": f"{page.evaluate(PAN_MS):.1f}",
        "open a group ms": f"{page.evaluate(OPEN_MS):.0f}",
        "search ms": f"{page.evaluate(SEARCH_MS):.0f}",
        "heap MB": f"{page.evaluate('performance.memory.usedJSHeapSize') / 1e6:.0f}",
        "page MB": f"{Path(path).stat().st_size / 1e6:.1f}",
    }
    page.close()


def layers(nodes: int) -> Model:
    """A chain of scoped layers, each with a skip connection."""
    g = build.graph("layers")
    x = g.input("x", "float32[batch, 64]")
    weight = g.input("w", "float32[64, 64]")
    for layer in range(nodes // PER_LAYER):
        before = x
        for i in range((PER_LAYER - 2) // 2):
            scope = f"stage {layer // 25}/layer {layer}"
            x = g.Gemm(x, weight, name=f"{scope}/gemm {i}")
            x = g.Relu(x, name=f"{scope}/relu {i}")
        x = g.Add(x, before, name=f"{scope}/add")
        x = g.Sigmoid(x, name=f"{scope}/sigmoid")
    g.output(x, "y")
    return g.model()
