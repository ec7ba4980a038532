"""Takes the README's pictures of real models: `make picture`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from onnx_explorer import explore
from onnx_explorer.files import load
from tests.benchmarks.cases import case
from tests.browser.live import LivePage

PICTURES = Path(__file__).parents[2] / "notebooks" / "pictures"


def _as_it_opens(page: LivePage) -> None:
    """The first view is the picture."""


def _by_arithmetic(page: LivePage) -> None:
    page.page.locator("[data-onnx-explorer-overlay]").select_option("macs")


def _run(page: LivePage) -> None:
    page.explorer.run()


def _selected(page: LivePage) -> None:
    page.page.locator(".ox-card[data-kind=node]", has_text="Conv").first.click()


@pytest.mark.parametrize(
    ("name", "shown", "scheme"),
    [
        ("swin_script", _as_it_opens, "light"),
        ("gpt2_dynamo", _by_arithmetic, "light"),
        ("silero_vad_16k_op15", _run, "dark"),
        ("ppocr_v4_det", _selected, "light"),
        ("light_inception_v1", _by_arithmetic, "dark"),
    ],
)
def shoot_models(live, name: str, shown: Callable[[LivePage], None], scheme: str) -> None:
    page = live(explore(load(case(name).path), feeds=case(name).feeds), scheme=scheme)
    shown(page)
    page.page.wait_for_timeout(2500)
    PICTURES.mkdir(exist_ok=True)
    page.page.screenshot(path=PICTURES / f"{name}.png")
