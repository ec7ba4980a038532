"""Inference never contradicts a run, whatever fits an operator: ranks, sizes from 0, dtypes,
optional inputs and attributes are drawn, and the node is run and inferred. What inference refuses
does not run either.
"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from onnx_explorer.ops.registry import schemas
from tests.soundness.checking import ran_and_agreed
from tests.soundness.drawing import Draw, fitting_versions, spoiled
from tests.soundness.table import GENERATORS

EXAMPLES = 15
NEWEST = {(schema.domain, schema.name): schema for schema in schemas()}


@pytest.mark.parametrize("key", GENERATORS, ids=lambda key: key[1])
def test_inference_agrees_with_a_run(key):
    newest = NEWEST[key]
    ran = []

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def holds(data):
        draw = Draw(data, newest)
        drawn = GENERATORS[key](draw)
        kind = draw.size(0, 4)
        shared = draw.flag()
        if kind == 3:
            versions = fitting_versions(newest.operator, drawn)
            ran_and_agreed(draw.pick(*versions), drawn, shared=shared)
        elif kind == 4:
            ran_and_agreed(newest, spoiled(draw, drawn), shared=shared)
        else:
            ran.append(ran_and_agreed(newest, drawn, shared=shared))

    holds()
    assert sum(ran) * 2 >= len(ran), f"only {sum(ran)} of {len(ran)} cases ran"


def test_every_operator_has_a_generator():
    assert GENERATORS.keys() == NEWEST.keys()
