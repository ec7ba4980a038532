"""Takes a picture of every panel, light and dark, wide and narrow, to be looked at: `make panels`."""

from __future__ import annotations

import pytest

from onnx_explorer import explore
from tests.browser import pictures
from tests.browser.panels import PANELS, Panel


@pytest.mark.parametrize("width", [1400, 900])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.name)
def shoot_panels(live, panel: Panel, scheme: str, width: int) -> None:
    page = live(explore(panel.model()), scheme=scheme, width=width)
    panel.show(page.page)
    page.page.wait_for_timeout(600)
    pictures.take(page.page, f"panel-{panel.name.replace(' ', '-')}-{scheme}-{width}")
