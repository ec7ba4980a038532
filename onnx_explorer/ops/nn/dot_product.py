"""Attention with a bias: which keys a query may see, by masks, the order of time, windows and the
filled part of a cache, and what comes of it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType, shape_text
from onnx_explorer.ops.nn.heads import scores, softmax_in_place, weighted
from onnx_explorer.ops.nn.patches import BLOCK_BYTES
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.schema import Violation

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Where queries stand among the keys, and how far they see; a window of -1 has no end."""

    past: int
    filled: NDArray[np.int64] | None
    is_causal: bool
    left: int
    right: int

    def hidden(self, batch: int, queries: int, keys: int) -> NDArray[np.bool_] | None:
        """True where a key is not seen, broadcasting against (batch, heads, queries, keys); None
        where all are seen.
        """
        key = np.arange(keys)
        found: NDArray[np.bool_] | None = None
        offset: NDArray[np.int64] | int = self.past
        if self.filled is not None:
            if self.filled.shape != (batch,):
                raise Violation(
                    f"shape {shape_text(self.filled.shape)}",
                    f"there are {batch} samples: expected [{batch}]",
                    port="nonpad_kv_seqlen",
                    code="wrong-shape",
                )
            filled = self.filled[:, None, None, None]
            found = key >= filled
            offset = filled - queries
        distance = key - (np.arange(queries)[:, None] + offset)
        right = 0 if self.is_causal else self.right
        if right >= 0:
            later = distance > right
            found = later if found is None else found | later
        if self.left >= 0:
            earlier = distance < -self.left
            found = earlier if found is None else found | earlier
        return found


@dataclass(frozen=True, slots=True)
class Head:
    """What a head does with the products of queries and keys."""

    scale: float
    softcap: float
    precision: DType | None

    def by_blocks(
        self,
        q: Floats,
        k: Floats,
        v: Floats,
        mask: NDArray[np.generic] | None,
        hidden: NDArray[np.bool_] | None,
    ) -> Floats:
        """The weighted means, (batch, query heads, length, size), some heads at a time, so that
        their products stay in the cache.
        """
        batch, heads, length, _ = q.shape
        shared = k.shape[1]
        group = heads // max(shared, 1)
        step = max(1, BLOCK_BYTES // max(group * length * k.shape[2] * 4, 1))
        if batch == 1 and step >= shared:
            return self.attend(q, k, v, mask, hidden)
        masks = None if mask is None else mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        result = np.empty((*q.shape[:3], v.shape[3]), np.result_type(widened(q[:0]), np.float32))
        for i, start in itertools.product(range(batch), range(0, shared, step)):
            few, some = slice(start, start + step), slice(start * group, (start + step) * group)
            result[i : i + 1, some] = self.attend(
                q[i : i + 1, some],
                k[i : i + 1, few],
                v[i : i + 1, few],
                _part(masks, i, some),
                _part(hidden, i, some),
            )
        return result

    def attend(
        self,
        q: Floats,
        k: Floats,
        v: Floats,
        mask: NDArray[np.generic] | None,
        hidden: NDArray[np.bool_] | None,
        show: tuple[int, Floats] | None = None,
    ) -> Floats:
        """The weighted means, (batch, query heads, length, size). `show` names a stage of the
        products and the array that they are written to: 0 as they are, 1 capped, 2 with the bias,
        3 after softmax.
        """
        stage, shown = show or (None, q)
        logits = scores(q, k, self.scale)
        if stage == 0:
            shown[...] = logits
        if self.softcap > 0:
            logits /= logits.dtype.type(self.softcap)
            np.tanh(logits, out=logits)
            logits *= logits.dtype.type(self.softcap)
        if stage == 1:
            shown[...] = logits
        hide(logits, mask, hidden)
        if stage == 2:
            shown[...] = logits
        if self.precision is not None:
            logits = widened(logits.astype(self.precision.numpy, copy=False))
        probabilities = softmax_in_place(logits)
        if stage == 3:
            shown[...] = probabilities
        return weighted(probabilities, v)


def _part(array: NDArray[Scalar] | None, sample: int, heads: slice) -> NDArray[Scalar] | None:
    """What broadcasts against these heads of one sample, of an array that does against all."""
    if array is None:
        return None
    of_sample = array[sample : sample + 1] if array.ndim == 4 and array.shape[0] > 1 else array
    return of_sample[:, heads] if array.ndim == 4 and array.shape[1] > 1 else of_sample


def hide(
    logits: Floats, mask: NDArray[np.generic] | None, hidden: NDArray[np.bool_] | None
) -> None:
    """Set to -infinity what a query may not see, and add a mask of numbers, in place."""
    if mask is not None:
        shown = mask.shape[-1] if mask.ndim else logits.shape[3]
        seen = logits[..., :shown]
        if mask.dtype == np.bool_:
            np.copyto(seen, -np.inf, where=np.logical_not(mask))
        else:
            bias = mask.astype(logits.dtype)
            np.add(seen, bias, out=seen)
            # A product of +infinity hidden by -infinity would be NaN.
            np.copyto(seen, -np.inf, where=np.isneginf(bias))
        logits[..., shown:] = -np.inf
    if hidden is not None:
        np.copyto(logits, -np.inf, where=hidden)
