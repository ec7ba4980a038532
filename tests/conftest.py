"""What all tests share."""

from __future__ import annotations

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Browser tests all go to one worker, since they share one server and one browser; others go where there is room.

    The scheduler of xdist that reads group marks does not see them with pytest 9.
    """
    from xdist.scheduler import LoadScopeScheduling

    class BrowserTestsTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "browser" if nodeid.startswith("tests/browser/") else nodeid

    return BrowserTestsTogether(config, log)
