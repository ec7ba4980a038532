"""Equal rows come out equal to the last bit, wherever in a batch they stand."""

import numpy as np
import pytest

from onnx_explorer.ops.nn.global_pool import GLOBAL_AVERAGE_POOL
from onnx_explorer.ops.nn.layer_normalization import LAYER_NORMALIZATION
from onnx_explorer.ops.nn.softmax import SOFTMAX
from tests.ops.page_driver import kernel

ROW = np.random.default_rng(0).standard_normal(169).astype(np.float32) * 1e3
SCALE = np.ones(169, np.float32)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("rows", [3, 50, 1000])
def test_equal_rows_come_out_equal(rows):
    X = np.tile(ROW, (rows, 1))
    means = kernel(GLOBAL_AVERAGE_POOL, 1, X[None])
    assert len(np.unique(means)) == 1
    for result in (
        kernel(SOFTMAX, 13, X),
        kernel(SOFTMAX, 13, X / 100),
        kernel(LAYER_NORMALIZATION, 17, X, SCALE)[0],
    ):
        assert (result == result[0]).all()
