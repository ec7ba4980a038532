"""No serious barrier that axe finds: every panel, light and dark, and in JupyterLab's own themes."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from onnx_explorer import explore
from tests.browser.panels import PANELS, Panel

LAB_THEMES = ("JupyterLab Dark", "JupyterLab Dark High Contrast")
# Those that stand beside each other in one view of one model.
TOGETHER = ("node", "inputs", "what if", "table of nodes", "keys")
BEHIND = {"light": "#ffffff", "dark": "#16181c"}


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.name)
def test_a_panel_has_no_serious_barrier(live, panel: Panel):
    page = live(explore(panel.model())).page
    panel.show(page)
    found: list[str] = []
    for scheme, colour in BEHIND.items():
        page.evaluate(
            """([light, colour]) => {
                document.body.dataset.jpThemeLight = light;
                document.body.style.background = colour;
            }""",
            [str(scheme == "light").lower(), colour],
        )
        page.wait_for_timeout(250)
        # What a thing is does not depend on colours.
        found += barriers(page, scheme, "color-contrast" if scheme == "dark" else "")
    assert found == []


def test_jupyterlabs_dark_themes_bring_none(lab, lab_page):
    name = lab.write_notebook(
        "access.ipynb", "import onnx_explorer as ox; ox.explore(ox.example('digits'))"
    )
    lab_page.open(name)
    output = lab_page.run_cell(0)
    output.locator("[data-onnx-explorer-ready]").wait_for()
    page = lab_page.page
    for panel in PANELS:
        if panel.name in TOGETHER:
            panel.show(page)
    found: list[str] = []
    for theme in LAB_THEMES:
        lab_page.set_theme(theme)
        page.wait_for_timeout(500)
        found += barriers(page, theme, "color-contrast")
        lab_page.shot(f"access-{theme.replace(' ', '-').lower()}")
    assert found == []


def barriers(page: Page, where: str, rule: str = "") -> list[str]:
    """What is serious, or worse, in the explorer: the rest of the page is not its own."""
    options = {"runOnly": {"type": "rule", "values": [rule]}} if rule else {}
    answer = Axe().run(page, context=".ox-root", options=options).response
    return [
        f"{where}: {violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in answer["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
