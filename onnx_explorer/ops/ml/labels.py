"""Labels of classes: numbers or strings, whichever of two attributes is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Attr, Violation

Labels = Sequence[int] | Sequence[str]


def label_attributes(ints: str, strings: str = "classlabels_strings") -> tuple[Attr, Attr]:
    """The two attributes, of which one is given."""
    return (
        Attr(ints, "ints", doc="the label of each class, where labels are numbers"),
        Attr(strings, "strings", doc="the label of each class, where labels are strings"),
    )


def chosen(ints: tuple[int, ...] | None, strings: tuple[str, ...] | None) -> Labels:
    """The labels that are given; none are an empty sequence.

    Raises:
        Violation: both are given.
    """
    if ints and strings:
        raise Violation(
            f"{len(ints)} labels as numbers and {len(strings)} as strings", "only one of the two"
        )
    return strings or ints or ()


def label_dtype(labels: Labels) -> DType:
    """The type of the labels; classes without labels are numbered."""
    return DType.STRING if labels and isinstance(labels[0], str) else DType.INT64


def labelled(classes: NDArray[np.intp], labels: Labels) -> Array:
    """The label of each class number, shape `(N,)`; without labels, the number itself. A label
    that is alone is that of class 1, and class 0 is then 0 or an empty string.
    """
    if not labels:
        return classes.astype(np.int64)
    if len(labels) == 1:
        label = labels[0]
        labels = ("", label) if isinstance(label, str) else (0, label)
    names = np.array(labels, dtype=cast("np.dtype[np.generic]", label_dtype(labels).numpy))
    if classes.size and int(classes.max()) >= len(labels):
        raise Violation(
            f"{len(labels)} class labels", f"class {int(classes.max())} got the best score"
        )
    return names[classes]
