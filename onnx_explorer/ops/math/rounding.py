"""Floor, Ceil and Round: every element rounded to an integer that is still stored as a float.

Spec: ai.onnx Floor-13, Ceil-13, Round-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import ceil, floor, round_half_even
from onnx_explorer.ops.cotangents import constant_vjp
from onnx_explorer.ops.elementwise import float_history, unary, unary_history

FLOOR = unary(
    "Floor",
    """Floor: every element rounded down to an integer, toward negative infinity.

The result keeps its float type; infinity and NaN stay.

Spec: ai.onnx Floor-13
""",
    unary_history("numbers", "the next integers below or at `X`", differentiable=False),
    np.floor,
    sizes=np.frompyfunc(floor, 1, 1),
)

CEIL = unary(
    "Ceil",
    """Ceil: every element rounded up to an integer, toward positive infinity.

The result keeps its float type; infinity and NaN stay. What lies between -1 and 0 becomes -0.

Spec: ai.onnx Ceil-13
""",
    unary_history("numbers", "the next integers above or at `X`", differentiable=False),
    np.ceil,
    sizes=np.frompyfunc(ceil, 1, 1),
)

ROUND = unary(
    "Round",
    """Round: every element rounded to the nearest integer; what lies half way goes to the even one.

The result keeps its float type; infinity and NaN stay. Halves alternate, so that roundings up and
down balance: this is not the rounding of school, by which 2.5 would become 3.

Spec: ai.onnx Round-22
""",
    float_history(11, "numbers", "the integers nearest to `X`", differentiable=False),
    np.rint,
    sizes=np.frompyfunc(round_half_even, 1, 1),
)

FLOOR.vjp(since=FLOOR.versions[0])(constant_vjp)
CEIL.vjp(since=CEIL.versions[0])(constant_vjp)
ROUND.vjp(since=ROUND.versions[0])(constant_vjp)
FLOOR.example(([-1.5, 1.2, 2.0],), ([-2.0, 1.0, 2.0],))
CEIL.example(([-1.5, 1.2, 2.0],), ([-1.0, 2.0, 2.0],))
ROUND.example(([0.5, 1.5, 2.5, -1.2],), ([0.0, 2.0, 2.0, -1.0],))
