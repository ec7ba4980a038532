from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.dims import Expr, UndecidedError, parse, ratio
from onnx_explorer.inference import infer
from onnx_explorer.ops.math.arithmetic import DIV
from onnx_explorer.ops.math.mod import MOD
from onnx_explorer.ops.math.pow import POW
from onnx_explorer.schema import Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


@pytest.mark.parametrize("version", MOD.versions)
def test_the_sign_of_a_remainder_is_that_of_b_or_with_fmod_that_of_a(version):
    a, b = np.array([-7, 7], np.int32), np.array([3, -3], np.int32)
    assert kernel(MOD, version, a, b).tolist() == [2, -2]
    assert kernel(MOD, version, a, b, fmod=1).tolist() == [-1, 1]
    floats = kernel(MOD, version, a.astype(np.float16), b.astype(np.float16), fmod=1)
    assert floats.dtype == np.float16
    assert floats.tolist() == [-1, 1]


def test_floats_need_fmod_before_version_28():
    ruled = rule(MOD, 13, tensor("B", 3), tensor(3))
    assert ruled.violations == ["fmod = 0 on float32, but Mod-13 takes floats only with fmod = 1"]
    assert ruled.shape == "[B, 3]"
    assert rule(MOD, 28, tensor("B", 3), tensor(3)).violations == []
    assert kernel(MOD, 28, np.array([-0.5]), np.array([2.0])).tolist() == [1.5]


def test_remainders_of_sizes():
    sizes = on_sizes(MOD, 13, ["h", "4*h + 2", -7], [4, 4, 3])
    assert [str(size) for size in sizes] == ["h mod 4", "2", "2"]
    assert on_sizes(MOD, 13, [-7], [3], fmod=1).tolist() == [-1]
    with pytest.raises(UndecidedError, match=r"3/2 is no whole number"):
        on_sizes(MOD, 28, [Fraction(3, 2)], [2])


def test_version_1_of_pow_broadcasts_from_an_axis_and_only_on_request():
    x, y = np.array([[1, 2], [3, 4]], np.float32), np.array([1, 2], np.float32)
    assert kernel(POW, 1, x, y, broadcast=1).tolist() == [[1, 4], [3, 16]]
    assert kernel(POW, 1, x, y, broadcast=1, axis=0).tolist() == [[1, 2], [9, 16]]
    with pytest.raises(Violation, match=r"B has shape \[2\], but A has shape \[2, 2\]"):
        kernel(POW, 1, x, y)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 0.5, -1])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_powers_keep_the_type_of_the_base(exponent, dtype):
    x = np.array([[0.5, 1.5, 2]], dtype)
    for y in (np.array(exponent, dtype), np.array([[exponent]], np.float32)):
        got = kernel(POW, 15, x, y)
        assert got.dtype == dtype
        assert got.astype(float)[0] == pytest.approx(
            [v**exponent for v in (0.5, 1.5, 2)], rel=float(ml_dtypes.finfo(dtype).eps)
        )


@pytest.mark.parametrize("exponent", [2, 3, 4])
def test_a_base_without_axes_has_powers_without_axes(exponent):
    got = kernel(POW, 13, np.array(2, np.float32), np.array(exponent, np.float32))
    assert (got.item(), got.shape) == (2**exponent, ())


def test_an_exponent_of_higher_rank_gives_its_rank():
    assert kernel(POW, 13, np.ones(3, np.float32), np.full((1, 1), 2.0, np.float32)).shape == (1, 3)
    assert rule(POW, 13, tensor("B"), tensor(1, 1)).shape == "[1, B]"


def test_integer_powers():
    x = np.array([2, -3], np.int64)
    assert kernel(POW, 12, x, np.array([10, 3], np.uint8)).tolist() == [1024, -27]
    assert kernel(POW, 12, x, np.array([-1, 0], np.int64)).tolist() == [0, 1]
    got = kernel(POW, 12, np.array([4, 10], np.int32), np.array([0.5, 0.5], np.float32))
    assert got.dtype == np.int32
    assert got.tolist() == [2, 3]
    # 3^39 needs more than the 53 bits of a float64
    assert kernel(POW, 12, np.array([3]), np.array([39])).tolist() == [4052555153018976267]


def test_powers_of_sizes():
    sizes = on_sizes(POW, 13, ["B", ratio(parse("B"), 2), Fraction(1, 2)], [2, 2, 3])
    assert [str(size) for size in sizes] == ["B**2", "B**2/4", "1/8"]
    with pytest.raises(UndecidedError, match="B to the power of -1"):
        on_sizes(POW, 13, ["B"], [-1])


@pytest.mark.parametrize("dtype", ["i4", "u1", "i8"])
def test_integers_are_not_divided_by_zero_and_floats_are(dtype):
    A, B = np.array([[4, 5], [6, 7]], dtype), np.array([2, 0], dtype)
    cases = [(DIV, {}), (MOD, {"fmod": 0}), (MOD, {"fmod": 1})]
    for op, attributes in cases:
        message = r"a divisor 0 at index \[1\], but integers have no quotient by 0"
        with pytest.raises(Violation, match=message):
            kernel(op, 14 if op is DIV else 13, A, B, **attributes)
        nothing = kernel(op, 14 if op is DIV else 13, A[:0], B, **attributes)
        assert nothing.shape == (0, 2)
    with np.errstate(divide="ignore"):
        assert kernel(DIV, 14, np.ones(1), np.zeros(1)).tolist() == [np.inf]


def test_what_a_division_by_zero_leaves_is_not_known():
    g = graph("g", opset=20)
    quotients = g.Div(np.array([4, 5]), np.array([2, 0]))
    g.output(g.Reshape(g.input("x", "float32[n]"), quotients), "y")
    types = infer(g.model())
    assert not types.errors
    assert all(isinstance(size, Expr) for size in types["y"].shape)
