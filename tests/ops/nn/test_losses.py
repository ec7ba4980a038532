import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.negative_log_likelihood_loss import NEGATIVE_LOG_LIKELIHOOD_LOSS as NLL
from onnx_explorer.ops.nn.softmax_cross_entropy_loss import SOFTMAX_CROSS_ENTROPY_LOSS as SCE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import complaint, kernel, rule, tensor

LOGS = np.array([[-1, -2], [-3, -4]], np.float32)
TARGET = np.array([1, 0])


@pytest.mark.parametrize("version", NLL.versions)
def test_losses_are_weighted_and_averaged(version):
    assert kernel(NLL, version, LOGS, TARGET).tolist() == 2.5
    weight = np.array([3, 1], np.float32)
    assert kernel(NLL, version, LOGS, TARGET, weight).tolist() == 2.75
    assert kernel(NLL, version, LOGS, TARGET, weight, reduction="none").tolist() == [2, 9]
    assert kernel(NLL, version, LOGS, TARGET, weight, reduction="sum").tolist() == 11


def test_ignored_places_count_for_nothing_even_where_there_is_no_such_class():
    target = np.array([1, -100], np.int32)
    for reduction, expected in (("none", [2, 0]), ("sum", 2), ("mean", 2)):
        got = kernel(NLL, 13, LOGS, target, ignore_index=-100, reduction=reduction)
        assert got.tolist() == expected
    with pytest.raises(Violation, match=r"class -100, but there are 2 classes"):
        kernel(NLL, 13, LOGS, target)


def test_losses_of_places_in_an_image():
    logs = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    target = np.array([[[0, 1], [2, 0]]])
    got = kernel(NLL, 13, logs, target, reduction="none")
    assert got.tolist() == [[[0, -5], [-10, -3]]]


def test_cross_entropy_takes_the_softmax_first():
    scores = np.array([[0, np.log(3)]], np.float32)
    loss, logs = kernel(SCE, 13, scores, np.array([1]), n_outputs=2)
    assert loss.item() == pytest.approx(np.log(4 / 3))
    np.testing.assert_allclose(logs, [[np.log(1 / 4), np.log(3 / 4)]], rtol=1e-6)
    large = np.array([[1000, 0]], np.float32)
    loss, _ = kernel(SCE, 12, large, np.array([1]), reduction="none", n_outputs=2)
    assert loss.tolist() == [1000]


def test_losses_of_halves_are_summed_in_float32():
    logs = np.full((3000, 1), -1, np.float16)
    got = kernel(NLL, 13, logs, np.zeros(3000, np.int64), reduction="sum")
    assert (got.tolist(), got.dtype, got.shape) == (3000, np.float16, ())
    loss, logs = kernel(SCE, 13, np.zeros((2, 1), ml_dtypes.bfloat16), np.zeros(2, np.int64))
    assert (loss.dtype, logs.dtype) == (ml_dtypes.bfloat16,) * 2


def test_losses_know_their_shapes():
    scores, labels = tensor("N", "C", "h", 5), tensor("N", "h", 5)
    assert rule(NLL, 13, scores, labels).shape == "[]"
    assert rule(NLL, 13, scores, labels, reduction="none").shape == "[N, h, 5]"
    got = rule(SCE, 13, scores, UNKNOWN, reduction="none", n_outputs=2)
    assert got.shapes == ["[N, h, 5]", "[N, C, h, 5]"]
    assert rule(NLL, 13, UNKNOWN, labels, reduction="none").shape == "[N, h, 5]"
    said = complaint(NLL, 13, scores, tensor("N", "h", 4))
    assert said == "shape [N, h, 4], but input of [N, C, h, 5] needs [N, h, 5]"
    said = complaint(SCE, 13, tensor("N", 3), tensor("N"), tensor(4), n_outputs=2)
    assert said == "shape [4], but there are 3 classes"
    with pytest.raises(Violation, match=r"shape \[3\], but input of \[2, 2\] needs \[2\]"):
        kernel(NLL, 13, LOGS, np.zeros(3, np.int64))
