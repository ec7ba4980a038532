"""Cases of convolutions and pools: what slides over spatial axes, and other images."""

from math import prod

from onnx_explorer.ir import DType
from tests.soundness.drawing import case


def window(d, *, dilated=True, padded=True):
    """The spatial sizes of an image, of a kernel that fits it, and attributes of the window."""
    axes = d.size(1, 3)
    kernel = d.sizes(axes, 1, 3 if axes < 3 else 2)
    dilations = d.maybe(lambda: d.sizes(axes, 1, 2)) if dilated else None
    reach = [(k - 1) * s + 1 for k, s in zip(kernel, dilations or [1] * axes, strict=True)]
    image = [r + d.size(0, 3) for r in reach]
    attributes = {"dilations": dilations, "strides": d.maybe(lambda: d.sizes(axes, 1, 3))}
    if d.size(0, 2) == 0:
        attributes["auto_pad"] = d.enum("auto_pad")
    elif padded and d.flag():
        attributes["pads"] = [d.size(0, k - 1) for k in (*kernel, *kernel)]
    return image, kernel, attributes


def _channels(d):
    group = d.size(1, 2)
    return group, group * d.size(1, 2), group * d.size(1, 2)


def convolution(d):
    image, kernel, attributes = window(d)
    group, channels, maps = _channels(d)
    x, w = (d.size(0, 2), channels, *image), (maps, channels // group, *kernel)
    if d.rarely():
        w = (maps, channels + 1, *kernel)
    bias = d.maybe(lambda: d.of("T", (maps,)))
    kernel = d.pick(None, kernel)
    return case(d.of("T", x), d.of("T", w), bias, group=group, kernel_shape=kernel, **attributes)


def integer_convolution(d):
    image, kernel, attributes = window(d)
    group, channels, maps = _channels(d)
    x, w = (d.size(0, 2), channels, *image), (maps, channels // group, *kernel)
    zero = d.maybe(lambda: d.of("T1", ()))
    zeros = d.maybe(lambda: d.of("T2", d.pick((), (maps,))))
    return case(d.of("T1", x), d.of("T2", w), zero, zeros, group=group, **attributes)


def quantized_convolution(d):
    image, kernel, attributes = window(d)
    group, channels, maps = _channels(d)
    x, w = (d.size(0, 2), channels, *image), (maps, channels // group, *kernel)
    each = d.pick((), (maps,))
    one = d.array(DType.FLOAT32, (), 1, 2)
    return case(
        d.of("T1", x), one, d.of("T1", ()),
        d.of("T2", w), d.array(DType.FLOAT32, each, 1, 2), d.of("T2", each),
        one, d.of("T3", ()), d.maybe(lambda: d.of("T4", (maps,))),
        group=group, **attributes,
    )  # fmt: skip


def transposed_convolution(d):
    image, kernel, attributes = window(d)
    group, channels, maps = _channels(d)
    strides = attributes["strides"]
    x, w = (d.size(0, 2), channels, *image), (channels, maps // group, *kernel)
    bias = d.maybe(lambda: d.of("T", (maps,)))
    extra = d.maybe(lambda: [d.size(0, s - 1) for s in strides]) if strides else None
    return case(d.of("T", x), d.of("T", w), bias, group=group, output_padding=extra, **attributes)


def deformable_convolution(d):
    axes = 2
    kernel, strides = d.sizes(axes, 1, 2), d.sizes(axes, 1, 2)
    image = [k + d.size(0, 2) for k in kernel]
    group, channels, maps = _channels(d)
    offsets = d.pick(1, channels)
    out = [(i - k) // s + 1 for i, k, s in zip(image, kernel, strides, strict=True)]
    n = d.size(0, 2)
    mask = d.maybe(lambda: d.of("T", (n, offsets * prod(kernel), *out)))
    return case(
        d.of("T", (n, channels, *image)),
        d.of("T", (maps, channels // group, *kernel)),
        d.of("T", (n, offsets * prod(kernel) * axes, *out)),
        d.maybe(lambda: d.of("T", (maps,))), mask,
        group=group, offset_group=offsets, strides=strides,
    )  # fmt: skip


def causal_convolution(d):
    n, channels, length, kernel = d.size(0, 2), d.size(1, 3), d.size(1, 4), d.size(1, 3)
    return case(
        d.of("T", (n, channels, length)), d.of("T", (channels, 1, kernel)),
        d.maybe(lambda: d.of("T", (channels,))),
        d.maybe(lambda: d.of("T", (n, channels, kernel - 1))),
        outputs=2, **d.plain(),
    )  # fmt: skip


def pool(d):
    image, kernel, attributes = window(d)
    if d.flag():
        attributes["ceil_mode"] = d.size(0, 1)
    shape = (d.size(0, 2), d.size(0, 3), *image)
    outputs = d.size(1, 2) if len(d.schema.outputs) > 1 else 1
    rest = d.plain("count_include_pad", "storage_order")
    return case(d.of("T", shape), kernel_shape=kernel, outputs=outputs, **attributes, **rest)


def global_pool(d):
    return case(d.of("T", (*d.sizes(2), *d.shape(0, 3, 1))))


def unpool(d):
    axes = d.size(1, 3)
    kernel, image = d.sizes(axes, 1, 2), d.sizes(axes, 1, 3)
    shape = (d.size(0, 2), d.size(0, 2), *image)
    whole = [k + i - 1 for k, i in zip(kernel, image, strict=True)]
    total = d.maybe(lambda: d.ints([*shape[:2], *(s + d.size(0, 2) for s in whole)]))
    indices = d.array(DType.INT64, shape, 0, max(prod(shape) - 1, 0))
    return case(d.of("T1", shape), indices, total, kernel_shape=kernel)


def column_to_image(d):
    axes = d.size(1, 2)
    block, steps = d.sizes(axes, 1, 2), d.sizes(axes, 1, 3)
    image = [b + s - 1 for b, s in zip(block, steps, strict=True)]
    columns = (d.size(0, 2), d.size(1, 2) * prod(block), prod(steps))
    return case(d.of("T", columns), d.ints(image), d.ints(block))


def local_norm(d):
    return case(d.of("T", (d.size(), d.size(1), *d.shape(0, 3))), size=d.pick(1, 3), **d.plain())


def grid_sample(d):
    axes = d.size(1, 3)
    n = d.size(0, 2)
    x, grid = (n, d.size(0, 2), *d.sizes(axes, 1, 3)), (n, *d.sizes(axes, 0, 3), axes)
    attributes = d.plain()
    if axes > 2:
        attributes.pop("mode", None)
    return case(d.of("T1", x), d.of("T2", grid, -1, 1), **attributes)


def affine_grid(d):
    axes = d.size(2, 3)
    n = d.size(0, 2)
    size = d.ints([n, d.size(1), *d.sizes(axes, 1, 3)])
    return case(d.of("T1", (n, axes, axes + 1)), size, **d.plain())


def roi_pool(d):
    rois = [[0, 0, 0, 2, 2]] * d.size(0, 3)
    boxes = d.ints(rois, d.dtype("T")).reshape(len(rois), 5)
    return case(d.of("T", (1, d.size(1, 2), 4, 4)), boxes, pooled_shape=d.sizes(2, 1, 3))


def roi_align(d):
    n, rois = d.size(1, 2), d.size(0, 3)
    boxes = d.array(d.dtype("T1"), (rois, 4), 0, 3)
    image = d.of("T1", (n, d.size(0, 2), *d.sizes(2, 1, 4)))
    indices = d.array(DType.INT64, (rois,), 0, n - 1)
    return case(
        image, boxes, indices, output_height=d.size(1, 3), output_width=d.size(1, 3), **d.plain()
    )


def suppression(d):
    batches, boxes, classes = d.size(0, 2), d.size(0, 4), d.size(0, 2)
    return case(
        d.array(DType.FLOAT32, (batches, boxes, 4)),
        d.array(DType.FLOAT32, (batches, classes, boxes), 0, 1),
        d.maybe(lambda: d.ints(d.pick(d.size(), [d.size()]))),
        d.maybe(lambda: d.array(DType.FLOAT32, (), 0, 1)),
        d.maybe(lambda: d.array(DType.FLOAT32, (1,), 0, 1)),
        center_point_box=d.size(0, 1),
    )


def resize(d):
    shape = d.shape(1, 4, 1)
    axes = d.axes(len(shape), 1) if d.flag() else None
    count = len(shape) if axes is None else len(axes)
    scales = d.array(DType.FLOAT32, (count,), 1, 2)
    sizes = d.ints(d.sizes(count, 1, 5))
    by_sizes = d.flag()
    policy = {"keep_aspect_ratio_policy": d.enum("keep_aspect_ratio_policy")} if by_sizes else {}
    return case(
        d.of("T1", shape, only={"float"}),
        None, None if by_sizes else scales, sizes if by_sizes else None,
        axes=axes,
        **d.plain("mode", "nearest_mode", "exclude_outside"), **policy,
    )  # fmt: skip


def upsample(d):
    shape = d.shape(1, 4, 1)
    return case(
        d.of("T", shape, only={"float"}), d.array(DType.FLOAT32, (len(shape),), 1, 2)
    )  # fmt: skip
