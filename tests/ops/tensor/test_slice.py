import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_explorer.dims import bounds, evaluate, parse, symbol
from onnx_explorer.ops.tensor.slice import SLICE
from onnx_explorer.ops.tensor.spans import count_between
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor

END, BEGIN = 2**63 - 1, -(2**63)


def test_version_1_slices_by_attributes():
    data = np.arange(8).reshape(2, 4)
    assert kernel(SLICE, 1, data, starts=(0, 1), ends=(-1, 1000)).tolist() == [[1, 2, 3]]
    assert kernel(SLICE, 1, data, starts=(1,), ends=(3,), axes=(1,)).tolist() == [[1, 2], [5, 6]]
    assert rule(SLICE, 1, tensor("B", 4), starts=(1,), ends=(3,), axes=(1,)).shape == "[B, 2]"


@pytest.mark.parametrize(
    ("start", "end", "step", "size"),
    [
        (0, END, 1, "S"),
        (0, 2**31 - 1, 1, "S"),
        (1, END, 1, "max(S - 1, 0)"),
        (0, -1, 1, "max(S - 1, 0)"),
        (-1, END, 1, "min(S, 1)"),
        (0, 3, 1, "min(S, 3)"),
        (0, END, 2, "floor((S - 1)/2) + 1"),
        (-1, BEGIN, -1, "S"),
        (END, BEGIN, -1, "S"),
        (3, 1, 1, "0"),
        (-2, -4, 1, "0"),
        (0, "S", 1, "S"),
        (0, "floor(S/2)", 1, "floor(S/2)"),
        ("floor(S/2)", END, 1, "S - floor(S/2)"),
    ],
)
def test_ranges_of_a_symbolic_axis(start, end, step, size):
    inputs = ints(start), ints(end), ints(-1), ints(step)
    assert rule(SLICE, 13, tensor("B", "S"), *inputs).shape == f"[B, {size}]"


positions = st.integers(-12, 12) | st.sampled_from([END, BEGIN, 2**31 - 1, -(2**31) + 1])


@given(size=st.integers(0, 9), start=positions, end=positions, step=st.integers(-3, 3).filter(bool))
def test_the_size_of_a_range_is_the_number_of_elements_that_are_taken(size, start, end, step):
    first = start + size if start < 0 else start
    # The specification moves a start into the axis, where numpy takes nothing.
    from_front = step < 0 and first < 0
    taken = len(np.zeros(size)[0 if from_front else start : end : step])
    assert count_between(size, start, end, step) == taken
    symbolic = count_between(symbol("n"), start, end, step)
    assert symbolic is not None
    assert evaluate(symbolic, {"n": size}) == taken


@given(
    size=st.integers(0, 9),
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    from_back=st.booleans(),
)
def test_symbolic_positions_are_exact_too(size, start, end, from_back):
    a, b = symbol("a"), symbol("b", low=1)
    found = count_between(symbol("n"), a, -b if from_back else b, 1)
    end = max(end, 1)
    assert found is not None
    expected = len(range(size)[start : -end if from_back else end])
    assert evaluate(found, {"n": size, "a": start, "b": end}) == expected


def test_what_is_not_known_is_a_new_size_no_larger_than_the_axis():
    ruled = rule(SLICE, 13, tensor("B", 4), tensor(1), tensor(1), ints(1))
    assert ruled.shape == "[B, dim1_0]"
    assert rule(SLICE, 13, tensor("B", 4), tensor(1), tensor(1), tensor(1)).shape == (
        "[dim0_0, dim1_1]"
    )
    either = symbol("offset", low=None)
    assert count_between(symbol("n"), either, END, 1) is None
    assert rule(SLICE, 13, UNKNOWN, ints(0), ints(1)).shape == "[...]"


def test_a_range_of_an_empty_axis_is_empty():
    found = count_between(symbol("n"), 1, END, 1)
    assert found is not None
    assert bounds(found) == (0, None)


def test_lists_of_different_lengths_and_a_step_of_0_are_violations():
    with pytest.raises(Violation, match="2 elements, but starts has 1"):
        rule(SLICE, 13, tensor(4), ints(0), ints(1, 2))
    with pytest.raises(Violation, match=r"steps = \[0\], but no step may be 0"):
        kernel(SLICE, 13, np.ones(4), [0], [1], [0], [0])
    with pytest.raises(Violation, match="axes = 2, but the tensor has rank 1: expected -1 to 0"):
        rule(SLICE, 10, tensor(4), ints(0), ints(1), ints(2))
    with pytest.raises(Violation, match="2 starts, but data has rank 1"):
        kernel(SLICE, 13, np.ones(4), [0, 0], [1, 1])


def test_content_is_cut_too():
    assert on_sizes(SLICE, 13, ["B", "S", 4], [-2], [END]).tolist() == [parse("S"), 4]
    assert on_sizes(SLICE, 13, ["B", "S"], [-1], [BEGIN], [0], [-1]).tolist() == [
        parse("S"),
        parse("B"),
    ]


def test_a_scalar_without_ranges_stays_an_array():
    empty = np.zeros(0, np.int64)
    assert isinstance(kernel(SLICE, 13, np.array(3.0), empty, empty), np.ndarray)
