"""Cases of operators that move elements: shapes, slices, gathers, scatters, sequences."""

from math import prod

from onnx_explorer.ir import DType
from tests.soundness.drawing import Listed, case


def reshape(d):
    data = d.shape(0, 4)
    target = list(data)
    for _ in range(d.size(0, 2)):
        place = d.size(0, len(target))
        target.insert(place, 1)
    target = [target[i] for i in d.permutation(len(target))]
    if len(target) > 1 and d.flag():
        target = [target[0] * target[1], *target[2:]]
    allowzero = d.maybe(lambda: d.size(0, 1))
    if target and (prod(target) or not allowzero) and d.flag():
        target[d.size(0, len(target) - 1)] = d.pick(-1, -1, 0)
    if 0 in data and not allowzero:
        allowzero = None if -1 in target else 1
    return case(d.of("T", data), d.ints(target), allowzero=allowzero)


def transpose(d):
    data = d.shape()
    return case(d.of("T", data), perm=d.maybe(lambda: d.permutation(len(data))))


def concat(d):
    shape = d.shape(1, 5)
    axis = d.axis(len(shape))
    shapes = [list(shape) for _ in range(d.size(1, 4))]
    for each in shapes:
        each[axis] = d.size()
        if d.rarely():
            each[0] += 1
    return case(*(d.of("T", each) for each in shapes), axis=axis)


def split(d):
    data = d.shape(1, 5)
    axis = d.axis(len(data))
    given = _parts(d, data[axis]) if d.flag() else None
    if given is None:
        count = d.size(1, max(data[axis], 1))
        if d.schema.since_version >= 18:
            return case(d.of("T", data), outputs=count, axis=axis, num_outputs=count)
        return case(d.of("T", data), outputs=count, axis=axis)
    return case(d.of("T", data), d.ints(given), outputs=len(given), axis=axis)


def _parts(d, size):
    parts = []
    while sum(parts) < size and len(parts) < 3:
        parts.append(d.size(0, size - sum(parts)))
    return [*parts, size - sum(parts)]


def split_to_sequence(d):
    data = d.shape(1, 4, 1)
    axis = d.axis(len(data))
    kind = d.size(0, 2)
    dtype = d.dtype("I")
    split = (
        None if kind == 0
        else d.ints(d.size(1, 3), dtype) if kind == 1
        else d.ints(_parts(d, data[axis]), dtype)
    )  # fmt: skip
    return case(d.of("T", data), split, axis=axis, **d.plain("keepdims"))


def slice_(d):
    data = d.shape(0, 5)
    axes = d.axes(len(data))
    dtype = d.dtype("Tind")
    if d.flag():
        axes = list(range(len(axes)))
    starts, ends = (d.ints(d.sizes(len(axes), -5, 5), dtype) for _ in range(2))
    listed = axes != list(range(len(axes))) or d.flag()
    steps = d.maybe(lambda: d.ints([d.pick(-3, -2, -1, 1, 2, 3) for _ in axes], dtype))
    return case(d.of("T", data), starts, ends, d.ints(axes, dtype) if listed else None, steps)


def gather(d):
    data = d.shape(1, 4, 1 if d.flag() else 0)
    axis = d.axis(len(data))
    shape = d.shape(0, 3)
    return case(d.of("T", data), d.indices(shape, data[axis], d.dtype("Tind")), axis=axis)


def gather_elements(d):
    data = d.shape(1, 4, 1)
    axis = d.axis(len(data)) % len(data)
    shape = [d.size(0, s) if i != axis else d.size() for i, s in enumerate(data)]
    return case(d.of("T", data), d.indices(shape, data[axis], d.dtype("Tind")), axis=axis)


def gather_nd(d):
    data = d.shape(1, 4, 1)
    batch = d.size(0, len(data) - 1)
    depth = d.size(1, len(data) - batch)
    shape = (*data[:batch], *d.shape(0, 2), depth)
    return case(d.of("T", data), d.indices(shape, min(data)), batch_dims=batch)


def scatter_elements(d):
    data = d.shape(1, 4, 1)
    axis = d.axis(len(data)) % len(data)
    shape = [d.size(0, s) for s in data]
    indices = d.indices(shape, data[axis], d.dtype("Tind"))
    numeric = d.dtype("T").family in {"float", "int", "uint"}
    extra = d.plain("reduction") if numeric else {}
    return case(d.of("T", data), indices, d.of("T", shape), axis=axis, **extra)


def scatter_nd(d):
    data = d.shape(1, 4, 1)
    depth = d.size(1, len(data))
    outer = d.shape(0, 2)
    indices = d.indices((*outer, depth), min(data))
    numeric = d.dtype("T").family in {"float", "int", "uint"}
    extra = d.plain("reduction") if numeric else {}
    return case(d.of("T", data), indices, d.of("T", (*outer, *data[depth:])), **extra)


def tensor_scatter(d):
    past = d.shape(2, 4, 1)
    axis = d.size(1, len(past) - 1)
    update = list(past)
    update[axis] = d.size(1, past[axis])
    room = past[axis] - update[axis]
    starts = d.maybe(lambda: d.array(DType.INT64, (past[0],), 0, room))
    return case(
        d.of("T", past), d.of("T", update), starts, axis=axis - d.pick(0, len(past)),
        **d.plain("mode"),
    )  # fmt: skip


def pad(d):
    data = d.shape(0, 4, 1)
    axes = d.maybe(lambda: d.axes(len(data), 1))
    count = len(data) if axes is None else len(axes)
    mode = d.maybe(lambda: d.enum("mode"))
    low = -1 if mode in {None, "constant"} else 0
    pads = d.ints(d.sizes(2 * count, low, 0 if mode == "reflect" and 1 in data else 1))
    fill = d.maybe(lambda: d.of("T", ()))
    listed = None if axes is None else d.ints(axes, d.dtype("Tind"))
    return case(d.of("T", data), pads, fill, listed, mode=mode)


def expand(d):
    data, shape = d.broadcast(2)
    return case(d.of("T", data), d.ints(shape))


def tile(d):
    data = d.shape(0, 4)
    return case(d.of("T", data), d.ints(d.sizes(len(data), 0, 3)))


def squeeze(d):
    data = [d.pick(1, 1, 0, 2, 3) for _ in range(d.size(0, 5))]
    ones = [i - d.pick(0, len(data)) for i, size in enumerate(data) if size == 1]
    axes = d.maybe(lambda: d.ints(ones[: d.size(0, len(ones))]))
    return case(d.of("T", data), axes)


def unsqueeze(d):
    data = d.shape(0, 3)
    count = d.size(0, 2)
    rank = len(data) + count
    axes = [a - d.pick(0, rank) for a in d.permutation(rank)[:count]]
    return case(d.of("T", data), d.ints(axes))


def flatten(d):
    data = d.shape()
    return case(d.of("T", data), axis=d.maybe(lambda: d.axis(len(data), 1)))


def shape_(d):
    start, end = (d.maybe(lambda: d.size(-6, 6)) for _ in range(2))
    return case(d.of("T", d.shape()), start=start, end=end)


def constant_of_shape(d):
    value = d.maybe(lambda: d.of("T2", (1,)))
    return case(d.ints(d.shape()), value=value)


def compress(d):
    data = d.shape(1, 4)
    axis = d.maybe(lambda: d.axis(len(data)))
    length = prod(data) if axis is None else data[axis]
    return case(d.of("T", data), d.of("T1", (d.size(0, min(length, 4)),), 0, 1), axis=axis)


def unique(d):
    data = d.shape(1, 4, 1)
    axis = d.maybe(lambda: d.axis(len(data)))
    return case(d.of("T", data), axis=axis, outputs=d.size(1, 4), **d.plain("sorted"))


def top_k(d):
    data = d.shape(1, 4, 1)
    axis = d.axis(len(data))
    k = d.ints([d.size(0, data[axis])])
    flags = {name: d.size(0, 1) for name in ("largest", "sorted")}
    return case(d.of("T", data), k, axis=axis, outputs=2, **flags)


def one_hot(d):
    indices = d.shape(0, 3)
    depth = d.of("T2", d.pick((), (1,)), 1, 4)
    axis = d.axis(len(indices) + 1)
    return case(d.of("T1", indices), depth, d.of("T3", (2,)), axis=d.pick(None, axis))


def trilu(d):
    k = d.maybe(lambda: d.ints(d.size(-5, 5)))
    return case(d.of("T", d.shape(2, 4)), k, upper=d.maybe(lambda: d.size(0, 1)))


def reverse_sequence(d):
    data = d.shape(2, 4, 1)
    time = d.size(0, 1)
    lengths = d.array(DType.INT64, (data[1 - time],), 1, data[time])
    return case(d.of("T", data), lengths, time_axis=time, batch_axis=1 - time)


def depth_to_space(d):
    n, c, h, w = d.sizes(4, 0, 2)
    block = d.size(1, 2)
    return case(d.of("T", (n, c * block**2, h, w)), blocksize=block, **d.plain("mode"))


def space_to_depth(d):
    n, c, h, w = d.sizes(4, 0, 2)
    block = d.size(1, 2)
    return case(d.of("T", (n, c, h * block, w * block)), blocksize=block, **d.plain("mode"))


def center_crop_pad(d):
    data = d.shape(1, 4)
    axes = d.maybe(lambda: d.axes(len(data), 1))
    count = len(data) if axes is None else len(axes)
    return case(d.of("T", data), d.ints(d.sizes(count), d.dtype("Tind")), axes=axes)


# -- sequences -----------------------------------------------------------------------------------


def listed(d, least=0, same_rank=False):
    """A sequence of tensors of one dtype."""
    dtype = d.pick(DType.FLOAT32, DType.INT64, DType.STRING, DType.BOOL)
    rank = d.size(0, 3)
    shapes = [d.shape(rank, rank) if same_rank else d.shape(0, 3) for _ in range(d.size(least, 3))]
    return Listed([d.array(dtype, shape) for shape in shapes], dtype)


def sequence_construct(d):
    return case(*(d.of("T", d.shape(0, 3)) for _ in range(d.size(1, 3))))


def sequence_empty(d):
    return case(dtype=d.pick(None, 1, 7, 8, 9))


def sequence_length(d):
    return case(listed(d))


def sequence_at(d):
    sequence = listed(d, 1, d.flag())
    return case(sequence, _position(d, len(sequence.items)))


def sequence_erase(d):
    sequence = listed(d, 1, d.flag())
    return case(sequence, d.maybe(lambda: _position(d, len(sequence.items))))


def sequence_insert(d):
    sequence = listed(d, 0, d.flag())
    item = d.array(sequence.dtype, d.shape(0, 3))
    return case(sequence, item, d.maybe(lambda: _position(d, len(sequence.items), 1)))


def _position(d, length, extra=0):
    return d.ints(d.size(-length, length - 1 + extra), d.dtype("I"))


def concat_from_sequence(d):
    shape = d.shape(1, 3)
    new_axis = d.maybe(lambda: d.size(0, 1))
    axis = d.axis(len(shape) + (new_axis or 0))
    shapes = [list(shape) for _ in range(d.size(1, 3))]
    if not new_axis:
        for each in shapes:
            each[axis] = d.size()
    items = [d.array(DType.FLOAT32, each) for each in shapes]
    return case(Listed(items, DType.FLOAT32), axis=axis, new_axis=new_axis)
