"""StringSplit: each string cut into pieces, along a new last axis.

A string is cut wherever `delimiter` occurs in it, so that two delimiters in a row have an empty
piece between them. Without a delimiter, or with an empty one, it is cut at runs of white space,
and white space at its ends is dropped. `maxsplit` limits the number of cuts from the left; the rest
stays in one piece. The last axis of `Y` is as long as the largest number of pieces, known only when
the model runs; shorter rows are filled up with empty strings, and `Z` tells how many pieces there
really are.

Spec: ai.onnx StringSplit-20
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import INT64, STRING

STRING_SPLIT = Operator(
    "StringSplit",
    doc=__doc__,
    history=(
        Change(
            20,
            "first version",
            inputs=(Port("X", "T1", "the strings to cut", differentiable=False),),
            outputs=(
                Port("Y", "T2", "the pieces along a new last axis", differentiable=False),
                Port("Z", "T3", "how many pieces each string has", differentiable=False),
            ),
            attributes=(
                Attr("delimiter", "string", doc="where to cut; default: at white space"),
                Attr("maxsplit", "int", doc="how many cuts at most; default: no limit"),
            ),
            types={"T1": STRING, "T2": STRING, "T3": INT64},
        ),
    ),
)


@STRING_SPLIT.infer(since=20)
def infer(X: Abstract, *, maxsplit: int | None = None, at: RuleSite) -> tuple[Abstract, Abstract]:
    if X.shape is None:
        return Abstract(), Abstract()
    limit = None if maxsplit is None or maxsplit < 0 else maxsplit + 1
    empty = any(isinstance(size, int) and size == 0 for size in X.shape)
    pieces = 0 if empty else at.fresh("pieces", high=limit)
    return Abstract(None, (*X.shape, pieces)), Abstract(None, X.shape)


@STRING_SPLIT.kernel(since=20)
def string_split(
    X: NDArray[np.object_], *, delimiter: str | None = None, maxsplit: int | None = None
) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    limit = -1 if maxsplit is None else maxsplit
    texts = [str(text) for text in X.reshape(-1).tolist()]
    if delimiter:
        rows = [text.split(delimiter, limit) for text in texts]
    else:
        # Python would leave white space at the end of a piece that it does not cut.
        rows = [text.strip().split(None, limit) for text in texts]
    counts = np.array([len(row) for row in rows], np.int64).reshape(X.shape)
    longest = max(map(len, rows), default=0)
    pieces = np.full((len(rows), longest), "", object)
    for i, row in enumerate(rows):
        pieces[i, : len(row)] = row
    return pieces.reshape(*X.shape, longest), counts


STRING_SPLIT.example((["a.b", "c"],), ([["a", "b"], ["c", ""]], [2, 1]), delimiter=".")
