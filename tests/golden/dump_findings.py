"""Writes findings.txt: what is found in each broken model of the gallery, for people to read.

python -m tests.golden.dump_findings
"""

from __future__ import annotations

from pathlib import Path

import onnx_explorer as ox
from tests.broken.gallery import GALLERY

PAGE = Path(__file__).parent / "findings.txt"


def page() -> str:
    return "\n".join(
        f"{name.replace('_', ' ')}\n{ox.check(build())}\n" for name, build in GALLERY.items()
    )


if __name__ == "__main__":
    PAGE.write_text(page())
