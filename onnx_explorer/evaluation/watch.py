"""Expressions over the values of a run: `mean(abs(x))`, in a small grammar of their own."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import DType, RunValue
from onnx_explorer.ir.expected import expect_name, near_or_some
from onnx_explorer.ir.names import ends_so

Function = Callable[..., object]

_ALONG_AXES: Mapping[str, Function] = {
    "all": np.all,
    "any": np.any,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "max": np.max,
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "std": np.std,
    "sum": np.sum,
}
"""These take a value and, if wanted, an axis."""
_OF_ONE: Mapping[str, Function] = {
    "abs": np.abs,
    "exp": np.exp,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "len": len,
    "log": np.log,
    "norm": np.linalg.norm,
    "shape": np.shape,
    "size": np.size,
    "sqrt": np.sqrt,
}
FUNCTIONS: Mapping[str, Function] = MappingProxyType({**_ALONG_AXES, **_OF_ONE})
"""What an expression may call."""
_OF_ANYTHING = frozenset({"len", "max", "min", "shape", "size"})
"""These take text as well as numbers."""
_AS_THEY_ARE = frozenset({"len", "shape", "size"})
"""These do not look at the elements."""

_BINARY: Mapping[type[ast.operator], Function] = MappingProxyType(
    {
        ast.Add: np.add,
        ast.Sub: np.subtract,
        ast.Mult: np.multiply,
        ast.Div: np.true_divide,
        ast.FloorDiv: np.floor_divide,
        ast.Mod: np.mod,
        ast.Pow: np.float_power,
    }
)
_COMPARED: Mapping[type[ast.cmpop], Function] = MappingProxyType(
    {
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
    }
)
_NEGATED: Function = operator.neg
_INDEXED: Function = operator.getitem
LONGEST = 500
"""Characters of an expression; what is longer was not written by a person."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression: names of values, numbers, `+ - * / // % **`, comparisons, the
    functions of `FUNCTIONS` and indices. A name that is no word stands in quotes:
    `max("layer1/attention:0")[0]`.
    """

    text: str
    tree: ast.expr

    @property
    def names(self) -> frozenset[str]:
        """The values that it speaks of."""
        return frozenset(_names(self.tree))

    def value(self, values: Mapping[str, RunValue]) -> object:
        """What it comes to with these values.

        Raises:
            KeyError: a value is not there.
            EvaluationError: the values do not go together.
        """
        try:
            with np.errstate(all="ignore"):
                return _value(self.tree, values)
        except (TypeError, ValueError, IndexError, ArithmeticError) as error:
            raise EvaluationError(f"{self.text}: {error}") from error


def expression(text: str) -> Expression:
    """Parse an expression.

    Raises:
        EvaluationError: it has something that the grammar does not have, which is named.
    """
    if not isinstance(cast("object", text), str):
        raise EvaluationError(f"{text!r} is no expression; expected a text such as 'mean(abs(x))'")
    if len(text) > LONGEST:
        raise EvaluationError(f"an expression of {len(text)} characters; at most {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        _check(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise EvaluationError(f"{text!r} is no expression: {reason}") from None
    return Expression(text.strip(), tree)


class Watches:
    """Expressions that a person keeps an eye on."""

    def __init__(self) -> None:
        self._every: dict[str, Expression] = {}

    def add(self, text: str, known: Collection[str]) -> None:
        """Watch an expression over values that the model has.

        Raises:
            EvaluationError: it is no expression, or speaks of something that is no value.
        """
        parsed = expression(text)
        for name in sorted(parsed.names - set(known)):
            if any(ends_so(full, name) for full in known):
                continue
            near = get_close_matches(name, known, 1) or [n for n in sorted(known) if name in n][:1]
            hint = f"; {near[0]!r} is one" if near else ""
            raise EvaluationError(
                f"no value is named {name!r}{hint}. A name that is no word stands in quotes"
            )
        self._every[text] = parsed

    def remove(self, text: str) -> None:
        """Watch it no longer.

        Raises:
            EvaluationError: it is not watched.
        """
        expect_name("the expression", text, EvaluationError)
        if text not in self._every:
            raise EvaluationError(f"{text!r} is not watched{near_or_some(text, self._every)}")
        del self._every[text]

    def values(self, values: Mapping[str, RunValue]) -> dict[str, object]:
        """What each comes to: None where its values are not there yet, an error where they do not
        go together.
        """
        found: dict[str, object] = {}
        for text, watched in self._every.items():
            try:
                found[text] = watched.value(values) if watched.names <= values.keys() else None
            except EvaluationError as error:
                found[text] = error
        return found


def _check(tree: ast.expr) -> None:
    match tree:
        case ast.Constant(value=str() | bool() | int() | float()) | ast.Name():
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            _check(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left)
            _check(right)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            _check(left)
            _check(right)
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[ast.keyword("axis", axis)]):
            wanted = ast.unparse(ast.Call(ast.Name(name), [value, axis], []))
            raise ValueError(f"an axis goes without its name: {wanted}")
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            if name not in FUNCTIONS:
                known = ", ".join(FUNCTIONS)
                raise ValueError(f"there is no function {name!r}; there are {known}")
            if len(arguments) not in ((1, 2) if name in _ALONG_AXES else (1,)):
                wanted = "a value and perhaps an axis" if name in _ALONG_AXES else "one value"
                raise ValueError(f"{name} takes {wanted}")
            for argument in arguments:
                _check(argument)
        case ast.Subscript(value=value, slice=index):
            _check(value)
            for part in _parts(index):
                _check_index(part)
        case _:
            raise ValueError(f"{ast.unparse(tree)!r} is not allowed")


def _parts(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _check_index(part: ast.expr) -> None:
    if isinstance(part, ast.Slice):
        for bound in (part.lower, part.upper, part.step):
            if bound is not None:
                _check(bound)
    else:
        _check(part)


def _names(tree: ast.AST) -> Iterator[str]:
    match tree:
        case ast.Constant(value=str(name)) | ast.Name(id=name):
            yield name
        case ast.Call(args=arguments):
            for argument in arguments:
                yield from _names(argument)
        case _:
            for child in ast.iter_child_nodes(tree):
                yield from _names(child)


def _value(tree: ast.expr, values: Mapping[str, RunValue]) -> object:
    match tree:
        case ast.Constant(value=str(name)) | ast.Name(id=name):
            return values[name]
        case ast.Constant(value=int() | float() as number):
            # numpy's numbers have a width: a tower of powers overflows and does not run for hours.
            return np.asarray(number)[()]
        case ast.UnaryOp(op=op, operand=operand):
            found = _value(operand, values)
            return _NEGATED(found) if isinstance(op, ast.USub) else found
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARED[type(op)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _called(name, [_value(argument, values) for argument in arguments])
        case ast.Subscript(value=inner, slice=index):
            whole = _value(inner, values)
            if isinstance(index, ast.Tuple):
                return _INDEXED(whole, tuple(_index(part, values) for part in index.elts))
            return _INDEXED(whole, _index(index, values))
        case _:
            raise TypeError(f"{ast.unparse(tree)!r} is not allowed")


def _called(name: str, arguments: list[object]) -> object:
    first = arguments[0]
    if isinstance(first, (np.ndarray, np.generic)):
        array = cast("NDArray[np.generic]", first)
        if array.dtype.kind in "OUST" and name not in _OF_ANYTHING:
            raise TypeError(f"{name} is for numbers, and this is text")
        if name == "mean" and not array.size:
            return np.float64(np.nan)  # numpy's answer, without the warning that comes with it
        if name not in _AS_THEY_ARE:
            arguments = [_wide(array), *arguments[1:]]
    return FUNCTIONS[name](*arguments)


def _wide(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The array in a dtype that has room for sums and means of it: those of four bits would be
    rounded to whole numbers, and those of half-precision floats overflow soon.
    """
    if array.dtype.kind not in "fV" or array.dtype.itemsize >= 4:
        return array
    is_float = DType.from_numpy(array.dtype).family == "float"
    return array.astype(np.float32 if is_float else np.int64)


def _index(part: ast.expr, values: Mapping[str, RunValue]) -> object:
    if not isinstance(part, ast.Slice):
        return _value(part, values)
    bounds = (part.lower, part.upper, part.step)
    return slice(*(None if bound is None else _value(bound, values) for bound in bounds))
