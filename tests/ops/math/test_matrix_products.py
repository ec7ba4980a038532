import re

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.math.gemm import GEMM
from onnx_explorer.ops.math.matmul import MATMUL
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

rng = np.random.default_rng(0)
PAIRS = [
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((3,), (5, 3, 2)),
    ((2, 3), (3,)),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_products_sum_over_the_last_axis_of_a_and_the_last_but_one_of_b(a, b):
    A, B = rng.standard_normal(a), rng.standard_normal(b)
    left = "k" if A.ndim == 1 else "...ik"
    right = "k" if B.ndim == 1 else "...kj"
    out = "..." + "i" * (A.ndim > 1) + "j" * (B.ndim > 1)
    expected = np.einsum(f"{left},{right}->{out}", A, B)
    got = kernel(MATMUL, 13, A, B)
    np.testing.assert_allclose(got, expected)
    assert rule(MATMUL, 13, tensor(*a), tensor(*b)).shape == str(list(expected.shape))


def test_two_vectors_give_a_scalar():
    got = kernel(MATMUL, 9, np.array([1, 2]), np.array([3, 4]))
    assert (got.shape, got.tolist()) == ((), 11)
    assert rule(MATMUL, 9, tensor("n"), tensor("n")).shape == "[]"


def test_empty_products():
    assert kernel(MATMUL, 13, np.ones((2, 0)), np.ones((0, 3))).tolist() == [[0] * 3] * 2
    assert kernel(MATMUL, 13, np.ones((0, 2, 3)), np.ones((3, 4))).shape == (0, 2, 4)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_floats_are_summed_in_float32(dtype):
    ones = np.ones((1, 4096), dtype)
    for got in (kernel(MATMUL, 13, ones, ones.T), kernel(GEMM, 13, ones, ones, transB=1)):
        assert got.dtype == dtype
        assert got.tolist() == [[4096]]


@pytest.mark.parametrize("dtype", [np.int32, np.uint64])
def test_integers_stay_integers(dtype):
    A = np.array([[1, 2]], dtype)
    C = np.array([5], dtype)
    assert kernel(MATMUL, 9, A, A.T).dtype == dtype
    got = kernel(GEMM, 9, A, A, C, transB=1, alpha=0.5, beta=2.0)
    assert got.dtype == dtype
    assert got.tolist() == [[2 + 10]]  # 5 × 0.5 drops its half


def test_symbolic_batches_broadcast_and_inner_sizes_are_assumed_equal():
    got = rule(MATMUL, 13, tensor("B", 12, "S", "K"), tensor(1, 64, "T"))
    assert got.shape == "[B, 12, S, T]"
    assert got.assumptions == ["K = 64"]
    assert rule(MATMUL, 13, tensor("B", 3), UNKNOWN).shape == "[...]"


def test_faults_of_products_name_both_numbers():
    message = r"A of shape \[2, 3\] has 3 columns, but B of shape \[4, 5\] has 4 rows"
    got = rule(MATMUL, 13, tensor(2, 3), tensor(4, 5))
    assert re.fullmatch(message, *got.violations)
    assert got.shape == "[2, 5]", "what the product would be"
    with pytest.raises(Violation, match=message):
        kernel(MATMUL, 13, np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(Violation, match=r"A has shape \[2, 1, 3\], but B has shape \[3, 3, 1\]"):
        kernel(MATMUL, 13, np.ones((2, 1, 3)), np.ones((3, 3, 1)))
    with pytest.raises(Violation, match="a scalar, but a factor has rank 1"):
        rule(MATMUL, 13, tensor(), tensor(3))


@pytest.mark.parametrize("version", GEMM.versions)
def test_gemm_worked_by_hand(version):
    A, B, C = [[1.0], [2.0]], [[3.0], [4.0]], [[10.0]]
    given = {"broadcast": 1} if version < 7 else {}
    got = kernel(GEMM, version, A, B, C, transA=1, alpha=2.0, beta=0.5, **given)
    assert got.tolist() == [[2 * 11 + 5]]
    got = kernel(GEMM, version, A, B, [[0.0, 1], [2, 3]], transB=1)
    assert got.tolist() == [[3, 5], [8, 11]]


@pytest.mark.parametrize("version", [1, 6])
def test_gemm_broadcasts_only_on_request_before_version_7(version):
    row = np.ones(2)
    with pytest.raises(Violation, match=r"shape \[2\], but .* broadcast = 1, \[2, 2\]"):
        kernel(GEMM, version, np.ones((2, 1)), np.ones((1, 2)), row)
    got = rule(GEMM, version, tensor("M", 1), tensor(1, 2), tensor(2))
    assert got.violations == ["shape [2], but it must be, without broadcast = 1, [M, 2]"]
    assert got.shape == "[M, 2]"


def test_gemm_without_a_summand():
    assert kernel(GEMM, 11, [[1.0, 2]], [[3.0], [4]]).tolist() == [[11]]


def test_gemm_never_writes_into_its_inputs():
    A, B, C = np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2))
    kernel(GEMM, 13, A, B, C, alpha=2.0, beta=3.0)
    assert all((x == 1).all() for x in (A, B, C))


def test_shapes_of_gemm():
    got = rule(GEMM, 13, tensor("K", "M"), tensor("N", 8), tensor("N"), transA=1, transB=1)
    assert got.shape == "[M, N]"
    assert got.assumptions == ["K = 8"]
    assert rule(GEMM, 13, UNKNOWN, tensor(3, 4)).shape == "[rows_0, 4]"
    got = rule(GEMM, 13, tensor(2, 3), tensor(4, 5))
    expected = "A of shape [2, 3] has 3 columns, but B of shape [4, 5] has 4 rows"
    assert [str(one) for one in got.violations] == [expected]
    assert got.shape == "[2, 5]", "what the product would be"
    got = rule(GEMM, 13, tensor(3, 2), tensor(4, 5), transA=1)
    expected = "the transposed A of shape [2, 3] has 3 columns, but B of shape [4, 5] has 4 rows"
    assert [str(one) for one in got.violations] == [expected]
    with pytest.raises(Violation, match="rank 3, but a matrix has rank 2"):
        rule(GEMM, 13, tensor(2, 3, 4), tensor(4, 5))
    got = rule(GEMM, 13, tensor(2, 3), tensor(3, 5), tensor(4))
    assert got.violations == ["shape [4], but it must broadcast to [2, 5]"]
