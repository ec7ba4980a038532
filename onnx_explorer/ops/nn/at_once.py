"""Correlation of a small input: what all windows see is copied at once and multiplied with the
filters. What follows from shapes alone is worked out before, so that little is left to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from onnx_explorer.ops.nn.patches import Slices, placement
from onnx_explorer.ops.nn.unfolding import Sizes
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Filters of one shape over small arrays of one shape."""

    field: Sizes
    """The shape of the input with its padding, (N, C, *padded)."""
    cut: Slices
    place: Slices | None
    """What of the input goes where in it; None where there is no padding."""
    seen: Sizes
    strides: Sizes
    """What windows see of it: (C, *kernel, N, *out), and the steps in bytes."""
    columns: Sizes
    """The same for the product: (groups, C / group × kernel, N × windows)."""
    bank: Sizes
    """(groups, M / group, C / group × kernel)"""
    sums: Sizes
    """The shape of the product: (groups, M / group, N, windows)."""
    result: Sizes
    """(N, groups, M / group, windows)"""

    @classmethod
    def of(
        cls, X: Sizes, W: Sizes, window: Window, group: int, out: Sizes, itemsize: int
    ) -> AtOnce:
        cut, place, sizes = placement(window, X[2:], out)
        field = (*X[:2], *sizes)
        steps = [itemsize * step for step in accumulate((1, *field[:0:-1]), mul)][::-1]
        moves = [d * step for d, step in zip(window.dilations, steps[2:], strict=True)]
        strides = [s * step for s, step in zip(window.strides, steps[2:], strict=True)]
        is_whole = all(
            there == here == slice(0, size) and size == n
            for there, here, size, n in zip(cut[2:], place[2:], sizes, X[2:], strict=True)
        )
        few, taps, windows = W[0] // group, prod(W[1:]), prod(out)
        return cls(
            field=field,
            cut=cut,
            place=None if is_whole else place,
            seen=(X[1], *W[2:], X[0], *out),
            strides=(steps[1], *moves, steps[0], *strides),
            columns=(group, taps, X[0] * windows),
            bank=(group, few, taps),
            sums=(group, few, X[0], windows),
            result=(X[0], group, few, windows),
        )

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        if self.place is None:
            field = np.ascontiguousarray(X)
        else:
            field = np.zeros(self.field, X.dtype)
            field[self.place] = X[self.cut]
        columns = np.empty(self.seen, X.dtype)
        columns[...] = np.ndarray(self.seen, X.dtype, field, 0, self.strides)
        matrix, result = columns.reshape(self.columns), Y.reshape(self.result)
        more = None if B is None else B.reshape(*self.bank[:2], 1)
        if len(result) == 1:
            np.matmul(W.reshape(self.bank), matrix, out=result[0])
            if more is not None:
                np.add(result, more, result)
            return
        # Images stand side by side in the product.
        sums = np.matmul(W.reshape(self.bank), matrix).reshape(self.sums).transpose(2, 0, 1, 3)
        if more is None:
            result[...] = sums
        else:
            np.add(sums, more, result)
