"""What the front end sees of a value: one slice in one view, never more than a window of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import RunValue
from onnx_explorer.view.labels import shortened
from onnx_explorer.widgets.summary import element_text, json_number, observed_type

View = Literal["table", "heat", "image", "line", "top", "text"]
Array = NDArray[np.generic]

SIDE = 64
"""Rows and columns of a picture; of larger slices evenly spaced ones are shown."""
POINTS = 256
"""Points of a line; of longer ones each stands for the range of its neighbours."""
ROWS, COLUMNS = 32, 16
TOP = 10
LINES = 40
LONGEST = 2000
SCANNED = 1 << 22
"""In larger slices NaN and infinities between the elements shown are not looked for."""
COLOUR_CHANNELS = (3, 4)
LAYOUTS = {3: ("CHW", "HWC"), 4: ("NCHW", "NHWC")}


class Window(TypedDict):
    """`at` has an index for every axis; `axes` are those that are shown, the rows first. Each row
    and column shown stands for `every` of the slice's, from `start` on; a table moves `start`.
    """

    view: View
    views: list[View]
    type: str
    sizes: list[int]
    at: list[int]
    axes: list[int]
    start: list[int]
    every: list[int]
    rows: int
    columns: int
    numbers: NotRequired[list[float | str]]
    highs: NotRequired[list[float | str]]
    texts: NotRequired[list[str]]
    low: NotRequired[float | str]
    high: NotRequired[float | str]
    indices: NotRequired[list[int]]
    shares: NotRequired[list[float]]
    layout: NotRequired[str]
    layouts: NotRequired[list[str]]
    channel: NotRequired[int]
    channels: NotRequired[int]
    item: NotRequired[int]
    items: NotRequired[int]
    scanned: NotRequired[bool]


def window(value: RunValue, question: Mapping[str, object], name: str = "") -> Window:
    """The window that a question asks for: `view`, `at`, `axes`, `start`, `layout`, `channel` and,
    in a list, `item`; what is left out or does not fit is guessed.
    """
    if isinstance(value, list) and value:
        item = min(max(_number(question.get("item")), 0), len(value) - 1)
        inner = window(value[item], question, name)
        inner["item"], inner["items"] = item, len(value)
        return inner
    if not isinstance(value, np.ndarray) or value.size == 0:
        return _lines(value, _numbers(question.get("start")))
    views = _views(value)
    guess = _best(value, views, name)
    view = cast("View", question["view"]) if question.get("view") in views else guess
    asked = _numbers(question.get("axes"))
    count = 1 if view in {"line", "top", "text"} else min(2, value.ndim)
    axes = asked if _are_axes(asked, value.ndim, count) else _last_axes(value.ndim, count)
    at = _inside(_numbers(question.get("at")), value.shape)
    start = _inside(_numbers(question.get("start")), [value.shape[axis] for axis in axes])
    slice_ = _slice(value, at, axes)
    made: Window = {
        "view": view,
        "views": views,
        "type": observed_type(value),
        "sizes": list(value.shape),
        "at": at,
        "axes": axes,
        "start": [0, 0],
        "every": [1, 1],
        "rows": 1,
        "columns": 1,
    }
    match view:
        case "table":
            _fill_table(made, slice_, [0] * (2 - len(start)) + start)
        case "heat":
            _fill_heat(made, slice_)
        case "image":
            _fill_image(made, value, at, question)
        case "line":
            _fill_line(made, slice_.reshape(-1))
        case "top":
            _fill_top(made, slice_.reshape(-1))
        case "text":
            _fill_text(made, slice_.reshape(-1), start[0] if start else 0)
    return made


# -- which views there are ---------------------------------------------------------------------


def _views(array: Array) -> list[View]:
    if array.dtype.kind in "OUS":
        return ["text", "table"]
    if array.dtype.kind == "c":
        return ["table"]
    views: list[View] = ["table"]
    if array.ndim >= 2:
        views.append("heat")
    if array.ndim in LAYOUTS:
        views.append("image")
    if array.ndim >= 1:
        views.append("line")
    if array.ndim in {1, 2} and array.dtype.kind != "b" and array.shape[-1] > 1:
        views.append("top")
    return views


def _best(array: Array, views: Sequence[View], name: str) -> View:
    if "heat" not in views and "line" not in views:
        return "text" if array.dtype.kind in "OUS" and array.ndim <= 1 else "table"
    long = max(array.shape)
    if "top" in views and array.shape[-1] >= 4 and _are_scores(array, name):
        return "top"
    if long == array.size:
        return "line" if long >= 8 else "table"
    if array.ndim in LAYOUTS:
        layout = _guessed_layout(array.shape)
        height, width, channels = _picture_sizes(array.shape, layout)
        if channels in {1, *COLOUR_CHANNELS} and min(height, width) >= 8:
            return "image"
    return "heat" if array.size > 16 else "table"


def _are_scores(array: Array, name: str) -> bool:
    if any(word in name.lower() for word in ("logit", "prob", "score", "softmax")):
        return True
    if array.dtype.kind != "f" or array.ndim != 2 or array.size > SCANNED:
        return False
    numbers = array.astype(np.float64)
    return bool((numbers >= 0).all() and (abs(numbers.sum(-1) - 1) < 1e-3).all())


def _guessed_layout(shape: Sequence[int]) -> str:
    first, last = LAYOUTS[len(shape)]
    channels = {1, *COLOUR_CHANNELS}
    return last if shape[-1] in channels and shape[-3] not in channels else first


def _picture_sizes(shape: Sequence[int], layout: str) -> tuple[int, int, int]:
    height, width, channels = (shape[layout.index(axis)] for axis in "HWC")
    return height, width, channels


# -- what they hold ----------------------------------------------------------------------------


def _lines(value: RunValue, start: Sequence[int]) -> Window:
    """What is no tensor, or one without elements."""
    match value:
        case np.ndarray():
            texts = ["no elements"]
        case dict():
            texts = [f"{key!r}: {item}" for key, item in value.items()]
        case list():
            texts = ["an empty list"]
        case None:
            texts = ["nothing: an optional value that is not there"]
        case _:
            texts = [str(value)]
    first = min(max(start[0] if start else 0, 0), len(texts) - 1) if texts else 0
    shown = [shortened(text, LONGEST) for text in texts[first : first + LINES]]
    return {
        "view": "text",
        "views": ["text"],
        "type": observed_type(value),
        "sizes": [len(texts)],
        "at": [0],
        "axes": [0],
        "start": [first, 0],
        "every": [1, 1],
        "rows": len(shown),
        "columns": 1,
        "texts": shown,
    }


def _fill_table(made: Window, slice_: Array, start: list[int]) -> None:
    plane = _plane(slice_)
    row, column = start
    cells = plane[row : row + ROWS, column : column + COLUMNS]
    made["start"] = start
    made["rows"], made["columns"] = cells.shape
    made["texts"] = [element_text(element) for element in cells.reshape(-1).tolist()]


def _fill_heat(made: Window, slice_: Array) -> None:
    sample, every, scanned = _sampled(_plane(slice_))
    made["every"], made["scanned"] = every, scanned
    made["rows"], made["columns"] = sample.shape
    made["numbers"] = _json(sample)
    made["low"], made["high"] = _range(sample)


def _fill_image(
    made: Window, array: Array, at: Sequence[int], question: Mapping[str, object]
) -> None:
    layouts = LAYOUTS[array.ndim]
    layout = next((one for one in layouts if one == question.get("layout")), None)
    layout = layout or _guessed_layout(array.shape)
    height, width, channels = (layout.index(axis) for axis in "HWC")
    picture = array[at[0]] if array.ndim == 4 else array
    less = array.ndim - 3
    planes = picture.transpose(channels - less, height - less, width - less)
    depth = planes.shape[0]
    channel = question.get("channel")
    coloured = depth in COLOUR_CHANNELS and not isinstance(channel, int)
    chosen = min(max(_number(channel), 0), depth - 1)
    samples = [_sampled(plane) for plane in (planes[:3] if coloured else planes[chosen, None])]
    pixels = np.stack([sample for sample, _, _ in samples], axis=-1)
    made["axes"] = [height, width]
    made["every"], made["scanned"] = samples[0][1], samples[0][2]
    made["rows"], made["columns"] = pixels.shape[:2]
    made["numbers"] = _json(pixels)
    made["low"], made["high"] = _range(pixels)
    made["layout"], made["layouts"] = layout, list(layouts)
    made["channel"], made["channels"] = (-1 if coloured else chosen), depth


def _fill_line(made: Window, line: Array) -> None:
    numbers = line.astype(np.float64)
    every = max(1, math.ceil(numbers.size / POINTS))
    points = math.ceil(numbers.size / every)
    padded = np.concatenate([numbers, np.full(points * every - numbers.size, numbers[-1])])
    parts = padded.reshape(points, every)
    missing, infinite = np.isnan(parts).any(1), np.isinf(parts).any(1)
    finite = np.isfinite(parts)
    lows = np.where(finite, parts, np.inf).min(1)
    highs = np.where(finite, parts, -np.inf).max(1)
    # What is no number is told even where the other elements of its part are some.
    signs = np.where((parts == np.inf).any(1), np.inf, -np.inf)
    lows = np.where(missing, np.nan, np.where(infinite, signs, lows))
    highs = np.where(missing, np.nan, np.where(infinite, signs, highs))
    made["every"] = [1, every]
    made["columns"] = points
    made["numbers"], made["highs"] = _json(lows), _json(highs)
    made["low"], made["high"] = _range(numbers)


def _fill_top(made: Window, line: Array) -> None:
    numbers = line.astype(np.float64)
    # NaN comes first: whoever looks for the best should see that there is none.
    order = np.argsort(np.where(np.isnan(numbers), -np.inf, -numbers), kind="stable")[:TOP]
    made["rows"] = order.size
    made["indices"] = order.tolist()
    made["numbers"] = _json(numbers[order])
    if np.isfinite(numbers).all():
        made["shares"] = [round(float(share), 6) for share in _shares(numbers)[order]]


def _shares(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities as they are, and of anything else its softmax."""
    if (numbers >= 0).all() and abs(numbers.sum() - 1) < 1e-3:
        return numbers
    powers = np.exp(numbers - numbers.max())
    return powers / powers.sum()


def _fill_text(made: Window, line: Array, start: int) -> None:
    shown = line[start : start + LINES].tolist()
    made["start"] = [start, 0]
    made["rows"] = len(shown)
    made["texts"] = [
        shortened(e.decode(errors="replace") if isinstance(e, bytes) else str(e), LONGEST)
        for e in cast("list[object]", shown)
    ]


# -- slices ------------------------------------------------------------------------------------


def _slice(array: Array, at: Sequence[int], axes: Sequence[int]) -> Array:
    """The elements along `axes`, in their order, at the indices `at` of all others."""
    taken = array[tuple(slice(None) if i in axes else at[i] for i in range(array.ndim))]
    rising = sorted(axes)
    return np.asarray(taken).transpose([rising.index(axis) for axis in axes])


def _plane(slice_: Array) -> Array:
    return slice_.reshape((1,) * (2 - slice_.ndim) + slice_.shape)


def _sampled(plane: Array) -> tuple[NDArray[np.float64], list[int], bool]:
    """Evenly spaced elements. One that is no finite number is never left out: it stands in for the
    element of its block, unless the plane is too large to look for it.
    """
    every = [max(1, math.ceil(size / SIDE)) for size in plane.shape]
    sample = plane[:: every[0], :: every[1]].astype(np.float64)
    whole = every == [1, 1]
    scanned = whole or plane.size <= SCANNED
    if scanned and not whole and plane.dtype.kind not in "biu":
        numbers = plane.astype(np.float64)
        rows, columns = np.nonzero(~np.isfinite(numbers))
        sample[rows // every[0], columns // every[1]] = numbers[rows, columns]
    return sample, every, scanned


def _range(numbers: NDArray[np.float64]) -> tuple[float | str, float | str]:
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _json(numbers: NDArray[np.float64]) -> list[float | str]:
    """Six digits: more than a picture shows, and a third of the bytes."""
    return [json_number(float(f"{number:.6g}")) for number in numbers.reshape(-1).tolist()]


# -- questions ---------------------------------------------------------------------------------


def _number(asked: object) -> int:
    return asked if isinstance(asked, int) else 0


def _numbers(asked: object) -> list[int]:
    if not isinstance(asked, list):
        return []
    return [_number(one) for one in cast("list[object]", asked)]


def _inside(indices: Sequence[int], sizes: Sequence[int]) -> list[int]:
    given = [*indices, *[0] * len(sizes)]
    return [min(max(i, 0), max(size - 1, 0)) for i, size in zip(given, sizes, strict=False)]


def _are_axes(axes: Sequence[int], rank: int, count: int) -> bool:
    return len(axes) == len(set(axes)) == count and all(0 <= axis < rank for axis in axes)


def _last_axes(rank: int, count: int) -> list[int]:
    return list(range(rank))[max(0, rank - count) :]
