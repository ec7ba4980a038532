"""One step of an optimizer: what the operators of this domain share. Their inputs are a learning
rate, a step count and then groups of as many tensors each: the tensors to optimize, their
gradients, and what is remembered of earlier steps. Their outputs are the groups without gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import FLOAT32, FLOAT64, INT64

Item = TypeVar("Item")

NORM_COEFFICIENT = Attr(
    "norm_coefficient",
    "float",
    0.0,
    doc="this times the tensor is added to its gradient, which pulls it towards 0",
)


def optimizer(
    name: str, doc: str | None, *, memory: Sequence[str], attributes: tuple[Attr, ...]
) -> Operator:
    """An optimizer with its rule; `memory` says what each group of remembered tensors is."""
    groups = ", then ".join(("the tensors to optimize", "their gradients", *memory))
    results = ", then ".join(("the optimized tensors", *memory))
    op = Operator(
        name,
        domain="ai.onnx.preview.training",
        doc=doc,
        history=(
            Change(
                1,
                "first version",
                inputs=(
                    Port("R", "T1", "the learning rate, a scalar"),
                    Port("T", "T2", "how many steps were made before, a scalar"),
                    Port("inputs", "T3", groups, option="variadic", homogeneous=False),
                ),
                outputs=(Port("outputs", "T3", results, option="variadic", homogeneous=False),),
                attributes=attributes,
                types={"T1": FLOAT32 | FLOAT64, "T2": INT64, "T3": FLOAT32 | FLOAT64},
            ),
        ),
    )
    n_groups = 2 + len(memory)

    @op.infer(since=1)
    def infer(  # pyright: ignore[reportUnusedFunction]
        R: Abstract, T: Abstract, *inputs: Abstract, at: RuleSite
    ) -> tuple[Abstract, ...]:
        groups = grouped(inputs, n_groups)
        kept = [group for i, group in enumerate(groups) if i != 1]
        outputs = tuple(value.like(value.shape) for value in chain(*kept))
        at.keep(outputs)
        for tensors in zip(*groups, strict=True):
            for other in tensors[1:]:
                _check_same(tensors[0], other, at)
        return outputs

    return op


def number(value: NDArray[np.generic], port: str) -> float:
    """The learning rate or the count of updates.

    Raises:
        Violation: the tensor has another number of elements than one.
    """
    if value.size != 1:
        raise Violation(
            f"shape {list(value.shape)}", "a scalar, of shape []", port=port, code="wrong-shape"
        )
    return value.item()


def grouped(inputs: Sequence[Item], n_groups: int) -> list[Sequence[Item]]:
    """The groups that the inputs fall into.

    Raises:
        Violation: they do not come out even.
    """
    size, rest = divmod(len(inputs), n_groups)
    if rest or not size:
        raise Violation(
            f"{len(inputs)} tensors",
            f"{n_groups} for each that is optimized",
            port="inputs",
            code="wrong-count",
        )
    return [inputs[i * size : (i + 1) * size] for i in range(n_groups)]


def _check_same(tensor: Abstract, other: Abstract, at: RuleSite) -> None:
    if tensor.shape is None or other.shape is None:
        return
    pairs = list(zip(tensor.shape, other.shape, strict=False))
    if len(tensor.shape) != len(other.shape) or any(known_different(a, b) for a, b in pairs):
        raise Violation(
            f"shape {list(other.shape)}",
            f"the tensor to optimize has shape {list(tensor.shape)}",
            port="inputs",
            code="wrong-shape",
        )
    for a, b in pairs:
        at.assume(a, b)


def stepped(
    inputs: Sequence[Floats], n_groups: int, step: Callable[..., tuple[Floats, ...]]
) -> tuple[Floats, ...]:
    """The results of `step(X, G, ...)` for each tensor, group by group."""
    groups = grouped(inputs, n_groups)
    for tensors in zip(*groups, strict=True):
        for other in tensors[1:]:
            if other.shape != tensors[0].shape:
                raise Violation(
                    f"shape {list(other.shape)}",
                    f"the tensor to optimize has shape {list(tensors[0].shape)}",
                    port="inputs",
                    code="wrong-shape",
                )
    results = [step(*tensors) for tensors in zip(*groups, strict=True)]
    return tuple(chain(*zip(*results, strict=True)))
