"""TreeEnsembleRegressor: numbers that many decision trees vote for.

Each row of `X`, `(N, F)`, walks down every tree: a node compares one feature with one value and
sends the row to one of two nodes, until it comes to a leaf. All nodes of all trees stand in the
`nodes_` lists, the same position in each list for one node; (tree id, node id) names a node, and the
first node of a tree is its root. A leaf has votes in the `target_` lists: a weight for one of
`n_targets` targets. `aggregate_function` makes one number of the votes for a target (a target
without votes gets 0), `base_values` are added, and `post_transform` works on each row.

Spec: ai.onnx.ml TreeEnsembleRegressor-3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, table, table_size
from onnx_explorer.ops.ml.forest import AGGREGATES, Aggregate, Ints, tally
from onnx_explorer.ops.ml.listed_trees import (
    NODE_ATTRIBUTES,
    Listed,
    as_tensor,
    float_array,
    vote_attributes,
)
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation

TREE_ENSEMBLE_REGRESSOR = Operator(
    "TreeEnsembleRegressor",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "rows of features, (N, F) or (F)"),),
            outputs=(Port("Y", "tensor(float)", "the numbers, (N, n_targets)"),),
            attributes=(
                Attr(
                    "aggregate_function",
                    "string",
                    "SUM",
                    one_of=AGGREGATES,
                    doc="what is made of the votes; the average is over trees",
                ),
                Attr(
                    "base_values",
                    "floats",
                    as_=float_array,
                    doc="what is added for each target; default: 0",
                ),
                Attr(
                    "n_targets", "int", doc="the number of targets; default: as many as votes name"
                ),
                *NODE_ATTRIBUTES,
                POST_TRANSFORM,
                *vote_attributes("target", "target"),
            ),
            types={"T": FEATURES},
        ),
        Change(
            3,
            "values and weights may be float64",
            attributes=tuple(
                map(as_tensor, ("base_values", "nodes_hitrates", "nodes_values", "target_weights"))
            ),
        ),
        Change(5, "TreeEnsemble takes its place", deprecated=True),
    ),
)


def targets_of(n_targets: int | None, ids: Ints | None) -> int:
    """The number of targets, from the votes where it is not given."""
    if n_targets is not None:
        return n_targets
    return int(ids.max()) + 1 if ids is not None and ids.size else 1


@TREE_ENSEMBLE_REGRESSOR.infer(since=1)
def infer(
    X: Abstract,
    *,
    n_targets: int | None = None,
    target_ids: Ints | None = None,
    at: RuleSite,
) -> Abstract:
    return float32((table_size(X, at)[0], targets_of(n_targets, target_ids)))


@TREE_ENSEMBLE_REGRESSOR.kernel(since=1)
def tree_ensemble_regressor(
    X: Array,
    *,
    aggregate_function: Aggregate,
    base_values: Floats | None = None,
    base_values_as_tensor: Floats | None = None,
    n_targets: int | None = None,
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
    target_ids: Ints | None = None,
    target_nodeids: Ints | None = None,
    target_treeids: Ints | None = None,
    target_weights: Floats | None = None,
    target_weights_as_tensor: Floats | None = None,
) -> NDArray[np.float32]:
    forest, votes = Listed(
        falsenodeids=nodes_falsenodeids,
        featureids=nodes_featureids,
        missing_value_tracks_true=nodes_missing_value_tracks_true,
        modes=nodes_modes,
        nodeids=nodes_nodeids,
        treeids=nodes_treeids,
        truenodeids=nodes_truenodeids,
        values=nodes_values if nodes_values_as_tensor is None else nodes_values_as_tensor,
        vote_ids=target_ids,
        vote_nodeids=target_nodeids,
        vote_treeids=target_treeids,
        vote_weights=target_weights
        if target_weights_as_tensor is None
        else target_weights_as_tensor,
    ).forest()
    n = targets_of(n_targets, target_ids)
    scores = tally(forest, votes, table(X), n, aggregate_function)
    base = base_values if base_values_as_tensor is None else base_values_as_tensor
    if base is not None and base.size:
        if base.size not in {1, n}:
            raise Violation(f"{base.size} base_values", f"there are {n} targets")
        scores = scores + base
    return np.asarray(transformed(scores, post_transform), np.float32)


TREE_ENSEMBLE_REGRESSOR.example(
    ([[1.0], [3.0]],),
    ([[10.0], [20.0]],),
    nodes_treeids=[0, 0, 0],
    nodes_nodeids=[0, 1, 2],
    nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
    nodes_featureids=[0, 0, 0],
    nodes_values=[2.0, 0.0, 0.0],
    nodes_truenodeids=[1, 0, 0],
    nodes_falsenodeids=[2, 0, 0],
    target_treeids=[0, 0],
    target_nodeids=[1, 2],
    target_ids=[0, 0],
    target_weights=[10.0, 20.0],
    n_targets=1,
)
