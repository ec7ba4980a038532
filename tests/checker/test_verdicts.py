"""Verdicts on many nearly valid models, against those of onnx's checker."""

import warnings

import onnx
import pytest

import onnx_explorer as ox
from tests.backend.node_cases import cases
from tests.checker.mutants import GOOD, mutants


def refused(model):
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  what it raises on odd bytes is its own affair
        return repr(error)
    return ""


@pytest.mark.parametrize("name", GOOD)
def test_a_good_model_gets_no_finding(name):
    model = GOOD[name]()
    assert refused(model) == ""
    assert list(ox.check(model)) == []


@pytest.mark.parametrize("name", GOOD)
def test_what_onnx_refuses_gets_an_error(name):
    changed = list(mutants(GOOD[name]()))
    missed = [what for what, model in changed if refused(model) and not ox.check(model).errors]
    assert missed == []
    assert sum(1 for _, model in changed if refused(model)) > len(changed) / 4


@pytest.mark.slow
def test_the_models_of_onnxs_node_tests_get_no_error():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            name: report.errors
            for name, case in cases().items()
            if (report := ox.check(case.model)).errors
        }
    assert found == {}


@pytest.mark.slow
def test_mutants_of_every_operator_get_an_error_where_onnx_refuses_them():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {name: case.model for name, case in cases().items()}
    missed = [
        f"{name}: {what}"
        for place, name in enumerate(sorted(models))
        for what, model in mutants(models[name], place % 307, 307)
        if refused(model) and not ox.check(model).errors
    ]
    assert missed == []
