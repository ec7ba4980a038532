"""No serious barrier that axe finds: every panel, light and dark."""

from __future__ import annotations

from itertools import chain

import pytest

from onnx_explorer import explore
from tests.browser.barriers import barriers
from tests.browser.panels import PANELS

# The rest of the page is not the explorer's own.
ROOT = ".ox-root"
TALL = 2400
# Panels that stand beside each other in one view of one model: a look at the page is a look at all of them.
VIEWS = (
    ("model", "what can follow"),
    ("value", "search fields"),
    ("initializer", "keys"),
    ("inputs", "search"),
    ("node", "what if", "table of nodes", "legend of words", "constants"),
    ("viewer", "watch list", "legend of numbers"),
    ("findings", "failure"),
    ("group", "nearly equal groups"),
    ("debugger",),
    ("layout progress",),
)
BY_NAME = {panel.name: panel for panel in PANELS}


def test_each_panel_is_looked_at_once():
    assert sorted(chain(*VIEWS)) == sorted(BY_NAME)


@pytest.mark.parametrize("names", VIEWS, ids=", ".join)
def test_panels_have_no_serious_barrier(live, names: tuple[str, ...]):
    panels = [BY_NAME[name] for name in names]
    (model,) = {panel.model for panel in panels}
    page = live(explore(model())).page
    # The checker says nothing of what is scrolled out of sight.
    page.set_viewport_size({"width": 1400, "height": TALL})
    for panel in panels:
        panel.show(page)
    # None has taken the place of another.
    for panel in panels:
        panel.find(page)
    found = barriers(page, "light", inside=ROOT)
    page.evaluate("""() => {
        document.body.dataset.jpThemeLight = "false";
        document.body.style.background = "#16181c";
    }""")
    page.locator(f"{ROOT}[data-theme=dark]").wait_for()
    # What a thing is does not depend on colours.
    found += barriers(page, "dark", rule="color-contrast", inside=ROOT)
    assert found == []
