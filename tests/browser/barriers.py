"""What axe, a checker of accessibility, finds in a page."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page


def barriers(
    page: Page, where: str = "", *, rule: str = "", inside: str | None = None
) -> list[str]:
    """What is serious, or worse: by all rules or a single one, in all of the page or in one element
    of it.
    """
    options: dict[str, object] = {
        "resultTypes": ["violations"],
        # Of sounds and films, which there are none of.
        "preload": False,
    }
    if rule:
        options["runOnly"] = {"type": "rule", "values": [rule]}
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(
        "async ([inside, options]) => (await axe.run(inside ?? document, options)).violations",
        [inside, options],
    )
    return [
        f"{where}: {violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]
