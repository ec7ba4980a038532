"""TfIdfVectorizer: how often each of a pool of n-grams occurs in a text.

An n-gram is n words (or numbers that stand for them). The attributes hold the pool: all 1-grams,
then all 2-grams and so on, one word after the other, in `pool_strings` or `pool_int64s`.
`ngram_counts` says where in it each length begins, and `ngram_indexes` where in the output each
n-gram is counted. Only lengths from `min_gram_length` to `max_gram_length` are looked for. The words
of an n-gram need not follow one another: they may be any same distance apart of 1 to
`max_skip_count` + 1. The input has shape (C), or (N, C) for N texts; the output ends in
max(ngram_indexes) + 1 numbers. `mode` "TF" counts, "IDF" gives the weight where the count is not
zero, "TFIDF" the count × the weight; weights are 1 by default.

Spec: ai.onnx TfIdfVectorizer-9
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Shape, Violation
from onnx_explorer.schema.typesets import FLOAT32, INDICES, STRING

Mode = Literal["TF", "IDF", "TFIDF"]
Word = str | int
Grams = dict[tuple[Word, ...], int]
"""The number of each n-gram of one length, in the order of the pool."""

TF_IDF_VECTORIZER = Operator(
    "TfIdfVectorizer",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("X", "T", "the texts, (C) or (N, C)", differentiable=False),),
            outputs=(Port("Y", "T1", "a number for each n-gram", differentiable=False),),
            attributes=(
                Attr("max_gram_length", "int", required=True, doc="the longest n-grams that count"),
                Attr(
                    "max_skip_count",
                    "int",
                    required=True,
                    doc="how many words may be left out between two of an n-gram",
                ),
                Attr(
                    "min_gram_length", "int", required=True, doc="the shortest n-grams that count"
                ),
                Attr(
                    "mode",
                    "string",
                    required=True,
                    one_of=("TF", "IDF", "TFIDF"),
                    doc="counts, weights of what occurs, or counts × weights",
                ),
                Attr(
                    "ngram_counts",
                    "ints",
                    required=True,
                    doc="where in the pool the n-grams of each length begin",
                ),
                Attr(
                    "ngram_indexes",
                    "ints",
                    required=True,
                    doc="for each n-gram, its place in the output",
                ),
                Attr("pool_int64s", "ints", doc="the n-grams, where words are numbers"),
                Attr("pool_strings", "strings", doc="the n-grams, where words are strings"),
                Attr("weights", "floats", doc="for each n-gram, its weight; default: 1"),
            ),
            types={"T": INDICES | STRING, "T1": FLOAT32},
        ),
    ),
)


@TF_IDF_VECTORIZER.infer(since=9)
def infer(X: Abstract, *, ngram_indexes: tuple[int, ...]) -> Abstract:
    if X.shape is None:
        return Abstract()
    _check(X.shape)
    return Abstract(None, (*X.shape[:-1], max(ngram_indexes, default=-1) + 1))


def _check(shape: Shape) -> None:
    if len(shape) > 2:
        raise Violation(
            f"shape {list(shape)}", "texts have shape (C) or (N, C)", port="X", code="wrong-shape"
        )


@TF_IDF_VECTORIZER.kernel(since=9)
def tf_idf_vectorizer(
    X: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: Mode,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...] | None = None,
    pool_strings: tuple[str, ...] | None = None,
    weights: tuple[float, ...] | None = None,
) -> NDArray[np.float32]:
    _check(X.shape)
    pool = _pool(X, pool_int64s, pool_strings)
    by_length = _grams(pool, ngram_counts)
    if sum(map(len, by_length)) > len(ngram_indexes):
        raise Violation(
            f"{len(ngram_indexes)} ngram_indexes",
            f"the pool has {sum(map(len, by_length))} n-grams",
        )
    scale = np.ones(len(ngram_indexes)) if weights is None else np.array(weights)
    if len(scale) != len(ngram_indexes):
        raise Violation(f"{len(scale)} weights", f"one for each of {len(ngram_indexes)} n-grams")
    n_texts = X.shape[0] if X.ndim == 2 else 1
    texts: list[list[Word]] = X.reshape(n_texts, X.size // max(n_texts, 1)).tolist()
    result = np.zeros((len(texts), max(ngram_indexes, default=-1) + 1))
    for row, text in enumerate(texts):
        for n in range(min_gram_length, min(max_gram_length, len(by_length)) + 1):
            for number in _found(text, n, by_length[n - 1], max_skip_count):
                place = ngram_indexes[number]
                if mode == "IDF":
                    result[row, place] = scale[number]
                else:
                    result[row, place] += 1 if mode == "TF" else scale[number]
    return result.astype(np.float32).reshape(*X.shape[:-1], result.shape[1])


def _pool(
    X: Array, numbers: tuple[int, ...] | None, strings: tuple[str, ...] | None
) -> Sequence[Word]:
    pool = strings if X.dtype.kind == "O" else numbers
    if pool is None:
        name = "pool_strings" if X.dtype.kind == "O" else "pool_int64s"
        raise Violation(f"no {name}", "words of this type are looked up in it", port="X")
    return pool


def _grams(pool: Sequence[Word], starts: Sequence[int]) -> list[Grams]:
    """The n-grams of the pool by length, numbered through."""
    grams: list[Grams] = []
    number = 0
    for n, (start, end) in enumerate(zip(starts, (*starts[1:], len(pool)), strict=True), 1):
        if not 0 <= start <= end <= len(pool) or (end - start) % n:
            raise Violation(
                f"ngram_counts = {list(starts)}",
                f"the {n}-grams must fill the {len(pool)} words of the pool from {start} to {end}",
                code="attribute-value",
            )
        found: Grams = {}
        for first in range(start, end, n):
            found[tuple(pool[first : first + n])] = number
            number += 1
        grams.append(found)
    return grams


def _found(text: Sequence[Word], n: int, grams: Grams, skips: int) -> list[int]:
    """The numbers of the n-grams that occur in a text, once for each time."""
    found: list[int] = []
    for distance in range(1, skips + 2 if n > 1 else 2):
        reach = distance * (n - 1) + 1
        for first in range(len(text) - reach + 1):
            number = grams.get(tuple(text[first : first + reach : distance]))
            if number is not None:
                found.append(number)
    return found


# The pool holds the 1-grams 1 and 2, and the 2-gram (1, 2).
TF_IDF_VECTORIZER.example(
    ([1, 2, 1, 2],),
    ([2.0, 2.0, 2.0],),
    max_gram_length=2,
    max_skip_count=0,
    min_gram_length=1,
    mode="TF",
    ngram_counts=[0, 2],
    ngram_indexes=[0, 1, 2],
    pool_int64s=[1, 2, 1, 2],
)
