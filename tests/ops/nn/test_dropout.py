from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.dropout import DROPOUT
from onnx_explorer.schema import Violation
from tests.ops.page_driver import kernel, rule, tensor

DATA = np.arange(1.0, 7).reshape(2, 3)


@pytest.mark.parametrize("version", DROPOUT.versions)
def test_in_use_the_input_is_handed_on_and_the_mask_is_full(version):
    given = {"is_test": 1} if version < 7 else {}
    output, mask = kernel(DROPOUT, version, DATA, n_outputs=2, **given)
    assert output.tolist() == DATA.tolist()
    assert mask.tolist() == [[1, 1, 1], [1, 1, 1]]
    assert mask.dtype == (bool if version >= 10 else DATA.dtype)


def test_in_training_survivors_are_scaled_up():
    ones = np.ones(4000)
    output, mask = kernel(DROPOUT, 13, ones, np.array(0.75), np.array(True), seed=3, n_outputs=2)
    assert np.array_equal(output, np.where(mask, 4, 0))
    assert 0.2 < mask.mean() < 0.3
    again = kernel(DROPOUT, 13, ones, np.array(0.75), np.array(True), seed=3, n_outputs=2)
    assert np.array_equal(again[1], mask)


@pytest.mark.parametrize("version", [1, 6])
def test_the_first_versions_train_unless_told_otherwise(version):
    found = DROPOUT.kernel_at(version)
    site = SimpleNamespace(rng=np.random.default_rng(0))
    output, mask = found.function(np.ones(4000), is_test=0, ratio=0.5, at=site)
    assert np.array_equal(output, mask * 2)
    assert 0.4 < mask.mean() < 0.6
    known = tensor(2, content=(1, 2))
    assert rule(DROPOUT, version, known, n_outputs=2).outputs[0].content is None
    assert rule(DROPOUT, 7, known, n_outputs=2).outputs[0].content == (1, 2)


def test_types_of_few_bits_are_kept():
    for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        data = np.ones(8, dtype)
        output, _ = kernel(DROPOUT, 22, data, None, np.array(True), seed=0, n_outputs=2)
        assert output.dtype == dtype
        assert set(output.astype(float).tolist()) == {0, 2}


def test_a_ratio_must_leave_something():
    with pytest.raises(Violation, match=r"ratio = 1.0, but a probability in \[0, 1\)"):
        kernel(DROPOUT, 13, DATA, np.array(1.0), np.array(True), seed=0)


def test_both_outputs_have_the_shape_of_the_input():
    got = rule(DROPOUT, 13, tensor("B", 3), n_outputs=2)
    assert got.shapes == ["[B, 3]", "[B, 3]"]
    got = rule(DROPOUT, 13, tensor("B", 3), tensor(1), n_outputs=2)
    assert got.violations == ["shape [1], but it is a scalar: expected []"]


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("shape", [(1,), (2,)])
def test_a_ratio_and_a_mode_are_scalars_in_inference_and_in_a_run(place, shape):
    inputs = [DATA.astype(np.float32), np.float32(0.5).reshape(()), np.array(True)]
    inputs[place] = np.broadcast_to(inputs[place], shape)
    said = f"shape {list(shape)}, but it is a scalar: expected []"
    got = rule(DROPOUT, 13, *(tensor(*value.shape) for value in inputs), n_outputs=2)
    assert got.violations == [said]
    with pytest.raises(Violation) as refused:
        kernel(DROPOUT, 13, *inputs, seed=1, n_outputs=2)
    assert str(refused.value) == said
