"""StringConcat: strings joined two by two, those of `X` before those of `Y`.

Shapes broadcast as for Add.

Spec: ai.onnx StringConcat-20
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.schema import Change, Operator, Port
from onnx_explorer.schema.typesets import STRING

STRING_CONCAT = Operator(
    "StringConcat",
    doc=__doc__,
    history=(
        Change(
            20,
            "first version",
            inputs=(
                Port("X", "T", "the first part of each string", differentiable=False),
                Port("Y", "T", "the second part of each string", differentiable=False),
            ),
            outputs=(Port("Z", "T", "the joined strings", differentiable=False),),
            types={"T": STRING},
        ),
    ),
)

STRING_CONCAT.infer(since=20)(broadcast_rule)


@STRING_CONCAT.kernel(since=20)
@broadcasting
def string_concat(X: NDArray[np.object_], Y: NDArray[np.object_]) -> NDArray[np.object_]:
    joined = np.empty(np.broadcast_shapes(X.shape, Y.shape), object)
    joined[...] = np.add(X, Y)
    return joined


STRING_CONCAT.example((["a", "b"], ["c"]), (["ac", "bc"],))
