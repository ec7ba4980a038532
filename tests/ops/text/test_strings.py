import numpy as np
import pytest

from onnx_explorer.ops.text.string_concat import STRING_CONCAT
from onnx_explorer.ops.text.string_normalizer import STRING_NORMALIZER
from onnx_explorer.ops.text.string_split import STRING_SPLIT
from onnx_explorer.ops.text.tf_idf_vectorizer import TF_IDF_VECTORIZER
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor


def words(*given):
    return np.array(given, object)


def test_concat_of_scalars_is_an_array():
    joined = kernel(STRING_CONCAT, 20, np.array("a", object), np.array("b", object))
    assert (joined.shape, joined.dtype, joined.item()) == ((), object, "ab")
    assert rule(STRING_CONCAT, 20, tensor("B", 1), tensor(3)).shape == "[B, 3]"
    assert kernel(STRING_CONCAT, 20, np.empty((0, 2), object), words("a")).shape == (0, 2)


def test_split_keeps_the_rest_in_one_piece():
    pieces, counts = kernel(
        STRING_SPLIT, 20, words("a,b,c", ""), n_outputs=2, delimiter=b",", maxsplit=1
    )
    assert (pieces.tolist(), counts.tolist()) == ([["a", "b,c"], ["", ""]], [2, 1])
    pieces, counts = kernel(STRING_SPLIT, 20, np.array("  a \t b ", object), n_outputs=2)
    assert (pieces.tolist(), counts.tolist()) == (["a", "b"], 2)
    pieces, _ = kernel(STRING_SPLIT, 20, words(" a b  c "), n_outputs=2, maxsplit=1)
    assert pieces.tolist() == [["a", "b  c"]]
    assert rule(STRING_SPLIT, 20, tensor("B"), n_outputs=2).shapes == ["[B, pieces_0]", "[B]"]
    assert rule(STRING_SPLIT, 20, tensor(0), n_outputs=2).shapes == ["[0, 0]", "[0]"]
    assert rule(STRING_SPLIT, 20, UNKNOWN, n_outputs=2).shapes == ["[...]", "[...]"]


def test_stop_words_go_in_any_case_unless_case_counts():
    given = words("The", "the", "Cat")
    stop = {"stopwords": (b"the",)}
    assert kernel(STRING_NORMALIZER, 10, given, **stop).tolist() == ["Cat"]
    exact = kernel(
        STRING_NORMALIZER, 10, given, is_case_sensitive=1, case_change_action=b"LOWER", **stop
    )
    assert exact.tolist() == ["the", "cat"]
    gone = kernel(STRING_NORMALIZER, 10, given[None, :2], **stop)
    assert gone.tolist() == [[""]]


def test_words_that_are_left():
    assert rule(STRING_NORMALIZER, 10, tensor("C")).shape == "[max(C, 1)]"
    assert rule(STRING_NORMALIZER, 10, tensor(1, 4)).shape == "[1, 4]"
    assert rule(STRING_NORMALIZER, 10, tensor(1, 4), stopwords=(b"a",)).shape == "[1, words_0]"
    with pytest.raises(Violation, match=r"shape \[2, 4\], but words have shape"):
        rule(STRING_NORMALIZER, 10, tensor(2, 4))


POOL = {
    "max_skip_count": 1,
    "min_gram_length": 1,
    "max_gram_length": 2,
    "ngram_counts": (0, 2),
    "ngram_indexes": (3, 0, 1),
    "pool_strings": (b"a", b"b", b"a", b"b"),
}


def test_n_grams_may_leave_words_out():
    # a: 2, b: 1; (a, b): next to each other once, one apart once.
    text = words("a", "a", "b")
    assert kernel(TF_IDF_VECTORIZER, 9, text, mode=b"TF", **POOL).tolist() == [1, 2, 0, 2]
    weights = (0.5, 2.0, 3.0)
    for mode, expected in ((b"IDF", [2, 3, 0, 0.5]), (b"TFIDF", [2, 6, 0, 1])):
        found = kernel(TF_IDF_VECTORIZER, 9, text, mode=mode, weights=weights, **POOL)
        assert (found.tolist(), found.dtype) == (expected, np.float32)


def test_vectors_of_several_texts_and_of_empty_ones():
    assert rule(TF_IDF_VECTORIZER, 9, tensor("N", "C"), mode=b"TF", **POOL).shape == "[N, 4]"
    assert rule(TF_IDF_VECTORIZER, 9, tensor("C"), mode=b"TF", **POOL).shape == "[4]"
    for shape in ((0,), (2, 0), (0, 3)):
        found = kernel(TF_IDF_VECTORIZER, 9, np.empty(shape, object), mode=b"TF", **POOL)
        assert found.tolist() == np.zeros((*shape[:-1], 4)).tolist()
    with pytest.raises(Violation, match="no pool_int64s"):
        kernel(TF_IDF_VECTORIZER, 9, [1, 2], mode=b"TF", **POOL)
    with pytest.raises(Violation, match=r"ngram_counts = \[0, 3\]"):
        kernel(TF_IDF_VECTORIZER, 9, words("a"), mode=b"TF", **{**POOL, "ngram_counts": (0, 3)})
    with pytest.raises(Violation, match=r"shape \[1, 2, 3\], but texts have shape"):
        rule(TF_IDF_VECTORIZER, 9, tensor(1, 2, 3), mode=b"TF", **POOL)
