"""Writes CODES.md, all codes of findings as a page: `python -m onnx_explorer.checker.page`."""

from __future__ import annotations

from pathlib import Path

from onnx_explorer.checker.codes import CODES

PAGE = Path(__file__).parent / "CODES.md"

_HEAD = """# Codes of findings

What `ox.check` and `ox.infer` find carries one of these codes. A code keeps its meaning; a new kind of mistake gets a new
one. This page is written by `python -m onnx_explorer.checker.page`."""


def page() -> str:
    """All codes as Markdown."""
    lines = [_HEAD, ""]
    for name, code in sorted(CODES.items()):
        example = f" Example: {code.example}." if code.example else ""
        lines += [
            f"## {name}",
            "",
            f"*{code.severity}*: {code.headline}. {code.meaning}{example}",
            "",
            code.remedy,
            "",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
