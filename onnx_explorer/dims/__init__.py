"""Sizes of axes, known or symbolic: `Dim = int | Expr`.

    batch, seq = symbol("batch"), symbol("seq")
    (batch * seq * 768) // (seq * 768)      # batch
    (seq + 2 * 3 - 7) // 2 + 1              # floor((seq - 1)/2) + 1
    known_different(2 * seq, 1)             # True

Integers pass through every function as they are. `==` on an `Expr` compares how it is built; whether two
sizes are the same number is asked with `equal`, whose third answer, None, means that it depends.
"""

from onnx_explorer.dims.choice import maximum, minimum
from onnx_explorer.dims.division import ceildiv, divide_exactly, floordiv, mod, truncdiv
from onnx_explorer.dims.errors import DimError, DimLimitError, DimSyntaxError, UndecidedError
from onnx_explorer.dims.expr import Dim, Expr, bounds, clear_tables, product, symbol, total
from onnx_explorer.dims.parser import parse
from onnx_explorer.dims.questions import (
    broadcast,
    equal,
    known_different,
    known_equal,
    less,
    less_equal,
)
from onnx_explorer.dims.ratio import Ratio, ceil, floor, ratio, round_half_even, trunc
from onnx_explorer.dims.substitution import evaluate, substitute, symbols

__all__ = [
    "Dim",
    "DimError",
    "DimLimitError",
    "DimSyntaxError",
    "Expr",
    "Ratio",
    "UndecidedError",
    "bounds",
    "broadcast",
    "ceil",
    "ceildiv",
    "clear_tables",
    "divide_exactly",
    "equal",
    "evaluate",
    "floor",
    "floordiv",
    "known_different",
    "known_equal",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "mod",
    "parse",
    "product",
    "ratio",
    "round_half_even",
    "substitute",
    "symbol",
    "symbols",
    "total",
    "trunc",
    "truncdiv",
]
