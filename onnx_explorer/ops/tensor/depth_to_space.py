"""DepthToSpace and SpaceToDepth: channels laid out as blocks of pixels, and the way back.

With b = `blocksize`, DepthToSpace turns (N, C, H, W) into (N, C / b², H × b, W × b): the channels
of one pixel become a block of b × b pixels. SpaceToDepth turns (N, C, H, W) into
(N, C × b², H / b, W / b). `mode` says how the channels of a pixel are counted, with row r and
column c of the block and the remaining channel d: "DCR" (depth, column, row) has d run fastest,
channel = (r × b + c) × D + d; "CRD" has c run fastest, channel = d × b² + r × b + c, which is
PyTorch's PixelShuffle.

Spec: ai.onnx DepthToSpace-28
"""

from __future__ import annotations

from typing import Literal

from onnx_explorer.dims import Dim, floordiv, known_different, mod
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, EVERY_V1

Mode = Literal["DCR", "CRD"]

INPUT = Port("input", "T", "(N, C, H, W)")
BLOCK_SIZE = Attr("blocksize", "int", required=True, doc="how many rows and columns a block has")
MODE = Attr(
    "mode",
    "string",
    "DCR",
    one_of=("DCR", "CRD"),
    doc="DCR: channel before column before row; CRD: column before row before channel",
)
DIFFERENTIABLE = {"input": True, "output": True}

DEPTH_TO_SPACE = Operator(
    "DepthToSpace",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUT,),
            outputs=(Port("output", "T", "(N, C / blocksize², H × blocksize, W × blocksize)"),),
            attributes=(BLOCK_SIZE,),
            types={"T": EVERY_V1},
        ),
        Change(11, "channels may be counted in another order", attributes=(MODE,)),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable=DIFFERENTIABLE),
        Change(28, "only the words changed"),
    ),
)

SPACE_TO_DEPTH = Operator(
    "SpaceToDepth",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUT,),
            outputs=(Port("output", "T", "(N, C × blocksize², H / blocksize, W / blocksize)"),),
            attributes=(BLOCK_SIZE,),
            types={"T": EVERY_V1},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable=DIFFERENTIABLE),
        Change(28, "channels may be counted in another order", attributes=(MODE,)),
    ),
)


def _checked(shape: Shape, blocksize: int) -> tuple[Dim, Dim, Dim, Dim]:
    if blocksize < 1:
        raise Violation(f"blocksize = {blocksize}", "1 or more", code="attribute-value")
    if len(shape) != 4:
        raise Violation(
            f"shape {list(shape)}",
            "images have shape (N, C, H, W)",
            port="input",
            code="wrong-shape",
        )
    n, c, h, w = shape
    return n, c, h, w


def _part(size: Dim, divisor: int, what: str) -> Dim:
    if known_different(mod(size, divisor), 0):
        raise Violation(f"{size} {what}", f"a multiple of {divisor}", port="input")
    return floordiv(size, divisor)


@DEPTH_TO_SPACE.infer(since=1)
def infer_space(input: Abstract, *, blocksize: int) -> Abstract:
    if input.shape is None:
        return input.like(None)
    n, c, h, w = _checked(input.shape, blocksize)
    return input.like((n, _part(c, blocksize**2, "channels"), h * blocksize, w * blocksize))


@SPACE_TO_DEPTH.infer(since=1)
def infer_depth(input: Abstract, *, blocksize: int) -> Abstract:
    if input.shape is None:
        return input.like(None)
    n, c, h, w = _checked(input.shape, blocksize)
    rows, columns = _part(h, blocksize, "rows"), _part(w, blocksize, "columns")
    return input.like((n, c * blocksize**2, rows, columns))


@DEPTH_TO_SPACE.kernel(since=1, sizes=True)
def depth_to_space(input: Array, *, blocksize: int, mode: Mode = "DCR") -> Array:
    b = blocksize
    _part(_checked(input.shape, b)[1], b**2, "channels")
    n, c, h, w = input.shape
    if mode == "DCR":
        blocks = input.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = input.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return blocks.reshape(n, c // b**2, h * b, w * b)


@SPACE_TO_DEPTH.kernel(since=1, sizes=True)
def space_to_depth(input: Array, *, blocksize: int, mode: Mode = "DCR") -> Array:
    b = blocksize
    _, _, rows, columns = _checked(input.shape, b)
    _part(rows, b, "rows")
    _part(columns, b, "columns")
    n, c, h, w = input.shape
    blocks = input.reshape(n, c, h // b, b, w // b, b)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return blocks.transpose(order).reshape(n, c * b**2, h // b, w // b)


@DEPTH_TO_SPACE.body(since=28)
def space_body(f: Body, input: BodyValue, *, blocksize: int, mode: Mode) -> BodyValue:
    n, c, h, w = _sizes(f, input)
    b = f.constant([blocksize])
    depth = f.Div(c, f.Mul(b, b))
    if mode == "DCR":
        blocks, order = (n, b, b, depth, h, w), (0, 3, 4, 1, 5, 2)
    else:
        blocks, order = (n, depth, b, b, h, w), (0, 1, 4, 2, 5, 3)
    moved = f.Transpose(_reshaped(f, input, *blocks), perm=order)
    return _reshaped(f, moved, n, depth, f.Mul(h, b), f.Mul(w, b))


@SPACE_TO_DEPTH.body(since=28)
def depth_body(f: Body, input: BodyValue, *, blocksize: int, mode: Mode) -> BodyValue:
    n, c, h, w = _sizes(f, input)
    b = f.constant([blocksize])
    rows, columns = f.Div(h, b), f.Div(w, b)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    moved = f.Transpose(_reshaped(f, input, n, c, rows, b, columns, b), perm=order)
    return _reshaped(f, moved, n, f.Mul(c, f.Mul(b, b)), rows, columns)


def _sizes(f: Body, image: BodyValue) -> tuple[BodyValue, ...]:
    return tuple(f.Shape(image, start=axis, end=axis + 1) for axis in range(4))


def _reshaped(f: Body, value: BodyValue, *sizes: BodyValue) -> BodyValue:
    return f.Reshape(value, f.Concat(*sizes, axis=0), allowzero=1)


DEPTH_TO_SPACE.vjp(since=1)(moved_vjp(depth_to_space))
SPACE_TO_DEPTH.vjp(since=1)(moved_vjp(space_to_depth))

DEPTH_TO_SPACE.example(([[[[1]], [[2]], [[3]], [[4]]]],), ([[[[1, 2], [3, 4]]]],), blocksize=2)
SPACE_TO_DEPTH.example(([[[[1, 2], [3, 4]]]],), ([[[[1]], [[2]], [[3]], [[4]]]],), blocksize=2)
