"""The derivative of every operator that the standard calls differentiable, by finite differences:
on the inputs of onnx's node cases, in float64.
"""

import zlib
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from onnx_explorer.files import load
from onnx_explorer.ops.registry import schema, schemas
from tests.backend.node_cases import as_feed, cases
from tests.derivatives.differences import check, untyped

MOST = 20_000
"""Elements of one input; larger cases cost time and show nothing new."""

ELSEWHERE = {
    "Cast",
    "CastLike",
    "CausalConvWithState",
    "GlobalLpPool",
    "LinearAttention",
    "MaxRoiPool",
    "Scatter",
    "Trilu",
}
"""Operators without a node case that could run in float64 and says what is differentiable; other
tests have made some.
"""

DIFFERENTIABLE = [
    s.name
    for s in schemas("")
    if any(p.differentiable for p in s.inputs) and s.name not in ELSEWHERE
]


@cache
def single_nodes():
    """The node cases of one node, by operator."""
    found = defaultdict(list)
    for name, case in cases().items():
        if len(case.model.graph.node) == 1:
            found[case.model.graph.node[0].op_type].append(name)
    return found


def in_doubles(case):
    """The model of a case without declared types, its feeds with float64 wherever the operator
    takes it, the inputs to differentiate by, and the outputs to differentiate.
    """
    model = load(case.model)
    (node,) = model.graph.nodes
    facts = schema(node.op_type, model.opset_imports[""])
    feeds = {}
    for given, value in zip(model.graph.inputs, case.data_sets[0][0], strict=False):
        feed = as_feed(value)
        port = facts.port(node.inputs.index(given.name))
        allowed = facts.type_constraints.get(port.type)
        if isinstance(feed, np.ndarray | np.generic) and feed.dtype.kind == "f" and allowed:
            feed = feed.astype(np.float64) if "tensor(double)" in allowed.allowed else feed
        feeds[given.name] = feed
    xs = [
        name
        for place, name in enumerate(node.inputs)
        if name
        and facts.port(place).differentiable
        and isinstance(feeds[name], np.ndarray)
        and feeds[name].dtype.kind == "f"
    ]
    ys = [
        name
        for place, name in enumerate(node.outputs)
        if name and facts.port(place, output=True).differentiable is not False
    ]
    return untyped(model), feeds, xs, ys


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives_are_what_finite_differences_give(name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    compared = 0
    for case_name in single_nodes()[name]:
        model, feeds, xs, ys = in_doubles(cases()[case_name])
        if any(isinstance(f, np.ndarray) and f.size > MOST for f in feeds.values()) or not xs:
            continue
        for y in ys:
            try:
                compared += check(model, feeds, xs, y, rng=rng)
            except AssertionError as error:
                raise AssertionError(f"{case_name}, {y}: {error}") from None
    assert compared, "no direction was compared"
