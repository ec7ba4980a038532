"""The built front end: the widget's module, what loads it, and its style sheet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "static"


@cache
def asset(name: str) -> str:
    """The text of `widget.js`, `loader.js` or `widget.css`.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    path = FOLDER / name
    if not path.is_file():
        raise FileNotFoundError(
            f"the front end is not built: there is no {path}. Install the package from a wheel, "
            "or run `make frontend` in its checkout"
        )
    return path.read_text(encoding="utf-8")
