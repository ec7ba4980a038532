"""Which part may use which, how large a file may grow, and what the bare import costs."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "onnx_explorer"
HARD_LIMIT_LINES = 500
IMPORT_LIMIT_MS = 60

# From left to right: each room uses only what stands left of it.
MAIN_LINE = (
    *("errors", "dims", "ir", "schema", "ops", "build", "inference", "evaluation"),
    *("recording", "checker", "view", "widgets", "cli"),
)
MAY_USE = {room: set(MAIN_LINE[: place + 1]) for place, room in enumerate(MAIN_LINE)}
# Files are a side branch: the semantic core never learns where a model came from.
MAY_USE["proto"] = {"proto"}
MAY_USE["files"] = {"files", "proto", "ir", "dims", "errors"}
MAY_USE["examples"] = MAY_USE["evaluation"] | {"examples", "files"}
for room in ("recording", "checker", "widgets", "cli"):
    MAY_USE[room] |= {"files"}
for room in ("widgets", "cli"):
    MAY_USE[room] |= {"examples"}
MAY_USE["cli"] |= {"__version__"}
MAY_USE["__main__"] = {"cli"}

# Arrows that point back on purpose: the import stands inside a function, so that the room loads without it.
ON_PURPOSE = {
    ("ir/model.py", "files"),  # Model.to_bytes: a model that cannot be written is half a model
    ("ir/expected.py", "files"),  # what takes a model takes what one can be loaded from
    ("evaluation/stepper.py", "recording"),  # Stepper.record: so that it stands where people look
}

NO_NAMES = {"utils", "util", "helpers", "common", "manager", "misc"}
ORACLES = {"onnx", "onnxruntime"}


def sources() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if not p.stem.endswith("_pb2"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    return imports_in(ast.parse(path.read_text()))


def imports_in(tree: ast.AST) -> Iterator[str]:
    """Full names of all modules that are imported, at any depth of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module == "onnx_explorer":
                yield from (f"onnx_explorer.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def written_by_hand() -> list[Path]:
    python = (
        p for folder in ("onnx_explorer", "tests", "proto") for p in (ROOT / folder).rglob("*.py")
    )
    typescript = (
        p for folder in ("src", "tests") for p in (ROOT / "labextension" / folder).rglob("*.ts")
    )
    return sorted(p for p in chain(python, typescript) if not p.stem.endswith("_pb2"))


def test_arrows_between_rooms_point_one_way():
    back = []
    for path in sources():
        room = room_of(path)
        if room == "__init__":
            continue
        assert room in MAY_USE, f"{path} stands in no known room: give it a place in this test"
        for name in imports_of(path):
            top, _, rest = name.partition(".")
            used = rest.partition(".")[0]
            place = path.relative_to(PACKAGE).as_posix()
            if top != "onnx_explorer" or used in MAY_USE[room] or (place, used) in ON_PURPOSE:
                continue
            back.append(f"{place} imports {name}")
    assert back == []


@pytest.mark.parametrize(("place", "used"), sorted(ON_PURPOSE))
def test_every_arrow_back_on_purpose_stands_inside_a_function(place, used):
    tree = ast.parse((PACKAGE / place).read_text())
    top_level = ast.Module([n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)], [])
    assert any(name.startswith(f"onnx_explorer.{used}") for name in imports_in(tree))
    assert not any(name.startswith(f"onnx_explorer.{used}") for name in imports_in(top_level))


def test_the_package_imports_no_oracle():
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources()
        for name in imports_of(path)
        if name.partition(".")[0] in ORACLES
    ]
    assert found == []


def test_no_file_grows_past_the_hard_limit():
    sizes = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in written_by_hand()}
    assert {name: n for name, n in sizes.items() if n > HARD_LIMIT_LINES} == {}


def test_file_names_say_what_the_file_holds():
    assert [str(p.relative_to(ROOT)) for p in written_by_hand() if p.stem in NO_NAMES] == []


def run_python(code: str) -> float:
    """Milliseconds of CPU time that a fresh interpreter takes for this code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return 1000 * spent


def test_the_bare_import_costs_next_to_nothing():
    bare = min(run_python("pass") for _ in range(7))
    with_package = min(run_python("import onnx_explorer") for _ in range(7))
    assert with_package - bare < IMPORT_LIMIT_MS


def test_the_bare_import_imports_no_numpy():
    run_python(
        "import sys, onnx_explorer\n"
        "heavy = {'numpy', 'google.protobuf', 'ipywidgets', 'anywidget', 'scipy', 'ml_dtypes'}\n"
        "found = heavy & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)"
    )


def test_drawing_a_model_imports_nothing_that_runs_or_checks_models():
    run_python(
        "import sys, onnx_explorer as ox\n"
        "ox.explore(ox.example('digits'))\n"
        "rooms = {f'onnx_explorer.{room}' for room in ('evaluation', 'checker', 'recording')}\n"
        "found = rooms & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)"
    )


def test_every_public_name_can_be_had():
    import onnx_explorer as ox

    assert [name for name in ox.__all__ if getattr(ox, name, None) is None] == []


def test_an_unknown_name_is_an_attribute_error():
    import onnx_explorer as ox

    with pytest.raises(AttributeError, match="no attribute 'explode'"):
        _ = ox.explode


def test_schema_is_a_room_and_a_function():
    import onnx_explorer as ox
    import onnx_explorer.schema.operator  # binds the room in the package, under the same name
    from onnx_explorer.schema import OpSchema

    assert isinstance(ox.schema("Relu"), OpSchema)
    assert ox.schema.operator is sys.modules["onnx_explorer.schema.operator"]
