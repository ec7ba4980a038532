"""Expressions that are watched while a run is stepped through."""

import numpy as np
import pytest

import onnx_explorer as ox
from tests.evaluation.chains import FEEDS, chain


def test_a_watched_expression_follows_the_values():
    stepper = ox.Stepper(chain(), FEEDS)
    (square,) = stepper._plan.steps[1].node.outputs
    assert stepper.watch(f'max("{square}") + 1') is None
    stepper.run_to("second/log")
    assert stepper.watched == {f'max("{square}") + 1': 17}
    stepper.unwatch(f'max("{square}") + 1')
    assert stepper.watched == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mean(abs(x))", 2),
        ("sum(x * 2 - 1)", 2),
        ("x[0] ** 2", 9),
        ("x[-1] < 0", True),
        ("shape(x)[0] // 2", 1),
        ("-x[:1]", [-3]),
        ("max(x, 0)", 3),
        ("any(isnan(x))", False),
        ("10 ** 10 ** 10", np.inf),  # and no hours
    ],
)
def test_expressions_are_what_they_look_like(text, value):
    np.testing.assert_array_equal(ox.Stepper(chain(), FEEDS).watch(text), value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__import__('os')", "no function '__import__'; there are"),
        ("x.T", "'x.T' is not allowed"),
        ("x +", "invalid syntax"),
        ("[x for x in y]", "is not allowed"),
        ("(lambda: 1)()", "is not allowed"),
        ("abs(x, x)", "abs takes one value"),
        ("x" * 501, "at most 500"),
        ("x and x", "is not allowed"),
        ("f'{x}'", "is not allowed"),
        ("mean(first/plus)", "no value is named 'first'.*stands in quotes"),
        ("mean(ouut)", "no value is named 'ouut'; 'out' is one"),
    ],
)
def test_anything_else_is_no_expression(text, found):
    with pytest.raises(ox.EvaluationError, match=found):
        ox.Stepper(chain(), FEEDS).watch(text)


def test_values_that_do_not_go_together_are_told_and_end_nothing():
    stepper = ox.Stepper(chain(), FEEDS)
    assert "x[7]" in str(stepper.watch("x[7]"))
    stepper.run()
    assert stepper.done
