"""The JupyterLab that the other browser tests stand on."""

from __future__ import annotations

from playwright.sync_api import expect


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


def test_a_cell_runs_to_its_end(lab, lab_page):
    name = lab.write_notebook(
        "arithmetic.ipynb", "a = 6 * 7", "import time; time.sleep(1); print(a)"
    )
    lab_page.open(name)
    lab_page.run_cell(0)
    expect(lab_page.run_cell(1)).to_have_text("42")


def test_the_kernel_has_the_package_of_this_checkout(lab, lab_page):
    name = lab.write_notebook(
        "version.ipynb", "import onnx_explorer; print(onnx_explorer.__file__)"
    )
    lab_page.open(name)
    import onnx_explorer

    expect(lab_page.run_cell(0)).to_have_text(onnx_explorer.__file__)
