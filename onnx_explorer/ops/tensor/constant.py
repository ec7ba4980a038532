"""Constant: a tensor that stands in the graph itself, as an attribute.

Exactly one of the attributes is given: `value`, a whole tensor; `sparse_value`, one in coordinate
form, whose output is dense all the same; or, from version 12 on, plain numbers and strings:
`value_int` and its kin make a scalar, `value_ints` and its kin a 1-D tensor (int64, float32 or
string).

Spec: ai.onnx Constant-25
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import DType, SparseTensor, Tensor
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sizes import content_in
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    Violation,
)
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    COMPLEX,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    FLOATS,
    INT2,
    INT4,
    INTEGERS,
    STRING,
)


def _tensor(dtype: DType) -> Callable[[object], Tensor]:
    """What makes a tensor of a number, a string or a tuple of them."""

    def convert(value: object) -> Tensor:
        return Tensor.of(np.array(value, dtype.numpy))

    return convert


CONSTANT = Operator(
    "Constant",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(),
            outputs=(Port("output", "T", "the constant"),),
            attributes=(Attr("value", "tensor", required=True, doc="the constant"),),
            types={"T": FLOATS},
        ),
        Change(9, "every type", widen={"T": INTEGERS | COMPLEX | BOOL | STRING}),
        Change(
            11,
            "sparse constants",
            attributes=(
                Attr("value", "tensor", doc="the constant"),
                Attr("sparse_value", "sparse_tensor", doc="the constant in coordinate form"),
            ),
        ),
        Change(
            12,
            "numbers and strings without a tensor around them",
            attributes=(
                Attr("value_int", "int", as_=_tensor(DType.INT64), doc="an int64 scalar"),
                Attr("value_ints", "ints", as_=_tensor(DType.INT64), doc="a 1-D int64 tensor"),
                Attr("value_float", "float", as_=_tensor(DType.FLOAT32), doc="a float32 scalar"),
                Attr(
                    "value_floats", "floats", as_=_tensor(DType.FLOAT32), doc="a 1-D float32 tensor"
                ),
                Attr("value_string", "string", as_=_tensor(DType.STRING), doc="a string scalar"),
                Attr(
                    "value_strings", "strings", as_=_tensor(DType.STRING), doc="a 1-D string tensor"
                ),
            ),
        ),
        Change(13, "bfloat16", widen={"T": BF16}),
        Change(19, "8-bit floats", widen={"T": FLOAT8}),
        Change(21, "4-bit integers", widen={"T": INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)

Given = Tensor | SparseTensor


@CONSTANT.infer(since=1)
def infer(
    *,
    value: Tensor | None = None,
    sparse_value: SparseTensor | None = None,
    value_int: Tensor | None = None,
    value_ints: Tensor | None = None,
    value_float: Tensor | None = None,
    value_floats: Tensor | None = None,
    value_string: Tensor | None = None,
    value_strings: Tensor | None = None,
) -> Abstract:
    numbers = (value_int, value_ints, value_float, value_floats, value_string, value_strings)
    given = _only_one(value, sparse_value, *numbers)
    if isinstance(given, SparseTensor):
        return Abstract(given.values.dtype, given.dims)
    return Abstract(given.dtype, given.dims, content_in(given))


@CONSTANT.kernel(since=1)
def constant(
    *,
    value: Tensor | None = None,
    sparse_value: SparseTensor | None = None,
    value_int: Tensor | None = None,
    value_ints: Tensor | None = None,
    value_float: Tensor | None = None,
    value_floats: Tensor | None = None,
    value_string: Tensor | None = None,
    value_strings: Tensor | None = None,
) -> Array:
    numbers = (value_int, value_ints, value_float, value_floats, value_string, value_strings)
    given = _only_one(value, sparse_value, *numbers)
    return dense(given) if isinstance(given, SparseTensor) else given.numpy()


def dense(sparse: SparseTensor) -> Array:
    """The tensor with 0 wherever the coordinate form says nothing. Its indices are positions in
    the flat tensor, or one row of coordinates per value.

    Raises:
        ModelError: values, indices and dims do not go together.
    """
    values, indices = sparse.values.numpy(), sparse.indices.numpy()
    dims, rank, count = sparse.dims, len(sparse.dims), sparse.values.size
    what = f"sparse tensor {sparse.name!r} of dims {list(dims)}"
    if rank == 0 or min(dims) < 0:
        raise ModelError(f"{what}: expected one size or more, and none below 0")
    if indices.dtype.kind not in "iu" or indices.shape not in {(count,), (count, rank)}:
        raise ModelError(
            f"{what}: {count} values, but indices {sparse.indices.type}; "
            f"expected int64[{count}] or int64[{count}, {rank}]"
        )
    try:
        full = np.zeros(dims, values.dtype)
    except (MemoryError, ValueError):
        raise ModelError(f"{what}: too large for the memory as a dense tensor") from None
    target, rows = full, indices.astype(np.int64)
    if rows.ndim == 1:
        target, rows = full.reshape(-1), rows[:, None]
    outside = np.flatnonzero(((rows < 0) | (rows >= np.array(target.shape))).any(axis=1))
    if outside.size:
        found = indices[outside[0]].tolist()
        raise ModelError(f"{what}: index {found} of value {outside[0]} lies outside")
    target[tuple(rows.T)] = values.reshape(-1)
    return full


def _only_one(*attributes: Given | None) -> Given:
    given = [value for value in attributes if value is not None]
    if len(given) != 1:
        raise Violation(f"{len(given)} of the attributes that give a value", "1 must be there")
    return given[0]


CONSTANT.example((), ([1, 2],), value_ints=[1, 2])
CONSTANT.example((), (0.5,), value_float=0.5)
CONSTANT.example((), (np.array([[7]], np.int8),), value=np.array([[7]], np.int8))
