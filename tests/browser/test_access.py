"""No serious barrier that axe finds: every panel, light and dark."""

from __future__ import annotations

import pytest

from onnx_explorer import explore
from tests.browser.barriers import barriers
from tests.browser.panels import PANELS, Panel

# The rest of the page is not the explorer's own.
ROOT = ".ox-root"
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
        found += barriers(
            page, scheme, rule="color-contrast" if scheme == "dark" else "", inside=ROOT
        )
    assert found == []
