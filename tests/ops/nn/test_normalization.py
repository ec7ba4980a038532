import re

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer import build, run
from onnx_explorer.ir import DType
from onnx_explorer.ops.nn.batch_normalization import BATCH_NORMALIZATION
from onnx_explorer.ops.nn.instance_normalization import INSTANCE_NORMALIZATION
from onnx_explorer.ops.nn.layer_normalization import LAYER_NORMALIZATION
from onnx_explorer.ops.nn.lrn import LRN
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

# one channel: (x - 1) / sqrt(3 + 1) × 10 + 1
USE = ([[3.0], [5.0]], [10.0], [1.0], [1.0], [3.0])
# the batch has mean 2 and variance 4: (x - 2) / sqrt(4) × 10 + 1
TRAINING = ([[0.0], [4.0]], [10.0], [1.0], [10.0], [20.0])
TRAINED = [[[-9], [11]], [6], [12], [2], [4]]  # Y, running mean and variance, the batch's own


def test_batch_statistics_are_given_in_use():
    for version in BATCH_NORMALIZATION.versions:
        given = {"is_test": 1} if version < 7 else {}
        given |= {"consumed_inputs": (0,)} if version == 1 else {}
        got = kernel(BATCH_NORMALIZATION, version, *USE, epsilon=1.0, **given)
        assert got.tolist() == [[11], [21]]


@pytest.mark.parametrize("version", [1, 6, 7, 9])
def test_older_versions_train_with_five_outputs(version):
    given = {"consumed_inputs": (0,)} if version == 1 else {}
    got = kernel(
        BATCH_NORMALIZATION, version, *TRAINING, epsilon=0.0, momentum=0.5, n_outputs=5, **given
    )
    assert [value.tolist() for value in got] == TRAINED


@pytest.mark.parametrize("version", [14, 15])
def test_newer_versions_train_on_request(version):
    got = kernel(
        BATCH_NORMALIZATION,
        version,
        *TRAINING,
        epsilon=0.0,
        momentum=0.5,
        training_mode=1,
        n_outputs=3,
    )
    assert [value.tolist() for value in got] == TRAINED[:3]
    got = rule(
        BATCH_NORMALIZATION, version, *[tensor("N", 3, 5)] * 1, *[tensor(3)] * 4, n_outputs=3
    )
    assert got.violations == ["3 outputs, but with training_mode = 0 there is only Y"]


def test_statistics_of_each_element_up_to_version_7():
    X = np.array([[[1.0, 2]], [[3, 6]]])
    one, zero = np.ones((1, 2)), np.zeros((1, 2))
    got = kernel(BATCH_NORMALIZATION, 7, X, one, zero, one, one, epsilon=0.0, spatial=0)
    assert got.tolist() == [[[0, 1]], [[2, 5]]]
    got = kernel(
        BATCH_NORMALIZATION,
        7,
        *(X, one, zero, one, one),
        epsilon=0.0,
        momentum=0.0,
        spatial=0,
        n_outputs=5,
    )
    assert got[0].tolist() == [[[-1, -1]], [[1, 1]]]
    assert got[1].tolist() == [[2, 4]]
    assert got[2].tolist() == [[1, 4]]


def test_batch_normalization_of_halves_is_computed_in_float32():
    X = np.array([[1000.0], [1002]], np.float16)
    wide = [np.array([v], np.float32) for v in (1, 0, 1001, 1)]
    got = kernel(BATCH_NORMALIZATION, 15, X, *wide, epsilon=0.0)
    assert got.dtype == np.float16
    assert got.tolist() == [[-1], [1]]
    ten = [np.full(1, v, ml_dtypes.bfloat16) for v in (1, 0, 0, 1)]
    got = kernel(BATCH_NORMALIZATION, 15, X.astype(ml_dtypes.bfloat16), *ten, epsilon=0.0)
    assert got.dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("shape", [(2, 70, 60, 50), (3, 5, 500, 400), (5000, 90), (400000,)])
def test_batch_normalization_of_many_elements_follows_its_formula(shape):
    rng = np.random.default_rng(0)
    channels = shape[1] if len(shape) > 1 else 1
    X = rng.normal(size=shape)
    scale, B, mean, var = rng.uniform(1, 2, (4, channels))
    each = (channels, *(1,) * (len(shape) - 2))
    s, b, m, v = (value.reshape(each) for value in (scale, B, mean, var))
    wanted = (X - m) / np.sqrt(v + 0.5) * s + b
    given = (value.astype(np.float32) for value in (X, scale, B, mean, var))
    got = kernel(BATCH_NORMALIZATION, 15, *given, epsilon=0.5)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_batch_normalization_keeps_shapes_and_checks_channels():
    parameters = [tensor(3)] * 4
    got = rule(BATCH_NORMALIZATION, 9, tensor("B", 3, "h"), *parameters, n_outputs=5)
    assert got.shapes == ["[B, 3, h]", "[3]", "[3]", "[3]", "[3]"]
    got = rule(BATCH_NORMALIZATION, 9, tensor("B", 4, "h"), *parameters)
    assert got.violations[0] == "shape [3], but X of shape [B, 4, h] needs [4]"
    assert len(got.violations) == 4
    assert rule(BATCH_NORMALIZATION, 9, UNKNOWN, *parameters, n_outputs=5).shapes[:2] == [
        "[...]",
        "[3]",
    ]
    with pytest.raises(Violation, match=r"shape \[1\], but X of shape \[2, 3\] needs \[3\]"):
        kernel(BATCH_NORMALIZATION, 9, np.ones((2, 3)), *USE[1:])


@pytest.mark.parametrize("version", INSTANCE_NORMALIZATION.versions)
def test_instance_normalization_of_each_sample_alone(version):
    got = kernel(
        INSTANCE_NORMALIZATION, version, [[[1.0, 3]], [[10, 30]]], [10.0], [1.0], epsilon=0.0
    )
    assert got.tolist() == [[[-9, 11]], [[-9, 11]]]


def test_instance_normalization_checks_channels():
    got = rule(INSTANCE_NORMALIZATION, 6, tensor("B", 4, "h"), tensor(3), tensor("C"))
    assert got.violations == ["shape [3], but there are 4 channels: expected [4]"]
    assert got.shape == "[B, 4, h]"
    assert got.assumptions == ["C = 4"]
    with pytest.raises(Violation, match=r"shape \[1\], but there are 2 channels"):
        kernel(INSTANCE_NORMALIZATION, 6, np.ones((1, 2, 3)), [1.0], [1.0, 1])
    with pytest.raises(Violation, match=r"rank 2, but .* rank 3 or more"):
        rule(INSTANCE_NORMALIZATION, 6, tensor(2, 3), tensor(3), tensor(3))


@pytest.mark.parametrize("version", LRN.versions)
def test_lrn_sums_neighbouring_channels(version):
    X = np.array([[1.0, 2, 3]])
    got = kernel(LRN, version, X, size=3, alpha=3.0, beta=1.0, bias=0.0)
    assert got[0].tolist() == pytest.approx([1 / 5, 2 / 14, 3 / 13])
    # an even size reaches further to the back
    got = kernel(LRN, version, X, size=2, alpha=2.0, beta=1.0, bias=0.0)
    assert got[0].tolist() == pytest.approx([1 / 5, 2 / 13, 3 / 9])


@pytest.mark.parametrize("beta", [0.5, 0.75, 0.6])
def test_lrn_raises_to_any_power(beta):
    got = kernel(LRN, 13, np.array([[2.0]]), size=1, alpha=1.0, beta=beta, bias=1.0)
    assert got[0, 0] == pytest.approx(2 / 5**beta)


def test_lrn_keeps_its_shape():
    assert rule(LRN, 13, tensor("B", "C", "h"), size=3).shape == "[B, C, h]"
    with pytest.raises(Violation, match=r"size = 0, but .* 1 channel"):
        rule(LRN, 13, tensor("B", "C"), size=0)
    halves = np.full((1, 3), 300, np.float16)  # whose squares float16 cannot hold
    assert kernel(LRN, 13, halves, size=3, alpha=3e-4).dtype == np.float16
    assert np.isfinite(kernel(LRN, 13, halves, size=3, alpha=3e-4)).all()


def test_layer_normalization_returns_its_statistics():
    Y, mean, inverse = kernel(
        LAYER_NORMALIZATION, 17, [[1.0, 3]], [10.0, 10], [1.0, 1], epsilon=0.0, n_outputs=3
    )
    assert Y.tolist() == [[-9, 11]]
    assert (mean.tolist(), inverse.tolist()) == ([[2]], [[1]])
    assert (Y.dtype, mean.dtype, inverse.dtype) == (np.float64, np.float32, np.float32)


def test_layer_normalization_keeps_statistics_in_the_stash_type():
    X = np.array([[2048, 2050]], np.float16)  # mean 2049 is no float16
    _, mean, _ = kernel(LAYER_NORMALIZATION, 17, X, np.ones(2, np.float16), n_outputs=3)
    assert mean.tolist() == [[2049]]
    Y, mean, _ = kernel(
        LAYER_NORMALIZATION, 17, X, np.ones(2, np.float16), stash_type=16, n_outputs=3
    )
    assert (Y.dtype, mean.dtype) == (np.float16, ml_dtypes.bfloat16)
    got = rule(LAYER_NORMALIZATION, 17, tensor(2), tensor(2), stash_type=16, n_outputs=3)
    assert [output.dtype for output in got.outputs[1:]] == [DType.BFLOAT16] * 2


def test_layer_normalization_of_several_axes():
    got = rule(LAYER_NORMALIZATION, 17, tensor("B", "S", 4, 8), tensor(8), axis=2, n_outputs=3)
    assert got.shapes == ["[B, S, 4, 8]", "[B, S, 1, 1]", "[B, S, 1, 1]"]
    X = np.arange(16.0).reshape(2, 2, 4)
    Y = kernel(LAYER_NORMALIZATION, 17, X, np.ones(4), axis=1)[0]
    np.testing.assert_allclose(Y.mean(axis=(1, 2)), 0, atol=1e-6)
    np.testing.assert_allclose(Y.var(axis=(1, 2)), 1, rtol=1e-4)


@pytest.mark.parametrize("rows", [0, 1, 5, 3000])
@pytest.mark.parametrize("count", [8, 100])
def test_layer_normalization_of_rows_is_that_of_float64(rows, count):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, (rows, count)).astype(np.float32)
    scale, shift = rng.normal(size=(2, count)).astype(np.float32)
    wide = X.astype(np.float64)
    means = wide.mean(1, keepdims=True)
    inverse = 1 / np.sqrt(wide.var(1, keepdims=True) + 0.25)
    for by, plus in ((scale, shift), (scale, None), (scale[:1], shift), (scale, shift[:1])):
        got = kernel(LAYER_NORMALIZATION, 17, X, by, plus, epsilon=0.25, n_outputs=3)
        expected = (wide - means) * inverse * by + (0 if plus is None else plus)
        np.testing.assert_allclose(got[0], expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(got[1], means, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(got[2], inverse, rtol=1e-5)


def test_layer_normalization_scales_must_broadcast():
    got = rule(LAYER_NORMALIZATION, 17, tensor("B", 8), tensor(7))
    assert got.violations == ["shape [7], but it must broadcast to X's [B, 8]"]
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2"):
        rule(LAYER_NORMALIZATION, 17, tensor("B", 8), tensor(8), axis=2)
    with pytest.raises(Violation, match=r"shape \[3, 8\], but it must broadcast to X's \[1, 8\]"):
        kernel(LAYER_NORMALIZATION, 17, np.ones((1, 8)), np.ones((3, 8)))


@pytest.mark.parametrize("version", BATCH_NORMALIZATION.versions)
@pytest.mark.parametrize("place", [1, 2, 3, 4])
@pytest.mark.parametrize("shape", [(), (1,), (1, 3)])
def test_a_run_refuses_parameters_that_inference_refuses(version, place, shape):
    inputs = [np.ones((2, 3), "f4"), *np.ones((4, 3), "f4")]
    inputs[place] = np.ones(shape, "f4")
    said = re.escape(f"shape {list(shape)}, but X of shape [2, 3] needs [3]")
    shapes = [tensor(*value.shape) for value in inputs]
    how = {"consumed_inputs": [0] * 5} if version == 1 else {}
    assert re.match(said, rule(BATCH_NORMALIZATION, version, *shapes, **how).violations[0])
    how |= {"is_test": 1} if version < 7 else {}
    with pytest.raises(Violation, match=said):
        kernel(BATCH_NORMALIZATION, version, *inputs, **how)


@pytest.mark.parametrize("version", INSTANCE_NORMALIZATION.versions)
def test_instance_normalization_of_an_empty_batch_stays_empty(version):
    X, ones = np.zeros((0, 2, 3), np.float16), np.ones(2, np.float16)
    got = kernel(INSTANCE_NORMALIZATION, version, X, ones, ones)
    assert (got.shape, got.dtype) == (X.shape, X.dtype)


def test_what_is_normalized_in_place_may_have_its_axes_in_another_order():
    g = build.graph("normalizing")
    x = g.input("x", "float32[n, c, t]")
    positive = g.Relu(g.Transpose(x, perm=[0, 2, 1]))
    g.output(g.LayerNormalization(positive, np.ones(64, np.float32)), "y")
    given = np.random.default_rng(3).normal(size=(2, 64, 80)).astype(np.float32)
    rows = np.maximum(given, 0).transpose(0, 2, 1).astype(float)
    wanted = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(run(g.model(), {"x": given})["y"], wanted, atol=1e-5)
