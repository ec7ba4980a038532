"""Expressions that are watched while a run is stepped through."""

import ml_dtypes
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
        ("mean(x, axis=0)", r"an axis goes without its name: mean\(x, 0\)"),
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


def given(array):
    """What a watched `x` is, where a model is fed this."""
    g = ox.build.graph("given", opset=25)
    g.output(g.Identity(g.input("x", ox.ir.DType.from_numpy(array.dtype).label + "[n]")), "y")
    return ox.Stepper(g.model(), {"x": array})


@pytest.mark.parametrize(
    ("array", "text", "value"),
    [
        (np.array([1, -2, 3], ml_dtypes.int4), "mean(x)", 2 / 3),
        (np.array([7, 7], ml_dtypes.int4), "sum(x)", 14),  # int4 ends at 7
        (np.array([-8], ml_dtypes.int4), "abs(x)", 8),
        (np.float16([60000, 60000]), "sum(x)", 120000),  # float16 ends at 65504
        (np.float16([60000, 60000]), "mean(x)", 60000),
        (np.array([240, 240], ml_dtypes.float8_e4m3fn), "sum(x)", 480),  # and this at 448
    ],
)
def test_narrow_numbers_are_summed_without_overflow(array, text, value):
    assert given(array).watch(text) == pytest.approx(value)


@pytest.mark.filterwarnings("error")
def test_the_mean_of_nothing_is_nan_without_a_warning():
    assert np.isnan(given(np.float32([])).watch("mean(x)"))


def test_what_is_for_numbers_says_so_of_text():
    stepper = given(np.array(["b", "a"], object))
    assert "mean is for numbers, and this is text" in str(stepper.watch("mean(x)"))
    assert stepper.watch("max(x)") == "b"
    assert stepper.watch("len(x)") == 2
