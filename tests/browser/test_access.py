"""No serious barrier that axe finds: every panel, light and dark."""

from __future__ import annotations

import pytest

from onnx_explorer import explore
from tests.browser.barriers import barriers
from tests.browser.panels import PANELS, Panel

# The rest of the page is not the explorer's own.
ROOT = ".ox-root"


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.name)
def test_a_panel_has_no_serious_barrier(live, panel: Panel):
    page = live(explore(panel.model())).page
    panel.show(page)
    found = barriers(page, "light", inside=ROOT)
    page.evaluate("""() => {
        document.body.dataset.jpThemeLight = "false";
        document.body.style.background = "#16181c";
    }""")
    page.locator(f"{ROOT}[data-theme=dark]").wait_for()
    # What a thing is does not depend on colours.
    found += barriers(page, "dark", rule="color-contrast", inside=ROOT)
    assert found == []
