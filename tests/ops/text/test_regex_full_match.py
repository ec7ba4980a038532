import numpy as np
import pytest

from onnx_explorer.ops.text.regex_full_match import REGEX_FULL_MATCH
from onnx_explorer.schema import Violation
from tests.ops.page_driver import kernel, rule, tensor


def matches(pattern, text):
    return bool(kernel(REGEX_FULL_MATCH, 20, np.array(text, object), pattern=pattern.encode()))


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"a|ab", "ab", True),
        (r"\d+", "12", True),
        (r"\d+", "١٢", False),  # RE2's digits are those of ASCII
        (r"[^\D]+", "12", True),
        (r"[\D]+", "١", True),
        (r"\w+", "straße", False),
        (r"[[:alpha:]_]+", "ab_c", True),
        (r"[[:^digit:]]+", "ab1", False),
        (r"\p{Lu}\pL*", "Émile", True),
        (r"[\p{Greek_}x]", "x", None),
        (r"\P{N}+", "ab", True),
        (r"\p{^N}+", "a1", False),
        (r"\Qa.b\E+", "a.bb", True),
        (r"\x{e9}", "é", True),
        (r"(?<year>\d{4})", "2024", True),
        (r"(?i)É", "é", True),
        (r"a\z", "a", True),
        (r"\bab\b", "ab", True),
        (r"[]a]+", "]a", True),
        (r"[&&~~|]+", "&~|", True),
        (r"[a[b]+", "[ba", True),
        (r"a(?=b)b", "ab", None),
        (r"(a)\1", "aa", None),
        (r"a++", "aa", None),
        (r"(", "(", None),
        (r"\s", "\v", False),
        (r".", "\n", False),
        (r"(?s).", "\n", True),
    ],
)
def test_patterns_mean_what_they_mean_in_re2(pattern, text, expected):
    if expected is None:
        with pytest.raises(Violation, match="the syntax of RE2 is expected"):
            matches(pattern, text)
    else:
        assert matches(pattern, text) is expected


def test_a_scalar_stays_a_scalar_and_a_missing_pattern_is_told():
    found = kernel(REGEX_FULL_MATCH, 20, np.array("a", object), pattern=b"a")
    assert (found.shape, found.dtype) == ((), np.bool_)
    assert kernel(REGEX_FULL_MATCH, 20, np.empty((0, 2), object), pattern=b"a").shape == (0, 2)
    with pytest.raises(Violation, match="no pattern"):
        kernel(REGEX_FULL_MATCH, 20, np.array("a", object))
    assert rule(REGEX_FULL_MATCH, 20, tensor("B", 2), pattern=b"a").shape == "[B, 2]"
