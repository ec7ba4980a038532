"""Takes the README's picture: `make picture`.

A transformer, one layer open, three nodes run, in a real JupyterLab.
"""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parents[2] / "notebooks" / "explorer.png"
CELL = """import onnx_explorer as ox

model = ox.example("transformer")
ox.explore(model)"""


def shoot_readme(lab, lab_page):
    lab_page.page.set_viewport_size({"width": 1400, "height": 900})
    lab.write_notebook("explore.ipynb", CELL)
    lab_page.open("explore.ipynb")
    root = lab_page.run_cell(0).locator("[data-onnx-explorer-ready]")
    root.wait_for()
    root.evaluate("root => root.style.setProperty('--ox-height', '620px')")
    for _ in range(3):
        done = root.locator("[data-action=step]")
        done.click()
        lab_page.page.wait_for_timeout(500)
    lab_page.page.evaluate(
        "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
    )
    lab_page.page.wait_for_timeout(1000)
    lab_page.page.screenshot(path=str(PICTURE))
