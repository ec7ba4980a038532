"""What people give to the package, looked at before anything is done with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.model import Model

if TYPE_CHECKING:
    from onnx_explorer.files import Source

MOST_COMPARED = 2000
"""How many names are compared with one that was not found: comparing takes long."""
LONGEST_INTEGER_BITS = 200
"""Longer integers are not written out; Python refuses to, of the longest."""


def model_of(given: Source) -> Model:
    """The model that was given, or that `ox.load` finds in what was: a path, bytes, an open file,
    another library's model.
    """
    if isinstance(given, Model):
        return given
    from onnx_explorer.files import load  # a file is a way to give a model, not a part of it

    return load(given)


def expect_model(given: object, error: type[ExplorerError]) -> None:
    """Raise the error for what is not a model, such as a path or another library's model."""
    if not isinstance(given, Model):
        msg = f"a {type(given).__name__} came; expected a Model; ox.load(path) gives one"
        raise error(msg)


def expect_name(what: str, given: object, error: type[ExplorerError]) -> None:
    """Raise the error for a name that is no text."""
    if not isinstance(given, str):
        raise error(f"{what} is given as {shown(given)}; expected its name, a text")


def expect_dict(what: str, given: object, expected: str, error: type[ExplorerError]) -> None:
    """Raise the error for what is no mapping; `expected` shows one."""
    if not isinstance(given, Mapping):
        raise error(f"{what} are given as {shown(given)}; expected a dict, {expected}")


def expect_flag(what: str, given: object, error: type[ExplorerError]) -> None:
    """Raise the error for what is neither True nor False: other things have a truth, too, and seldom
    the one that is meant.
    """
    if isinstance(given, bool):
        return
    import numpy as np  # reading a model does without it

    if not isinstance(given, np.bool_):
        raise error(f"{what} = {shown(given)}; expected True or False")


def expected_path(given: object, expected: str, error: type[ExplorerError]) -> Path:
    """The path that was given; raises the error for what can be none."""
    text = os.fspath(cast("os.PathLike[str]", given)) if isinstance(given, os.PathLike) else given
    if isinstance(text, str) and text and "\0" not in text:
        try:
            os.fsencode(text)
            return Path(text)
        except UnicodeEncodeError:  # half a surrogate pair: no file is called so
            pass
    raise error(
        f"the path {shown(cast('object', given))}: expected {expected}, as text or pathlib.Path"
    )


def path_to_write(given: object, expected: str, error: type[ExplorerError]) -> Path:
    """The path that was given; raises the error for what can be none, FileNotFoundError for one in a
    folder that is not there.
    """
    path = expected_path(given, expected, error)
    if not path.parent.is_dir():
        msg = f"{str(path)!r} has no place: there is no folder {str(path.parent)!r}"
        raise FileNotFoundError(msg)
    return path


def shown(given: object) -> str:
    """What was given in one short line, as messages repeat it."""
    if isinstance(given, int) and given.bit_length() > LONGEST_INTEGER_BITS:
        return f"an integer of {given.bit_length()} bits"
    dtype, shape = getattr(given, "dtype", None), cast("object", getattr(given, "shape", None))
    if dtype is not None and isinstance(shape, tuple) and shape:
        return f"an array of {dtype}{list(cast('tuple[int, ...]', shape))}"
    text = " ".join(repr(given).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def alike(name: object, known: Iterable[str]) -> list[str]:
    """Up to three known names that begin so, are spelled nearly so, or end so."""
    spelled = {text.lower(): text for text in known if text}
    wanted = str(name).lower() if isinstance(name, str) else ""
    if not wanted:
        return []
    starts = [text for text in spelled if len(wanted) > 2 and text.startswith(wanted)]
    # The ends of long scoped names are what people remember.
    ends = [text for text in spelled if text.endswith(wanted)]
    longest = 2 + len(wanted) // 4
    same_length = (text for text in spelled if abs(len(text) - len(wanted)) <= longest)
    close = get_close_matches(wanted, islice(same_length, MOST_COMPARED), 3)
    found = [*starts, *close, *ends] or sorted(
        (text for text in spelled if wanted in text), key=len
    )
    return [spelled[text] for text in dict.fromkeys(found)][:3]


def near(name: object, known: Iterable[str]) -> str:
    """What a person may have meant, as the end of a sentence."""
    if not isinstance(name, str):
        return "; a name is a text"
    close = alike(name, known)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def near_or_some(name: object, known: Iterable[str]) -> str:
    """As `near`; where nothing is spelled alike, the first of what there is."""
    names = [text for text in known if text]
    if not isinstance(name, str) or alike(name, names) or not names:
        return near(name, names)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"; there are {', '.join(map(repr, nearest_first(name, names)[:5]))}{more}"


def nearest_first(name: str, known: Iterable[str]) -> list[str]:
    """The names by how far they begin as this one does; others stay in their order."""
    wanted = name.lower()

    def shared(text: str) -> int:
        pairs = enumerate(zip(wanted, text.lower(), strict=False))
        return next((i for i, (a, b) in pairs if a != b), min(len(wanted), len(text)))

    return sorted(known, key=shared, reverse=True)
