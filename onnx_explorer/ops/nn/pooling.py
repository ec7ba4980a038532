"""What the pooling operators share: their ports and attributes, and the shape of their output."""

from __future__ import annotations

from functools import lru_cache

from onnx_explorer.ops.nn.patches import KNOWN
from onnx_explorer.ops.nn.windows import AUTO_PADS, AutoPad, Window
from onnx_explorer.schema import Abstract, Attr, Port, RuleSite, Violation

X = Port("X", "T", "input, (N, C, *spatial)")
Y = Port("Y", "T", "one element for each window, (N, C, *spatial)")

AUTO_PAD = Attr(
    "auto_pad",
    "string",
    "NOTSET",
    one_of=AUTO_PADS,
    doc="NOTSET uses `pads`; VALID pads nothing; the SAME ones work the pads out",
)
KERNEL_SHAPE = Attr("kernel_shape", "ints", required=True, doc="spatial sizes of the window")
PADS = Attr("pads", "ints", doc="elements around X: all begins, then all ends; default 0")
STRIDES = Attr("strides", "ints", doc="steps between windows; default 1")
CEIL_MODE = Attr(
    "ceil_mode", "int", 0, doc="1: a last window may hang over the end; 0: it must fit"
)
DILATIONS = Attr("dilations", "ints", doc="steps between the elements of a window; default 1")


@lru_cache(KNOWN)
def pool_window(
    X: tuple[object, ...] | None,
    kernel_shape: tuple[int, ...] | None,
    *,
    auto_pad: AutoPad,
    ceil_mode: int,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Window:
    """The window of a pooling node whose input has shape `X`.

    Raises:
        Violation: there is no window, or it has not as many axes as X has spatial ones.
    """
    if not kernel_shape:
        raise Violation("no kernel_shape", "a window needs its sizes")
    if any(size < 1 for size in kernel_shape):
        raise Violation(
            f"kernel_shape = {list(kernel_shape)}", "each must be 1 or more", code="attribute-value"
        )
    if X is not None and len(X) != len(kernel_shape) + 2:
        raise Violation(
            f"rank {len(X)}",
            f"kernel_shape = {list(kernel_shape)} slides over {len(kernel_shape)} spatial axes: "
            f"expected rank {len(kernel_shape) + 2}",
            port="X",
            code="wrong-rank",
        )
    return Window.of(
        kernel_shape,
        auto_pad=auto_pad,
        dilations=dilations,
        pads=pads,
        strides=strides,
        ceil_mode=ceil_mode,
    )


def pool_rule(
    X: Abstract,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
    at: RuleSite,
) -> Abstract:
    """One element for each window that fits."""
    window = pool_window(
        X.shape,
        kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
    if X.shape is None:
        return X.like(tuple(at.fresh(f"dim{axis}") for axis in range(len(window.kernel) + 2)))
    return X.like((*X.shape[:2], *window.out(X.shape[2:])))
