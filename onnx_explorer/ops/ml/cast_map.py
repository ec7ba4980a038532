"""CastMap: a dictionary with numbers as keys, as a tensor of one row.

Form "DENSE" writes the values one after the other in the order of their keys: `(1, number of
keys)`, known only when the model runs. Form "SPARSE" writes the value of key k to position k:
`(1, max_map)`; keys are 0 to `max_map` - 1, and positions without a key are 0 (the string "0.f").
`cast_to` says what the values become. Numbers lose their fraction on the way to integers and are
written with six decimals as strings.

Spec: ai.onnx.ml CastMap-1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Violation,
)
from onnx_explorer.schema.typesets import FLOAT32, INT64, STRING

Target = Literal["TO_FLOAT", "TO_STRING", "TO_INT64"]
Form = Literal["DENSE", "SPARSE"]
_DTYPES = {"TO_FLOAT": DType.FLOAT32, "TO_STRING": DType.STRING, "TO_INT64": DType.INT64}

CAST_MAP = Operator(
    "CastMap",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "the dictionary"),),
            outputs=(Port("Y", "T2", "its values, one row"),),
            attributes=(
                Attr(
                    "cast_to",
                    "string",
                    "TO_FLOAT",
                    one_of=("TO_FLOAT", "TO_STRING", "TO_INT64"),
                    doc="the type of the result: float32, string or int64",
                ),
                Attr(
                    "map_form",
                    "string",
                    "DENSE",
                    one_of=("DENSE", "SPARSE"),
                    doc="values side by side, or each at the position of its key",
                ),
                Attr("max_map", "int", 1, doc='the number of positions in the form "SPARSE"'),
            ),
            types={
                "T1": frozenset({"map(int64, float)", "map(int64, string)"}),
                "T2": FLOAT32 | STRING | INT64,
            },
        ),
    ),
)


@CAST_MAP.infer(since=1)
def infer(
    X: AbstractMap, *, cast_to: Target, map_form: Form, max_map: int, at: RuleSite
) -> Abstract:
    width = max_map if map_form == "SPARSE" else at.fresh("keys")
    return Abstract(_DTYPES[cast_to], (1, width))


@CAST_MAP.kernel(since=1)
def cast_map(X: dict[int, object], *, cast_to: Target, map_form: Form, max_map: int) -> Array:
    convert = _CONVERSIONS[cast_to]
    values = {int(key): convert(np.asarray(value).item()) for key, value in X.items()}
    dtype = _DTYPES[cast_to].numpy
    if map_form == "DENSE":
        return np.array([[values[key] for key in sorted(values)]], dtype=dtype)
    # The padding of strings is the one that runtimes write.
    row = np.full((1, max_map), "0.f" if cast_to == "TO_STRING" else 0, dtype=dtype)
    for key, value in values.items():
        if not 0 <= key < max_map:
            raise Violation(f"key {key}", f"max_map allows 0 to {max_map - 1}", port="X")
        row[0, key] = value
    return row


def _as_text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6f}"


def _as_int(value: float | str) -> int:
    return int(value)


_CONVERSIONS: dict[str, Callable[[float | str], object]] = {
    "TO_FLOAT": float,
    "TO_STRING": _as_text,
    "TO_INT64": _as_int,
}

CAST_MAP.example(({3: np.float32(-2.7), 0: np.float32(1.5)},), ([[1.5, -2.7]],))
CAST_MAP.example(
    ({3: np.float32(-2.7), 0: np.float32(1.5)},),
    ([[1, 0, 0, -2]],),
    cast_to="TO_INT64",
    map_form="SPARSE",
    max_map=4,
)
