import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.average_pool import AVERAGE_POOL
from onnx_explorer.ops.nn.global_pool import GLOBAL_AVERAGE_POOL, GLOBAL_LP_POOL, GLOBAL_MAX_POOL
from onnx_explorer.ops.nn.lp_pool import LP_POOL
from onnx_explorer.ops.nn.max_pool import MAX_POOL
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

ROW = [[[1.0, 2, 3, 4]]]
POOLS = [AVERAGE_POOL, MAX_POOL, LP_POOL]


@pytest.mark.parametrize("version", AVERAGE_POOL.versions)
def test_the_average_leaves_padding_out(version):
    got = kernel(AVERAGE_POOL, version, ROW, kernel_shape=(2,), pads=(1, 1), strides=(2,))
    assert got.tolist() == [[[1, 2.5, 4]]]


@pytest.mark.parametrize("version", AVERAGE_POOL.versions[1:])
def test_the_average_counts_padding_on_request(version):
    got = kernel(
        AVERAGE_POOL,
        version,
        ROW,
        kernel_shape=(2,),
        pads=(1, 1),
        strides=(2,),
        count_include_pad=1,
    )
    assert got.tolist() == [[[0.5, 2.5, 2]]]


def test_what_hangs_over_the_end_never_counts():
    # windows [0, 1, 2] and [3, 4 | 5]; the padded row has 5 elements, the sixth does not exist
    got = kernel(
        AVERAGE_POOL,
        19,
        ROW,
        kernel_shape=(3,),
        strides=(3,),
        pads=(0, 1),
        ceil_mode=1,
        count_include_pad=1,
    )
    assert got.tolist() == [[[2, 2]]]
    got = kernel(AVERAGE_POOL, 19, ROW, kernel_shape=(3,), strides=(3,), ceil_mode=1)
    assert got.tolist() == [[[2, 4]]]


def test_a_window_that_would_begin_behind_the_input_is_left_out():
    attributes = {"kernel_shape": (1,), "strides": (3,), "pads": (0, 2), "ceil_mode": 1}
    assert kernel(MAX_POOL, 22, ROW, **attributes)[0].tolist() == [[[1, 4]]][0]
    assert rule(AVERAGE_POOL, 22, tensor(1, 1, 4), **attributes).shape == "[1, 1, 2]"


@pytest.mark.parametrize("op", POOLS, ids=lambda op: op.name)
def test_a_window_may_hang_over_the_end_by_less_than_a_stride(op):
    # ceil((3 - 4) / 2) + 1 = 1 window of 4 elements over 3; ceil((3 - 5) / 2) + 1 = 0 of 5
    X = np.float32([[[1, 2, 2]]])
    attributes = {"strides": (2,), "ceil_mode": 1}
    got = kernel(op, 22, X, kernel_shape=(4,), **attributes)
    expected = {"MaxPool": 2, "AveragePool": 5 / 3, "LpPool": 3}[op.name]
    np.testing.assert_allclose(got, [[[expected]]], rtol=1e-6)
    for at, x in ((rule, tensor(1, 1, 3)), (kernel, X)):
        with pytest.raises(Violation, match=r"size 3 on spatial axis 0, .* reaches over 5"):
            at(op, 22, x, kernel_shape=(5,), **attributes)
    with pytest.raises(Violation, match=r"size 3 on spatial axis 0, .* reaches over 4"):
        kernel(op, 22, X, kernel_shape=(4,), strides=(2,))


def test_the_average_over_nothing_but_padding_is_not_that_of_the_input():
    # elements -1, 1, 3 of an axis that has element 0 alone
    attributes = {"kernel_shape": (1, 3), "dilations": (1, 2), "pads": (0, 1, 0, 3)}
    got = kernel(AVERAGE_POOL, 19, np.float32([[[[5]]]]), **attributes)
    assert got.tolist() == [[[[0]]]]


def test_windows_with_gaps():
    got = kernel(AVERAGE_POOL, 19, ROW, kernel_shape=(2,), dilations=(2,))
    assert got.tolist() == [[[2, 3]]]
    assert kernel(MAX_POOL, 10, ROW, kernel_shape=(2,), dilations=(3,)).tolist() == [[[4]]]


@pytest.mark.parametrize("op", POOLS, ids=lambda op: op.name)
def test_many_planes_come_out_as_each_alone(op):
    # more than one block of channels
    X = np.random.default_rng(0).standard_normal((2, 40, 60, 61)).astype(np.float32)
    attributes = {"kernel_shape": (3, 2), "strides": (2, 1), "pads": (1, 0, 1, 1)}
    whole = kernel(op, 11, X, **attributes)
    for n, c in ((0, 0), (1, 39), (0, 25)):
        alone = kernel(op, 11, X[n : n + 1, c : c + 1], **attributes)
        assert np.array_equal(whole[n, c], alone[0, 0])


def test_the_maximum_of_windows_is_found_two_axes_at_a_time():
    X = np.random.default_rng(0).permutation(7 * 9).reshape(1, 1, 7, 9).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(X[0, 0], (3, 4))[::2, ::3]
    got = kernel(MAX_POOL, 8, X, kernel_shape=(3, 4), strides=(2, 3))
    assert np.array_equal(got[0, 0], windows.max(axis=(2, 3)))


@pytest.mark.parametrize(
    ("x", "kernel_shape", "attributes"),
    [
        ((2, 3, 11), (4,), {"pads": (3, 2), "strides": (3,)}),
        ((2, 5, 9, 8), (3, 2), {"pads": (1, 0, 2, 1), "strides": (2, 1)}),
        ((1, 2, 9, 13), (2, 3), {"dilations": (3, 2), "pads": (0, 1, 0, 1)}),
        ((1, 90, 30, 31), (3, 3), {"pads": (1, 1, 1, 1)}),
        ((1, 2, 5, 6, 7), (2, 3, 3), {"pads": (1,) * 6, "strides": (1, 2, 2)}),
        ((2, 3, 6, 7), (6, 7), {}),
    ],
)
def test_pools_compute_the_definition(x, kernel_shape, attributes):
    n = len(kernel_shape)
    X = np.random.default_rng(0).standard_normal(x)
    ends = np.reshape(attributes.get("pads", (0,) * 2 * n), (2, n)).T
    strides, gaps = (attributes.get(name, (1,) * n) for name in ("strides", "dilations"))
    reach = [(k - 1) * gap + 1 for k, gap in zip(kernel_shape, gaps, strict=True)]
    field = np.pad(X, [(0, 0), (0, 0), *ends], constant_values=np.nan)
    axes = tuple(range(2, 2 + n))
    seen = np.lib.stride_tricks.sliding_window_view(field, reach, axes)
    seen = seen[(..., *(slice(None, None, s) for s in strides), *(slice(None),) * n)]
    seen = seen[(..., *(slice(None, None, gap) for gap in gaps))]
    windows = tuple(range(-n, 0))
    for op, expected in (
        (MAX_POOL, np.nanmax(seen, windows)),
        (AVERAGE_POOL, np.nanmean(seen, windows)),
        (LP_POOL, np.sqrt(np.nansum(seen**2, windows))),
    ):
        got = kernel(op, 22, X, kernel_shape=kernel_shape, **attributes)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_an_infinity_reaches_only_the_windows_that_see_it():
    X = np.zeros((1, 2, 5, 5), np.float32)
    X[0, 0, 2, 4], X[0, 0, 4, 4], X[0, 1, 0, 0] = np.inf, -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        got = kernel(AVERAGE_POOL, 22, X, kernel_shape=(3, 3), pads=(1, 1, 1, 1))
    row = [[0, 0, 0, sign, sign] for sign in (np.inf, np.inf, np.nan, -np.inf)]
    np.testing.assert_array_equal(got[0, 0], [[0] * 5, *row])
    assert np.isinf(got[0, 1]).sum() == 4


def test_indices_count_batch_and_channels_and_no_padding():
    X = np.zeros((2, 2, 2, 3), np.float32)
    X[:, :, 1, 2] = 7
    attributes = {"kernel_shape": (2, 3), "n_outputs": 2}
    _, rows = kernel(MAX_POOL, 8, X, pads=(1, 1, 0, 0), strides=(2, 2), **attributes)
    assert rows.shape == (2, 2, 1, 1)
    _, rows = kernel(MAX_POOL, 8, X, **attributes)
    assert rows.ravel().tolist() == [5, 11, 17, 23]
    X[:] = np.arange(6).reshape(2, 3) == 1
    _, columns = kernel(MAX_POOL, 8, X, storage_order=1, **attributes)
    assert columns.ravel().tolist() == [2, 8, 14, 20]
    assert columns.dtype == np.int64


def test_padding_loses_against_minus_infinity_and_the_least_integer():
    low = np.full((1, 1, 2), -np.inf, np.float32)
    got = kernel(MAX_POOL, 8, low, kernel_shape=(2,), pads=(1, 1), n_outputs=2)
    assert got[0].tolist() == [[[-np.inf] * 3]]
    assert got[1].tolist() == [[[0, 0, 1]]]
    for dtype, least in ((np.int8, -128), (np.uint8, 0)):
        X = np.full((1, 1, 2), least, dtype)
        got = kernel(MAX_POOL, 12, X, kernel_shape=(2,), pads=(1, 0))
        assert got.dtype == dtype
        assert got.tolist() == [[[least, least]]]


def test_nan_is_the_largest():
    X = [[[1.0, np.nan, 3]]]
    got = kernel(MAX_POOL, 12, X, kernel_shape=(3,), n_outputs=2)
    assert np.isnan(got[0]).all()
    assert got[1].tolist() == [[[1]]]
    assert np.isnan(kernel(MAX_POOL, 12, X, kernel_shape=(3,))).all()


@pytest.mark.parametrize(
    ("p", "expected"), [(1, [7, 12]), (2, [5, 13]), (3, [91 ** (1 / 3), 1853 ** (1 / 3)])]
)
def test_p_norms(p, expected):
    X = [[[3.0, -4, -5, 12]]]
    if p != 1:
        got = kernel(LP_POOL, 18, X, kernel_shape=(2,), strides=(2,), p=p)
        assert got[0, 0].tolist() == pytest.approx(expected)
    old = kernel(LP_POOL, 1, [[[3.0, -4]]], kernel_shape=(2,), p=float(p))
    assert old[0, 0].tolist() == pytest.approx(expected[:1])
    whole = kernel(GLOBAL_LP_POOL, 2, [[[3.0, -4]]], p=p)
    assert whole.shape == (1, 1, 1)
    assert whole[0, 0].tolist() == pytest.approx(expected[:1])


def test_the_first_version_of_lp_pool_still_needs_a_window():
    with pytest.raises(Violation, match="no kernel_shape"):
        rule(LP_POOL, 1, tensor(1, 1, 4))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_floats_are_summed_in_float32(dtype):
    X = np.full((1, 1, 4096), 2, dtype)
    for got, expected in (
        (kernel(AVERAGE_POOL, 22, X, kernel_shape=(4096,)), 2),
        (kernel(LP_POOL, 22, X, kernel_shape=(4096,), p=1), 8192),
        (kernel(GLOBAL_AVERAGE_POOL, 22, X), 2),
        (kernel(GLOBAL_LP_POOL, 22, X, p=2), 128),
        (kernel(GLOBAL_MAX_POOL, 22, X), 2),
        (kernel(MAX_POOL, 22, X, kernel_shape=(4096,), pads=(5, 5), strides=(9,)), 2),
    ):
        assert got.dtype == dtype
        assert set(got.ravel().tolist()) == {expected}


def test_global_pools_keep_every_axis():
    X = np.arange(12.0).reshape(1, 2, 3, 2)
    assert kernel(GLOBAL_AVERAGE_POOL, 1, X).tolist() == [[[[2.5]], [[8.5]]]]
    assert kernel(GLOBAL_MAX_POOL, 1, X).tolist() == [[[[5]], [[11]]]]
    for op in (GLOBAL_AVERAGE_POOL, GLOBAL_MAX_POOL, GLOBAL_LP_POOL):
        assert rule(op, 22, tensor("B", "C", "h", "w")).shape == "[B, C, 1, 1]"
        assert rule(op, 22, UNKNOWN).shape == "[...]"
        with pytest.raises(Violation, match=r"rank 1, but .* rank 2 or more"):
            rule(op, 22, tensor(3))


@pytest.mark.parametrize("op", POOLS, ids=lambda op: op.name)
def test_sizes_print_as_arithmetic(op):
    version = op.versions[-1]
    X = tensor("B", 3, "h", "w")
    pair = {"kernel_shape": (3, 3), "strides": (2, 2)}
    outputs = {"n_outputs": 2} if op is MAX_POOL else {}
    got = rule(op, version, X, pads=(1, 1, 1, 1), **pair, **outputs)
    assert got.shapes[0] == "[B, 3, floor((h - 1)/2) + 1, floor((w - 1)/2) + 1]"
    assert set(got.shapes) == {got.shapes[0]}
    got = rule(op, version, UNKNOWN, **pair, **outputs)
    assert got.shapes[0] == "[dim0_0, dim1_1, dim2_2, dim3_3]"


@pytest.mark.parametrize("op", POOLS, ids=lambda op: op.name)
def test_faults_name_both_numbers(op):
    for at, X in ((rule, tensor(1, 2, 5)), (kernel, np.ones((1, 2, 5)))):
        with pytest.raises(Violation, match=r"rank 3, but kernel_shape = \[2, 2\] .* rank 4"):
            at(op, 11, X, kernel_shape=(2, 2))
        with pytest.raises(Violation, match=r"size 5 on spatial axis 0, .* reaches over 6"):
            at(op, 11, X, kernel_shape=(6,))
        with pytest.raises(Violation, match=r"kernel_shape = \[0\], but each must be 1"):
            at(op, 11, X, kernel_shape=(0,))
