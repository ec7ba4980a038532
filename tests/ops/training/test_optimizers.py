import numpy as np
import pytest

from onnx_explorer.ops.training.adagrad import ADAGRAD
from onnx_explorer.ops.training.adam import ADAM
from onnx_explorer.ops.training.momentum import MOMENTUM
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

R = np.array(0.5, np.float32)


def count(n):
    return np.array(n, np.int64)


def test_the_rate_of_adagrad_decays_and_tensors_are_pulled_to_zero():
    got = kernel(
        ADAGRAD, 1, R, count(3), [2.0], [2.0], [7.0], decay_factor=1.0, norm_coefficient=0.5,
        epsilon=0.0,
    )  # fmt: skip
    # r = 0.5 / 4, G' = 2 + 0.5·2 = 3, H' = 7 + 9 = 16, X' = 2 − 0.125 · 3/4
    assert [v.tolist() for v in got] == [[2 - 0.09375], [16]]


def test_adam_corrects_its_means_and_shrinks_afterwards():
    got = kernel(
        ADAM, 1, R, count(1), [4.0], [2.0], [0.0], [0.0], alpha=0.5, beta=0.75, epsilon=0.0,
        norm_coefficient_post=0.5,
    )  # fmt: skip
    # V' = 1, H' = 1, r = 0.5 · √0.25 / 0.5 = 0.5, X' = 0.5 · (4 − 0.5)
    assert [v.tolist() for v in got] == [[1.75], [1], [1]]


def test_the_first_step_of_momentum_takes_the_whole_gradient():
    given = {"alpha": 0.5, "beta": 0.25, "mode": b"standard", "norm_coefficient": 0.0}
    first = kernel(MOMENTUM, 1, R, count(0), [1.0], [4.0], [2.0], **given)
    assert [v.tolist() for v in first] == [[1 - 0.5 * 5], [5]]
    later = kernel(MOMENTUM, 1, R, count(1), [1.0], [4.0], [2.0], **given)
    assert [v.tolist() for v in later] == [[1 - 0.5 * 2], [2]]


def test_results_stand_group_by_group_and_keep_their_types():
    x, y = np.ones((2, 3), np.float32), np.ones(4)
    got = kernel(ADAGRAD, 1, R, count(0), x, y, x, y, 0 * x, 0 * y)
    assert [(v.shape, v.dtype.name) for v in got] == [
        ((2, 3), "float32"),
        ((4,), "float64"),
        ((2, 3), "float32"),
        ((4,), "float64"),
    ]
    found = rule(ADAM, 1, UNKNOWN, UNKNOWN, *[tensor("N"), tensor(4)] * 4, n_outputs=6)
    assert found.shapes == ["[N]", "[4]"] * 3


def test_tensors_come_in_groups_of_equal_shapes():
    with pytest.raises(Violation, match=r"4 tensors.*3 for each"):
        rule(ADAGRAD, 1, UNKNOWN, UNKNOWN, *[tensor(2)] * 4)
    given = {"alpha": 0.5, "beta": 0.25, "mode": b"nesterov", "norm_coefficient": 0.0}
    found = rule(MOMENTUM, 1, UNKNOWN, UNKNOWN, tensor(2), tensor(3), tensor(2), **given)
    assert found.shapes == ["[2]", "[2]"]
    assert found.violations == ["shape [3], but the tensor to optimize has shape [2]"]
    with pytest.raises(Violation, match=r"shape \[3\].*\[2\]"):
        kernel(MOMENTUM, 1, R, count(0), np.ones(2), np.ones(3), np.ones(2), **given)
