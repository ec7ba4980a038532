"""Trees as the two older operators list them: every node, leaves included, has an id that is
unique in its tree, and leaves vote in lists of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import Tensor
from onnx_explorer.ops.ml.forest import LEAF, MEMBER, MODES, Forest, Ints, Votes, votes_at
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Attr, Violation

Number = TypeVar("Number", bound=np.generic)

_LISTED_MODES = {name: number for number, name in enumerate(MODES) if number != MEMBER}


def int_array(value: object) -> NDArray[np.int64]:
    """A list of integers as an array, made once for a model."""
    return np.array(value, np.int64)


def float_array(value: object) -> NDArray[np.float32]:
    return np.array(value, np.float32)


def tensor_array(value: object) -> NDArray[np.generic]:
    """The elements of a tensor in one row."""
    return cast("Tensor", value).numpy().reshape(-1)


def _modes(value: object) -> NDArray[np.int64]:
    names = cast("tuple[str, ...]", value)
    unknown = [name for name in names if name not in _LISTED_MODES]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(_LISTED_MODES)}")
    return np.array([_LISTED_MODES[name] for name in names], np.int64)


def _ints(name: str, doc: str) -> Attr:
    return Attr(name, "ints", as_=int_array, doc=doc)


NODE_ATTRIBUTES = (
    _ints("nodes_falsenodeids", "for each node, the id of the node after a no"),
    _ints("nodes_featureids", "for each node, the feature it asks about"),
    Attr("nodes_hitrates", "floats", doc="for each node, how often it is reached; without effect"),
    _ints(
        "nodes_missing_value_tracks_true",
        "for each node, 1 if NaN goes on as a yes, 0 as a no; default: 0",
    ),
    Attr(
        "nodes_modes",
        "strings",
        as_=_modes,
        doc="for each node, how it compares (BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, "
        "BRANCH_EQ or BRANCH_NEQ), or LEAF",
    ),
    _ints("nodes_nodeids", "for each node, its id in its tree"),
    _ints("nodes_treeids", "for each node, the id of its tree"),
    _ints("nodes_truenodeids", "for each node, the id of the node after a yes"),
    Attr("nodes_values", "floats", as_=float_array, doc="for each node, what it compares with"),
)


def vote_attributes(prefix: str, target: str) -> tuple[Attr, ...]:
    """The lists of votes: `prefix` is that of their names, `target` says what they are for."""
    return (
        _ints(f"{prefix}_ids", f"for each vote, the {target} it is for"),
        _ints(f"{prefix}_nodeids", "for each vote, the id of the leaf that gives it"),
        _ints(f"{prefix}_treeids", "for each vote, the id of the tree of that leaf"),
        Attr(
            f"{prefix}_weights",
            "floats",
            as_=float_array,
            doc=f"for each vote, what it adds to the score of its {target}",
        ),
    )


def as_tensor(name: str) -> Attr:
    """The attribute that gives the values of another one in float64."""
    return Attr(f"{name}_as_tensor", "tensor", as_=tensor_array, doc=f"`{name}` as float64")


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """The lists of nodes and votes, as attributes give them."""

    falsenodeids: Ints | None
    featureids: Ints | None
    missing_value_tracks_true: Ints | None
    modes: Ints | None
    nodeids: Ints | None
    treeids: Ints | None
    truenodeids: Ints | None
    values: Floats | None
    vote_ids: Ints | None
    vote_nodeids: Ints | None
    vote_treeids: Ints | None
    vote_weights: Floats | None

    def forest(self) -> tuple[Forest, Votes]:
        """The trees, with ids turned into positions.

        Raises:
            Violation: lists differ in length, or an id is missing.
        """
        modes = _or_empty(self.modes)
        n = len(modes)
        trees = _as_long("nodes_treeids", _or_empty(self.treeids), n)
        ids = _as_long("nodes_nodeids", _or_empty(self.nodeids), n)
        positions = _Positions(trees, ids)
        inner = modes != LEAF
        nan_is_true = np.zeros(n, np.bool_)
        if self.missing_value_tracks_true is not None and len(self.missing_value_tracks_true):
            tracks = self.missing_value_tracks_true
            nan_is_true = _as_long("nodes_missing_value_tracks_true", tracks, n) > 0
        children: list[Ints] = []
        for name, given in (
            ("nodes_truenodeids", self.truenodeids),
            ("nodes_falsenodeids", self.falsenodeids),
        ):
            child = np.zeros(n, np.int64)
            child_ids = _as_long(name, _or_empty(given), n)
            child[inner] = positions.of(name, trees[inner], child_ids[inner])
            children.append(child)
        values = np.zeros(0, np.float32) if self.values is None else self.values
        forest = Forest(
            roots=np.sort(np.unique(trees, return_index=True)[1]),
            modes=modes,
            features=_as_long("nodes_featureids", _or_empty(self.featureids), n),
            thresholds=_as_long("nodes_values", values, n),
            if_true=children[0],
            if_false=children[1],
            nan_is_true=nan_is_true,
            members={},
        )
        return forest, self._votes(positions, n)

    def _votes(self, positions: _Positions, n_nodes: int) -> Votes:
        ids = _or_empty(self.vote_ids)
        n = len(ids)
        at = positions.of(
            "a list of votes",
            _as_long("the tree ids of votes", _or_empty(self.vote_treeids), n),
            _as_long("the node ids of votes", _or_empty(self.vote_nodeids), n),
        )
        weights = np.zeros(0, np.float32) if self.vote_weights is None else self.vote_weights
        weights = _as_long("the weights of votes", weights, n)
        return votes_at(at, n_nodes, ids, weights)


class _Positions:
    """Where each node is in the lists, by tree and id."""

    def __init__(self, trees: Ints, ids: Ints) -> None:
        self._first = int(ids.min()) if len(ids) else 0
        self._span = int(ids.max()) - self._first + 1 if len(ids) else 1
        keys = trees * self._span + (ids - self._first)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def of(self, name: str, trees: Ints, ids: Ints) -> Ints:
        """The position of each node asked for; `name` says which list asks."""
        if not len(ids):
            return np.zeros(0, np.int64)
        keys = trees * self._span + (ids - self._first)
        places = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        outside = (ids < self._first) | (ids >= self._first + self._span)
        missing = np.flatnonzero(outside | (self._keys[places] != keys)) if len(self._keys) else [0]
        if len(missing):
            tree, node = int(trees[missing[0]]), int(ids[missing[0]])
            raise Violation(f"node {node} of tree {tree} in {name}", "no node has these ids")
        return self._order[places]


def _or_empty(values: Ints | None) -> Ints:
    return np.zeros(0, np.int64) if values is None else values


def _as_long(name: str, values: NDArray[Number], n: int) -> NDArray[Number]:
    if len(values) != n:
        raise Violation(
            f"{len(values)} values in {name}",
            f"expected {n}, as in the other lists",
            code="wrong-count",
        )
    return values
