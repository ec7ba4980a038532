"""Activations far from 0, where results are small: right in their last digits, not only next to 0."""

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest

from onnx_explorer.ops.math.activations import SIGMOID
from onnx_explorer.ops.math.exponential_units import CELU, ELU, SELU
from onnx_explorer.ops.math.gelu import GELU
from onnx_explorer.ops.math.soft import MISH, SOFTPLUS
from onnx_explorer.ops.math.swish import HARD_SWISH, SWISH
from onnx_explorer.ops.nn.softmax import LOG_SOFTMAX
from tests.ops.page_driver import kernel

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NUMBERS = np.unique(
    np.concatenate(
        [
            np.linspace(-87, 100, 3001),
            np.linspace(-15, 15, 3001),
            np.geomspace(1e-9, 1, 200),
            -np.geomspace(1e-9, 1, 200),
        ]
    ).astype(np.float32)
)
STEEPNESS = 2 * math.sqrt(2 / math.pi)
ALPHA, GAMMA = 1.67326319217681884765625, 1.05070102214813232421875


def one_plus_exp(x):
    return 1 + math.exp(-x) if x > -700 else math.inf


def softplus(x):
    return math.log1p(math.exp(x)) if x < 0 else x + math.log1p(math.exp(-x))


def tanh_of_softplus(x):
    n = math.expm1(-2 * softplus(x))
    return -n / (2 + n)


@pytest.mark.parametrize(
    ("op", "version", "attributes", "function"),
    [
        (GELU, 20, {"approximate": "none"}, lambda x: x * math.erfc(-x / math.sqrt(2)) / 2),
        (
            GELU,
            20,
            {"approximate": "tanh"},
            lambda x: x / one_plus_exp(STEEPNESS * (x + 0.044715 * x**3)),
        ),
        (SIGMOID, 13, {}, lambda x: 1 / one_plus_exp(x)),
        (SWISH, 24, {"alpha": 1.0}, lambda x: x / one_plus_exp(x)),
        (SOFTPLUS, 22, {}, softplus),
        (MISH, 22, {}, lambda x: x * tanh_of_softplus(x)),
        (HARD_SWISH, 22, {}, lambda x: x * min(max(x + 3, 0), 6) / 6),
        (ELU, 22, {"alpha": 1.0}, lambda x: x if x > 0 else math.expm1(x)),
        (CELU, 12, {"alpha": 1.0}, lambda x: x if x > 0 else math.expm1(x)),
        (
            SELU,
            22,
            {"alpha": ALPHA, "gamma": GAMMA},
            lambda x: GAMMA * (x if x > 0 else ALPHA * math.expm1(x)),
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_float32_has_a_dozen_units_in_the_last_place_of_float64(op, version, attributes, function):
    wanted = np.array([function(float(x)) for x in NUMBERS])
    found = kernel(op, version, NUMBERS, **attributes)
    assert found.dtype == np.float32
    normal = (abs(wanted) > 1e-37) | (wanted == 0)
    np.testing.assert_allclose(found[normal], wanted[normal], rtol=1.2e-6)


getcontext().prec = 50


def share_below(x):
    """The normal distribution below a negative number, by the continued fraction of erfc."""
    z = -Decimal(x) / Decimal(2).sqrt()
    fraction = z
    for n in range(400, 0, -1):
        fraction = z + Decimal(n) / 2 / fraction
    pi = Decimal("3.1415926535897932384626433832795028841971693993751")
    return (-z * z).exp() / pi.sqrt() / fraction / 2


FAR = [-2.5, -3.1, -5.7, -8.3, -13.7, -21.9, -30.1, -37.2]


def test_gelu_of_float64_is_right_to_the_last_digits():
    X = np.array(FAR)
    exact = kernel(GELU, 20, X, approximate="none")
    np.testing.assert_allclose(exact, [float(Decimal(x) * share_below(x)) for x in FAR], rtol=2e-15)
    X = X[X > -14]
    for x, found in zip(X, kernel(GELU, 20, X, approximate="tanh"), strict=True):
        d = Decimal(float(x))
        exponent = Decimal(STEEPNESS) * (d + Decimal("0.044715") * d**3)
        wanted = float(d / (1 + (-exponent).exp()))
        # The exponent is rounded, and counts as often as it says.
        assert found == pytest.approx(wanted, rel=4e-16 * (2 + abs(float(exponent))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_derivative_of_gelu_keeps_its_digits_too(dtype):
    X = np.array(FAR[:4], dtype)
    vjp = GELU.vjp_at(20).function
    at = type("At", (), {"needed": (True,)})
    Y = kernel(GELU, 20, X, approximate="none")
    (found,) = vjp((np.ones_like(X),), (X,), (Y,), approximate="none", at=at)
    pi = Decimal("3.1415926535897932384626433832795028841971693993751")
    wanted = []
    for x in map(Decimal, map(float, X)):
        density = (-x * x / 2).exp() / (2 * pi).sqrt()
        wanted.append(float(share_below(x) + x * density))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype is np.float32 else 1e-13)
    (found,) = vjp((np.ones_like(X),), (X,), (Y,), approximate="tanh", at=at)
    step = 1e-6
    outer = kernel(GELU, 20, X.astype(float) + step, approximate="tanh")
    inner = kernel(GELU, 20, X.astype(float) - step, approximate="tanh")
    np.testing.assert_allclose(found, (outer - inner) / (2 * step), rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("gap", [0.0, 1.0, 5.0, 20.0, 80.0])
def test_a_probability_next_to_1_has_a_logarithm_with_digits(axis, gap):
    """`-log(1 + 2 e^-gap)` of the largest of three."""
    X = np.float32([[gap, 0, 0], [50 + gap, 50, 50]])
    wanted = -math.log1p(2 * math.exp(-gap))
    found = kernel(LOG_SOFTMAX, 13, X if axis else X.T, axis=axis)
    found = found if axis else found.T
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-6)
    np.testing.assert_allclose(found[:, 1:], wanted - gap, rtol=1e-6)


def test_numbers_without_a_probability_keep_their_logarithm():
    """Equal ones share; minus infinity is certain not to be, and NaN spoils its row alone."""
    X = np.float32([[7, 7, -np.inf], [0, -np.inf, -np.inf], [0, np.nan, 1]])
    found = kernel(LOG_SOFTMAX, 13, X, axis=1)
    np.testing.assert_allclose(found[0], [-math.log(2)] * 2 + [-np.inf], rtol=1e-6)
    np.testing.assert_array_equal(found[1], [0, -np.inf, -np.inf])
    assert np.isnan(found[2]).all()
