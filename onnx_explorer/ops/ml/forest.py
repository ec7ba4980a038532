"""Trees that ask one question about a row of features at each node, all trees walked at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Violation

Ints = NDArray[np.integer]
Aggregate = Literal["AVERAGE", "SUM", "MIN", "MAX"]
AGGREGATES: tuple[Aggregate, ...] = ("AVERAGE", "SUM", "MIN", "MAX")
"""In the order of their numbers, where they are numbers."""

MODES = (
    "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ",
    "BRANCH_MEMBER", "LEAF",
)  # fmt: skip
"""In the order of their numbers, where they are numbers; a leaf has none of its own."""
MEMBER, LEAF = 6, 7
_COMPARISONS: tuple[Callable[[Floats, Floats], NDArray[np.bool_]], ...] = (
    np.less_equal,
    np.less,
    np.greater_equal,
    np.greater,
    np.equal,
    np.not_equal,
)
_BLOCK = 1 << 18
"""Walks at a time: their state stays in a core's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """All nodes of all trees, one after the other; children and roots are positions among them.

    A node compares feature `features[i]` with `thresholds[i]` by `modes[i]`, or asks whether it is
    in `members[i]`, and goes on at `if_true[i]` or `if_false[i]`. NaN goes where `nan_is_true` says.
    """

    roots: Ints
    modes: Ints
    features: Ints
    thresholds: Floats
    if_true: Ints
    if_false: Ints
    nan_is_true: NDArray[np.bool_]
    members: dict[int, Floats]

    def leaves(self, X: Floats) -> Ints:
        """Where each row of `(N, F)` ends in each tree, `(N, trees)`."""
        self._check_features(X.shape[1])
        n_trees = len(self.roots)
        at = np.tile(self.roots, len(X))
        rows = np.repeat(np.arange(len(X)), n_trees)
        going = np.flatnonzero(self.modes[at] != LEAF)
        # A walk without a circle sees no node twice.
        for _ in range(len(self.modes)):
            if not going.size:
                break
            nodes = at[going]
            answers = self._answers(nodes, X[rows[going], self.features[nodes]])
            at[going] = np.where(answers, self.if_true[nodes], self.if_false[nodes])
            going = going[self.modes[at[going]] != LEAF]
        if going.size:
            raise Violation(
                f"a way through the tree that comes to node {at[going[0]]} again",
                "each way ends at a leaf",
            )
        return at.reshape(len(X), n_trees)

    def _check_features(self, n_features: int) -> None:
        asked = self.features[self.modes != LEAF]
        if asked.size and not (asked.min() >= 0 and asked.max() < n_features):
            worst = int(asked.max() if asked.max() >= n_features else asked.min())
            raise Violation(
                f"a node that asks for feature {worst}", f"X has {n_features} features", port="X"
            )

    def _answers(self, nodes: Ints, x: Floats) -> NDArray[np.bool_]:
        modes = self.modes[nodes]
        first = int(modes[0])
        if first != MEMBER and (modes == first).all():
            answers = _COMPARISONS[first](x, self.thresholds[nodes])
        else:
            answers = np.zeros(len(nodes), np.bool_)
            for mode in np.unique(modes).tolist():
                chosen = np.flatnonzero(modes == mode)
                if mode == MEMBER:
                    answers[chosen] = self._are_members(nodes[chosen], x[chosen])
                else:
                    thresholds = self.thresholds[nodes[chosen]]
                    answers[chosen] = _COMPARISONS[mode](x[chosen], thresholds)
        return np.where(np.isnan(x), self.nan_is_true[nodes], answers)

    def _are_members(self, nodes: Ints, x: Floats) -> NDArray[np.bool_]:
        answers = np.zeros(len(nodes), np.bool_)
        for node in np.unique(nodes).tolist():
            chosen = nodes == node
            answers[chosen] = np.isin(x[chosen], self.members[node])
        return answers


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What leaves say: node i has the votes `starts[i]` to `starts[i] + counts[i]`, each a weight
    for a target.
    """

    starts: Ints
    counts: Ints
    targets: Ints
    weights: Floats


def votes_at(nodes: Ints, n_nodes: int, targets: Ints, weights: Floats) -> Votes:
    """Votes in any order, given the node of each."""
    order = np.argsort(nodes, kind="stable")
    counts = np.bincount(nodes, minlength=n_nodes)
    return Votes(np.cumsum(counts) - counts, counts, targets[order], weights[order])


def tally(
    forest: Forest, votes: Votes, X: Floats, n_targets: int, aggregate: Aggregate
) -> NDArray[np.float64]:
    """The votes of all trees for each row, `(N, n_targets)`: their sum, their sum by the number of
    trees, the least or the greatest; 0 for a target that got none.
    """
    _check_targets(votes.targets, n_targets)
    result = np.zeros((len(X), n_targets))
    n_trees = len(forest.roots)
    step = max(1, _BLOCK // max(n_trees, 1))
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        leaves = forest.leaves(rows).reshape(-1)
        counts = votes.counts[leaves]
        # The votes of each leaf that was reached, side by side: its first vote and those after it.
        first = np.repeat(votes.starts[leaves] - (np.cumsum(counts) - counts), counts)
        cast = first + np.arange(len(first))
        row = np.repeat(np.repeat(np.arange(len(rows)), n_trees), counts)
        places = row * n_targets + votes.targets[cast]
        part = _aggregated(places, votes.weights[cast], len(rows) * n_targets, aggregate)
        result[start : start + step] = part.reshape(len(rows), n_targets)
    return result / n_trees if aggregate == "AVERAGE" and n_trees else result


def _aggregated(
    places: Ints, weights: Floats, size: int, aggregate: Aggregate
) -> NDArray[np.float64]:
    if aggregate in {"SUM", "AVERAGE"}:
        return np.bincount(places, weights, minlength=size).astype(np.float64)
    start = np.inf if aggregate == "MIN" else -np.inf
    extreme = np.full(size, start)
    (np.minimum if aggregate == "MIN" else np.maximum).at(extreme, places, weights)
    extreme[np.bincount(places, minlength=size) == 0] = 0
    return extreme


def _check_targets(targets: Ints, n_targets: int) -> None:
    if targets.size and not (targets.min() >= 0 and targets.max() < n_targets):
        worst = int(targets.max() if targets.max() >= n_targets else targets.min())
        raise Violation(f"a vote for target {worst}", f"there are {n_targets} targets")
