"""SVMClassifier: a class by support vectors, each pair of classes decided on its own.

The support vectors, rows of F features, stand class by class; `vectors_per_class` says how many
belong to each of K classes. For each pair of classes i < j a score is summed up: how near the row
is to the vectors of both (`kernel_type` says how that is measured), weighted with `coefficients`,
`(K − 1, number of vectors)`, plus one number of `rho`. Above 0 the pair votes for i, else for j, and
the class with the most votes wins. `Z` has the scores of the pairs (0, 1), (0, 2), ..., K (K − 1) / 2
of them; for two classes with the one score s it is [−s, s].

With `prob_a` and `prob_b` each score s becomes a probability 1 / (1 + exp(a s + b)), and the
probabilities of the pairs are reconciled to one for each class: `Z` is `(N, K)`. Without
`vectors_per_class` the model is linear: K rows of F coefficients, and the same `rho[0]` added to each
score; the best score wins. `post_transform` works on each row of `Z`.

Spec: ai.onnx.ml SVMClassifier-1
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, table, table_size
from onnx_explorer.ops.ml.labels import chosen, label_attributes, label_dtype, labelled
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed, two_columns
from onnx_explorer.ops.ml.support_vectors import KERNEL_ATTRIBUTES, Kernel, nearness, vectors_of
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import INT64, STRING

SVM_CLASSIFIER = Operator(
    "SVMClassifier",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "rows of features, (N, F) or (F)"),),
            outputs=(
                Port("Y", "T2", "the label of the class that wins, (N)"),
                Port("Z", "tensor(float)", "scores of pairs, or probabilities of classes"),
            ),
            attributes=(
                *label_attributes("classlabels_ints"),
                Attr("coefficients", "floats", doc="K − 1 rows of a weight for each vector"),
                *KERNEL_ATTRIBUTES,
                POST_TRANSFORM,
                Attr("prob_a", "floats", doc="for each pair, the factor a of its probability"),
                Attr("prob_b", "floats", doc="for each pair, the summand b of its probability"),
                Attr("rho", "floats", doc="for each pair, what is added to its score"),
                Attr("support_vectors", "floats", doc="rows of F features, class by class"),
                Attr("vectors_per_class", "ints", doc="how many of the vectors each class has"),
            ),
            types={"T1": FEATURES, "T2": STRING | INT64},
        ),
    ),
)


@SVM_CLASSIFIER.infer(since=1)
def infer(
    X: Abstract,
    *,
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    prob_a: tuple[float, ...] | None = None,
    vectors_per_class: tuple[int, ...] | None = None,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    labels = chosen(classlabels_ints, classlabels_strings)
    rows, _ = table_size(X, at)
    n_classes = len(vectors_per_class or ()) or max(len(labels), 1)
    n_pairs = n_classes * (n_classes - 1) // 2
    pairwise = bool(vectors_per_class) and not prob_a
    width = max(n_pairs, 2) if pairwise else n_classes
    return Abstract(label_dtype(labels), (rows,)), float32((rows, width))


@SVM_CLASSIFIER.kernel(since=1)
def svm_classifier(
    X: Array,
    *,
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    coefficients: tuple[float, ...] | None = None,
    kernel_params: tuple[float, ...] | None = None,
    kernel_type: Kernel,
    post_transform: Transform,
    prob_a: tuple[float, ...] | None = None,
    prob_b: tuple[float, ...] | None = None,
    rho: tuple[float, ...] | None = None,
    support_vectors: tuple[float, ...] | None = None,
    vectors_per_class: tuple[int, ...] | None = None,
) -> tuple[Array, NDArray[np.float32]]:
    labels = chosen(classlabels_ints, classlabels_strings)
    rows = table(X)
    weights = np.array(coefficients or (), rows.dtype)
    if not vectors_per_class:
        scores = _linear(rows, weights, max(len(labels), 1), rho or (0.0,))
        classes = np.argmax(scores, axis=1)
    else:
        vectors = vectors_of(support_vectors, sum(vectors_per_class), rows)
        near = nearness(rows, vectors, kernel_type, kernel_params)
        pairs, votes = _of_pairs(near, weights, vectors_per_class, rho or ())
        classes = np.argmax(votes, axis=1)
        if prob_a:
            scores = _probabilities(pairs, prob_a, prob_b or (), len(vectors_per_class))
        elif pairs.shape[1] == 1:
            scores = two_columns(pairs[:, 0], post_transform, probability=False)
            post_transform = "NONE"
        else:
            scores = pairs
    scores = transformed(scores, post_transform).astype(np.float32)
    return labelled(classes, labels), scores


def _linear(rows: Floats, weights: Floats, n_classes: int, rho: tuple[float, ...]) -> Floats:
    if weights.size != n_classes * rows.shape[1]:
        raise Violation(
            f"{weights.size} coefficients",
            f"{n_classes} classes of {rows.shape[1]} features take {n_classes * rows.shape[1]}",
        )
    return np.matmul(rows, weights.reshape(n_classes, -1).T) + rho[0]


def _of_pairs(
    near: Floats, weights: Floats, sizes: tuple[int, ...], rho: tuple[float, ...]
) -> tuple[Floats, NDArray[np.int64]]:
    """The score of each pair, `(N, pairs)`, and how many votes each class got, `(N, K)`."""
    n_classes, n_vectors = len(sizes), sum(sizes)
    n_pairs = n_classes * (n_classes - 1) // 2
    if weights.size != (n_classes - 1) * n_vectors:
        raise Violation(
            f"{weights.size} coefficients",
            f"{n_classes} classes and {n_vectors} vectors take {(n_classes - 1) * n_vectors}",
        )
    if len(rho) != n_pairs:
        raise Violation(
            f"{len(rho)} numbers in rho",
            f"there are {n_pairs} pairs of classes",
            code="wrong-count",
        )
    weights = weights.reshape(n_classes - 1, n_vectors)
    ends = np.cumsum(sizes).tolist()
    own = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    scores = np.zeros((len(near), n_pairs), near.dtype)
    votes = np.zeros((len(near), n_classes), np.int64)
    for number, (i, j) in enumerate(combinations(range(n_classes), 2)):
        # A vector has a weight against each other class: rows skip its own class.
        score = near[:, own[i]] @ weights[j - 1, own[i]] + near[:, own[j]] @ weights[i, own[j]]
        scores[:, number] = score + rho[number]
        votes[:, i] += scores[:, number] > 0
        votes[:, j] += scores[:, number] <= 0
    return scores, votes


def _probabilities(
    scores: Floats, a: tuple[float, ...], b: tuple[float, ...], n_classes: int
) -> Floats:
    n_pairs = scores.shape[1]
    if len(a) != n_pairs or len(b) != n_pairs:
        raise Violation(f"{len(a)} prob_a and {len(b)} prob_b", f"there are {n_pairs} pairs")
    first = transformed(-(scores * np.array(a) + np.array(b)), "LOGISTIC")
    first = np.clip(first, 1e-7, 1 - 1e-7)
    return np.array([_reconciled(row, n_classes) for row in first]).reshape(-1, n_classes)


def _reconciled(pairs: Floats, k: int) -> NDArray[np.float64]:
    """Probabilities p of k classes that fit those of the pairs best: they minimise the sum of
    (r_ji p_i − r_ij p_j)², where r_ij is the probability of i if it is i or j.

    Source: Wu, Lin, Weng, Probability Estimates for Multi-class Classification by Pairwise
    Coupling, 2004, algorithm 2, with the stopping rule of libsvm.
    """
    r = np.zeros((k, k))
    above = np.triu_indices(k, 1)
    r[above] = pairs
    r.T[above] = 1 - pairs
    q = -r.T * r
    np.fill_diagonal(q, np.square(r).sum(axis=0))
    p = np.full(k, 1 / k)
    for _ in range(max(100, k)):
        qp = q @ p
        pqp = p @ qp
        if np.abs(qp - pqp).max() < 0.005 / k:
            break
        for t in range(k):
            step = (pqp - qp[t]) / q[t, t]
            p[t] += step
            pqp = (pqp + step * (step * q[t, t] + 2 * qp[t])) / (1 + step) ** 2
            qp = (qp + step * q[t]) / (1 + step)
            p /= 1 + step
    return p


SVM_CLASSIFIER.example(
    ([[3.0], [-1.0]],),
    (["near", "far"], [[-1.5, 1.5], [2.5, -2.5]]),
    classlabels_strings=["near", "far"],
    coefficients=[1.0, -1.0],
    rho=[-1.5],
    support_vectors=[1.0, 0.0],
    vectors_per_class=[1, 1],
)
SVM_CLASSIFIER.example(
    ([[3.0, 1.0]],),
    ([5], [[3.5, 1.5]]),
    classlabels_ints=[5, 7],
    coefficients=[1.0, 0.0, 0.0, 1.0],
    rho=[0.5],
)
