"""Windows that slide over the spatial axes: the arithmetic of convolutions and pooling. It works
on ints and symbolic sizes alike, so that rules and kernels share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from onnx_explorer.dims import Dim, ceildiv, floordiv, less, maximum, minimum
from onnx_explorer.schema import Violation

AutoPad = Literal["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]
AUTO_PADS: tuple[AutoPad, ...] = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


@dataclass(frozen=True, slots=True)
class Window:
    """A kernel of sizes `kernel`, one entry per spatial axis in every field."""

    kernel: tuple[Dim, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    auto_pad: AutoPad = "NOTSET"
    ceil_mode: bool = False

    @classmethod
    def of(
        cls,
        kernel: Sequence[Dim],
        *,
        auto_pad: AutoPad = "NOTSET",
        dilations: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        ceil_mode: int = 0,
    ) -> Window:
        """The window that a node's attributes describe; absent ones default to 1, pads to 0.

        Raises:
            Violation: an attribute has the wrong length, or a stride or dilation is below 1.
        """
        n = len(kernel)
        strides = _per_axis("strides", strides, n, 1)
        dilations = _per_axis("dilations", dilations, n, 1)
        for name, given in (("strides", strides), ("dilations", dilations)):
            if any(value < 1 for value in given):
                raise Violation(
                    f"{name} = {list(given)}", "each must be 1 or more", code="attribute-value"
                )
        edges = _per_axis("pads", pads if auto_pad == "NOTSET" else None, 2 * n, 0)
        return cls(
            tuple(kernel), strides, dilations, edges[:n], edges[n:], auto_pad, bool(ceil_mode)
        )

    @property
    def reach(self) -> tuple[Dim, ...]:
        """How many input elements one window spans, dilation included."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    def pads(self, spatial: Sequence[Dim]) -> tuple[tuple[Dim, Dim], ...]:
        """Elements added before and after each axis of an input of sizes `spatial`."""
        if self.auto_pad not in {"SAME_UPPER", "SAME_LOWER"}:
            return tuple(zip(self.begins, self.ends, strict=True))
        pairs: list[tuple[Dim, Dim]] = []
        for size, stride, reach in zip(spatial, self.strides, self.reach, strict=True):
            missing = maximum((ceildiv(size, stride) - 1) * stride + reach - size, 0)
            half = floordiv(missing, 2)
            rest = missing - half
            pairs.append((half, rest) if self.auto_pad == "SAME_UPPER" else (rest, half))
        return tuple(pairs)

    def out(self, spatial: Sequence[Dim]) -> tuple[Dim, ...]:
        """How many windows fit along each axis of an input of sizes `spatial`.

        Raises:
            Violation: not even one does.
        """
        return tuple(self._out(axis, size) for axis, size in enumerate(spatial))

    def _out(self, axis: int, size: Dim) -> Dim:
        stride, reach = self.strides[axis], self.reach[axis]
        if self.auto_pad in {"SAME_UPPER", "SAME_LOWER"}:
            return ceildiv(size, stride)
        begin, end = self.begins[axis], self.ends[axis]
        room = size + (begin + end) - reach
        # A window may reach beyond the padding where the size is rounded up, by less than a stride.
        if less(room, 1 - stride if self.ceil_mode else 0) is True:
            raise Violation(
                f"size {size} on spatial axis {axis}, {size + begin + end} with its padding",
                f"the window reaches over {reach} elements",
                code="window-too-large",
            )
        if not self.ceil_mode:
            return floordiv(room, stride) + 1
        # A last window that would start in the padding behind the input is left out.
        return minimum(ceildiv(room, stride) + 1, ceildiv(size + begin, stride))


def _per_axis(name: str, given: Sequence[int] | None, n: int, default: int) -> tuple[int, ...]:
    # Some exporters write an empty list for "not given".
    if not given:
        return (default,) * n
    if len(given) != n:
        raise Violation(f"{name} = {list(given)}", f"{n} values are needed", code="attribute-value")
    return tuple(int(value) for value in given)
