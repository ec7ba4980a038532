"""Sparse tensors whose values, indices and dims do not go together."""

import numpy as np
import pytest

from onnx_explorer.errors import ModelError
from onnx_explorer.evaluation import run
from onnx_explorer.ir import Graph, Model, SparseTensor, Tensor, Value
from onnx_explorer.ops.tensor.constant import CONSTANT
from tests.ops.page_driver import kernel


@pytest.mark.parametrize(
    ("dims", "indices", "said"),
    [
        ([6], [1, 6], r"dims \[6\]: index 6 of value 1 lies outside"),
        ([6], [-1, 2], "index -1 of value 0 lies outside"),
        ([2, 3], [[0, 1], [2, 1]], r"dims \[2, 3\]: index \[2, 1\] of value 1 lies outside"),
        ([2, 3], [1, 2, 3], r"2 values, but indices int64\[3\]"),
        ([2, 3], [[1], [2]], r"expected int64\[2\] or int64\[2, 2\]"),
        ([2**62, 2**62], [0, 1], "too large for the memory"),
        ([2**40, 2**20], [0, 1], "too large for the memory"),
        ([-6], [0, 1], "none below 0"),
        ([], [0, 1], "expected one size or more"),
    ],
)
def test_a_sparse_tensor_that_does_not_fit_itself_is_named(dims, indices, said):
    sparse = SparseTensor(
        Tensor.of(np.ones(2, np.float32), "s"), Tensor.of(np.array(indices)), tuple(dims)
    )
    with pytest.raises(ModelError, match=f"sparse tensor 's' of .*{said}"):
        kernel(CONSTANT, 11, sparse_value=sparse)
    graph = Graph("g", (), (), (Value("s"),), sparse_initializers=(sparse,))
    with pytest.raises(ModelError, match=f"sparse tensor 's' of .*{said}"):
        run(Model(graph, {"": 20}, 10), {})
