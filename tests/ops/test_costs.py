"""What nodes cost: multiply-adds and operations, by arithmetic on the shapes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from onnx_explorer.dims import Dim, substitute, symbol
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator
from onnx_explorer.schema import Cost

N, S = symbol("n"), symbol("s")
COUNTED = [
    (name, domain) for domain, name in INDEX if (page := operator(name, domain)) and page._costs
]


def cost(name: str, inputs: list, outputs: list, **attributes: object) -> Cost:
    page = operator(name)
    assert page is not None
    found = page.cost_at(page.versions[-1])
    assert found is not None
    schema = page.schema(page.versions[-1])
    asked = {n: attributes.get(n, schema.attributes[n].default) for n in found.attributes}
    return found.function(tuple(inputs), tuple(outputs), **asked)


LINEAR = [(1, 10, 32), (1, 10, 16), (1, 10, 32)]
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}


# 7 x 7 filters of 3 channels, 64 of them, at 112 x 112 places: 118,013,952 multiply-adds.
@pytest.mark.parametrize(
    ("name", "inputs", "output", "attributes", "macs"),
    [
        ("Conv", [(1, 3, 224, 224), (64, 3, 7, 7)], (1, 64, 112, 112), {}, 118_013_952),
        # Depthwise: each filter sees one channel.
        ("Conv", [(1, 32, 8, 8), (32, 1, 3, 3)], (1, 32, 8, 8), {}, 32 * 64 * 9),
        # Each of 4 x 4 x 16 inputs is multiplied with 8 filters of 2 x 2.
        ("ConvTranspose", [(1, 16, 4, 4), (16, 8, 2, 2)], (1, 8, 8, 8), {}, 256 * 32),
        ("MatMul", [(5, 2, 3), (3, 4)], (5, 2, 4), {}, 5 * 2 * 3 * 4),
        ("MatMul", [(3,), (3,)], (), {}, 3),
        ("Gemm", [(2, 3), (3, 4), (4,)], (2, 4), {}, 24),
        ("Gemm", [(3, 2), (4, 3)], (2, 4), {"transA": 1, "transB": 1}, 24),
        ("Einsum", [(2, 3), (3, 4)], (2, 4), {"equation": "ij,jk->ik"}, 24),
        # 6 steps of 2 samples: 4 gates of 5 read 3 inputs and 5 states.
        ("LSTM", [(6, 2, 3), (1, 20, 3), (1, 20, 5)], (6, 1, 2, 5), {}, 12 * 20 * 8),
        # 4 heads of 8: 10 queries meet 20 keys, then 20 values.
        ("Attention", [(1, 4, 10, 8), (1, 4, 20, 8), (1, 4, 20, 8)], (1, 4, 10, 8), {}, 12_800),
        (
            "Attention",
            [(1, 10, 32), (1, 20, 32), (1, 20, 32)],
            (1, 10, 32),
            {"q_num_heads": 4},
            12_800,
        ),
        # Of 4 heads of queries 2 share a state of 8 by 16: 10 tokens read 4 of them, write 2, and
        # with "delta" read those 2 once more.
        ("LinearAttention", LINEAR, (1, 10, 64), HEADS | {"update_rule": "linear"}, 7_680),
        ("LinearAttention", LINEAR, (1, 10, 64), HEADS | {"update_rule": "delta"}, 10_240),
        # 8 frequencies of two parts, each a sum over 8 numbers; 5 of them say everything.
        ("DFT", [(1, 8, 1)], (1, 8, 2), {}, 128),
        ("DFT", [(1, 8, 1)], (1, 5, 2), {"onesided": 1}, 80),
        ("DFT", [(1, 8, 2)], (1, 8, 2), {"inverse": 1}, 256),
        # Cut to 4 numbers, and along the first axis, the only one that changes.
        ("DFT", [(3, 8, 1), ()], (3, 4, 2), {}, 3 * 8 * 4),
        ("DFT", [(8, 3, 1), (), ()], (4, 3, 2), {}, 3 * 8 * 4),
        # 4 frames of 3 bins of two parts, each a sum over 4 samples.
        ("STFT", [(1, 16, 1), (), (4,)], (1, 4, 3, 2), {}, 96),
        ("STFT", [(1, 16), (), None, ()], (1, 4, 3, 2), {}, 96),
        # The first pivot updates 2 x 2 elements, the second one; 2 matrices.
        ("Det", [(2, 3, 3)], (2,), {}, 10),
        ("Det", [(2, 2)], (), {}, 1),
        ("Relu", [(2, 3)], (2, 3), {}, 0),
    ],
)
def test_multiply_adds_are_those_of_the_formula(name, inputs, output, attributes, macs):
    assert cost(name, inputs, [output], **attributes).macs == macs


@pytest.mark.parametrize(
    ("name", "inputs", "output", "attributes", "flops"),
    [
        ("Add", [(2, 3), (3,)], (2, 3), {}, 6),
        ("Sum", [(2, 3)] * 4, (2, 3), {}, 18),
        ("ReduceMean", [(4, 5)], (4, 1), {}, 20),
        ("MaxPool", [(1, 1, 4, 4)], (1, 1, 2, 2), {"kernel_shape": (2, 2)}, 16),
        ("GlobalAveragePool", [(1, 8, 4, 4)], (1, 8, 1, 1), {}, 128),
        # Of each of 3 x 3: 3 divisions by pivots and 3 pivots multiplied, beside 5 multiply-adds.
        ("Det", [(2, 3, 3)], (2,), {}, 2 * (2 * 5 + 3 + 3)),
        # Windowed: 4 frames of 4 samples.
        ("STFT", [(1, 16, 1), (), (4,)], (1, 4, 3, 2), {}, 2 * 96 + 16),
        # Each of 16 numbers is divided.
        ("DFT", [(1, 8, 2)], (1, 8, 2), {"inverse": 1}, 2 * 256 + 16),
        # A token decays 2 states of 128 by 2 exponentials, takes 2 x 32 differences and rates, and
        # scales 64 outputs.
        (
            "LinearAttention",
            [*LINEAR, None, (1, 10, 2), (1, 10, 2)],
            (1, 10, 64),
            HEADS,
            2 * 10_240 + 10 * (256 + 2 + 64 + 64),
        ),
        # A multiply-add is two operations, and the bias one more.
        ("Conv", [(1, 1, 3, 3), (1, 1, 3, 3), (1,)], (1, 1, 1, 1), {}, 2 * 9 + 1),
    ],
)
def test_operations_are_those_of_the_formula(name, inputs, output, attributes, flops):
    assert cost(name, inputs, [output], **attributes).flops == flops


def test_costs_of_symbolic_shapes_become_those_of_the_numbers():
    def of(n: Dim, s: Dim) -> list[Dim]:
        costs = (
            cost("MatMul", [(n, s, 16), (16, 8)], [(n, s, 8)]),
            cost("Conv", [(n, 3, s, s), (8, 3, 3, 3)], [(n, 8, s - 2, s - 2)]),
            cost("Softmax", [(n, s)], [(n, s)]),
            cost("Attention", [(n, 4, s, 8)] * 3, [(n, 4, s, 8)]),
            cost("Det", [(n, s, s)], [(n,)]),
            cost("DFT", [(n, s, 1)], [(n, s, 2)]),
        )
        return [found.flops for found in costs]

    assert [substitute(flops, {"n": 2, "s": 7}) for flops in of(N, S)] == of(2, 7)


def test_where_shapes_leave_the_axis_of_a_transform_open_nothing_is_counted():
    with pytest.raises(LookupError, match="axes"):
        cost("DFT", [(3, 8, 1), None, ()], [(3, 8, 2)])


@pytest.mark.parametrize(("name", "domain"), COUNTED)
def test_each_page_counts_its_own_examples(name, domain):
    page = operator(name, domain)
    assert page is not None
    version = page.versions[-1]
    found, schema = page.cost_at(version), page.schema(version)
    assert found is not None
    for example in page.examples:
        given = {n: a.default for n, a in schema.attributes.items()} | dict(example.attributes)
        shapes = [
            tuple(None if value is None else np.shape(value) for value in values)
            for values in (example.inputs, example.outputs)
        ]
        counted = found.function(*shapes, **{n: given[n] for n in found.attributes})
        assert isinstance(counted, Cost)
        # Whatever makes an element does something for it.
        made = prod(shapes[1][0] or (1,))
        assert counted.flops >= min(made, 1), example


def test_moving_data_is_not_counted():
    assert all(operator(name).cost_at(13) is None for name in ("Reshape", "Transpose", "Concat"))


@pytest.mark.parametrize(("name", "domain"), COUNTED)
def test_a_page_that_counts_counts_in_all_versions(name, domain):
    page = operator(name, domain)
    assert page is not None
    assert [version for version in page.versions if page.cost_at(version) is None] == []
