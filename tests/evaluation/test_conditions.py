"""What breakpoints ask of values, beside the same asked of each element as a number of Python's."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.evaluation.conditions import exceeds, holds

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # which a run keeps from people
FLOATS = [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
ELEMENTS = {
    "ordinary": [0.5, -2, 0],
    "large": [1e30, -1e30],  # whose squares float32 does not have
    "NaN": [1, math.nan],
    "infinite": [-math.inf, 1],
    "both": [math.inf, math.nan, -math.inf],
    "none": [],
}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("elements", ELEMENTS.values(), ids=list(ELEMENTS))
def test_floats_are_asked_as_each_element_would_be(dtype, elements):
    values = np.array(elements).astype(dtype)
    numbers = values.astype(np.float64).tolist()
    for shown in (values, values[::-1], values.reshape(1, -1), [values]):
        assert holds(shown, "nan") == any(map(math.isnan, numbers))
        assert holds(shown, "inf") == any(map(math.isinf, numbers))
        for limit in (1, 1e6, 1e300):
            assert exceeds(shown, limit) == any(abs(x) > limit for x in numbers)


@pytest.mark.parametrize("place", [0, 1, 4097, 9999])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_element_among_many_is_found(dtype, place):
    values = np.full(10_000, 3, dtype)
    assert not holds(values, "nan")
    assert not holds(values, "inf")
    assert not exceeds(values, 3)
    values[place] = -4
    assert exceeds(values, 3)
    values[place] = np.nan
    assert holds(values, "nan")
    assert not holds(values, "inf")
    values[place] = -np.inf
    assert holds(values, "inf")
    assert not holds(values, "nan")


@pytest.mark.parametrize(
    "value",
    [
        np.array([1, -7]),
        np.array([True]),
        np.array(["nan", "inf"]),
        np.array(["nan"], object),
        np.array([3], ml_dtypes.int4),
        None,
        {"a": np.float32([np.nan])},
    ],
    ids=repr,
)
def test_what_is_no_float_holds_neither(value):
    assert not holds(value, "nan")
    assert not holds(value, "inf")


def test_the_least_integer_is_as_large_as_it_is():
    assert exceeds(np.array([-128, 1], np.int8), 127)
    assert not exceeds(np.array([-128, 1], np.int8), 128)
    assert exceeds(np.array([3 + 4j], np.complex64), 4.9)
    assert not exceeds(np.array(["9"]), 0)


def two_nans():
    """A node with two outputs that both hold a NaN, between two that hold none."""
    g = ox.build.graph("halves", opset=18)
    x = g.Neg(g.input("x", "float32[4]"), name="before")
    low, high = g.ops("Split", x, name="halves", num_outputs=2, outputs=["low", "high"])
    g.output(g.IsNaN(low, name="behind"), "y")
    g.output(g.IsNaN(high), "z")
    return ox.Stepper(g.model(), {"x": np.float32([1, math.nan, math.nan, 2])})


def test_a_node_is_one_hit_however_many_of_its_outputs_hold_a_nan():
    stepper = two_nans()
    made = stepper.add_breakpoint("halves", condition="nan", skip=1)
    stepper.run()
    assert (stepper.done, made.hits) == (True, 1)


def test_a_breakpoint_that_is_switched_off_meets_nothing():
    stepper = two_nans()
    made = stepper.add_breakpoint(condition="nan")
    made.enabled = False
    stepper.run()
    assert (stepper.done, made.hits) == (True, 0)
    made.enabled = True
    stepper.restart()
    stepper.run()
    assert (stepper.stopped_at, stepper.walk.latest.id) == (made, "before")
