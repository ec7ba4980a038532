"""TreeEnsembleClassifier: the class that most of many decision trees vote for.

Each row of `X`, `(N, F)`, walks down every tree: a node compares one feature with one value and
sends the row to one of two nodes, until it comes to a leaf. All nodes of all trees stand in the
`nodes_` lists, the same position in each list for one node; (tree id, node id) names a node, and the
first node of a tree is its root. A leaf has votes in the `class_` lists, a weight for one class. The
sums of the votes, with `base_values` added, are the scores `Z`, `(N, E)`; `Y` has the label of the
best. `post_transform` then works on each row of scores.

With two labels and votes for one class alone, the second label wins where the sum s of the votes is
above 0, or above 0.5 if no weight is negative: s is then a probability. If the votes are for class
0, they mean the second label all the same, and the scores are [−s, s] transformed; [1 − s, s] for a
probability that nothing is done to. A single label is given where s is above 0, and 0 or an empty
string elsewhere.

Spec: ai.onnx.ml TreeEnsembleClassifier-3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, table, table_size
from onnx_explorer.ops.ml.forest import Ints, tally
from onnx_explorer.ops.ml.labels import chosen, label_attributes, label_dtype, labelled
from onnx_explorer.ops.ml.listed_trees import (
    NODE_ATTRIBUTES,
    Listed,
    as_tensor,
    float_array,
    vote_attributes,
)
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed, two_columns
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import INT64, STRING

TREE_ENSEMBLE_CLASSIFIER = Operator(
    "TreeEnsembleClassifier",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "rows of features, (N, F) or (F)"),),
            outputs=(
                Port("Y", "T2", "the label of the class that wins, (N)"),
                Port("Z", "tensor(float)", "the scores, (N, E)"),
            ),
            attributes=(
                Attr(
                    "base_values",
                    "floats",
                    as_=float_array,
                    doc="what is added for each class; default: 0",
                ),
                *vote_attributes("class", "class"),
                *label_attributes("classlabels_int64s"),
                *NODE_ATTRIBUTES,
                POST_TRANSFORM,
            ),
            types={"T1": FEATURES, "T2": STRING | INT64},
        ),
        Change(
            3,
            "values and weights may be float64",
            attributes=tuple(
                map(as_tensor, ("base_values", "class_weights", "nodes_hitrates", "nodes_values"))
            ),
        ),
        Change(5, "TreeEnsemble with ArgMax after it takes its place", deprecated=True),
    ),
)


def _n_classes(n_labels: int, ids: Ints | None) -> int:
    return n_labels or (int(ids.max()) + 1 if ids is not None and ids.size else 1)


@TREE_ENSEMBLE_CLASSIFIER.infer(since=1)
def infer(
    X: Abstract,
    *,
    class_ids: Ints | None = None,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    labels = chosen(classlabels_int64s, classlabels_strings)
    rows, _ = table_size(X, at)
    n_classes = _n_classes(len(labels), class_ids)
    return Abstract(label_dtype(labels), (rows,)), float32((rows, n_classes))


@TREE_ENSEMBLE_CLASSIFIER.kernel(since=1)
def tree_ensemble_classifier(
    X: Array,
    *,
    base_values: Floats | None = None,
    base_values_as_tensor: Floats | None = None,
    class_ids: Ints | None = None,
    class_nodeids: Ints | None = None,
    class_treeids: Ints | None = None,
    class_weights: Floats | None = None,
    class_weights_as_tensor: Floats | None = None,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    nodes_falsenodeids: Ints | None = None,
    nodes_featureids: Ints | None = None,
    nodes_missing_value_tracks_true: Ints | None = None,
    nodes_modes: Ints | None = None,
    nodes_nodeids: Ints | None = None,
    nodes_treeids: Ints | None = None,
    nodes_truenodeids: Ints | None = None,
    nodes_values: Floats | None = None,
    nodes_values_as_tensor: Floats | None = None,
    post_transform: Transform,
) -> tuple[Array, NDArray[np.float32]]:
    labels = chosen(classlabels_int64s, classlabels_strings)
    forest, votes = Listed(
        falsenodeids=nodes_falsenodeids,
        featureids=nodes_featureids,
        missing_value_tracks_true=nodes_missing_value_tracks_true,
        modes=nodes_modes,
        nodeids=nodes_nodeids,
        treeids=nodes_treeids,
        truenodeids=nodes_truenodeids,
        values=nodes_values if nodes_values_as_tensor is None else nodes_values_as_tensor,
        vote_ids=class_ids,
        vote_nodeids=class_nodeids,
        vote_treeids=class_treeids,
        vote_weights=class_weights if class_weights_as_tensor is None else class_weights_as_tensor,
    ).forest()
    n = _n_classes(len(labels), class_ids)
    scores: Floats = tally(forest, votes, table(X), n, "SUM")
    base = base_values if base_values_as_tensor is None else base_values_as_tensor
    if base is not None and base.size:
        if base.size not in {1, n}:
            raise Violation(f"{base.size} base_values", f"there are {n} classes")
        scores = scores + base
    voted = np.unique(votes.targets).tolist()
    if n > 2 or len(voted) == 2:
        classes = np.argmax(scores, axis=1)
    else:
        probability = n == 2 and bool((votes.weights >= 0).all())
        alone = scores[:, voted[0]] if voted else scores[:, 0]
        classes = (alone > (0.5 if probability else 0)).astype(np.intp)
        if n == 2 and voted == [0]:
            scores = two_columns(alone, post_transform, probability=probability)
            return labelled(classes, labels), scores.astype(np.float32)
    scores = transformed(scores, post_transform)
    return labelled(classes, labels), scores.astype(np.float32)


TREE_ENSEMBLE_CLASSIFIER.example(
    ([[1.0], [3.0]],),
    (["small", "large"], [[0.75, 0.25], [0.0, 1.0]]),
    nodes_treeids=[0, 0, 0],
    nodes_nodeids=[0, 1, 2],
    nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
    nodes_featureids=[0, 0, 0],
    nodes_values=[2.0, 0.0, 0.0],
    nodes_truenodeids=[1, 0, 0],
    nodes_falsenodeids=[2, 0, 0],
    class_treeids=[0, 0, 0],
    class_nodeids=[1, 1, 2],
    class_ids=[0, 1, 1],
    class_weights=[0.75, 0.25, 1.0],
    classlabels_strings=["small", "large"],
)
