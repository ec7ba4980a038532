"""The window of a value that travels to the front end."""

import json

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.widgets.windows import window


def seen(value, **question):
    found = window(value, question)
    json.dumps(found, allow_nan=False)
    return found


def test_a_table_shows_a_slice_from_where_it_is_asked_to_start():
    array = np.arange(3 * 50 * 40).reshape(3, 50, 40)
    found = seen(array, view="table", at=[2], start=[45, 38])
    assert (found["rows"], found["columns"]) == (5, 2)
    assert found["texts"][:3] == [
        str(array[2, 45, 38]),
        str(array[2, 45, 39]),
        str(array[2, 46, 38]),
    ]


def test_any_two_axes_can_be_rows_and_columns():
    array = np.arange(24).reshape(2, 3, 4)
    found = seen(array, view="table", axes=[2, 0], at=[0, 1, 0])
    assert found["texts"] == [str(v) for v in array[:, 1, :].T.reshape(-1)]


@pytest.mark.parametrize("view", ["table", "heat", "line", "image"])
def test_no_view_sends_more_than_a_window(view):
    found = seen(np.zeros((2, 3, 500, 700), np.float32), view=view)
    assert len(found.get("numbers", [])) <= 64 * 64 * 3
    assert len(found.get("texts", [])) <= 64 * 64


def test_a_large_plane_shows_evenly_spaced_rows_and_says_how_far_apart():
    array = np.repeat(np.arange(200.0)[:, None], 10, axis=1)
    found = seen(array, view="heat")
    assert (found["rows"], found["columns"], found["every"]) == (50, 10, [4, 1])
    assert (found["low"], found["high"]) == (0, 196)


def test_no_nan_or_infinity_hides_between_the_rows_shown():
    array = np.zeros((200, 200), np.float32)
    array[101, 7], array[13, 150] = np.nan, -np.inf
    found = seen(array, view="heat")
    shown = np.array(found["numbers"], object).reshape(found["rows"], found["columns"])
    assert (shown[101 // 4, 7 // 4], shown[13 // 4, 150 // 4]) == ("nan", "-inf")


def test_a_long_line_tells_the_range_of_each_part():
    line = np.tile([0.0, 5.0, -1.0, 2.0], 256)
    found = seen(line, view="line")
    assert found["every"] == [1, 4]
    assert found["numbers"] == [-1.0] * 256
    assert found["highs"] == [5.0] * 256


def test_a_line_keeps_what_is_no_number_and_is_not_stretched_by_it():
    found = seen(np.array([0, np.nan, np.inf, 1, 2, 3, 4, 5], np.float32), view="line")
    assert found["numbers"][:4] == [0, "nan", "inf", 1]
    assert (found["low"], found["high"]) == (0, 5)


def test_colours_come_from_the_channels_of_either_layout():
    picture = np.random.default_rng(0).random((1, 9, 8, 3)).astype(np.float32)
    last = seen(picture)
    first = seen(picture.transpose(0, 3, 1, 2))
    assert (last["view"], last["layout"], first["layout"]) == ("image", "NHWC", "NCHW")
    assert last["numbers"] == first["numbers"]
    assert last["numbers"][:3] == pytest.approx(picture[0, 0, 0].tolist(), rel=1e-5)


def test_a_guessed_layout_can_be_changed():
    found = seen(np.zeros((1, 9, 8, 3)), layout="NCHW", view="image")
    assert (found["rows"], found["columns"], found["channels"]) == (8, 3, 9)


def test_the_highest_scores_come_with_their_softmax():
    found = window(np.array([[0.0, np.log(3.0), 0.0, 0.0, -np.inf]]), {}, "logits")
    assert found["view"] == "top"
    assert found["indices"][0] == 1
    assert seen(np.log([[1.0, 3.0]]), view="top")["shares"] == [0.75, 0.25]


def test_probabilities_are_their_own_shares():
    found = seen(np.array([[0.5, 0.25, 0.125, 0.125]], np.float32))
    assert (found["view"], found["shares"]) == ("top", [0.5, 0.25, 0.125, 0.125])


@pytest.mark.parametrize(
    ("value", "view"),
    [
        (np.zeros(()), "table"),
        (np.zeros(3), "table"),
        (np.zeros(100), "line"),
        (np.zeros((2, 3)), "table"),
        (np.zeros((20, 30)), "heat"),
        (np.zeros((16, 1, 3, 3)), "heat"),
        (np.zeros((1, 3, 32, 32)), "image"),
        (np.array(["a", "b"], object), "text"),
        (np.zeros((0, 4)), "text"),
        (np.zeros((8, 8), np.complex64), "table"),
        (None, "text"),
        ({1: 0.5}, "text"),
    ],
)
def test_the_view_is_guessed(value, view):
    assert seen(value)["view"] == view


@pytest.mark.parametrize(
    "dtype",
    [np.bool_, np.int8, np.uint64, ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.float8_e4m3fn],
)
@pytest.mark.parametrize("view", ["table", "heat", "line", "top"])
def test_every_view_takes_every_kind_of_number(dtype, view):
    found = seen(np.array([[0, 1], [1, 1]], dtype), view=view)
    numbers = found.get("numbers") or found["texts"]
    assert str(numbers[-1]) in {"1", "1.0", "true", "0", "0.0"}


def test_the_items_of_a_list_are_looked_at_one_by_one():
    found = seen([np.zeros(2), np.ones((3, 3))], item=1)
    assert (found["item"], found["items"], found["sizes"]) == (1, 2, [3, 3])


def test_what_does_not_fit_is_drawn_in():
    found = seen(np.zeros((2, 3, 4)), view="nonsense", at=[9, -4], axes=[1, 1], start="x")
    assert (found["view"], found["at"], found["axes"]) == ("heat", [1, 0, 0], [1, 2])


def test_texts_are_shown_whole():
    assert seen(np.array(["a word", "ÄÖ"], object))["texts"] == ["a word", "ÄÖ"]


@pytest.mark.parametrize("view", ["table", "heat", "image", "line", "top", "text"])
@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (1, 3, 0, 4)])
def test_what_has_an_axis_of_no_elements_is_said_to_have_none(shape, view):
    found = window(
        np.zeros(shape, np.float32), {"view": view, "at": [1] * len(shape), "start": [4]}
    )
    assert found["texts"] == ["no elements"]
    assert found["type"] == f"float32[{', '.join(map(str, shape))}]"
