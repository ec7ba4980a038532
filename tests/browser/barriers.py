"""What axe, a checker of accessibility, finds in a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def barriers(
    page: Page, where: str = "", *, rule: str = "", inside: str | None = None
) -> list[str]:
    """What is serious, or worse: by all rules or a single one, in all of the page or in one element
    of it.
    """
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rule:
        options["runOnly"] = {"type": "rule", "values": [rule]}
    answer = Axe().run(page, context=inside, options=options).response
    return [
        f"{where}: {violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in answer["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
