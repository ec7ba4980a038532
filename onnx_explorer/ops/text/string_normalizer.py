"""StringNormalizer: stop words taken out of a list of words, the rest in upper or lower case.

Words that `stopwords` lists are dropped: only exact ones with `is_case_sensitive` = 1, else in any
case. Then `case_change_action` changes those that are left: "LOWER", "UPPER" or "NONE". If no word is
left, the result is one empty string. The input has shape (C) or (1, C); how many words are left is
known only when the model runs. `locale` names a language with rules of its own; here the general
rules of Unicode hold.

Spec: ai.onnx StringNormalizer-10
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different, maximum
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation

Action = Literal["NONE", "LOWER", "UPPER"]

STRING_NORMALIZER = Operator(
    "StringNormalizer",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(Port("X", "tensor(string)", "the words, (C) or (1, C)"),),
            outputs=(Port("Y", "tensor(string)", "the words that are left"),),
            attributes=(
                Attr(
                    "case_change_action",
                    "string",
                    "NONE",
                    one_of=("NONE", "LOWER", "UPPER"),
                    doc="what happens to the case of the words that are left",
                ),
                Attr(
                    "is_case_sensitive",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: a stop word in another case is not one",
                ),
                Attr("locale", "string", doc="the language whose rules of case hold"),
                Attr("stopwords", "strings", doc="the words to drop; default: none"),
            ),
        ),
    ),
)


@STRING_NORMALIZER.infer(since=10)
def infer(X: Abstract, *, stopwords: tuple[str, ...] | None = None, at: RuleSite) -> Abstract:
    if X.shape is None:
        return X.like(None)
    _check(X.shape)
    size = X.shape[-1]
    if stopwords:
        left = at.fresh("words", low=1, high=max(size, 1) if isinstance(size, int) else None)
    else:
        left = maximum(size, 1)
    return X.like((*X.shape[:-1], left))


def _check(shape: Shape) -> None:
    if len(shape) not in {1, 2} or (len(shape) == 2 and known_different(shape[0], 1)):
        raise Violation(
            f"shape {list(shape)}", "words have shape (C) or (1, C)", port="X", code="wrong-shape"
        )


@STRING_NORMALIZER.kernel(since=10)
def string_normalizer(
    X: NDArray[np.object_],
    *,
    case_change_action: Action,
    is_case_sensitive: int,
    stopwords: tuple[str, ...] | None = None,
) -> NDArray[np.object_]:
    _check(X.shape)
    words = [str(word) for word in X.reshape(-1).tolist()]
    if is_case_sensitive:
        dropped = set(stopwords or ())
        words = [word for word in words if word not in dropped]
    else:
        dropped = {word.casefold() for word in stopwords or ()}
        words = [word for word in words if word.casefold() not in dropped]
    if case_change_action == "LOWER":
        words = [word.lower() for word in words]
    elif case_change_action == "UPPER":
        words = [word.upper() for word in words]
    return np.array(words or [""], object).reshape((*X.shape[:-1], -1))


STRING_NORMALIZER.example(
    (["The", "cat"],), (["CAT"],), case_change_action="UPPER", stopwords=["the"]
)
