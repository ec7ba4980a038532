"""LabelEncoder: each element replaced by what a table says.

The table has two columns, keys and values of equal length, each given by one attribute whose name
tells its type; what is not a key becomes the default of the values' type. Any NaN equals a key NaN.
Where a key is listed twice the last one counts. Version 1 knew one list of strings: it turned them
into their positions, and positions into strings.

Spec: ai.onnx.ml LabelEncoder-4
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from onnx_explorer.ir import DType, Tensor
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN
from onnx_explorer.ops.ml.lookup import looked_up
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import FLOAT32, FLOAT64, INT16, INT32, INT64, STRING

Column = Tensor | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | None

_DEFAULT = "what elements become that are no key, where values are "

LABEL_ENCODER = Operator(
    "LabelEncoder",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "strings to their positions in a list, and back",
            inputs=(Port("X", "T1", "the elements to replace"),),
            outputs=(Port("Y", "T2", "what they are replaced by, shape of `X`"),),
            attributes=(
                Attr(
                    "classes_strings", "strings", doc="the strings, in the order of their numbers"
                ),
                Attr("default_int64", "int", -1, doc=_DEFAULT + "int64"),
                Attr("default_string", "string", "_Unused", doc=_DEFAULT + "strings"),
            ),
            types={"T1": STRING | INT64, "T2": STRING | INT64},
        ),
        Change(
            2,
            "any keys to any values, floats among them",
            attributes=(
                Attr("default_float", "float", -0.0, doc=_DEFAULT + "float32"),
                Attr("keys_floats", "floats", doc="the keys, where X is float32"),
                Attr("keys_int64s", "ints", doc="the keys, where X is int64"),
                Attr("keys_strings", "strings", doc="the keys, where X holds strings"),
                Attr("values_floats", "floats", doc="the values, for a float32 result"),
                Attr("values_int64s", "ints", doc="the values, for an int64 result"),
                Attr("values_strings", "strings", doc="the values, for strings as a result"),
            ),
            drop=("classes_strings",),
            widen={"T1": FLOAT32, "T2": FLOAT32},
        ),
        Change(
            4,
            "the table may be given as tensors, of more types",
            attributes=(
                Attr("default_tensor", "tensor", doc=_DEFAULT + "a tensor: one element"),
                Attr("keys_tensor", "tensor", doc="the keys, of the type of X"),
                Attr("values_tensor", "tensor", doc="the values, of the type of the result"),
            ),
            widen={"T1": FLOAT64 | INT16 | INT32, "T2": FLOAT64 | INT16 | INT32},
        ),
    ),
)


def column(what: str, **given: Column) -> tuple[DType, Sequence[object]]:
    """The one column that is given, with its type.

    Raises:
        Violation: none is given, or more than one.
    """
    found = [(name, value) for name, value in given.items() if value is not None]
    if len(found) != 1:
        names = " and ".join(name for name, _ in found) or "none"
        raise Violation(f"{len(found)} attributes with {what}: {names}", "expected 1")
    name, value = found[0]
    if isinstance(value, Tensor):
        return value.dtype, cast("list[object]", value.numpy().reshape(-1).tolist())
    return _DTYPES[name.rpartition("_")[2]], value


_DTYPES = {"floats": DType.FLOAT32, "int64s": DType.INT64, "strings": DType.STRING}


def _check_key(dtype: DType | None, key: DType) -> None:
    if dtype is not None and dtype is not key:
        raise Violation(f"X of type {dtype.label}", f"the keys are {key.label}", port="X")


@LABEL_ENCODER.infer(since=1)
def infer_positions(X: Abstract) -> Abstract:
    if X.dtype is None:
        return X
    return Abstract(DType.INT64 if X.dtype is DType.STRING else DType.STRING, X.shape)


@LABEL_ENCODER.infer(since=2)
def infer(
    X: Abstract,
    *,
    keys_floats: tuple[float, ...] | None = None,
    keys_int64s: tuple[int, ...] | None = None,
    keys_strings: tuple[str, ...] | None = None,
    keys_tensor: Tensor | None = None,
    values_floats: tuple[float, ...] | None = None,
    values_int64s: tuple[int, ...] | None = None,
    values_strings: tuple[str, ...] | None = None,
    values_tensor: Tensor | None = None,
    at: RuleSite,
) -> Abstract:
    dtype, values = column(
        "values",
        values_floats=values_floats,
        values_int64s=values_int64s,
        values_strings=values_strings,
        values_tensor=values_tensor,
    )
    result = Abstract(dtype, X.shape)
    at.keep(result)
    key, keys = column(
        "keys",
        keys_floats=keys_floats,
        keys_int64s=keys_int64s,
        keys_strings=keys_strings,
        keys_tensor=keys_tensor,
    )
    _check_key(X.dtype, key)
    _check_lengths(keys, values)
    return result


def _check_lengths(keys: Sequence[object], values: Sequence[object]) -> None:
    if len(keys) != len(values):
        raise Violation(f"{len(keys)} keys", f"there are {len(values)} values")


@LABEL_ENCODER.kernel(since=1)
def positions(
    X: Array,
    *,
    classes_strings: tuple[str, ...] | None = None,
    default_int64: int,
    default_string: str,
) -> Array:
    names = classes_strings or ()
    if X.dtype.kind == "O":
        return looked_up(X, names, range(len(names)), default_int64, DType.INT64)
    return looked_up(X, range(len(names)), names, default_string, DType.STRING)


@LABEL_ENCODER.kernel(since=2)
def label_encoder(
    X: Array,
    *,
    default_float: float,
    default_int64: int,
    default_string: str,
    default_tensor: Tensor | None = None,
    keys_floats: tuple[float, ...] | None = None,
    keys_int64s: tuple[int, ...] | None = None,
    keys_strings: tuple[str, ...] | None = None,
    keys_tensor: Tensor | None = None,
    values_floats: tuple[float, ...] | None = None,
    values_int64s: tuple[int, ...] | None = None,
    values_strings: tuple[str, ...] | None = None,
    values_tensor: Tensor | None = None,
) -> Array:
    key, keys = column(
        "keys",
        keys_floats=keys_floats,
        keys_int64s=keys_int64s,
        keys_strings=keys_strings,
        keys_tensor=keys_tensor,
    )
    _check_key(DType.from_numpy(X.dtype), key)
    dtype, values = column(
        "values",
        values_floats=values_floats,
        values_int64s=values_int64s,
        values_strings=values_strings,
        values_tensor=values_tensor,
    )
    _check_lengths(keys, values)
    if default_tensor is not None:
        default: object = default_tensor.numpy().item()
    elif dtype is DType.STRING:
        default = default_string
    else:
        default = default_float if dtype.family == "float" else default_int64
    return looked_up(X, _as_read(keys, X), values, default, dtype)


def _as_read(keys: Sequence[object], X: Array) -> Sequence[object]:
    """The keys rounded as X is: 0.1 in float32 is another number than 0.1."""
    return keys if X.dtype.kind == "O" else cast("list[object]", np.array(keys, X.dtype).tolist())


LABEL_ENCODER.example(
    (["Mon", "Fri", "Day"],),
    ([1, 5, -1],),
    keys_strings=["Mon", "Fri"],
    values_int64s=[1, 5],
)
LABEL_ENCODER.example(
    ([1.0, float("nan")],),
    (["one", "nothing"],),
    keys_floats=[1.0, float("nan")],
    values_strings=["one", "nothing"],
)
