"""The `onnx-explorer` command."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import onnx_explorer as ox
from onnx_explorer.cli import main
from tests.broken.gallery import GALLERY
from tests.checker.mutants import GOOD


@pytest.fixture
def written(tmp_path):
    """Writes models and returns their paths as text."""

    def write(name):
        path = tmp_path / f"{name}.onnx"
        if name in GOOD:
            path.write_bytes(GOOD[name]().SerializeToString())
        else:
            ox.save(GALLERY[name](), path)
        return str(path)

    return write


def test_check_prints_what_is_found_and_exits_with_1(written, capsys):
    assert main(["check", written("layers_of_different_width")]) == 1
    assert "error inner-size-mismatch: MatMul 'fc3'" in capsys.readouterr().out


def test_check_exits_with_0_where_nothing_is_wrong(written, capsys):
    assert main(["check", written("layered")]) == 0
    assert capsys.readouterr().out == "nothing found\n"


@pytest.mark.parametrize(("flags", "status"), [([], 0), (["--strict"], 1)])
def test_warnings_fail_only_when_they_are_to(written, flags, status):
    assert main(["check", *flags, written("batch_of_minus_one")]) == status


def test_several_models_are_told_apart_and_the_worst_decides(written, capsys):
    good, bad = written("layered"), written("misspelt_operator")
    assert main(["check", bad, good]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{bad}:"
    assert lines[-2:] == [f"{good}:", "nothing found"]


def test_a_file_that_is_not_there_exits_with_2(tmp_path, capsys):
    assert main(["check", str(tmp_path / "gone.onnx")]) == 2
    assert "gone.onnx" in capsys.readouterr().err


def test_codes_says_what_a_code_means(capsys):
    assert main(["codes", "inner-size-mismatch"]) == 0
    assert "sums over the columns of its left factor" in capsys.readouterr().out
    assert main(["codes"]) == 0
    assert "inner-size-mismatch" in capsys.readouterr().out
    assert main(["codes", "typo"]) == 2


def test_the_package_installs_the_command():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["onnx-explorer"].partition(":")
    assert getattr(import_module(module), name) is main


def test_draw_writes_a_picture_and_names_it(written, tmp_path, capsys):
    picture = tmp_path / "layered.svg"
    assert main(["draw", written("layered"), str(picture), "--depth", "-1"]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    assert "<svg" in picture.read_text()


def test_draw_shows_constants_when_it_is_told_to(tmp_path):
    model = tmp_path / "digits.onnx"
    ox.save(ox.example("digits"), model)
    told = []
    for flags in ([], ["--constants"]):
        assert main(["draw", str(model), str(tmp_path / "d.dot"), *flags]) == 0
        told.append("conv1_W" in (tmp_path / "d.dot").read_text(encoding="utf-8"))
    assert told == [False, True]


@pytest.mark.parametrize(
    ("model", "picture", "found"),
    [("gone.onnx", "a.svg", "gone.onnx"), ("layered", "a.bmp", "expected one of .svg")],
)
def test_what_cannot_be_drawn_exits_with_2(written, tmp_path, capsys, model, picture, found):
    path = written(model) if model in GOOD else str(tmp_path / model)
    assert main(["draw", path, str(tmp_path / picture)]) == 2
    assert found in capsys.readouterr().err


def test_ops_prints_the_table_of_the_map(capsys):
    assert main(["ops"]) == 0
    table = capsys.readouterr().out.strip()
    assert table in (Path(ox.__file__).parent / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("Relu-6", "negative elements become 0"),
        ("ai.onnx.ml::Scaler", "shifted, then stretched"),
    ],
)
def test_ops_says_what_an_operator_does(operator, expected, capsys):
    assert main(["ops", operator]) == 0
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("operator", "expected"), [("Rleu", "did you mean Relu"), ("Relu-new", "expected a number")]
)
def test_ops_refuses_what_is_no_operator(operator, expected, capsys):
    assert main(["ops", operator]) == 2
    assert expected in capsys.readouterr().err


def test_the_command_runs_as_a_module_and_says_its_version():
    told = subprocess.run(
        [sys.executable, "-m", "onnx_explorer", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == f"onnx-explorer {ox.__version__}"
