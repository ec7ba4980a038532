"""The table of codes: whole, documented, and the only place that codes come from."""

import re
from pathlib import Path

import pytest

from onnx_explorer.checker.codes import CODES
from onnx_explorer.checker.page import PAGE, page
from onnx_explorer.inference import codes as of_inference

PACKAGE = Path(__file__).parents[2] / "onnx_explorer"
GIVEN = re.compile(
    r"""code=\"([a-z-]+)\"|finding\(\s*\"([a-z-]+)\"|_found\(\s*\"([a-z-]+)\"|"""
    r"""report\(\s*\w+\.path,\s*\"([a-z-]+)\"|Unresolved\(\s*\"([a-z-]+)\"|"""
    r"""placed\(\s*\"([a-z-]+)\"|yield \"([a-z-]+)\", """
)


def given_codes():
    for path in PACKAGE.rglob("*.py"):
        for groups in GIVEN.findall(path.read_text()):
            yield next(filter(None, groups))


def test_every_code_that_is_given_has_an_entry():
    assert set(given_codes()) - set(CODES) == set()


def test_every_entry_is_of_a_code_that_is_given():
    computed = {"operator-rule", "input-count", "output-count", "missing-shape", "missing-type"}
    assert set(CODES) - set(given_codes()) - computed == set()


def test_no_code_stands_in_the_table_twice():
    for path in (Path(of_inference.__file__), PACKAGE / "checker/codes.py"):
        names = re.findall(r'Code\(\s*"([a-z-]+)"', path.read_text())
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", CODES)
def test_an_entry_says_what_it_means_and_what_to_do(name):
    code = CODES[name]
    assert code.name == name
    assert re.fullmatch("[a-z]+(-[a-z]+)*", name)
    assert len(code.meaning.split()) > 3
    assert code.meaning.endswith(".")
    assert code.remedy.endswith(".")
    assert not code.headline.endswith(".")


def test_the_page_of_codes_is_up_to_date():
    assert page() == PAGE.read_text(), "python -m onnx_explorer.checker.page writes it"
