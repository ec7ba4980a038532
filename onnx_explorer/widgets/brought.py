"""Values that a person brings along: files of numpy, images, numbers that were pasted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from io import BytesIO
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import DType, TensorType, Type
from onnx_explorer.widgets.entered import entered_filling

NUMPY = (".npy", ".npz")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
CHANNELS = (1, 3, 4)
_GREY = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True, slots=True)
class ImagePlace:
    """How an input takes a picture; a height or width of 0 is open."""

    layout: str
    channels: int
    height: int
    width: int


def image_place(declared: Type | None) -> ImagePlace | None:
    """How an input of this type takes a picture; None where it is no picture."""
    if not isinstance(declared, TensorType) or declared.shape is None:
        return None
    if declared.dtype.family not in {"float", "int", "uint"} or len(declared.shape) not in {3, 4}:
        return None
    first, *rest = declared.shape[-3:]
    sizes = {"C": 0, "H": 0, "W": 0}
    layout = "CHW" if first in CHANNELS else "HWC" if rest[-1] in CHANNELS else ""
    for letter, size in zip(layout, (first, *rest), strict=False):
        sizes[letter] = size if isinstance(size, int) else 0
    if not layout:
        return None
    batch = "N" if len(declared.shape) == 4 else ""
    return ImagePlace(batch + layout, sizes["C"], sizes["H"], sizes["W"])


def picture_value(pixels: NDArray[np.uint8], declared: Type | None) -> NDArray[np.generic]:
    """A picture (height, width, red green blue alpha) as an input takes it: floats from 0 to 1,
    integers from 0 to 255.

    Raises:
        EvaluationError: the input takes no picture.
    """
    place = image_place(declared)
    if place is None or not isinstance(declared, TensorType):
        raise EvaluationError(
            f"a picture came for {declared}; expected one of three or four axes, "
            "of which one has 1, 3 or 4 channels"
        )
    numbers = pixels.astype(np.float64)
    if place.channels == 1:
        numbers = (numbers[..., :3] @ _GREY)[..., None]
    numbers = numbers[..., : place.channels]
    numbers = numbers / 255 if declared.dtype.family == "float" else numbers.round()
    if place.layout.endswith("CHW"):
        numbers = numbers.transpose(2, 0, 1)
    if place.layout.startswith("N"):
        batch = (declared.shape or (1,))[0]
        numbers = np.repeat(numbers[None], batch if isinstance(batch, int) else 1, axis=0)
    return numbers.astype(declared.dtype.numpy)


def file_value(name: str, data: bytes, declared: Type | None, input_name: str) -> object:
    """What a file holds, for an input of this type. Of an `.npz` with several arrays the one that
    is called like the input is taken.

    Raises:
        EvaluationError: it is no file that can be read, or holds nothing that fits.
    """
    ending = name[name.rfind(".") :].lower()
    if ending in IMAGES:
        return picture_value(_decoded(name, data, declared), declared)
    if ending not in NUMPY:
        known = ", ".join((*NUMPY, *IMAGES))
        raise EvaluationError(f"{name} is no file that is read here; expected one of {known}")
    try:
        array = _loaded(name, data, input_name)
    except EvaluationError:
        raise
    except Exception as error:  # of a damaged file numpy raises whatever its parsers do
        raise EvaluationError(f"{name} cannot be read as {ending}: {error}") from error
    return as_declared(array, declared)


def _loaded(name: str, data: bytes, input_name: str) -> NDArray[np.generic]:
    # Pickled objects would run code of the file's.
    read = cast("object", np.load(BytesIO(data), allow_pickle=False))
    if isinstance(read, np.ndarray):
        return cast("NDArray[np.generic]", read)
    arrays = cast("np.lib.npyio.NpzFile", read)
    names = list(arrays.files)
    key = input_name if input_name in names else names[0] if len(names) == 1 else None
    if key is None:
        listed = ", ".join(map(repr, names)) or "nothing"
        raise EvaluationError(f"{name} holds {listed}; expected one array, or {input_name!r}")
    return cast("NDArray[np.generic]", arrays[key])


def as_declared(array: NDArray[np.generic], declared: Type | None) -> NDArray[np.generic]:
    """The array in the declared dtype where no number changes by more than its rounding."""
    if not isinstance(declared, TensorType) or declared.dtype.family in {"string", "undefined"}:
        return array
    wanted = declared.dtype.numpy
    if array.dtype == wanted or array.dtype.kind not in "iufV" or declared.dtype.family == "bool":
        return array
    with np.errstate(all="ignore"):
        made = array.astype(wanted)
        if declared.dtype.family in {"int", "uint"} and not np.array_equal(made, array):
            return array
    return made


def pasted_value(text: str, declared: Type | None) -> object:
    """Numbers as JSON, as rows of a table, or as `zeros[2, 3]`. A flat list of as many numbers as
    the type has is given its shape.

    Raises:
        EvaluationError: it is none of these.
    """
    dtype = declared.dtype if isinstance(declared, TensorType) else DType.FLOAT32
    plain = np.float32 if dtype in {DType.STRING, DType.UNDEFINED} else dtype.numpy
    made = entered_filling(text, np.dtype(plain))
    if made is not None:
        return made
    return _shaped(_listed(text, dtype), declared)


def _listed(text: str, dtype: DType) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        if dtype is DType.STRING:
            return text
    rows = [re.split(r"[\s,;]+", line.strip(" \t,;")) for line in text.strip().splitlines()]
    try:
        numbers = [[_number(word) for word in row] for row in rows if row != [""]]
    except ValueError:
        numbers = []
    if not numbers:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise EvaluationError(
            f"{shown!r} is no value; expected numbers such as 1 2 3, a list such as "
            "[[1, 2], [3, 4]], or zeros[2, 3], ones[2, 3], random[2, 3]"
        )
    return numbers[0] if len(numbers) == 1 else numbers


def _number(word: str) -> int | float:
    return int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word)


def _shaped(listed: object, declared: Type | None) -> object:
    if not isinstance(declared, TensorType) or not isinstance(listed, list):
        return listed
    items = cast("list[object]", listed)
    if declared.shape is None:
        return items
    sizes = declared.shape
    if any(isinstance(item, list) for item in items) or len(sizes) == 1:
        return items
    if not all(isinstance(size, int) for size in sizes):
        return items
    flat = np.array(items, object)
    shape = tuple(int(str(size)) for size in sizes)
    return flat.reshape(shape).tolist() if flat.size == int(np.prod(shape)) else items


def _decoded(name: str, data: bytes, declared: Type | None) -> NDArray[np.uint8]:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise EvaluationError(
            f"{name}: to read pictures here, pip install 'onnx-explorer[image]'; "
            "the widget's file button reads them in the browser"
        ) from error
    try:
        picture = Image.open(BytesIO(data)).convert("RGBA")
    except (UnidentifiedImageError, OSError) as error:
        raise EvaluationError(f"{name} is no picture that can be read: {error}") from error
    place = image_place(declared)
    if place is not None and (place.height or place.width):
        picture = picture.resize((place.width or picture.width, place.height or picture.height))
    return np.asarray(picture, np.uint8)
