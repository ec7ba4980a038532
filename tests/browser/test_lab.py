"""The JupyterLab that the other browser tests stand on."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.barriers import barriers
from tests.browser.panels import PANELS

THEMES = ("JupyterLab Dark", "JupyterLab Dark High Contrast")
# Panels that stand beside each other in one view of one model; the last covers the drawing.
TOGETHER = ("node", "inputs", "what if", "table of nodes", "keys")


def test_onnx_files_belong_to_the_explorer(lab_page):
    factory = lab_page.page.evaluate(
        "() => window.jupyterapp.docRegistry.defaultWidgetFactory('folder/model.onnx').name"
    )
    assert factory == "ONNX Explorer"


def test_the_file_type_asks_for_no_content(lab_page):
    kinds = lab_page.page.evaluate(
        "() => window.jupyterapp.docRegistry.getFileTypesForPath('model.onnx').map(t => [t.name, t.fileFormat])"
    )
    assert kinds[0] == ["onnx", None]


def test_a_cell_runs_to_its_end(lab_page):
    lab_page.write("a = 6 * 7", "import time; time.sleep(1); print(a)")
    lab_page.run_cell(0)
    expect(lab_page.run_cell(1)).to_have_text("42")


def test_what_a_test_has_defined_is_not_there_for_the_next(lab_page):
    lab_page.write("a = 1")
    lab_page.run_cell(0)
    lab_page.write("print('a' in globals())", "print(2)")
    expect(lab_page.run_cell(0)).to_have_text("False")
    assert lab_page.count_cells() == 2


def test_the_kernel_has_the_package_of_this_checkout(lab_page):
    lab_page.write("import onnx_explorer; print(onnx_explorer.__file__)")
    import onnx_explorer

    expect(lab_page.run_cell(0)).to_have_text(onnx_explorer.__file__)


def test_the_dark_themes_bring_no_serious_barrier(lab_page):
    lab_page.write("import onnx_explorer as ox; ox.explore(ox.example('digits'))")
    root = lab_page.draw(0)
    page = lab_page.page
    by_name = {panel.name: panel for panel in PANELS}
    for name in TOGETHER:
        by_name[name].show(page)
    found: list[str] = []
    for theme in THEMES:
        lab_page.set_theme(theme)
        expect(root).to_have_attribute("data-theme", "dark")
        found += barriers(page, theme, rule="color-contrast", inside=".ox-root")
        lab_page.shot(f"access-{theme.replace(' ', '-').lower()}")
    assert found == []
