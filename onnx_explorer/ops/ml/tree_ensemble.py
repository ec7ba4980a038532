"""TreeEnsemble: numbers that many decision trees vote for.

Each row of `X`, `(N, F)`, walks down every tree: a node compares one feature with one value and
sends the row on, until it comes to a leaf, which has one weight for one of `n_targets` targets. The
`nodes_` lists hold the nodes that ask, the `leaf_` lists the leaves, and `tree_roots` says at which
node each tree begins. `nodes_truenodeids[i]` is a position among the leaves where
`nodes_trueleafs[i]` is 1, else among the nodes, and likewise for the answer no. A tree that is a
single leaf is a node with the same leaf on both sides. Mode 6 asks whether the feature is in a set:
the sets stand in `membership_values` in the order of the nodes with that mode, each ended by a NaN.
`aggregate_function` makes one number of the weights for a target (a target without any gets 0), and
`post_transform` works on each row.

Spec: ai.onnx.ml TreeEnsemble-5
"""

from __future__ import annotations

from typing import cast

import numpy as np

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, rows_and_features, table_size
from onnx_explorer.ops.ml.forest import AGGREGATES, LEAF, MEMBER, Forest, Ints, Votes, tally
from onnx_explorer.ops.ml.listed_trees import int_array, tensor_array
from onnx_explorer.ops.ml.scores import TRANSFORMS, transformed
from onnx_explorer.ops.ml.tree_ensemble_regressor import targets_of
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import FLOATS


def _ints(name: str, doc: str) -> Attr:
    return Attr(name, "ints", required=True, as_=int_array, doc=doc)


def _tensor(name: str, doc: str, *, required: bool = True) -> Attr:
    return Attr(name, "tensor", required=required, as_=tensor_array, doc=doc)


TREE_ENSEMBLE = Operator(
    "TreeEnsemble",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            5,
            "one operator for regression and classification, with sets and without ids",
            inputs=(Port("X", "T", "rows of features, (N, F) or (F)"),),
            outputs=(Port("Y", "T", "the numbers, (N, n_targets)"),),
            attributes=(
                Attr(
                    "aggregate_function",
                    "int",
                    1,
                    one_of=(0, 1, 2, 3),
                    doc="what is made of the weights: 0 average over trees, 1 sum, 2 least, "
                    "3 greatest",
                ),
                _ints("leaf_targetids", "for each leaf, the target its weight is for"),
                _tensor("leaf_weights", "for each leaf, its weight"),
                _tensor(
                    "membership_values",
                    "the sets of nodes of mode 6, each ended by a NaN",
                    required=False,
                ),
                Attr(
                    "n_targets", "int", doc="the number of targets; default: as many as leaves name"
                ),
                _ints("nodes_falseleafs", "for each node, 1 if a no leads to a leaf"),
                _ints("nodes_falsenodeids", "for each node, the leaf or node after a no"),
                _ints("nodes_featureids", "for each node, the feature it asks about"),
                _tensor(
                    "nodes_hitrates",
                    "for each node, how often it is reached; without effect",
                    required=False,
                ),
                Attr(
                    "nodes_missing_value_tracks_true",
                    "ints",
                    as_=int_array,
                    doc="for each node, 1 if NaN goes on as a yes, 0 as a no; default: 0",
                ),
                _tensor(
                    "nodes_modes",
                    "uint8; for each node, how it compares: 0 ≤, 1 <, 2 ≥, 3 >, 4 =, 5 ≠, 6 in a set",
                ),
                _tensor("nodes_splits", "for each node, what it compares with"),
                _ints("nodes_trueleafs", "for each node, 1 if a yes leads to a leaf"),
                _ints("nodes_truenodeids", "for each node, the leaf or node after a yes"),
                Attr(
                    "post_transform",
                    "int",
                    0,
                    one_of=(0, 1, 2, 3, 4),
                    doc="what is done to each row: 0 nothing, 1 softmax, 2 the logistic function, "
                    "3 softmax over what is not 0, 4 the inverse of the normal distribution function",
                ),
                _ints("tree_roots", "for each tree, its first node"),
            ),
            types={"T": FLOATS},
        ),
    ),
)


@TREE_ENSEMBLE.infer(since=5)
def infer(
    X: Abstract, *, leaf_targetids: Ints, n_targets: int | None = None, at: RuleSite
) -> Abstract:
    return X.like((table_size(X, at)[0], targets_of(n_targets, leaf_targetids)))


@TREE_ENSEMBLE.kernel(since=5)
def tree_ensemble(
    X: Array,
    *,
    aggregate_function: int,
    leaf_targetids: Ints,
    leaf_weights: Floats,
    membership_values: Floats | None = None,
    n_targets: int | None = None,
    nodes_falseleafs: Ints,
    nodes_falsenodeids: Ints,
    nodes_featureids: Ints,
    nodes_missing_value_tracks_true: Ints | None = None,
    nodes_modes: Ints,
    nodes_splits: Floats,
    nodes_trueleafs: Ints,
    nodes_truenodeids: Ints,
    post_transform: int,
    tree_roots: Ints,
) -> Array:
    rows_and_features(X.shape)
    n_nodes, n_leaves = len(nodes_modes), len(leaf_weights)
    lists = {
        "nodes_falseleafs": nodes_falseleafs,
        "nodes_falsenodeids": nodes_falsenodeids,
        "nodes_featureids": nodes_featureids,
        "nodes_splits": nodes_splits,
        "nodes_trueleafs": nodes_trueleafs,
        "nodes_truenodeids": nodes_truenodeids,
    }
    tracks = nodes_missing_value_tracks_true
    if tracks is not None and tracks.size:
        lists["nodes_missing_value_tracks_true"] = tracks
    for name, values in lists.items():
        if len(values) != n_nodes:
            raise Violation(
                f"{len(values)} values in {name}", f"nodes_modes has {n_nodes}", code="wrong-count"
            )
    if len(leaf_targetids) != n_leaves:
        raise Violation(f"{len(leaf_targetids)} leaf_targetids", f"leaf_weights has {n_leaves}")
    # Leaves come after the nodes that ask; they ask nothing, whatever stands there for them.
    blank = np.zeros(n_leaves, np.int64)
    forest = Forest(
        roots=_within(tree_roots, n_nodes, "tree_roots"),
        modes=np.concatenate([nodes_modes.astype(np.int64), np.full(n_leaves, LEAF)]),
        features=np.concatenate([nodes_featureids, blank]),
        thresholds=np.concatenate([nodes_splits, blank.astype(nodes_splits.dtype)]),
        if_true=_children("true", nodes_trueleafs, nodes_truenodeids, n_leaves),
        if_false=_children("false", nodes_falseleafs, nodes_falsenodeids, n_leaves),
        nan_is_true=np.zeros(n_nodes + n_leaves, np.bool_)
        if tracks is None or not tracks.size
        else np.concatenate([tracks > 0, blank > 0]),
        members=_members(nodes_modes, membership_values),
    )
    votes = Votes(
        starts=np.concatenate([np.zeros(n_nodes, np.int64), np.arange(n_leaves)]),
        counts=np.concatenate([np.zeros(n_nodes, np.int64), blank + 1]),
        targets=leaf_targetids,
        weights=leaf_weights,
    )
    rows = cast("Floats", X if X.ndim == 2 else X[None])
    n = targets_of(n_targets, leaf_targetids)
    scores = tally(forest, votes, rows, n, AGGREGATES[aggregate_function])
    return transformed(scores, TRANSFORMS[post_transform]).astype(X.dtype)


def _within(positions: Ints, size: int, name: str) -> Ints:
    if positions.size and not (positions.min() >= 0 and positions.max() < size):
        worst = int(positions.max() if positions.max() >= size else positions.min())
        raise Violation(f"{worst} in {name}", f"there are {size}, from 0 on")
    return positions


def _children(answer: str, are_leaves: Ints, ids: Ints, n_leaves: int) -> Ints:
    """The position after each node's answer; a leaf is its own."""
    n_nodes = len(ids)
    leaf = are_leaves != 0
    _within(ids[leaf], n_leaves, f"nodes_{answer}nodeids, for leaves")
    _within(ids[~leaf], n_nodes, f"nodes_{answer}nodeids, for nodes")
    return np.concatenate([ids + n_nodes * leaf, n_nodes + np.arange(n_leaves)])


def _members(modes: Ints, values: Floats | None) -> dict[int, Floats]:
    """The set of each node of mode 6."""
    askers = np.flatnonzero(modes == MEMBER).tolist()
    if values is None or not values.size:
        sets: list[Floats] = []
    else:
        ends = np.flatnonzero(np.isnan(values))
        parts = np.split(values, ends)
        sets = [parts[0], *(part[1:] for part in parts[1:])]
        if not sets[-1].size and len(sets) > len(askers):
            sets.pop()
    if len(sets) != len(askers):
        raise Violation(
            f"{len(sets)} sets in membership_values", f"{len(askers)} nodes have mode {MEMBER}"
        )
    return dict(zip(askers, sets, strict=True))


TREE_ENSEMBLE.example(
    ([[1.0], [3.0]],),
    ([[10.0], [20.0]],),
    leaf_targetids=[0, 0],
    leaf_weights=np.array([10, 20], np.float32),
    n_targets=1,
    nodes_falseleafs=[1],
    nodes_falsenodeids=[1],
    nodes_featureids=[0],
    nodes_modes=np.array([0], np.uint8),
    nodes_splits=np.array([2], np.float32),
    nodes_trueleafs=[1],
    nodes_truenodeids=[0],
    tree_roots=[0],
)
