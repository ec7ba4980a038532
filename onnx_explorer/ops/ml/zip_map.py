"""ZipMap: each row of scores as a dictionary from label to score.

`Z` is a sequence with one map for each of the N rows of `X`, `(N, E)`; an `X` of one axis is one
row. The labels, `classlabels_strings` or `classlabels_int64s`, are as many as X has columns. It
often ends a classifier, and is often taken off again: a tensor is easier to go on with.

Spec: ai.onnx.ml ZipMap-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, rows_and_features, table_size
from onnx_explorer.ops.ml.labels import Labels, chosen, label_attributes, label_dtype
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractSequence,
    Change,
    Operator,
    Port,
    RuleSite,
    Violation,
    scalar,
)

ZIP_MAP = Operator(
    "ZipMap",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "tensor(float)", "the scores, (N, E) or (E)"),),
            outputs=(Port("Z", "T", "for each row a dictionary"),),
            attributes=label_attributes("classlabels_int64s"),
            types={"T": frozenset({"seq(map(int64, float))", "seq(map(string, float))"})},
        ),
    ),
)


def _keys(ints: tuple[int, ...] | None, strings: tuple[str, ...] | None) -> Labels:
    labels = chosen(ints, strings)
    if not labels:
        raise Violation("no class labels", "classlabels_strings or classlabels_int64s are the keys")
    return labels


def _different(n_columns: object, n_labels: int) -> Violation:
    return Violation(f"{n_columns} columns", f"there are {n_labels} class labels", port="X")


@ZIP_MAP.infer(since=1)
def infer(
    X: Abstract,
    *,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    at: RuleSite,
) -> AbstractSequence:
    labels = _keys(classlabels_int64s, classlabels_strings)
    rows, columns = table_size(X, at)
    if columns is not None and known_different(columns, len(labels)):
        raise _different(columns, len(labels))
    if columns is not None:
        at.assume(columns, len(labels))
    return AbstractSequence(AbstractMap(label_dtype(labels), scalar(DType.FLOAT32)), rows)


@ZIP_MAP.kernel(since=1)
def zip_map(
    X: Array,
    *,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
) -> list[dict[int | str, np.ndarray[tuple[()], np.dtype[np.float32]]]]:
    labels = _keys(classlabels_int64s, classlabels_strings)
    rows_and_features(X.shape)
    if X.shape[-1] != len(labels):
        raise _different(X.shape[-1], len(labels))
    return [
        {label: np.asarray(score) for label, score in zip(labels, row, strict=True)}
        for row in X.reshape(-1, len(labels))
    ]


ZIP_MAP.example(
    ([[0.25, 0.75]],),
    (({"no": np.float32(0.25), "yes": np.float32(0.75)},),),
    classlabels_strings=["no", "yes"],
)
