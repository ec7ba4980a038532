"""The explorer in Chromium: from an opened page, or a cell that is run, to the drawn graph, and how it
answers a person.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from onnx_explorer import build, explore, save
from onnx_explorer.ir import Model
from tests.benchmarks.readings import beside
from tests.browser.conftest import Lab, LabPage
from tests.browser.live import LivePage

FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
PER_LAYER = 20
NAMES = ["1500", "5500", "10000", "50000", "700, long edges"]
WIDE = "3000 into one"
READY = "[data-onnx-explorer-ready]"
# Tasks that hold up the page, from its first moment on.
LONG_TASKS = """
    window.longTasks = [];
    new PerformanceObserver(list => {
        for (const {duration} of list.getEntries()) if (duration > 100) window.longTasks.push(duration);
    }).observe({type: 'longtask', buffered: true});
"""
# What the page is asked to do, and how long it takes until it has been painted.
TIMED = """
    const root = document.querySelector('[data-onnx-explorer]');
    const stage = document.querySelector('.ox-svg');
    const search = document.querySelector('[data-onnx-explorer-search]');
    const painted = async () => {
        await new Promise(requestAnimationFrame);
        await new Promise(done => setTimeout(done));
    };
    const drawn = async () => {
        await new Promise(requestAnimationFrame);
        while (!root.hasAttribute('data-onnx-explorer-ready'))
            await new Promise(requestAnimationFrame);
    };
    const type = text => {
        search.value = text;
        search.dispatchEvent(new Event('input'));
    };
    const median = times => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    const timed = async act => {
        const started = performance.now();
        await act();
        return performance.now() - started;
    };
"""
PAN = """
    const times = [];
    const wheel = () => new WheelEvent('wheel', {deltaY: 40, bubbles: true, cancelable: true});
    for (let i = 0; i < 30; i++)
        times.push(await timed(() => { stage.dispatchEvent(wheel()); return painted(); }));
    return median(times);
"""
FIT = """
    document.querySelector('[data-onnx-explorer-fit]').click();
    await painted();
"""
SEARCH = """
    const times = [];
    for (const text of ['op:gemm', 'op:gemm dim:64', 'layer 3/relu', 'in:layer op:relu', 'layer 7']) {
        times.push(await timed(async () => type(text)));
        await painted();
    }
    return Math.max(...times);
"""
# Hits that can be seen already; the first one, and the median.
CENTRE = """
    const times = [];
    for (const part of [2, 3, 4, 5, 6]) {
        type('op:__OPERATOR__');
        await painted();
        const hits = document.querySelectorAll('[data-onnx-explorer-hit]');
        const hit = hits[Math.floor(hits.length / part)];
        const press = new PointerEvent('pointerdown', {bubbles: true, cancelable: true});
        times.push(await timed(() => { hit.dispatchEvent(press); return drawn(); }));
    }
    return [times[0], median(times)];
"""
OPEN = """
    const times = [];
    for (let i = 0; i < 9; i++) {
        const cards = document.querySelectorAll('.ox-card[data-kind=group]');
        const card = cards[Math.floor(cards.length / 2)];
        if (!card) break;
        const click = new MouseEvent('click', {bubbles: true, detail: 1});
        times.push(await timed(() => { card.dispatchEvent(click); return drawn(); }));
    }
    return times.length ? median(times) : NaN;
"""


# From a pressed key until the first frame that shows what came of it has been painted: what runs
# when a frame begins still sees the page as that frame will show it.
PRESSED = """
    const canvas = document.querySelector('.ox-canvas');
    const pressed = async (key, isThere) => {
        const started = performance.now();
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        do await new Promise(requestAnimationFrame); while (!isThere());
        await new Promise(done => setTimeout(done));
        return performance.now() - started;
    };
"""
# The node that comes next; the median of twenty.
KEY_MS = f"""async (key) => {{
    {PRESSED}
    const current = () => document.querySelector('.ox-status').textContent;
    const times = [];
    for (let i = 0; i < 20; i++) {{
        const before = current();
        times.push(await pressed(key, () => current() !== before));
    }}
    return times.sort((a, b) => a - b)[10];
}}"""
# Into the operator that comes next, whose first node is drawn then.
INTO_MS = f"""async () => {{
    {PRESSED}
    return await pressed('e', () => document.querySelector(
        '[data-onnx-explorer-ready] .ox-card[data-step=current][data-box-id*="/body/"]'));
}}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium found")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.mark.parametrize("name", [*NAMES, WIDE])
@pytest.mark.benchmark(group="page to drawn graph")
def bench_drawing(benchmark, chromium, tmp_path, name):
    path = explore(model_of(name)).to_html(tmp_path / "model.html")
    pages: list[Page] = []

    def opened() -> None:
        if pages:
            pages.pop().close()
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        page.add_init_script(LONG_TASKS)
        page.goto(path.as_uri())
        page.locator(READY).wait_for(timeout=120_000)
        pages.append(page)

    row = beside(benchmark, opened, {})
    (page,) = pages
    long_tasks = page.evaluate("window.longTasks")
    row.more = {"pan ms": f"{taken(page, PAN):.1f}", "search ms": f"{taken(page, SEARCH):.0f}"}
    row.more["open a group ms"] = f"{taken(page, OPEN):.0f}"
    first, centred = centring(page, "add")
    row.more |= {"centre ms": f"{centred:.0f}", "the first ms": f"{first:.0f}"}
    if name == WIDE:
        row.more["the widest ms"] = f"{centring(page, 'sum')[0]:.0f}"
    taken(page, FIT)
    opening = long_tasks
    long_tasks = page.evaluate("window.longTasks")
    row.more |= {
        "pan far ms": f"{taken(page, PAN):.1f}",
        "tasks over 100 ms": f"{len(opening)} opening, {len(long_tasks)} in all",
        "longest ms": f"{max(long_tasks, default=0):.0f}",
        "heap MB": f"{page.evaluate('performance.memory.usedJSHeapSize') / 1e6:.0f}",
        "page MB": f"{Path(path).stat().st_size / 1e6:.1f}",
    }
    page.close()


def taken(page: Page, what: str) -> float:
    """Milliseconds that the page says something took."""
    return page.evaluate(f"async () => {{ {TIMED} {what} }}") or 0.0


def centring(page: Page, operator: str) -> tuple[float, float]:
    """Milliseconds from a click on a hit until it is drawn in the middle: the first, the median."""
    first, centred = page.evaluate(
        f"async () => {{ {TIMED} {CENTRE.replace('__OPERATOR__', operator)} }}"
    )
    return first, centred


@pytest.fixture(scope="module")
def lab_page(chromium, tmp_path_factory) -> Iterator[LabPage]:
    lab = Lab(tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("home"))
    try:
        lab.wait()
        context = chromium.new_context(viewport={"width": 1400, "height": 900})
        yield LabPage(lab, context.new_page())
        context.close()
    finally:
        lab.stop()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.benchmark(group="cell to drawn graph")
def bench_cell(benchmark, lab_page, name):
    """The first cell has imported everything, as in a notebook in which something was drawn before."""
    file = name.replace(", ", "_").replace(" ", "_")
    save(model_of(name), lab_page.lab.root / f"{file}.onnx")
    cells = [
        "import onnx_explorer as ox\nox.explore(ox.example('digits'))",
        f"ox.explore('{file}.onnx')",
    ]
    name = lab_page.lab.write_notebook(f"{file}.ipynb", *cells)
    lab_page.open(name)
    lab_page.run_cell(0).locator(READY).wait_for()

    def run() -> None:
        lab_page.run_cell(1).locator(READY).wait_for(timeout=120_000)

    def clear() -> None:
        lab_page.page.evaluate(
            "() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')"
        )

    run()
    row = beside(benchmark, run, {"no output": clear})
    row.peers.clear()
    lab_page.clear()


@pytest.mark.parametrize("nodes", [200, 1_500], ids="{} nodes".format)
@pytest.mark.benchmark(group="key to picture")
def bench_key_to_picture(benchmark, chromium, nodes):
    """A step and a step back, with the kernel in this process: a notebook adds its round trip."""
    shown = LivePage(chromium, explore(layers(nodes)), scheme="light", width=1400)
    page = shown.page
    page.locator(".ox-canvas").focus()
    page.keyboard.press("s")
    page.locator(".ox-status", has_text="1 of").wait_for()
    found: dict[str, float] = {}

    def pressed() -> None:
        found["step ms"] = page.evaluate(KEY_MS, "s")
        found["back ms"] = page.evaluate(KEY_MS, "b")

    row = beside(benchmark, pressed, {})
    row.more = {name: f"{ms:.0f}" for name, ms in found.items()}
    shown.close()


@pytest.mark.parametrize("nodes", [200, 1_500, 10_000], ids="{} nodes".format)
@pytest.mark.benchmark(group="key to picture")
def bench_into_an_operator(benchmark, chromium, nodes):
    """Into operators that nobody has looked into yet, by a person who looks at where the run rests
    and by one who presses the next key at once, and into the same again; as the kernel is in this
    process, its part is measured too.
    """
    explorer = explore(layers(nodes, operator="Gelu"))
    shown = LivePage(chromium, explorer, scheme="light", width=1400)
    page = shown.page
    page.locator(".ox-canvas").focus()
    times: dict[str, list[float]] = {"first": [], "at once": [], "again": [], "kernel": []}
    step_into = explorer.step_into

    def timed() -> None:
        began = time.perf_counter()
        step_into()
        times["kernel"].append(1e3 * (time.perf_counter() - began))

    def enter(way: str, layer: int) -> None:
        explorer.goto(layer * PER_LAYER + 1)
        if way == "at once":
            shown.settle()
        else:
            page.wait_for_timeout(400)
        explorer.step_into = timed
        times[way].append(page.evaluate(INTO_MS))
        explorer.step_into = step_into
        explorer.step_out()
        page.wait_for_timeout(400)

    for layer in range(10):
        enter("at once" if layer % 2 else "first", layer)

    row = beside(benchmark, lambda: enter("again", 3), {})
    row.more = {f"{way} ms": f"{median(found):.0f}" for way, found in times.items()}
    shown.close()


def model_of(name: str) -> Model:
    if name == WIDE:
        return wide(3_000)
    return layers(int(name)) if name.isdecimal() else long_edges(700)


def layers(nodes: int, operator: str = "Relu") -> Model:
    """A chain of scoped layers, each with a skip connection."""
    g = build.graph("layers")
    x = g.input("x", "float32[batch, 64]")
    weight = g.input("w", "float32[64, 64]")
    for layer in range(nodes // PER_LAYER):
        before = x
        for i in range((PER_LAYER - 2) // 2):
            scope = f"stage {layer // 25}/layer {layer}"
            x = g.Gemm(x, weight, name=f"{scope}/gemm {i}")
            x = getattr(g, operator)(x, name=f"{scope}/relu {i}")
        x = g.Add(x, before, name=f"{scope}/add")
        x = g.Sigmoid(x, name=f"{scope}/sigmoid")
    g.output(x, "y")
    return g.model()


def wide(nodes: int) -> Model:
    """One value that all nodes read, and one node that reads what all of them make."""
    g = build.graph("wide")
    x = g.input("x", "float32[batch, 64]")
    g.output(g.Sum(*(g.Add(x, x) for _ in range(nodes))), "y")
    return g.model()


def long_edges(nodes: int) -> Model:
    """Rounds of message passing without scopes: all of them read the same indices, and what the
    rounds long before them made.
    """
    g = build.graph("messages")
    x = g.input("x", "float32[nodes, 64]")
    sources = g.input("sources", "int64[edges]")
    targets = g.input("targets", "int64[edges, 64]")
    rounds = [x]
    while 7 * len(rounds) < nodes:
        before = rounds[len(rounds) // 2]
        sent = g.Relu(g.Gather(x, sources))
        received = g.ScatterElements(x, targets, sent, axis=0, reduction="add")
        x = g.Add(g.Tanh(received), g.Mul(before, g.Sigmoid(received)))
        rounds.append(x)
    g.output(x, "y")
    return g.model()
