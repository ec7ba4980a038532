import numpy as np
import pytest

from onnx_explorer.ir import Tensor
from onnx_explorer.ops.ml.tree_ensemble import TREE_ENSEMBLE
from onnx_explorer.ops.ml.tree_ensemble_classifier import TREE_ENSEMBLE_CLASSIFIER
from onnx_explorer.ops.ml.tree_ensemble_regressor import TREE_ENSEMBLE_REGRESSOR
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

NAN = float("nan")
X = np.array([[1.0], [2.0], [3.0], [NAN]], np.float32)


def stump(mode=b"BRANCH_LEQ", tree=0, **more):
    """One node that compares feature 0 with 2 and has two leaves, 1 for yes and 2 for no."""
    return {
        "nodes_treeids": (tree,) * 3,
        "nodes_nodeids": (0, 1, 2),
        "nodes_modes": (mode, b"LEAF", b"LEAF"),
        "nodes_featureids": (0, 0, 0),
        "nodes_values": (2.0, 0.0, 0.0),
        "nodes_truenodeids": (1, 0, 0),
        "nodes_falsenodeids": (2, 0, 0),
        **more,
    }


def both(a, b):
    return {name: a[name] + b[name] for name in a}


def targets(*votes):
    """Votes of (tree, node, target, weight)."""
    trees, nodes, ids, weights = zip(*votes, strict=True)
    return {
        "target_treeids": trees,
        "target_nodeids": nodes,
        "target_ids": ids,
        "target_weights": weights,
    }


def classes(*votes):
    return {k.replace("target", "class"): v for k, v in targets(*votes).items()}


@pytest.mark.parametrize(
    ("mode", "yes"),
    [
        (b"BRANCH_LEQ", [1, 1, 0, 0]),
        (b"BRANCH_LT", [1, 0, 0, 0]),
        (b"BRANCH_GTE", [0, 1, 1, 0]),
        (b"BRANCH_GT", [0, 0, 1, 0]),
        (b"BRANCH_EQ", [0, 1, 0, 0]),
        (b"BRANCH_NEQ", [1, 0, 1, 0]),
    ],
)
def test_each_mode_compares_and_nan_is_a_no_unless_it_is_told(mode, yes):
    votes = targets((0, 1, 0, 1.0), (0, 2, 0, 0.0))
    got = kernel(TREE_ENSEMBLE_REGRESSOR, 1, X, **stump(mode), **votes, n_targets=1)
    assert got.dtype == np.float32
    assert got[:, 0].tolist() == yes
    told = stump(mode, nodes_missing_value_tracks_true=(1, 0, 0))
    got = kernel(TREE_ENSEMBLE_REGRESSOR, 1, X, **told, **votes, n_targets=1)
    assert got[:, 0].tolist() == [*yes[:3], 1]


@pytest.mark.parametrize(
    ("aggregate", "small", "large"),
    [("SUM", 7, 40), ("AVERAGE", 3.5, 20), ("MIN", 3, 10), ("MAX", 4, 30)],
)
def test_votes_of_trees_are_aggregated_and_bases_added_after(aggregate, small, large):
    two = both(stump(), stump(b"BRANCH_LT", tree=5))
    votes = targets((0, 1, 0, 3.0), (0, 2, 0, 10.0), (5, 1, 0, 4.0), (5, 2, 0, 30.0))
    got = kernel(
        TREE_ENSEMBLE_REGRESSOR,
        1,
        X[[0, 2]],
        **two,
        **votes,
        n_targets=2,
        aggregate_function=aggregate.encode(),
        base_values=(0.5, 0.25),
    )
    assert got.tolist() == [[small + 0.5, 0.25], [large + 0.5, 0.25]]


def test_values_may_be_float64():
    # 0.1 in float32 lies above 0.1 in float64.
    given = stump(nodes_values=None)
    del given["nodes_values"]
    votes = targets((0, 1, 0, 0.0), (0, 2, 0, 0.0))
    del votes["target_weights"]
    got = kernel(
        TREE_ENSEMBLE_REGRESSOR,
        3,
        np.array([[0.1], [np.float32(0.1)]]),
        **given,
        **votes,
        nodes_values_as_tensor=Tensor.of(np.array([0.1, 0, 0])),
        target_weights_as_tensor=Tensor.of(np.array([1.0, 2.0])),
        base_values_as_tensor=Tensor.of(np.array([0.5])),
        n_targets=1,
    )
    assert got[:, 0].tolist() == [1.5, 2.5]


def test_the_best_class_is_named_before_the_transform():
    votes = classes((0, 1, 0, 1.0), (0, 1, 2, 3.0), (0, 2, 1, 2.0))
    labels, scores = kernel(
        TREE_ENSEMBLE_CLASSIFIER,
        1,
        X[:3],
        **stump(),
        **votes,
        classlabels_strings=(b"a", b"b", b"c"),
        base_values=(0.0, 0.5, 0.0),
        post_transform=b"LOGISTIC",
    )
    assert labels.tolist() == ["c", "c", "b"]
    raw = np.array([[1, 0.5, 3], [1, 0.5, 3], [0, 2.5, 0]])
    assert scores == pytest.approx(1 / (1 + np.exp(-raw)))


def test_one_vote_counts_for_the_second_of_two_labels():
    given = {"classlabels_int64s": (5, 7), **stump()}
    votes = classes((0, 1, 0, 0.25), (0, 2, 0, 0.75))
    labels, scores = kernel(TREE_ENSEMBLE_CLASSIFIER, 1, X[[0, 2]], **given, **votes)
    assert labels.tolist() == [5, 7]
    assert scores.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    votes = classes((0, 1, 0, -1.0), (0, 2, 0, 0.25))
    labels, scores = kernel(TREE_ENSEMBLE_CLASSIFIER, 1, X[[0, 2]], **given, **votes)
    assert labels.tolist() == [5, 7]
    assert scores.tolist() == [[1, -1], [-0.25, 0.25]]


def test_trees_name_their_sizes():
    votes = targets((0, 1, 0, 3.0), (0, 2, 1, 10.0))
    assert rule(TREE_ENSEMBLE_REGRESSOR, 1, tensor("N", 4), **votes).shape == "[N, 2]"
    assert rule(TREE_ENSEMBLE_REGRESSOR, 3, UNKNOWN, n_targets=3).shape == "[rows_0, 3]"
    found = rule(
        TREE_ENSEMBLE_CLASSIFIER, 1, tensor("N", 4), n_outputs=2, classlabels_int64s=(1, 2, 3)
    )
    assert found.shapes == ["[N]", "[N, 3]"]


def test_broken_trees_are_told():
    votes = targets((0, 1, 0, 3.0), (0, 2, 0, 10.0))
    for change, message in (
        ({"nodes_truenodeids": (9, 0, 0)}, "node 9 of tree 0 in nodes_truenodeids"),
        ({"nodes_values": (1.0,)}, "1 values in nodes_values, but expected 3"),
        ({"nodes_featureids": (4, 0, 0)}, "feature 4, but X has 1 features"),
        ({"nodes_truenodeids": (0, 0, 0)}, "comes to node 0 again"),
        ({"nodes_modes": (b"BRANCH_ODD", b"LEAF", b"LEAF")}, "'BRANCH_ODD' is none of"),
        ({"n_targets": 0}, "target 0, but there are 0 targets"),
    ):
        with pytest.raises(Violation, match=message):
            kernel(TREE_ENSEMBLE_REGRESSOR, 1, X, **{**stump(), **votes, **change})


def positions(**more):
    """Node 0: is the feature in {1, 3}? yes: leaf 0, no: node 1. Node 1: below 2.5? leaves 1, 2."""
    return {
        "nodes_featureids": (0, 0),
        "nodes_modes": Tensor.of(np.array([6, 1], np.uint8)),
        "nodes_splits": Tensor.of(np.array([0, 2.5], np.float32)),
        "nodes_trueleafs": (1, 1),
        "nodes_truenodeids": (0, 1),
        "nodes_falseleafs": (0, 1),
        "nodes_falsenodeids": (1, 2),
        "leaf_targetids": (0, 1, 1),
        "leaf_weights": Tensor.of(np.array([1, 2, 3], np.float32)),
        "membership_values": Tensor.of(np.array([1, 3, NAN], np.float32)),
        "tree_roots": (0,),
        "n_targets": 2,
        **more,
    }


def test_nodes_may_ask_for_members_of_a_set():
    got = kernel(TREE_ENSEMBLE, 5, X, **positions())
    assert got.tolist() == [[1, 0], [0, 2], [1, 0], [0, 3]]
    told = positions(nodes_missing_value_tracks_true=(0, 1))
    assert kernel(TREE_ENSEMBLE, 5, X, **told)[3].tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_result_has_the_type_of_the_features(dtype):
    given = positions(aggregate_function=2, post_transform=2)
    got = kernel(TREE_ENSEMBLE, 5, X.astype(dtype), **given)
    assert got.dtype == dtype
    assert got[0] == pytest.approx([1 / (1 + np.exp(-1)), 0.5], rel=1e-3)
    assert rule(TREE_ENSEMBLE, 5, tensor("N", 1), **given).shape == "[N, 2]"


def test_positions_outside_the_lists_are_told():
    for change, message in (
        ({"nodes_truenodeids": (7, 1)}, "7 in nodes_truenodeids, for leaves, but there are 3"),
        ({"tree_roots": (2,)}, "2 in tree_roots, but there are 2"),
        ({"leaf_targetids": (0, 1, 2)}, "target 2, but there are 2"),
        ({"leaf_targetids": (0, 1)}, "2 leaf_targetids, but leaf_weights has 3"),
        ({"nodes_featureids": (0,)}, "1 values in nodes_featureids, but nodes_modes has 2"),
        (
            {"membership_values": Tensor.of(np.array([1, NAN, 3, NAN]))},
            "2 sets in membership_values, but 1 nodes",
        ),
    ):
        with pytest.raises(Violation, match=message):
            kernel(TREE_ENSEMBLE, 5, X, **positions(**change))
