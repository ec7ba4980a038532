"""How much of the standard the pages cover: `python -m onnx_explorer.ops.coverage`."""

from __future__ import annotations

from collections import Counter

from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator

COLUMNS = ("operators", "schemas", "rules", "kernels", "function bodies", "examples")


def coverage() -> dict[str, Counter[str]]:
    """Counts by domain: operators and examples by operator, the others by operator version."""
    found: dict[str, Counter[str]] = {}
    for domain, name in sorted(INDEX):
        page = operator(name, domain)
        if page is None:
            continue
        counts = found.setdefault(domain or "ai.onnx", Counter())
        counts["operators"] += 1
        counts["examples"] += bool(page.examples)
        for version in page.versions:
            counts["schemas"] += 1
            counts["rules"] += page.rule_at(version) is not None
            counts["kernels"] += page.kernel_at(version) is not None
            counts["function bodies"] += page.body_at(version) is not None
    return found


def table() -> str:
    """The counts as a Markdown table, a line per domain."""
    lines = [f"| domain | {' | '.join(COLUMNS)} |", f"|---{'|---:' * len(COLUMNS)}|"]
    lines += [
        f"| {domain} | {' | '.join(str(counts[column]) for column in COLUMNS)} |"
        for domain, counts in coverage().items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())  # noqa: T201  a command prints
