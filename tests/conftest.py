"""What all tests share."""

from __future__ import annotations

import pytest

IN_JUPYTERLAB = {
    f"tests/browser/test_{name}.py"
    for name in ("debugger", "document", "explore", "lab", "lessons", "viewer", "ways")
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
