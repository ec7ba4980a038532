"""CategoryMapper: strings to numbers, or numbers to strings, by two lists side by side.

`cats_strings[i]` and `cats_int64s[i]` stand for each other. What `X` holds decides the direction;
what is not listed becomes `default_int64` or `default_string`.

Spec: ai.onnx.ml CategoryMapper-1
"""

from __future__ import annotations

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN
from onnx_explorer.ops.ml.lookup import looked_up
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import INT64, STRING

CATEGORY_MAPPER = Operator(
    "CategoryMapper",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "strings or numbers"),),
            outputs=(Port("Y", "T2", "numbers for strings, strings for numbers"),),
            attributes=(
                Attr("cats_int64s", "ints", doc="the number of each category"),
                Attr("cats_strings", "strings", doc="the name of each category"),
                Attr("default_int64", "int", -1, doc="the number of strings not listed"),
                Attr("default_string", "string", "_Unused", doc="the name of numbers not listed"),
            ),
            types={"T1": STRING | INT64, "T2": STRING | INT64},
        ),
    ),
)


@CATEGORY_MAPPER.infer(since=1)
def infer(X: Abstract) -> Abstract:
    if X.dtype is None:
        return X
    return Abstract(DType.INT64 if X.dtype is DType.STRING else DType.STRING, X.shape)


@CATEGORY_MAPPER.kernel(since=1)
def category_mapper(
    X: Array,
    *,
    cats_int64s: tuple[int, ...] | None = None,
    cats_strings: tuple[str, ...] | None = None,
    default_int64: int,
    default_string: str,
) -> Array:
    numbers, names = cats_int64s or (), cats_strings or ()
    if len(numbers) != len(names):
        raise Violation(f"{len(numbers)} cats_int64s", f"as many as cats_strings: {len(names)}")
    if X.dtype.kind == "O":
        return looked_up(X, names, numbers, default_int64, DType.INT64)
    return looked_up(X, numbers, names, default_string, DType.STRING)


CATEGORY_MAPPER.example(
    (["cat", "dog", "owl"],), ([5, 7, -1],), cats_int64s=[5, 7], cats_strings=["cat", "dog"]
)
CATEGORY_MAPPER.example(
    ([7, 9],), (["dog", "_Unused"],), cats_int64s=[5, 7], cats_strings=["cat", "dog"]
)
