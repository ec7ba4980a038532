"""Pictures of what tests see, for people: with `SHOTS=1` all of them, else of tests that fail."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page

SHOTS = Path(__file__).parent / "shots"
WANTED = os.environ.get("SHOTS") == "1"


def take(page: Page, name: str) -> Path:
    SHOTS.mkdir(exist_ok=True)
    path = SHOTS / f"{name}.png"
    page.screenshot(path=path)
    return path


def shoot(page: Page, name: str) -> None:
    """Takes a picture where all are wanted."""
    if WANTED:
        take(page, name)
