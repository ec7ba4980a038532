"""Laws of symbolic sizes, checked at random points against plain integers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from onnx_explorer import dims
from onnx_explorer.dims import Dim, DimError, DimLimitError, UndecidedError, symbol

RANGES = {"a": (0, 9), "b": (0, 9), "c": (0, 9), "n": (-7, 7), "k": (2, 5), "m": (-9, -1)}
SIZES = {
    "a": symbol("a"),
    "b": symbol("b"),
    "c": symbol("c"),
    "n": symbol("n", low=None),
    "k": symbol("k", low=2, high=5),
    "m": symbol("m", low=None, high=-1),
}
Env = dict[str, int]


class Impossible(Exception):
    """The integers themselves do not allow the operation."""


def floor_of(x: int, y: int) -> int:
    if y == 0:
        raise Impossible
    return math.floor(Fraction(x, y))


def mod_of(x: int, y: int) -> int:
    return x - y * floor_of(x, y)


def ceil_of(x: int, y: int) -> int:
    if y == 0:
        raise Impossible
    return math.ceil(Fraction(x, y))


def broadcast_of(x: int, y: int) -> int:
    if x != y and 1 not in {x, y}:
        raise Impossible
    return y if x == 1 else x


OPERATIONS: dict[str, tuple[Callable[[Dim, Dim], Dim], Callable[[int, int], int]]] = {
    "+": (lambda x, y: x + y, lambda x, y: x + y),
    "-": (lambda x, y: x - y, lambda x, y: x - y),
    "*": (lambda x, y: x * y, lambda x, y: x * y),
    "//": (dims.floordiv, floor_of),
    "%": (dims.mod, mod_of),
    "ceil": (dims.ceildiv, ceil_of),
    "max": (dims.maximum, max),
    "min": (dims.minimum, min),
    "broadcast": (dims.broadcast, broadcast_of),
}


@dataclass(frozen=True)
class Tree:
    """A formula, built twice: as a size and as a function of integers."""

    operation: str
    left: "Tree | str | int"
    right: "Tree | str | int"


def built(tree: Tree | str | int) -> Dim:
    if isinstance(tree, Tree):
        return OPERATIONS[tree.operation][0](built(tree.left), built(tree.right))
    return SIZES[tree] if isinstance(tree, str) else tree


def valued(tree: Tree | str | int, env: Env) -> int:
    if isinstance(tree, Tree):
        return OPERATIONS[tree.operation][1](valued(tree.left, env), valued(tree.right, env))
    return env[tree] if isinstance(tree, str) else tree


def trees(names: str = "abcnkm", leaves: int = 7) -> st.SearchStrategy[Tree | str | int]:
    return st.recursive(
        st.sampled_from(list(names)) | st.integers(-4, 8),
        lambda inner: st.builds(Tree, st.sampled_from(list(OPERATIONS)), inner, inner),
        max_leaves=leaves,
    )


envs = st.fixed_dictionaries({name: st.integers(*span) for name, span in RANGES.items()})
many_envs = st.lists(envs, min_size=1, max_size=12)
thorough = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def size_of(tree: Tree | str | int) -> Dim:
    try:
        return built(tree)
    except DimError:
        assume(False)
        raise


def points(tree: Tree | str | int, environments: list[Env]) -> list[tuple[Env, int]]:
    """Where the integers allow the formula, with its value there."""
    found: list[tuple[Env, int]] = []
    for env in environments:
        try:
            found.append((env, valued(tree, env)))
        except Impossible:
            continue
    return found


@thorough
@given(trees(), many_envs)
def test_a_size_has_the_value_of_the_formula_it_was_built_from(tree, environments):
    size = size_of(tree)
    for env, value in points(tree, environments):
        assert dims.evaluate(size, env) == value


@thorough
@given(trees(), many_envs)
def test_only_formulas_without_any_value_are_refused(tree, environments):
    try:
        built(tree)
    except DimLimitError:
        assume(False)
    except DimError:
        assert points(tree, environments) == []


@thorough
@given(trees(), many_envs)
def test_bounds_contain_every_value(tree, environments):
    low, high = dims.bounds(size_of(tree))
    for _, value in points(tree, environments):
        assert low is None or low <= value
        assert high is None or value <= high


@thorough
@given(trees(names="abc", leaves=9))
def test_what_is_printed_is_read_back(tree):
    size = size_of(tree)
    assert dims.parse(str(size)) == size


@thorough
@given(trees())
def test_a_size_is_in_normal_form_already(tree):
    size = size_of(tree)
    # a new object for each symbol makes every factor be built again
    renamed = {
        name: symbol(name, low=SIZES[name].bounds[0], high=SIZES[name].bounds[1], origin="again")
        for name in SIZES
    }
    assert dims.substitute(size, renamed) == size


@thorough
@given(trees(leaves=5), trees(leaves=5), many_envs)
def test_answers_about_two_sizes_are_never_contradicted(one, other, environments):
    x, y = size_of(one), size_of(other)
    answer, smaller, not_larger = dims.equal(x, y), dims.less(x, y), dims.less_equal(x, y)
    assert not (dims.known_equal(x, y) and dims.known_different(x, y))
    for env, value in points(Tree("-", one, other), environments):
        assert answer in (None, value == 0), env
        assert smaller in (None, value < 0), env
        assert not_larger in (None, value <= 0), env


@thorough
@given(
    st.builds(Tree, st.sampled_from(list(OPERATIONS)), trees(leaves=4), st.just("n")),
    trees(leaves=4, names="abn"),
    many_envs,
)
def test_substituting_then_evaluating_is_evaluating_twice(tree, inner, environments):
    size, replacement = size_of(tree), size_of(inner)
    for env, value in points(inner, environments):
        for _, expected in points(tree, [{**env, "n": value}]):
            assert dims.evaluate(dims.substitute(size, {"n": replacement}), env) == expected


@thorough
@given(trees(leaves=4), trees(leaves=4), trees(leaves=4))
def test_sums_and_products_are_a_commutative_ring(one, two, three):
    x, y, z = size_of(one), size_of(two), size_of(three)
    try:
        assert x + y == y + x
        assert x * y == y * x
        assert (x + y) + z == x + (y + z)
        assert (x * y) * z == x * (y * z)
        assert x * (y + z) == x * y + x * z
        assert x - x == 0
        assert 0 - (0 - x) == x
        assert x + 0 == x
        assert x * 1 == x
        assert x * 0 == 0
    except DimLimitError:
        assume(False)


linear = st.builds(
    lambda p, q, r: p * SIZES["a"] + q * SIZES["n"] + r,
    st.integers(-5, 5),
    st.integers(-5, 5),
    st.integers(-9, 9),
)


@thorough
@given(linear, st.integers(1, 8))
def test_quotient_and_remainder_make_the_number_again(x, d):
    assert dims.known_equal(d * dims.floordiv(x, d) + dims.mod(x, d), x)
    assert dims.less_equal(0, dims.mod(x, d)) is True
    assert dims.less(dims.mod(x, d), d) is True


@thorough
@given(linear, st.integers(1, 4), st.integers(1, 2))
def test_nested_quotients_are_one(x, d, e):
    assert dims.known_equal(dims.floordiv(dims.floordiv(x, d), e), dims.floordiv(x, d * e))


@thorough
@given(linear, st.integers(1, 6), st.integers(-5, 5))
def test_whole_multiples_leave_a_quotient(x, d, k):
    assert dims.floordiv(x + k * d, d) == dims.floordiv(x, d) + k
    assert dims.mod(x + k * d, d) == dims.mod(x, d)


@thorough
@given(linear, st.integers(2, 6))
def test_roundings_up_and_down_are_related(x, d):
    assert dims.known_equal(dims.ceildiv(x, d), -dims.floordiv(-x, d))
    assert dims.known_equal(dims.ceildiv(x, d), dims.floordiv(x + d - 1, d))


@thorough
@given(trees(leaves=4), trees(leaves=3), many_envs)
def test_division_toward_zero_is_right_where_it_is_decided(one, other, environments):
    x, y = size_of(one), size_of(other)
    try:
        quotient = dims.truncdiv(x, y)
    except (UndecidedError, DimError):
        return
    for env in environments:
        values = points(one, [env]) + points(other, [env])
        if len(values) == 2 and values[1][1] != 0:
            exact = Fraction(values[0][1], values[1][1])
            assert dims.evaluate(quotient, env) == math.trunc(exact)


@thorough
@given(linear, linear, st.integers(1, 6), st.fractions(max_denominator=6), envs)
def test_ratios_calculate_as_fractions_do(x, y, d, f, env):
    first = Fraction(dims.evaluate(x, env), d)
    second = dims.evaluate(y, env)
    f = f.limit_denominator(6)
    cases = [
        (dims.ratio(x, d) + f, first + f),
        (f - dims.ratio(x, d), f - first),
        (dims.ratio(x, d) * y - 1, first * second - 1),
        ((dims.ratio(x, d) + y) * f, (first + second) * f),
    ]
    if f:
        cases.append((dims.ratio(x, d) / f, first / f))
    for value, exact in cases:
        assert dims.evaluate(dims.floor(value), env) == math.floor(exact)
        assert dims.evaluate(dims.ceil(value), env) == math.ceil(exact)
        for rounded, oracle in ((dims.trunc, math.trunc), (dims.round_half_even, round)):
            try:
                result = rounded(value)
            except UndecidedError:
                continue
            assert dims.evaluate(result, env) == oracle(exact)


@thorough
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_its_place(text):
    try:
        size = dims.parse(text)
    except dims.DimSyntaxError as error:
        refusal = error
    else:
        assert dims.parse(str(size)) == size
        return
    assert 0 <= refusal.position <= len(text)
    assert refusal.text == text


@thorough
@given(st.text(alphabet="ab01 +-*/%().,`modaxin", max_size=60))
def test_any_text_of_the_grammar_is_read_or_refused(text):
    try:
        size = dims.parse(text)
    except dims.DimSyntaxError:
        return
    assert dims.parse(str(size)) == size


@thorough
@given(st.text(min_size=1, max_size=20))
def test_every_name_survives_inside_arithmetic(name):
    size = 2 * symbol(name) + symbol("other") * symbol(name)
    assert dims.parse(str(size)) == size
    assert dims.symbols(size) == {name, "other"}


@thorough
@given(st.text(min_size=1, max_size=20))
def test_a_name_alone_is_read_back_or_is_no_arithmetic(name):
    printed = str(symbol(name))
    try:
        read = dims.parse(printed)
    except dims.DimSyntaxError:
        read = symbol(printed)  # what a reader of models makes of it
    assert read == symbol(name)


@pytest.mark.parametrize("step", range(1, 5))
@pytest.mark.parametrize("kernel", range(1, 6))
@pytest.mark.parametrize("padding", range(3))
def test_a_convolution_counts_the_windows_that_fit(step, kernel, padding):
    h = symbol("h")
    size = (h + 2 * padding - kernel) // step + 1
    for height in range(kernel, 24):
        padded = height + 2 * padding
        windows = sum(start + kernel <= padded for start in range(0, padded, step))
        assert dims.evaluate(size, {"h": height}) == windows
