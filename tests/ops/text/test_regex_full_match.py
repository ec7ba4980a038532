import numpy as np
import pytest
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException

from onnx_explorer.build import graph
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation import run
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
        (r"a$\n", "a\n", False),  # $ is the end of the text
        (r"(?m)a$\n", "a\n", True),
        (r"a(?i)b|c", "aB", True),  # flags hold to the end of their group, in each alternative
        (r"a(?i)b|c", "C", True),
        (r"a(?i)b|c", "AB", False),
        (r"(a(?i)b)c", "abC", False),
        (r"(?U)a+", "aa", True),
        (r"(?s)(?-s).", "\n", False),
        (r"a{,2}", "a{,2}", True),
        (r"^*a$+", "a", True),
        (r"\B", "", True),
        (r"\101\x42\0", "AB\0", True),
        (r"\u0041", "A", None),
        (r"\N", "a", None),
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


TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "aab",
    "é",
    "É",
    "1",
    "٣",
    "a\n",
    "\n",
    "a b",
    "_",
    "-",
    "Σ",
    "ſ",
    "a.b",
]
PIECES = [
    *(r"a", r"\d", r"\W", r"[^a]", r"[a-c\d]", r"[[:^digit:]]", r"(a|b)", r"(?i)A", r"(?i:B)"),
    *(r"(?s).", r"(?m)^", r"$", r"^", r"\A", r"\z", r"\b", r"\B", r"\x{e9}", r"\pL", r"\p{Lu}"),
    *(r"\PN", r"\Qa.b\E", r"[]a]", r"[^\d\s]", r"|", r"()", r"(?-s).", r"a{,2}", r"b{1,2}"),
]


@pytest.mark.parametrize("first", PIECES)
def test_patterns_mean_what_they_mean_in_onnxruntime(first):
    """It has RE2 itself. Each pattern is one piece after another, once or any number of times."""
    patterns = [f"{first}{often}{second}" for second in PIECES[::5] for often in ("", "*")]
    for pattern in patterns:
        builder = graph(opset=20)
        x = builder.input("x", "string[n]")
        builder.output(builder.op("RegexFullMatch", x, pattern=pattern))
        model, feeds = builder.model(), {"x": np.array(TEXTS, object)}
        try:
            session = InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
        except (Fail, RuntimeException):
            with pytest.raises(EvaluationError, match="the syntax of RE2"):
                run(model, feeds)
            continue
        (theirs,) = session.run(None, feeds)
        (ours,) = run(model, feeds).values()
        assert dict(zip(TEXTS, ours, strict=True)) == dict(zip(TEXTS, theirs, strict=True)), pattern
