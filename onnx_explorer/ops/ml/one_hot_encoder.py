"""OneHotEncoder: each element replaced by a row of zeros with a single 1.

The 1 stands at the position of the element in the list of categories, `cats_int64s` or
`cats_strings`; the rows make a new last axis as long as that list. Floats lose their fraction
before they are looked up. An element that is not in the list gives a row of zeros, or is an
error where `zeros` is 0.

Spec: ai.onnx.ml OneHotEncoder-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32
from onnx_explorer.ops.ml.labels import Labels, chosen
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import STRING

ONE_HOT_ENCODER = Operator(
    "OneHotEncoder",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "the elements to encode"),),
            outputs=(Port("Y", "tensor(float)", "zeros and ones along a new last axis"),),
            attributes=(
                Attr("cats_int64s", "ints", doc="the categories, where X holds numbers"),
                Attr("cats_strings", "strings", doc="the categories, where X holds strings"),
                Attr("zeros", "int", 1, doc="0: an element that is no category is an error"),
            ),
            types={"T": FEATURES | STRING},
        ),
    ),
)


def _categories(ints: tuple[int, ...] | None, strings: tuple[str, ...] | None) -> Labels:
    categories = chosen(ints, strings)
    if not categories:
        raise Violation("no categories", "cats_int64s or cats_strings lists them")
    return categories


@ONE_HOT_ENCODER.infer(since=1)
def infer(
    X: Abstract,
    *,
    cats_int64s: tuple[int, ...] | None = None,
    cats_strings: tuple[str, ...] | None = None,
) -> Abstract:
    categories = _categories(cats_int64s, cats_strings)
    return float32(None if X.shape is None else (*X.shape, len(categories)))


@ONE_HOT_ENCODER.kernel(since=1)
def one_hot_encoder(
    X: Array,
    *,
    cats_int64s: tuple[int, ...] | None = None,
    cats_strings: tuple[str, ...] | None = None,
    zeros: int,
) -> NDArray[np.float32]:
    categories = _categories(cats_int64s, cats_strings)
    if (X.dtype.kind == "O") is not isinstance(categories[0], str):
        raise Violation(f"X of type {X.dtype.name}", f"categories like {categories[0]!r}", port="X")
    elements = X if X.dtype.kind == "O" else np.trunc(X)
    places = {category: i for i, category in enumerate(categories)}
    found = np.array([places.get(e, -1) for e in elements.reshape(-1).tolist()], np.intp)
    if not zeros and (found < 0).any():
        unknown = X.reshape(-1).tolist()[int(np.argmin(found))]
        raise Violation(
            f"{unknown!r}, which is none of the {len(categories)} categories",
            "zeros = 0 allows no others",
            port="X",
        )
    result = np.zeros((X.size, len(categories)), np.float32)
    known = np.flatnonzero(found >= 0)
    result[known, found[known]] = 1
    return result.reshape(*X.shape, len(categories))


ONE_HOT_ENCODER.example(([2, 5, 9],), ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],), cats_int64s=[2, 5])
ONE_HOT_ENCODER.example((["b"],), ([[0.0, 1.0]],), cats_strings=["a", "b"])
