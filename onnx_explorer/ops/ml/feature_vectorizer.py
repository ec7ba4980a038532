"""FeatureVectorizer: tables side by side, as one table of float32.

Each input is `(N, C)`, or `(C,)`, which counts as one row. `inputdimensions` says how many columns
each one takes in the result: an input with more is cut, one with fewer is filled up with zeros.
Without it, all columns are taken.

Spec: ai.onnx.ml FeatureVectorizer-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import total
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, rows_and_features
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation

FEATURE_VECTORIZER = Operator(
    "FeatureVectorizer",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "the tables, all of one type", option="variadic"),),
            outputs=(Port("Y", "tensor(float)", "all columns, in the order of the inputs"),),
            attributes=(
                Attr("inputdimensions", "ints", doc="how many columns each input takes up"),
            ),
            types={"T1": FEATURES},
        ),
    ),
)


def _check_count(n_inputs: int, widths: tuple[int, ...]) -> None:
    if len(widths) != n_inputs:
        raise Violation(f"{len(widths)} inputdimensions", f"one for each of {n_inputs} inputs")


@FEATURE_VECTORIZER.infer(since=1)
def infer(*X: Abstract, inputdimensions: tuple[int, ...] | None = None, at: RuleSite) -> Abstract:
    if inputdimensions is not None:
        _check_count(len(X), inputdimensions)
    rows, widths = None, list(inputdimensions or ())
    known = [rows_and_features(x.shape) for x in X if x.shape is not None]
    for n, _ in known:
        same = n if rows is None else at.same(rows, n)
        if same is None:
            raise Violation(f"{n} rows", f"the inputs before it have {rows}", port="X")
        rows = same
    if rows is None:
        rows = at.fresh("rows")
    if inputdimensions is not None:
        return float32((rows, sum(widths)))
    if len(known) < len(X):
        return float32((rows, at.fresh("columns")))
    return float32((rows, total(columns for _, columns in known)))


@FEATURE_VECTORIZER.kernel(since=1)
def feature_vectorizer(
    *X: Array, inputdimensions: tuple[int, ...] | None = None
) -> NDArray[np.float32]:
    tables = [x if x.ndim == 2 else x[None] for x in X]
    for x in X:
        rows_and_features(x.shape)
    widths = inputdimensions or tuple(x.shape[1] for x in tables)
    _check_count(len(X), widths)
    rows = tables[0].shape[0]
    result = np.zeros((rows, sum(widths)), np.float32)
    start = 0
    for x, width in zip(tables, widths, strict=True):
        if x.shape[0] != rows:
            raise Violation(f"{x.shape[0]} rows", f"the first input has {rows}", port="X")
        taken = x[:, :width]
        result[:, start : start + taken.shape[1]] = taken
        start += width
    return result


FEATURE_VECTORIZER.example(
    ([[1.0, 2.0], [3.0, 4.0]], [[5.0], [6.0]]),
    ([[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]],),
    inputdimensions=[2, 1],
)
FEATURE_VECTORIZER.example(([[1.0, 2.0]], [[5.0]]), ([[1.0, 5.0, 0.0]],), inputdimensions=[1, 2])
