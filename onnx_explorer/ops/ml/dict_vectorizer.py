"""DictVectorizer: a dictionary as a 1-D tensor, one position for each word of a vocabulary.

`Y[i]` is the value that `X` has under the i-th word, and 0 (or an empty string) where it has
none. Keys outside the vocabulary are left out. The vocabulary is `string_vocabulary` or
`int64_vocabulary`, as the keys are.

Spec: ai.onnx.ml DictVectorizer-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN
from onnx_explorer.ops.ml.labels import Labels, chosen
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractValue,
    Attr,
    Change,
    Operator,
    Port,
    Violation,
)
from onnx_explorer.schema.typesets import FLOAT32, FLOAT64, INT64, STRING

DICT_VECTORIZER = Operator(
    "DictVectorizer",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "the dictionary"),),
            outputs=(Port("Y", "T2", "its values in the order of the vocabulary"),),
            attributes=(
                Attr("int64_vocabulary", "ints", doc="the keys in order, where they are numbers"),
                Attr("string_vocabulary", "strings", doc="the keys in order, where they are text"),
            ),
            types={
                "T1": frozenset(
                    {
                        "map(int64, double)",
                        "map(int64, float)",
                        "map(int64, string)",
                        "map(string, double)",
                        "map(string, float)",
                        "map(string, int64)",
                    }
                ),
                "T2": FLOAT32 | FLOAT64 | STRING | INT64,
            },
        ),
    ),
)


def _vocabulary(ints: tuple[int, ...] | None, strings: tuple[str, ...] | None) -> Labels:
    words = chosen(ints, strings)
    if not words:
        raise Violation("no vocabulary", "int64_vocabulary or string_vocabulary lists the keys")
    return words


@DICT_VECTORIZER.infer(since=1)
def infer(
    X: AbstractValue,
    *,
    int64_vocabulary: tuple[int, ...] | None = None,
    string_vocabulary: tuple[str, ...] | None = None,
) -> Abstract:
    words = _vocabulary(int64_vocabulary, string_vocabulary)
    if not isinstance(X, AbstractMap):
        return Abstract(None, (len(words),))
    is_text = isinstance(words[0], str)
    if (X.key is DType.STRING) is not is_text:
        raise Violation(
            f"keys of type {X.key.label}",
            f"the vocabulary holds {'strings' if is_text else 'numbers'}",
            port="X",
        )
    dtype = X.value.dtype if isinstance(X.value, Abstract) else None
    return Abstract(dtype, (len(words),))


@DICT_VECTORIZER.kernel(since=1)
def dict_vectorizer(
    X: dict[int, object] | dict[str, object],
    *,
    int64_vocabulary: tuple[int, ...] | None = None,
    string_vocabulary: tuple[str, ...] | None = None,
) -> Array:
    words = _vocabulary(int64_vocabulary, string_vocabulary)
    given = {key: np.asarray(value) for key, value in X.items()}
    kind = next((value.dtype for value in given.values()), np.dtype(np.float32))
    dtype = object if kind.kind in "OUS" else kind
    blank = "" if dtype is object else 0
    found = [given[word].item() if word in given else blank for word in words]
    return np.array(found, dtype=dtype)


DICT_VECTORIZER.example(
    ({"a": np.float32(4), "c": np.float32(8)},),
    ([4.0, 8.0, 0.0],),
    string_vocabulary=["a", "c", "b"],
)
