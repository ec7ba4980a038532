"""Col2Im: columns of blocks put back into an image; where blocks overlap, they are added.

Convolutions are often computed as a matrix product over columns: im2col writes each window of the
image (the block) as one column. This is the transposed operation, PyTorch's `fold`. `input` has
shape (N, C × product of block_shape, L): its second axis runs over channels and then over the
places in a block, its last one over the L blocks in row-major order. There are as many blocks as
a convolution over `image_shape` with this block, these strides, dilations and pads would have
outputs. What falls onto padding is dropped.

Spec: ai.onnx Col2Im-18
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from onnx_explorer.dims import Dim, floordiv, known_different, mod, product
from onnx_explorer.ir import DType
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.nn.patches import concrete_out, padded, patches
from onnx_explorer.ops.nn.transposed import folded
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import EVERY_V4

COL2IM = Operator(
    "Col2Im",
    doc=__doc__,
    history=(
        Change(
            18,
            "first version",
            inputs=(
                Port("input", "T", "(N, C × places in a block, blocks)", differentiable=True),
                Port(
                    "image_shape",
                    "tensor(int64)",
                    "1-D: the sizes of the image without N and C",
                    differentiable=False,
                ),
                Port(
                    "block_shape",
                    "tensor(int64)",
                    "1-D: the sizes of a block, before dilation",
                    differentiable=False,
                ),
            ),
            outputs=(Port("output", "T", "(N, C, *image_shape)", differentiable=True),),
            attributes=(
                Attr("dilations", "ints", doc="how far apart a block's places are; default: 1"),
                Attr(
                    "pads",
                    "ints",
                    doc="what was added before each axis, then behind each; default: 0",
                ),
                Attr("strides", "ints", doc="how far apart the blocks are; default: 1"),
            ),
            types={"T": EVERY_V4},
        ),
    ),
)


@COL2IM.infer(since=18)
def infer(
    input: Abstract,
    image_shape: Abstract,
    block_shape: Abstract,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
    at: RuleSite,
) -> Abstract:
    if input.dtype is DType.STRING:
        raise _strings()
    image, block = dims_in(image_shape), dims_in(block_shape)
    rank = length_of(block_shape) if length_of(image_shape) is None else length_of(image_shape)
    if rank is None:
        return input.like(None)
    if image is not None and block is not None:
        window = _window(block, image, dilations, pads, strides)
        if input.shape is not None:
            _check(input.shape, block, window.out(image))
    sizes = tuple(at.fresh(f"dim{axis}") for axis in range(rank)) if image is None else image
    batch = at.fresh("batch") if input.shape is None else input.shape[0]
    if input.shape is None or block is None:
        return input.like((batch, at.fresh("channels"), *sizes))
    return input.like((batch, floordiv(input.shape[1], product(block)), *sizes))


def _window(
    block: Sequence[Dim],
    image: Sequence[Dim],
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> Window:
    if len(block) != len(image):
        raise Violation(
            f"{len(block)} sizes {list(block)}",
            f"image_shape has {len(image)}: one for each axis",
            port="block_shape",
            code="wrong-count",
        )
    return Window.of(block, dilations=dilations, pads=pads, strides=strides)


def _check(columns: Shape, block: Sequence[Dim], counts: Sequence[Dim]) -> None:
    if len(columns) != 3:
        raise Violation(
            f"shape {list(columns)}",
            "columns have shape (N, C × block, blocks)",
            port="input",
            code="wrong-shape",
        )
    places, n_blocks = product(block), product(counts)
    if known_different(mod(columns[1], places), 0):
        raise Violation(
            f"size {columns[1]} on axis 1",
            f"a block has {places} places: a multiple of {places}",
            port="input",
        )
    if known_different(columns[2], n_blocks):
        raise Violation(
            f"{columns[2]} blocks", f"{n_blocks} blocks fit into the image", port="input"
        )


def _strings() -> Violation:
    # The standard allows their type all the same.
    return Violation(
        "strings", "numbers are needed, which are added where blocks overlap", port="input"
    )


@COL2IM.kernel(since=18)
def col2im(
    input: Floats,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    if input.dtype.kind == "O":
        raise _strings()
    image, block = ints_of(image_shape), ints_of(block_shape)
    window = _window(block, image, dilations, pads, strides)
    counts = tuple(int(count) for count in window.out(image))
    _check(input.shape, block, counts)
    n, channels = input.shape[0], input.shape[1] // prod(block)
    blocks = widened(input).reshape(n, channels, *block, *counts)
    return narrowed(folded(blocks, window, image), input)


@COL2IM.vjp(since=18)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Array, Array],
    outputs: object,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    columns, image_shape, block_shape = inputs
    image, block = ints_of(image_shape), ints_of(block_shape)
    window = _window(block, image, dilations, pads, strides)
    counts = concrete_out(window, image)
    return patches(padded(cotangents[0], window, counts), window, counts).reshape(columns.shape)


# The blocks are (1, 10) and (2, 20), one place apart.
COL2IM.example(([[[1.0, 2.0], [10.0, 20.0]]], [1, 3], [1, 2]), ([[[[1.0, 12.0, 20.0]]]],))
