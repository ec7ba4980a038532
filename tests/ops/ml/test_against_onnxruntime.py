"""Random models through onnxruntime, which knows these operators, and through ours."""

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import onnx_explorer as ox

X = np.random.default_rng(1).normal(size=(9, 3)).round(1).astype(np.float32)


def compare(op, n_outputs, **attributes):
    names = ["Y", "Z"][:n_outputs]
    node = helper.make_node(op, ["X"], names, domain="ai.onnx.ml", **attributes)
    kinds = [7, 1] if n_outputs == 2 else [1]
    model = helper.make_model(
        helper.make_graph(
            [node],
            "random",
            [helper.make_tensor_value_info("X", 1, ["N", 3])],
            [helper.make_tensor_value_info(n, k, None) for n, k in zip(names, kinds, strict=True)],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)],
        ir_version=8,
    ).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    ours = ox.run(ox.load(model), {"X": X})
    for name, theirs in zip(names, session.run(None, {"X": X}), strict=True):
        assert ours[name].dtype == theirs.dtype
        np.testing.assert_allclose(ours[name], theirs, rtol=1e-4, atol=1e-5)


def forest(rng, n_trees):
    """Complete trees of depth 2, and the (tree, node) of each leaf."""
    inner, n = 3, 7
    trees = range(n_trees)
    nodes = {
        "nodes_treeids": [t for t in trees for _ in range(n)],
        "nodes_nodeids": list(range(n)) * n_trees,
        "nodes_modes": (["BRANCH_LEQ"] * inner + ["LEAF"] * (n - inner)) * n_trees,
        "nodes_featureids": rng.integers(3, size=n * n_trees).tolist(),
        "nodes_values": rng.normal(size=n * n_trees).round(1).tolist(),
        "nodes_truenodeids": [1, 3, 5, 0, 0, 0, 0] * n_trees,
        "nodes_falsenodeids": [2, 4, 6, 0, 0, 0, 0] * n_trees,
    }
    return nodes, [(t, node) for t in trees for node in range(inner, n)]


def votes(rng, prefix, leaves, targets, sign=None):
    every = [(tree, node, target) for tree, node in leaves for target in targets]
    weights = rng.normal(size=len(every)) * 0.3
    return {
        f"{prefix}_treeids": [v[0] for v in every],
        f"{prefix}_nodeids": [v[1] for v in every],
        f"{prefix}_ids": [v[2] for v in every],
        f"{prefix}_weights": (np.abs(weights) if sign == "positive" else weights).tolist(),
    }


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
def test_trees_of_three_targets(aggregate, transform):
    rng = np.random.default_rng(2)
    nodes, leaves = forest(rng, 4)
    compare(
        "TreeEnsembleRegressor",
        1,
        **nodes,
        **votes(rng, "target", leaves, range(3)),
        n_targets=3,
        base_values=[0.5, -0.5, 0.25],
        aggregate_function=aggregate,
        post_transform=transform,
    )


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
def test_trees_of_three_classes(transform):
    rng = np.random.default_rng(3)
    nodes, leaves = forest(rng, 4)
    compare(
        "TreeEnsembleClassifier",
        2,
        **nodes,
        **votes(rng, "class", leaves, range(3)),
        classlabels_int64s=[5, 7, 9],
        base_values=[0.5, -0.5, 0.25],
        post_transform=transform,
    )


@pytest.mark.parametrize("sign", ["positive", "any"])
@pytest.mark.parametrize("voted", [0, 1])
@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC"])
def test_trees_that_vote_for_one_of_two_classes(sign, voted, transform):
    rng = np.random.default_rng(4)
    nodes, leaves = forest(rng, 3)
    compare(
        "TreeEnsembleClassifier",
        2,
        **nodes,
        **votes(rng, "class", leaves, [voted], sign),
        classlabels_int64s=[5, 7],
        post_transform=transform,
    )


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("probable", [False, True])
@pytest.mark.parametrize("kernel_type", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vectors(n_classes, probable, kernel_type):
    rng = np.random.default_rng(n_classes)
    sizes = rng.integers(1, 4, n_classes).tolist()
    n_pairs = n_classes * (n_classes - 1) // 2
    chances = {
        "prob_a": (-np.abs(rng.normal(size=n_pairs))).tolist(),
        "prob_b": rng.normal(size=n_pairs).tolist(),
    }
    compare(
        "SVMClassifier",
        2,
        coefficients=rng.normal(size=(n_classes - 1) * sum(sizes)).tolist(),
        kernel_type=kernel_type,
        kernel_params=[0.3, 0.5, 2.0],
        support_vectors=rng.normal(size=3 * sum(sizes)).tolist(),
        rho=rng.normal(size=n_pairs).tolist(),
        vectors_per_class=sizes,
        classlabels_ints=list(range(n_classes)),
        **(chances if probable else {}),
    )


@pytest.mark.parametrize(("n_scores", "transform"), [(1, "NONE"), (1, "LOGISTIC"), (2, "SOFTMAX")])
def test_linear_classifiers_of_two_classes(n_scores, transform):
    compare(
        "LinearClassifier",
        2,
        coefficients=[1.0, -0.5, 0.25, 0.75, 0.5, -1.0][: 3 * n_scores],
        intercepts=[0.1, -0.2][:n_scores],
        classlabels_ints=[5, 7],
        post_transform=transform,
    )
