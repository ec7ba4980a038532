"""Cases of matrix products, normalisations, losses, recurrent layers, attention, quantization."""

import io

import numpy as np
from PIL import Image

from onnx_explorer.ir import DType
from tests.soundness.drawing import case


def matrices(d):
    """The shapes of two stacks of matrices, or of vectors, that multiply."""
    m, k, n = d.sizes(3)
    kind = d.size(0, 5)
    if kind == 0:
        return (k,), d.pick((k,), (k, n), (d.size(), k, n))
    if kind == 1:
        return d.pick((m, k), (d.size(), m, k)), (k,)
    stack = d.shape(0, 2)
    if d.rarely():
        k += 1
        return (*d.part_of(stack), m, k), (*d.part_of(stack), k + 1, n)
    return (*d.part_of(stack), m, k), (*d.part_of(stack), k, n)


def product(d):
    a, b = matrices(d)
    return case(d.of("T", a), d.of("T", b))


def integer_product(d):
    a, b = matrices(d)
    zeros = d.maybe(lambda: d.of("T1", ())), d.maybe(lambda: d.of("T2", ()))
    return case(d.of("T1", a), d.of("T2", b), *zeros)


def quantized_product(d):
    a, b = matrices(d)
    scale = d.of("TS", (), 1, 2)
    return case(
        d.of("T1", a), scale, d.of("T1", ()), d.of("T2", b), scale, d.of("T2", ()),
        scale, d.of("T3", ()),
    )  # fmt: skip


def gemm(d):
    m, k, n = d.sizes(3)
    flip_a, flip_b = d.size(0, 1), d.size(0, 1)
    c = d.maybe(lambda: d.of("T", d.part_of((m, n))))
    return case(
        d.of("T", (k, m) if flip_a else (m, k)), d.of("T", (n, k) if flip_b else (k, n)), c,
        transA=flip_a, transB=flip_b, **d.plain(),
    )  # fmt: skip


def einsum(d):
    i, j, k, b = d.sizes(4, 1)
    equation, shapes = d.pick(
        ("ij,jk->ik", [(i, j), (j, k)]),
        ("ij,jk", [(i, j), (j, k)]),
        ("bij, bjk -> bik", [(b, i, j), (b, j, k)]),
        ("...ij,...jk->...ik", [(b, i, j), (1, j, k)]),
        ("...ij->...ji", [(b, k, i, j)]),
        ("ii->i", [(i, i)]),
        ("ii", [(i, i)]),
        ("ij->", [(i, j)]),
        ("i,j->ij", [(i,), (j,)]),
        ("ba", [(i, j)]),
    )
    return case(*(d.of("T", s) for s in shapes), equation=equation)


def determinant(d):
    n = d.size(0, 3)
    return case(d.of("T", (*d.shape(0, 2), n, n)))


# -- normalisations and losses -------------------------------------------------------------------


def batch_norm(d):
    x = (d.size(), d.size(1), *d.shape(0, 3, 1))
    training = d.size(0, 1)
    stats = [d.of(v, (x[1],), 1, 3) for v in ("T1", "T1", "T2", "T2")]
    return case(d.of("T", x), *stats, training_mode=training, outputs=3 if training else 1)


def instance_norm(d):
    x = (d.size(), d.size(1), *d.shape(1, 3, 1))
    return case(d.of("T", x), d.of("T", (x[1],)), d.of("T", (x[1],)))


def group_norm(d):
    groups = d.size(1, 2)
    x = (d.size(), groups * d.size(1, 2), *d.shape(0, 2, 1))
    return case(d.of("T", x), d.of("T", (x[1],)), d.of("T", (x[1],)), num_groups=groups)


def layer_norm(d):
    x = d.shape(1, 4, 1)
    axis = d.axis(len(x))
    bias = d.maybe(lambda: d.of("T", x[axis:]))
    return case(d.of("T", x), d.of("T", x[axis:]), bias, axis=axis, outputs=d.size(1, 3))


def rms_norm(d):
    x = d.shape(1, 4, 1)
    axis = d.axis(len(x))
    return case(d.of("T", x), d.of("V", x[axis:]), axis=axis)


def likelihood_loss(d):
    classes = d.size(1)
    n, rest = d.size(1), d.shape(0, 2, 1)
    target = d.array(d.dtype("Tind"), (n, *rest), 0, classes - 1)
    weight = d.maybe(lambda: d.of("T", (classes,), 1, 2))
    ignore = d.maybe(lambda: d.size(-1, 1))
    outputs = d.size(1, len(d.schema.outputs))
    return case(
        d.of("T", (n, classes, *rest)), target, weight,
        ignore_index=ignore, outputs=outputs, **d.plain("reduction"),
    )  # fmt: skip


# -- recurrent layers and attention --------------------------------------------------------------


def recurrent(gates, states, peephole=False):
    """The generator of a recurrent layer with so many gates."""

    def generate(d):
        steps, batch, width, hidden = d.size(1, 3), d.size(1, 3), d.size(1, 3), d.size(1, 3)
        direction = d.maybe(lambda: d.enum("direction"))
        both = 2 if direction == "bidirectional" else 1
        layout = d.maybe(lambda: d.size(0, 1))
        state = (batch, both, hidden) if layout else (both, batch, hidden)
        x = (batch, steps, width) if layout else (steps, batch, width)
        initial = [d.maybe(lambda: d.of("T", state)) for _ in range(states)]
        if peephole:
            initial.append(d.maybe(lambda: d.of("T", (both, 3 * hidden))))
        activations = ["Tanh"] * both if gates == 1 and direction else None
        return case(
            d.of("T", x),
            d.of("T", (both, gates * hidden, width)),
            d.of("T", (both, gates * hidden, hidden)),
            d.maybe(lambda: d.of("T", (both, 2 * gates * hidden))),
            d.maybe(lambda: d.array(DType.INT32, (batch,), 1, steps)),
            *initial,
            direction=direction, layout=layout, activations=activations,
            hidden_size=d.pick(None, hidden), outputs=d.size(1, 1 + states),
        )  # fmt: skip

    return generate


def attention(d):
    batch, groups, ratio = d.size(1, 2), d.size(1, 2), d.size(1, 2)
    queries, keys, width, depth = d.size(1, 3), d.size(1, 3), d.size(1, 3), d.size(1, 3)
    heads = groups * ratio
    past = d.maybe(lambda: d.size(0, 2))
    if d.flag():
        q, k, v = (
            (batch, queries, heads * width),
            (batch, keys, groups * width),
            (batch, keys, groups * depth),
        )
        named = {"q_num_heads": heads, "kv_num_heads": groups}
    else:
        q, k, v = (
            (batch, heads, queries, width),
            (batch, groups, keys, width),
            (batch, groups, keys, depth),
        )
        named = {}
    total = keys + (past or 0)
    mask = d.maybe(
        lambda: d.of(
            "U", d.pick((queries, total), (batch, heads, queries, total), (1, queries, total))
        )
    )
    pasts = (
        (None, None) if past is None
        else (d.of("T1", (batch, groups, past, width)), d.of("T2", (batch, groups, past, depth)))
    )  # fmt: skip
    outputs = 1 if past is None else d.size(1, 4)
    return case(
        d.of("T1", q), d.of("T1", k), d.of("T2", v), mask, *pasts,
        is_causal=d.size(0, 1), outputs=outputs, **named,
    )  # fmt: skip


def flexible_attention(d):
    batch, groups, ratio = d.size(1, 2), d.size(1, 2), d.size(1, 2)
    queries, keys, width, depth = d.sizes(4, 1, 3)
    return case(
        d.of("T1", (batch, groups * ratio, queries, width)),
        d.of("T1", (batch, groups, keys, width)),
        d.of("T1", (batch, groups, keys, depth)),
        **d.plain("scale"),
    )


def linear_attention(d):
    batch, groups, ratio, steps = d.size(1, 2), d.size(1, 2), d.size(1, 2), d.size(1, 3)
    width, depth = d.size(1, 3), d.size(1, 3)
    rule = d.enum("update_rule")
    decay = d.of("T", (batch, steps, groups * width)) if "gated" in rule else None
    beta = d.of("T", (batch, steps, groups)) if "delta" in rule else None
    return case(
        d.of("T", (batch, steps, groups * ratio * width)),
        d.of("T", (batch, steps, groups * width)),
        d.of("T", (batch, steps, groups * depth)),
        d.maybe(lambda: d.of("S", (batch, groups, width, depth))), decay, beta,
        q_num_heads=groups * ratio, kv_num_heads=groups, update_rule=rule, outputs=2,
    )  # fmt: skip


def rotary_embedding(d):
    batch, heads, steps, half = d.size(1, 2), d.size(1, 2), d.size(1, 3), d.size(1, 2)
    flat = d.flag()
    x = (batch, steps, heads * 2 * half) if flat else (batch, heads, steps, 2 * half)
    positions = d.maybe(lambda: d.array(DType.INT64, (batch, steps), 0, 3))
    cache = (batch, steps, half) if positions is None else (4, half)
    return case(
        d.of("T", x), d.of("T", cache), d.of("T", cache), positions,
        num_heads=heads if flat else None, **d.plain("interleaved"),
    )  # fmt: skip


# -- quantization --------------------------------------------------------------------------------


def _scaled(d):
    """The shape of a tensor, of its scales, and the attributes that relate the two."""
    x = d.shape(1, 4, 1)
    axis = d.axis(len(x))
    kind = d.size(0, 2)
    if kind == 0:
        return x, (), {}
    if kind == 1:
        return x, (x[axis],), {"axis": axis}
    block = d.size(1, x[axis])
    scale = list(x)
    scale[axis] = -(-x[axis] // block)
    return x, tuple(scale), {"axis": axis, "block_size": block}


def quantize(d):
    x, scale, attributes = _scaled(d)
    zero = d.maybe(lambda: d.of("T3", scale, 0, 0))
    dtype = d.dtype("T3").value if zero is None and d.flag() else None
    return case(d.of("T1", x), d.of("T2", scale, 1, 2), zero, output_dtype=dtype, **attributes)


def dequantize(d):
    x, scale, attributes = _scaled(d)
    zero = d.maybe(lambda: d.of("T1", scale, 0, 0))
    needed = d.dtype("T2").notation not in d.schema.type_constraints["T3"].allowed
    dtype = d.dtype("T3").value if needed or d.flag() else None
    return case(d.of("T1", x), d.of("T2", scale, 1, 2), zero, output_dtype=dtype, **attributes)


# -- signals -------------------------------------------------------------------------------------


def fourier(d):
    x = (*d.shape(1, 3, 1), d.size(1, 2))
    axis = d.maybe(lambda: d.ints(d.pick(d.size(0, len(x) - 2), d.size(-len(x), -2))))
    length = d.maybe(lambda: d.ints(d.size(1, 5), d.dtype("T2")))
    onesided = d.size(0, 1) if x[-1] == 1 else 0
    return case(d.of("T1", x), length, axis, onesided=onesided)


def short_fourier(d):
    batch, length, frame, step = d.size(1, 2), d.size(4, 8), d.size(1, 4), d.size(1, 3)
    t2 = d.dtype("T2")
    complex_ = d.size(1, 2)
    windowed = d.size(0, 2)
    return case(
        d.of("T1", (batch, length, complex_)), d.ints(step, t2),
        d.of("T1", (frame,)) if windowed else None,
        d.ints(frame, t2) if windowed != 1 else None,
        onesided=d.size(0, 1) if complex_ == 1 else 0,
    )  # fmt: skip


def image_file(d):
    """A small picture as a PNG file: its sizes are known only to who decodes it."""
    pixels = np.zeros((d.size(1), d.size(1), 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return case(np.frombuffer(file.getvalue(), np.uint8), **d.plain("pixel_format"))
