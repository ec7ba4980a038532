import math

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.math.elementary import COS, EXP, LOG, RECIPROCAL, SIN, SQRT
from onnx_explorer.ops.math.hyperbolic import ACOSH, ASINH, ATANH, COSH, SINH
from onnx_explorer.ops.math.trigonometry import ACOS, ASIN, ATAN, TAN
from onnx_explorer.schema import UNKNOWN
from tests.ops.page_driver import kernel, rule, tensor

BY_HAND = [
    (EXP, 1.0, math.e),
    (LOG, math.e, 1.0),
    (SQRT, 2.25, 1.5),
    (RECIPROCAL, -4.0, -0.25),
    (SIN, math.pi / 2, 1.0),
    (COS, math.pi, -1.0),
    (TAN, math.pi / 4, 1.0),
    (ASIN, 0.5, math.pi / 6),
    (ACOS, 0.5, math.pi / 3),
    (ATAN, 1.0, math.pi / 4),
    (SINH, math.log(2), 0.75),  # (2 - 1/2) / 2
    (COSH, math.log(2), 1.25),
    (ASINH, 0.75, math.log(2)),
    (ACOSH, 1.25, math.log(2)),
    (ATANH, 0.6, math.log(2)),  # half of ln(1.6 / 0.4)
]


@pytest.mark.parametrize(("op", "x", "y"), BY_HAND, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_every_version_computes_the_function_in_the_dtype_it_is_given(op, x, y, dtype):
    for version in op.versions:
        got = kernel(op, version, np.full((2, 1), x, dtype))
        assert got.dtype == dtype
        assert got.shape == (2, 1)
        assert got.astype(float).ravel() == pytest.approx([y, y], rel=0.01)


@pytest.mark.parametrize("op", [op for op, _, _ in BY_HAND], ids=lambda op: op.name)
def test_the_shape_stays_as_far_as_it_is_known(op):
    assert rule(op, op.versions[0], tensor("B", 3)).shape == "[B, 3]"
    assert rule(op, op.versions[-1], UNKNOWN).shape == "[...]"


def test_the_edges_are_those_of_ieee_754():
    with np.errstate(all="ignore"):
        assert kernel(LOG, 13, np.array([0.0])).tolist() == [-math.inf]
        assert kernel(RECIPROCAL, 13, np.array([0.0, -0.0])).tolist() == [math.inf, -math.inf]
        assert np.isnan(kernel(SQRT, 13, np.array([-1.0]))).all()
        # ln of the largest float32 is 88.72
        assert kernel(EXP, 13, np.array([88.8], np.float32)).tolist() == [math.inf]


def test_an_empty_tensor_stays_empty():
    assert kernel(EXP, 13, np.zeros((0, 3), np.float32)).shape == (0, 3)
