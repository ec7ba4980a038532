"""Every panel of the explorer, brought up by what a person does: for axe, and for pictures to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page

import onnx_explorer as ox
from onnx_explorer.ir import Model

Act = Callable[[Page], None]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel by name, the model that it is shown with, what is seen of it, and the way to it."""

    name: str
    model: Callable[[], Model]
    seen: str
    way: Act

    def show(self, page: Page) -> None:
        self.way(page)
        self.find(page)

    def find(self, page: Page) -> None:
        """Waits until the panel is there."""
        page.locator(self.seen).first.wait_for()


def digits() -> Model:
    return ox.example("digits")


def wrong() -> Model:
    return ox.example("shape_error")


def loops() -> Model:
    return ox.example("loop_if")


def layers(around: str = "encoder/") -> Model:
    """Twelve layers, of which one has another activation and one a Dropout more."""
    g = ox.build.graph("layers", opset=20)
    x = g.input("x", "float32[n, 8]")
    for i in range(12):
        with g.scope(f"{around}layer.{i}"):
            weight = g.initializer(f"w{i}", np.ones((8, 8), np.float32))
            h = g.MatMul(x, weight, name="up")
            h = g.Gelu(h, name="act") if i == 7 else g.Relu(h, name="act")
            if i == 3:
                h = g.Dropout(h, name="drop")
            x = g.Add(h, x, name="sum")
    g.output(x, "y")
    return g.model()


def _press(*keys: str) -> Act:
    def press(key: str) -> Act:
        def act(page: Page) -> None:
            page.locator(".ox-canvas").focus()
            page.keyboard.press(key)

        return act

    return _then(*map(press, keys))


def _click(selector: str) -> Act:
    return lambda page: page.locator(selector).first.click()


def _tab(name: str) -> Act:
    return lambda page: page.locator(f".ox-tab[data-panel='{name}']").click()


def _then(*acts: Act) -> Act:
    def act(page: Page) -> None:
        for each in acts:
            each(page)
            # In JupyterLab nothing counts what was said and heard.
            page.wait_for_function("() => window.quiet === undefined || window.quiet > 1")

    return act


def _search(text: str) -> Act:
    return lambda page: page.locator("[data-onnx-explorer-search]").fill(text)


def _watch(text: str) -> Act:
    def act(page: Page) -> None:
        field = page.locator(".ox-panel[data-panel=watch] input").first
        field.fill(text)
        field.press("Enter")

    return act


def _run(page: Page) -> None:
    run = page.locator("[data-action=run]")
    if run.is_enabled():
        run.click()
    page.wait_for_function(
        "() => (window.model.get('state').position ?? 0) > 0 && !window.model.get('state').running"
    )


def _weight(page: Page) -> None:
    page.locator("[data-box-id=conv2]").click()
    page.get_by_role("button", name="conv2_W", exact=True).click()


def _value(page: Page) -> None:
    page.locator("text[data-edge-value=relu1]").click()


def _hold_layouts(page: Page) -> None:
    """No worker hears of what it is to lay out."""
    page.evaluate("() => { Worker.prototype.postMessage = () => {}; }")


def view(page: Page, action: str) -> None:
    """Press a button of the view, which narrow explorers have in a menu."""
    more = page.locator("[data-action=more]")
    if more.is_visible():
        more.click()
    page.locator(f"[data-action={action}]").click()


def _expand_all(page: Page) -> None:
    view(page, "expand-all")


def _close_groups(page: Page) -> None:
    view(page, "collapse-all")


def _hover_nearly(page: Page) -> None:
    page.locator(".ox-card [data-alike]", has_text="≈").first.hover()


def large() -> Model:
    """Three scopes, too large to stand open at first."""
    g = ox.build.graph("large")
    x = g.input("x", "float32[batch, 64]")
    for i in range(150):
        x = g.Relu(x, name=f"stage {i // 50}/relu {i}")
    g.output(x, "y")
    return g.model()


HEAD = "[data-onnx-explorer-inspector] header"
LEGEND = "[data-onnx-explorer-legend] header"

PANELS = (
    Panel("model", digits, ".ox-card", _then()),
    Panel("node", digits, ".ox-example", _then(_click("[data-box-id=conv1]"))),
    Panel("value", digits, f"{HEAD}:has-text('relu1')", _then(_value)),
    Panel("initializer", digits, ".ox-histogram", _then(_weight)),
    Panel(
        "group",
        layers,
        f"{HEAD}:has-text('group')",
        _then(_click("[data-box-id$='layer.0/act']"), _press("g")),
    ),
    Panel("constants", digits, "[data-kind=initializer]", _then(_press("k"))),
    Panel("findings", wrong, ".ox-problem", _then()),
    Panel("failure", wrong, ".ox-failing dl", _then(_run)),
    Panel("search", digits, "[data-onnx-explorer-hit]", _then(_search("conv"))),
    Panel("search fields", digits, ".ox-fields", _then(_click("[data-onnx-explorer-search]"))),
    Panel(
        "what can follow",
        digits,
        "[aria-label='What can follow'] [role=option]",
        _then(_search("op:")),
    ),
    Panel("keys", digits, "[role=dialog]", _then(_press("?"))),
    Panel(
        "debugger",
        loops,
        ".ox-calls:has(.ox-frame-row) ~ * .ox-choices",
        _then(_press("e", "e", "e", "e"), _tab("breakpoints")),
    ),
    Panel("inputs", digits, "[data-input]", _then(_press("I"))),
    Panel(
        "what if",
        digits,
        "[data-what=attribute]",
        _then(_click("[data-box-id=conv1]"), _press("W")),
    ),
    Panel(
        "watch list",
        digits,
        "[data-watch]",
        _then(_run, _tab("watch"), _watch("mean(abs(relu1))")),
    ),
    Panel("viewer", digits, ".ox-viewer canvas", _then(_run, _value)),
    Panel("table of nodes", digits, ".ox-table-row", _then(_press("l"))),
    Panel("legend of numbers", digits, f"{LEGEND}:has-text('MACs')", _then(_press("v", "v", "v"))),
    Panel(
        "layout progress",
        large,
        "[data-onnx-explorer-progress]",
        _then(_hold_layouts, _expand_all),
    ),
    Panel("nearly equal groups", layers, ".ox-tooltip", _then(_close_groups, _hover_nearly)),
    Panel(
        "legend of words",
        digits,
        f"{LEGEND}:has-text('dtype')",
        _then(_press("v", "v", "v", "v", "v")),
    ),
)
