"""Cases of operators that work element by element, of comparisons, reductions and scans."""

from onnx_explorer.ir import DType
from tests.soundness.drawing import case


def unary(d):
    (port,) = d.schema.inputs
    return case(d.of(port.type, d.shape()), **d.plain())


def dynamic_quantize(d):
    return case(d.of("T1", d.shape()), outputs=3)


def binary(d):
    a, b = d.broadcast(2)
    return case(
        *(d.of(port.type, s) for port, s in zip(d.schema.inputs, (a, b), strict=True)),
        **d.plain(),
    )


def gated(d):
    shape = d.shape()
    return case(d.of("T", shape), d.of("T", shape), **d.plain())


def variadic(d):
    (port,) = d.schema.inputs
    return case(*(d.of(port.type, shape) for shape in d.broadcast(d.size(1, 4))))


def where(d):
    condition, x, y = d.broadcast(3)
    return case(d.of("B", condition), d.of("T", x), d.of("T", y))


def shift(d):
    x, y = d.broadcast(2)
    return case(d.of("T", x), d.of("T", y, 0, 3), direction=d.enum("direction"))


def modulo(d):
    x, y = d.broadcast(2)
    is_float = d.dtype("T").family == "float"
    return case(d.of("T", x), d.of("T", y, 1, 3), fmod=1 if is_float else d.enum("fmod"))


def power(d):
    x, y = d.broadcast(2)
    return case(d.of("T", x, 1), d.of("T1", y, 0))


def prelu(d):
    x = d.shape(0, 4)
    return case(d.of("T", x), d.of("T", d.part_of(x)))


def clip(d):
    low, high = (d.maybe(lambda: d.of("T", ())) for _ in range(2))
    return case(d.of("T", d.shape()), low, high)


def cast(d):
    return case(d.of("T1", d.shape(), 0, 1, only=_castable), to=_to(d), **d.plain("saturate"))


_castable = {"float", "int", "uint", "bool"}


def _to(d):
    return d.dtype("T2", only=_castable).value


def cast_like(d):
    shape = d.shape()
    return case(d.of("T1", shape, only=_castable), d.of("T2", d.shape(), only=_castable))


def bit_cast(d):
    source = d.dtype("T1")
    same = [
        e for e in DType
        if e.bits == source.bits and e.notation in d.schema.type_constraints["T2"].allowed
    ]  # fmt: skip
    to = d.pick(*same) if same else source
    return case(d.of("T1", d.shape()), to=to.value)


def dropout(d):
    ratio = d.maybe(lambda: d.of("T1", (), 0, 0))
    training = d.maybe(lambda: d.of("T2", (), 0, 1))
    return case(d.of("T", d.shape()), ratio, training, outputs=d.size(1, 2))


def random_like(d):
    like = d.of("T1", d.shape(), 0, 1)
    needs = d.dtype("T1").notation not in d.schema.type_constraints["T2"].allowed
    dtype = d.dtype("T2").value if needs or d.flag() else None
    return case(like, dtype=dtype)


def random_shape(d):
    return case(**{**d.plain(), "shape": list(d.shape())})


def eye_like(d):
    return case(
        d.of("T1", d.shape(2, 2)),
        dtype=d.dtype("T2").value if d.dtype("T1") is DType.STRING or d.flag() else None,
        k=d.maybe(lambda: d.size(-3, 3)),
    )


def reduction(d):
    data = d.shape()
    axes = d.maybe(lambda: d.ints(d.axes(len(data))))
    return case(d.of("T", data), axes, **d.plain())


def arg_extremum(d):
    data = d.shape(1, 5, 1)
    return case(d.of("T", data), axis=d.maybe(lambda: d.axis(len(data))), **d.plain())


def along_axis(d):
    data = d.shape(1, 5)
    return case(d.of(d.schema.inputs[0].type, data), axis=d.axis(len(data)), **d.plain())


def cumulation(d):
    data = d.shape(1, 5)
    return case(
        d.of(d.schema.inputs[0].type, data),
        d.ints(d.axis(len(data)), d.dtype("T2")),
        **d.plain(),
    )


def mean_variance(d):
    data = d.shape(1, 5)
    return case(d.of("T", data), axes=d.axes(len(data)))


def window(d):
    return case(
        d.ints(d.size(), d.dtype("T1")), output_datatype=d.dtype("T2").value, **d.plain("periodic")
    )


def mel_weights(d):
    t1 = d.dtype("T1")
    mel, length, rate = d.size(1, 4), d.size(8, 20), 8000
    return case(
        d.ints(mel, t1), d.ints(length, t1), d.ints(rate, t1),
        d.of("T2", (), 0, 0), d.of("T2", (), 50, 50),
        output_datatype=d.dtype("T3").value,
    )  # fmt: skip


def number_range(d):
    dtype = d.dtype("T")
    start, limit = d.array(dtype, ()), d.array(dtype, ())
    return case(start, limit, d.array(dtype, (), 1, 2))


def generic_norm(d):
    data = d.shape(1, 5, 1)
    return case(d.of(d.schema.inputs[0].type, data), axis=d.axis(len(data)), p=d.size(1, 2))
