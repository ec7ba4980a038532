"""NonZero: where the elements of a tensor are not zero.

Row d of the result holds the coordinates on axis d: column n is the place of the n-th element that
is not zero, in row-major order. So the shape is [rank, number of such elements], known only when
the model runs. (numpy and PyTorch would give the transpose: see Transpose, and GatherND.)
False and the empty string count as zero, NaN does not. For a scalar the result has no rows.

Spec: ai.onnx NonZero-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, Expr, UndecidedError, known_different, product
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.schema import Abstract, Change, Content, Operator, Port, RuleSite, Size
from onnx_explorer.schema.typesets import BF16, EVERY_V1

NON_ZERO = Operator(
    "NonZero",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("X", "T", "the tensor to look through"),),
            outputs=(Port("Y", "tensor(int64)", "one column of coordinates for each element"),),
            types={"T": EVERY_V1},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"X": False, "Y": False}),
    ),
)


@NON_ZERO.infer(since=9)
def infer(X: Abstract, *, at: RuleSite) -> Abstract:
    count = None if X.content is None else _count(X.content)
    if X.shape is None:
        return Abstract(None, (at.fresh("rank"), at.fresh("count")))
    if count is None:
        most = product(X.shape)
        count = at.fresh("count", high=most if isinstance(most, int) else None)
    return Abstract(None, (len(X.shape), count))


def _count(content: Content) -> Dim | None:
    try:
        return sum(map(_is_non_zero, content))
    except UndecidedError:
        return None


def _is_non_zero(size: Size) -> bool:
    number = fraction(size)[0]
    if isinstance(number, Expr):
        if not known_different(number, 0):
            raise UndecidedError(f"{size} may be 0")
        return True
    return number != 0


def places_of_sizes(X: Array) -> NDArray[np.int64]:
    """The same on sizes, where each is known to be zero or not to be."""
    flat = [_is_non_zero(size) for size in X.reshape(-1).tolist()]
    return non_zero(np.array(flat, np.bool_).reshape(X.shape))


@NON_ZERO.kernel(since=9, sizes=places_of_sizes)
def non_zero(X: Array) -> NDArray[np.int64]:
    if X.ndim == 0:
        return np.empty((0, int(bool(X.item()))), np.int64)
    return np.array(np.nonzero(X), np.int64)


NON_ZERO.example(([[1, 0], [1, 1]],), ([[0, 1, 1], [0, 0, 1]],))
