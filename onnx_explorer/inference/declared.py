"""Declared types against inferred ones: a contradiction is told, a gap is filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onnx_explorer.dims import known_different, known_equal, symbols
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.ir import TensorType, Type
from onnx_explorer.schema import (
    UNKNOWN,
    Abstract,
    AbstractOptional,
    AbstractSequence,
    AbstractValue,
)


def says_the_same(value: AbstractValue, declared: Type) -> bool:
    """Whether a declaration repeats what was inferred, as it does nearly always."""
    return (
        isinstance(value, Abstract)
        and isinstance(declared, TensorType)
        and value.shape is not None
        and value.dtype is declared.dtype
        and value.shape == declared.shape
    )


def conflict_text(value: AbstractValue, stated: AbstractValue) -> str:
    """How two descriptions of a value contradict each other; "" when both may hold."""
    match value, stated:
        case (AbstractSequence(a), AbstractSequence(b)) | (
            AbstractOptional(a),
            AbstractOptional(b),
        ):
            inside = "" if a is None or b is None else conflict_text(a, b)
            return inside and f"{inside}, inside"
        case _:
            pass
    if not isinstance(value, Abstract) or not isinstance(stated, Abstract):
        compatible = type(value) is type(stated) or UNKNOWN in {value, stated}
        return "" if compatible else "they are different kinds of value"
    if value.dtype and stated.dtype and value.dtype is not stated.dtype:
        return "the dtypes differ"
    if value.shape is None or stated.shape is None:
        return ""
    if len(value.shape) != len(stated.shape):
        return f"rank {len(value.shape)} against declared {len(stated.shape)}"
    for axis, (a, b) in enumerate(zip(value.shape, stated.shape, strict=True)):
        if known_different(a, b):
            return f"axis {axis} is {a} against declared {b}"
    return ""


def undecided(
    value: AbstractValue, stated: AbstractValue, known: frozenset[str], names: FreshNames
) -> Iterator[str]:
    """What must hold for a declared shape to be right although nothing proves it. Names that stand
    nowhere in the inputs say nothing; many tools write one for each size that they do not know.
    """
    if not isinstance(value, Abstract) or not isinstance(stated, Abstract):
        return
    for a, b in zip(value.shape or (), stated.shape or (), strict=False):
        if not known_equal(a, b) and not names.made(a) and symbols(b) <= known:
            yield f"{a} = {b}"


def refined(value: AbstractValue, stated: AbstractValue, names: FreshNames) -> AbstractValue:
    """The inferred value with what only the declaration knows: a dtype, a rank, a number where
    inference had to make a size up. The two must not contradict each other.
    """
    if value == UNKNOWN:
        return stated
    if not isinstance(value, Abstract) or not isinstance(stated, Abstract):
        return value
    dtype = value.dtype or stated.dtype
    if value.shape is None or stated.shape is None:
        shape = stated.shape if value.shape is None else value.shape
    else:
        shape = tuple(
            b if isinstance(b, int) and names.made(a) else a
            for a, b in zip(value.shape, stated.shape, strict=True)
        )
    if dtype is value.dtype and shape == value.shape:
        return value
    return replace(value, dtype=dtype, shape=shape)
