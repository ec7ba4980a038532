"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"
IN_JUPYTERLAB = {
    f"tests/browser/{path.name}"
    for path in BROWSER.glob("test_*.py")
    if "lab_page" in path.read_text(encoding="utf-8")
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Browser tests in JupyterLab all go to one worker, since they share one server; those of pages go to
    another, and share a browser. All others go where there is room.

    The scheduler of xdist that reads group marks does not see them with pytest 9.
    """
    from xdist.scheduler import LoadScopeScheduling

    class BrowserTestsTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if not nodeid.startswith("tests/browser/"):
                return nodeid
            return "JupyterLab" if nodeid.split("::", maxsplit=1)[0] in IN_JUPYTERLAB else "pages"

    return BrowserTestsTogether(config, log)
