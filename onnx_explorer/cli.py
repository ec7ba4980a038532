"""The `onnx-explorer` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from onnx_explorer import __version__
from onnx_explorer.checker import Report, check
from onnx_explorer.checker.codes import CODES
from onnx_explorer.errors import ExplorerError, SchemaError
from onnx_explorer.files import load
from onnx_explorer.ir.expected import near
from onnx_explorer.ops.coverage import table
from onnx_explorer.ops.registry import schema
from onnx_explorer.schema.page import markdown
from onnx_explorer.view.draw import draw


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns what the process exits with: 0, 1 for errors that were found, 2 for
    a command that cannot be carried out.
    """
    parser = argparse.ArgumentParser("onnx-explorer", description="Explore ONNX models.")
    parser.add_argument("--version", action="version", version=f"onnx-explorer {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    checking = commands.add_parser("check", help="say what is wrong with models")
    checking.add_argument("models", nargs="+", metavar="model.onnx")
    checking.add_argument("--strict", action="store_true", help="warnings count as errors")
    explaining = commands.add_parser("codes", help="say what a code of a finding means")
    explaining.add_argument("codes", nargs="*", metavar="code", help="default: list all")
    drawing = commands.add_parser("draw", help="draw a model with the type of every value")
    drawing.add_argument("model", metavar="model.onnx")
    drawing.add_argument("picture", help="picture.svg, .png, .pdf or .dot")
    drawing.add_argument(
        "--depth", type=int, default=1, help="how deep groups stand open; -1: all (default: 1)"
    )
    drawing.add_argument(
        "--constants", action="store_true", help="weights and other constants as boxes of their own"
    )
    telling = commands.add_parser("ops", help="say what operators do")
    telling.add_argument(
        "operators",
        nargs="*",
        metavar="operator",
        help="Conv, Conv-11 or ai.onnx.ml::Scaler; default: count what the pages cover, by domain",
    )
    given = parser.parse_args(arguments)
    try:
        match given.command:
            case "check":
                return _check(given.models, strict=given.strict)
            case "draw":
                return _draw(given.model, given.picture, given.depth, constants=given.constants)
            case "ops":
                return _tell(given.operators)
            case _:
                return _explain(given.codes)
    except BrokenPipeError:  # `| head` has seen enough; the interpreter must not write once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _check(paths: Sequence[str], *, strict: bool) -> int:
    worst = 0
    for path in paths:
        if len(paths) > 1:
            print(f"{path}:")
        try:
            report = check(path)
        except OSError as error:
            print(f"{path}: {error.strerror or error}", file=sys.stderr)
            worst = 2
            continue
        print(report)
        worst = max(worst, int(_fails(report, strict=strict)))
    return worst


def _fails(report: Report, *, strict: bool) -> bool:
    return bool(report if strict else report.errors)


def _draw(path: str, picture: str, depth: int, *, constants: bool) -> int:
    try:
        levels = None if depth < 0 else depth
        print(draw(load(path), picture, depth=levels, constants=constants))
    except OSError as error:
        print(f"{error.filename or path}: {error.strerror or error}", file=sys.stderr)
        return 2
    except ExplorerError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _tell(names: Sequence[str]) -> int:
    if not names:
        print(table())
    for name in names:
        domain, _, operator = name.rpartition("::")
        operator, _, version = operator.partition("-")
        try:
            print(markdown(schema(operator, _number(version), domain)))
        except SchemaError as error:
            print(error, file=sys.stderr)
            return 2
    return 0


def _number(version: str) -> int | None:
    if version and not version.isdecimal():
        raise SchemaError(f"version {version!r}; expected a number, as in Conv-11")
    return int(version) if version else None


def _explain(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in CODES]
    if unknown:
        hint = near(unknown[0], CODES) or "; `onnx-explorer codes` lists all"
        print(f"there is no code {unknown[0]!r}{hint}", file=sys.stderr)
        return 2
    if not names:
        for name, code in sorted(CODES.items()):
            print(f"{name:24} {code.severity:8} {code.headline}")
        return 0
    for name in names:
        code = CODES[name]
        example = f"\nExample: {code.example}." if code.example else ""
        print(f"{name} ({code.severity}): {code.headline}\n{code.meaning}{example}\n{code.remedy}")
    return 0
