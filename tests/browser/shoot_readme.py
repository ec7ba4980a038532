"""Takes the README's picture: `make picture`.

A transformer, one layer open, three nodes run, in a real JupyterLab.
"""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parents[2] / "notebooks" / "explorer.png"
CELL = """import onnx_explorer as ox

model = ox.example("transformer")
ox.explore(model)"""


def shoot_readme(lab, empty_lab_page):
    empty_lab_page.page.set_viewport_size({"width": 1400, "height": 900})
    lab.write_notebook("explore.ipynb", CELL)
    empty_lab_page.open("explore.ipynb")
    root = empty_lab_page.run_cell(0).locator("[data-onnx-explorer-ready]")
    root.wait_for()
    root.evaluate("root => root.style.setProperty('--ox-height', '620px')")
    for _ in range(3):
        done = root.locator("[data-action=step]")
        done.click()
        empty_lab_page.page.wait_for_timeout(500)
    empty_lab_page.page.evaluate(
        "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
    )
    empty_lab_page.page.wait_for_timeout(1000)
    empty_lab_page.page.screenshot(path=str(PICTURE))
