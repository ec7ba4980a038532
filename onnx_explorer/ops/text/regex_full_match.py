r"""RegexFullMatch: for each string, whether a regular expression matches all of it.

The pattern is written in the syntax of RE2, which is that of most languages without looking around
and without back references. It must match from the first character to the last one.

Spec: ai.onnx RegexFullMatch-20
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import unary_rule
from onnx_explorer.ops.text.re2 import compiled
from onnx_explorer.schema import Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BOOL, STRING

REGEX_FULL_MATCH = Operator(
    "RegexFullMatch",
    doc=__doc__,
    history=(
        Change(
            20,
            "first version",
            inputs=(Port("X", "T1", "the strings to look at", differentiable=False),),
            outputs=(Port("Y", "T2", "whether each of them matches", differentiable=False),),
            attributes=(
                Attr("pattern", "string", doc="the regular expression, in the syntax of RE2"),
            ),
            types={"T1": STRING, "T2": BOOL},
        ),
    ),
)

REGEX_FULL_MATCH.infer(since=20)(unary_rule)


@REGEX_FULL_MATCH.kernel(since=20)
def regex_full_match(X: NDArray[np.object_], *, pattern: str | None = None) -> NDArray[np.bool_]:
    if pattern is None:
        raise Violation("no pattern", "a regular expression to match")
    expression = compiled(pattern)
    matches = [bool(expression.fullmatch(str(text))) for text in X.reshape(-1).tolist()]
    return np.array(matches, np.bool_).reshape(X.shape)


REGEX_FULL_MATCH.example(
    (["www.a.org", "www.a.org/b"],), ([True, False],), pattern=r"www\.[a-z]+\.org"
)
