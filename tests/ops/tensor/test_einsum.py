import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.tensor.einsum import EINSUM
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

RNG = np.random.default_rng(0)
# numpy's own einsum is the oracle: equations, and the shapes of their inputs.
EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhij,bhjd->bihd", (2, 3, 4, 6), (2, 3, 6, 5)),
    ("bij,bij->b", (2, 3, 4), (2, 3, 4)),
    ("i,j->ji", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("ijk->kj", (2, 3, 4)),
    ("ba", (2, 3)),
    ("aB", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij,j->i", (3, 3, 2), (2,)),
    ("iii->i", (3, 3, 3)),
    ("...j,jk->...k", (2, 5, 3), (3, 4)),
    ("... j , j k", (2, 5, 3), (3, 4)),
    ("...,...", (2, 3), (2, 3)),
    ("i...,...j->j...i", (4, 2, 1), (2, 3, 5)),
    ("bij,bjk,kl->bil", (2, 3, 4), (2, 4, 5), (5, 6)),
    ("a,b,c->cab", (2,), (3,), (4,)),
    ("ij,ij->ij", (1, 3), (2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    (",i->i", (), (3,)),
]


@pytest.mark.parametrize("equation", EQUATIONS, ids=str)
def test_einsum_agrees_with_numpy_and_its_rule(equation):
    text, *shapes = equation
    for dtype in (np.float64, np.int32):
        inputs = [RNG.integers(-9, 9, shape).astype(dtype) for shape in shapes]
        wanted = np.einsum(text, *inputs)
        got = kernel(EINSUM, 12, *inputs, equation=text.encode())
        assert (got.dtype, got.shape) == (dtype, wanted.shape)
        assert (got == wanted).all()
    known = rule(EINSUM, 12, *(tensor(*shape) for shape in shapes), equation=text.encode())
    assert known.outputs[0].shape == wanted.shape
    assert known.assumptions == []


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_16_bit_floats_are_summed_in_float32(dtype):
    # Ones added up in the type itself would stop at 2048, or 256 in bfloat16.
    ones = np.ones(4096, dtype)
    got = kernel(EINSUM, 28, ones, ones, equation=b"i,i->")
    assert got.dtype == dtype
    assert float(got) == 4096


def test_small_integers_wrap_around():
    x = np.array([100, 100], np.int8)
    got = kernel(EINSUM, 12, x, equation=b"i->")
    assert got.dtype == np.int8
    assert int(got) == 200 - 256


def test_symbolic_sizes_keep_their_names():
    attention = {"equation": b"bhid,bhjd->bhij"}
    ruled = rule(EINSUM, 12, tensor("B", 8, "S", 64), tensor("B", 8, "T", 64), **attention)
    assert ruled.shape == "[B, 8, S, T]"
    assert ruled.assumptions == []
    ruled = rule(EINSUM, 12, tensor("M", "K"), tensor("L", "N"), equation=b"ij,jk->ik")
    assert ruled.shape == "[M, N]"
    assert ruled.assumptions == ["K = L, or one of them is 1"]
    assert rule(EINSUM, 12, tensor("B", "S", 3), equation=b"...j->...").shape == "[B, S]"
    ruled = rule(EINSUM, 12, tensor("M", "N"), equation=b"ii->i")
    assert ruled.shape == "[M]"
    assert ruled.assumptions == ["M = N"]


def test_what_an_unknown_input_leaves():
    ruled = rule(EINSUM, 12, UNKNOWN, tensor(3, "N"), equation=b"ij,jk->ijk")
    assert ruled.shape == "[label_i_0, 3, N]"
    # The unknown input may repeat what is 1 here.
    assert rule(EINSUM, 12, UNKNOWN, tensor(1), equation=b"j,j->j").shape == "[label_j_0]"
    assert rule(EINSUM, 12, UNKNOWN, equation=b"...j->...").shape == "[...]"
    assert rule(EINSUM, 12, UNKNOWN, tensor(2, 3), equation=b"...j,...j->...").shape == "[2]"


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk", [(2, 3)], "has 2 terms, but there are 1 inputs"),
        ("ij", [(2, 3, 4)], "input 0 has rank 3, but its term 'ij' names 2 axes"),
        ("ij...", [(2,)], "input 0 has rank 1, but its term 'ij...' names 2 axes"),
        ("ij,jk", [(2, 3), (4, 5)], "input 1 has size 4 at 'j', but another input has 3 there"),
        ("ii", [(2, 3)], "input 0 has sizes 2 and 3 at 'i'"),
        ("ij->ik", [(2, 3)], "has k in the output only"),
        ("ij->ii", [(2, 3)], "a label occurs once in the output"),
        ("i->j->k", [(2,)], "'j->k' in equation"),
        ("i1", [(2, 3)], "'i1' in equation"),
        ("......", [(2, 3)], "'......' in equation"),
        ("...i->i", [(2, 3)], "has an ellipsis of 1 axes, but the output has one, too"),
        ("...,...", [(2, 3), (3,)], "axes of the ellipsis: 2 in input 0, 1 in input 1"),
    ],
)
def test_equations_that_do_not_fit(equation, shapes, message):
    for said in (
        lambda: rule(EINSUM, 12, *(tensor(*s) for s in shapes), equation=equation.encode()),
        lambda: kernel(EINSUM, 12, *map(np.ones, shapes), equation=equation.encode()),
    ):
        with pytest.raises(Violation) as caught:
            said()
        assert message in str(caught.value)
