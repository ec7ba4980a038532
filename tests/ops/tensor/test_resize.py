from fractions import Fraction

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from onnx_explorer.ops.tensor.resize import RESIZE
from onnx_explorer.ops.tensor.upsample import UPSAMPLE
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import complaint, ints, kernel, rule, tensor


def scales(*values):
    """A 1-D float32 tensor of known scales."""
    exact = tuple(Fraction(float(np.float32(value))) for value in values)
    return tensor(len(values), content=exact)


def runtime(operator, version, x, factors, roi=None, **attributes):
    """The same node in onnxruntime."""
    extra = {} if roi is None else {"roi": roi}
    feeds = {"x": x, **extra, "scales": np.array(factors, np.float32)}
    names = [*feeds]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)],
        "resize",
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, feeds[name].shape)
            for name in names
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", version)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)[0]


IMAGE = np.random.default_rng(3).standard_normal((1, 2, 4, 10)).astype(np.float32)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("factors", [(1, 1, 2, 3), (1, 1, 1, 1.6), (1, 1, 0.5, 0.6)])
def test_version_10_agrees_with_onnxruntime(mode, factors):
    ours = kernel(RESIZE, 10, IMAGE, np.array(factors, np.float32), mode=mode)
    np.testing.assert_allclose(ours, runtime("Resize", 10, IMAGE, factors, mode=mode), atol=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_upsample_9_agrees_with_onnxruntime(mode):
    factors = (1, 1, 1.5, 2.25)
    ours = kernel(UPSAMPLE, 9, IMAGE, np.array(factors, np.float32), mode=mode)
    np.testing.assert_allclose(ours, runtime("Upsample", 9, IMAGE, factors, mode=mode), atol=1e-5)


@pytest.mark.parametrize("nearest_mode", ["floor", "ceil", "round_prefer_floor"])
def test_tf_half_pixel_for_nn_of_version_11_agrees_with_onnxruntime(nearest_mode):
    how = {
        "coordinate_transformation_mode": "tf_half_pixel_for_nn",
        "nearest_mode": nearest_mode,
    }
    factors, nothing = (1, 1, 0.75, 1.5), np.zeros(0, np.float32)
    ours = kernel(RESIZE, 11, IMAGE, nothing, np.array(factors, np.float32), **how)
    expected = runtime("Resize", 11, IMAGE, factors, nothing, **how)
    np.testing.assert_array_equal(ours, expected)


def test_upsample_1_scales_height_and_width():
    x = np.array([[[[1, 2]]]], np.float32)
    how = {"height_scale": 1.0, "width_scale": 2.0}
    assert kernel(UPSAMPLE, 1, x, **how).tolist() == [[[[1, 1, 2, 2]]]]
    assert kernel(UPSAMPLE, 1, x, mode="bilinear", **how).tolist() == [[[[1, 1.5, 2, 2]]]]
    assert rule(UPSAMPLE, 1, tensor("N", 3, "h", 5), **how).shape == "[N, 3, h, 10]"
    with pytest.raises(Violation, match=r"rank 3, but images .* have rank 4"):
        rule(UPSAMPLE, 1, tensor(1, 2, 3), **how)


def test_upsample_7_takes_scales_as_an_attribute():
    words = np.array(["a", "b"], object)
    assert kernel(UPSAMPLE, 7, words, scales=(1.5,)).tolist() == ["a", "a", "b"]
    assert rule(UPSAMPLE, 7, tensor("h"), scales=(2.0,)).shape == "[2*h]"
    ruled = rule(UPSAMPLE, 7, tensor(4), scales=(0.5,))
    assert ruled.violations == ["scale 0.5, but Upsample's scales are 1 or more"]
    assert ruled.shape == "[2]"


def test_sizes_under_scales_are_exact():
    assert rule(RESIZE, 10, tensor("h", "w"), scales(2, 0.5)).shape == "[2*h, floor(w/2)]"
    # The float32 next to 0.7 lies below it.
    assert rule(RESIZE, 13, tensor(10), None, scales(0.7)).shape == "[6]"
    assert kernel(RESIZE, 13, np.ones(10), None, np.array([0.7], np.float32)).shape == (6,)


def test_sizes_are_taken_as_they_are():
    assert rule(RESIZE, 13, tensor("N", "h"), None, None, ints("N", "2*h")).shape == "[N, 2*h]"
    assert rule(RESIZE, 13, UNKNOWN, None, None, ints(1, "w")).shape == "[1, w]"
    empty = tensor(0, content=())
    assert rule(RESIZE, 11, tensor(4), empty, empty, ints(7)).shape == "[7]"
    assert rule(RESIZE, 18, tensor("N", "h"), None, None, ints(7), axes=(-1,)).shape == "[N, 7]"


def test_what_is_not_known_is_a_new_size():
    assert rule(RESIZE, 13, tensor("N", 4), None, tensor(2)).shape == "[dim0_0, dim1_1]"
    assert rule(RESIZE, 18, tensor("N", 4), None, tensor(1), axes=(1,)).shape == "[N, dim1_0]"
    assert rule(RESIZE, 13, UNKNOWN, None, tensor(2)).shape == "[dim0_0, dim1_1]"
    assert rule(RESIZE, 13, UNKNOWN, None, Abstract()).shape == "[...]"


@pytest.mark.parametrize(("policy", "expected"), [("not_larger", (5, 8)), ("not_smaller", (6, 9))])
def test_the_aspect_ratio_is_kept_rounding_half_up(policy, expected):
    # Scales to (6, 8) of (4, 6) are 3/2 and 4/3: 4 x 4/3 is 5.33, 6 x 3/2 is 9.
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    y = kernel(RESIZE, 19, x, None, None, [6, 8], keep_aspect_ratio_policy=policy)
    assert y.shape == expected
    ruled = rule(RESIZE, 19, tensor(4, 6), None, None, ints(6, 8), keep_aspect_ratio_policy=policy)
    assert ruled.shape == str(list(expected))
    open_ = rule(
        RESIZE, 19, tensor("h", 6), None, None, ints(6, 8), keep_aspect_ratio_policy=policy
    )
    assert open_.shape == "[dim0_0, dim1_1]"


def test_integers_are_rounded_and_kept_in_range():
    x = np.array([0, 255], np.uint8)
    factors = np.array([2], np.float32)
    assert kernel(RESIZE, 13, x, None, factors, mode="linear").tolist() == [0, 64, 191, 255]
    over = kernel(RESIZE, 13, np.array([0, 0, 255, 255], np.uint8), None, factors, mode="cubic")
    assert over.dtype == np.uint8
    assert over.max() == 255


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.complex64, bool])
def test_dtypes_stay(dtype):
    x = np.array([0, 1], dtype)
    y = kernel(RESIZE, 19, x, None, np.array([2], np.float32), mode="linear")
    assert y.dtype == x.dtype
    if dtype is not bool:
        assert y.tolist() == [0, 0.25, 0.75, 1]


def test_strings_can_only_be_repeated():
    words = np.array(["a", "b"], object)
    factors = np.array([2], np.float32)
    assert kernel(RESIZE, 13, words, None, factors).tolist() == ["a", "a", "b", "b"]
    with pytest.raises(Violation, match="a tensor of strings, but only mode = 'nearest'"):
        kernel(RESIZE, 13, words, None, factors, mode="linear")


def test_empty_axes():
    assert kernel(RESIZE, 13, np.ones((0, 2)), None, np.array([2, 2], np.float32)).shape == (0, 4)
    assert kernel(RESIZE, 13, np.ones((2, 2)), None, None, [2, 0], mode="cubic").shape == (2, 0)
    with pytest.raises(Violation, match="size 0 on axis 0, but it cannot be resized to 3"):
        kernel(RESIZE, 13, np.ones(0), None, None, [3])


def test_violations_name_both_numbers():
    with pytest.raises(Violation, match=r"2 scales, but one for each of 3 axes"):
        rule(RESIZE, 13, tensor(1, 2, 3), None, scales(1, 2))
    with pytest.raises(Violation, match=r"2 sizes, but one for each of 1 axes"):
        kernel(RESIZE, 13, np.ones(3), None, None, [1, 2])
    with pytest.raises(Violation, match="scale 0, but scales are above 0"):
        rule(RESIZE, 13, tensor(3), None, scales(0))
    with pytest.raises(Violation, match="neither scales nor sizes"):
        rule(RESIZE, 13, tensor(3))
    ruled = rule(RESIZE, 13, tensor(3), None, scales(2), ints(5))
    assert ruled.violations == ["1 scales and 1 sizes, but only one of the two may be given"]
    assert ruled.shape == "[5]"
    how = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    with pytest.raises(Violation, match=r"0 values in roi, but .* each of 1 axes: 2"):
        kernel(RESIZE, 13, np.ones(3), None, None, [5], **how)


def test_tf_half_pixel_for_nn_is_gone_in_version_13():
    with pytest.raises(Violation, match="tf_half_pixel_for_nn"):
        rule(
            RESIZE,
            13,
            tensor(3),
            None,
            scales(2),
            coordinate_transformation_mode="tf_half_pixel_for_nn",
        )


@pytest.mark.parametrize("shape", [(), (1, 2)])
def test_scales_and_sizes_are_vectors(shape):
    X, ones = np.ones((2, 3), "f4"), np.ones(shape, "f4")
    said = r"but a vector, one value for each axis"
    for op, version in ((UPSAMPLE, 9), (RESIZE, 10)):
        assert said in complaint(op, version, tensor(2, 3), tensor(*shape))
        with pytest.raises(Violation, match=said):
            kernel(op, version, X, ones)
    for before in (1, 2):
        given = [None] * before
        assert said in complaint(RESIZE, 19, tensor(2, 3), *given, tensor(*shape))
        with pytest.raises(Violation, match=said):
            kernel(RESIZE, 19, X, *given, ones if before == 1 else ones.astype(int))
