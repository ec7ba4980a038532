"""What nodes cost, in the forms that many pages share."""

from __future__ import annotations

from onnx_explorer.dims import Dim, product
from onnx_explorer.schema import Cost, CostFunction, Shape, Shapes


def elements(shape: Shape | None) -> Dim:
    """The number of elements; 0 for a tensor that is left out."""
    return 0 if shape is None else product(shape)


def per_output(operations: int = 1) -> CostFunction:
    """So many operations for each element of the first output."""

    def cost(inputs: Shapes, outputs: Shapes) -> Cost:
        return Cost(other=operations * elements(outputs[0]))

    return cost


def per_input(operations: int = 1) -> CostFunction:
    """So many operations for each element of the first input."""

    def cost(inputs: Shapes, outputs: Shapes) -> Cost:
        return Cost(other=operations * elements(inputs[0]))

    return cost


def variadic_cost(inputs: Shapes, outputs: Shapes) -> Cost:
    """Each input after the first is put to the others, element by element."""
    return Cost(other=(len(inputs) - 1) * elements(outputs[0]))


def pool_cost(inputs: Shapes, outputs: Shapes, *, kernel_shape: tuple[int, ...]) -> Cost:
    """Each element of the output looks at a window."""
    return Cost(other=elements(outputs[0]) * product(kernel_shape))


def matmul_cost(inputs: Shapes, outputs: Shapes) -> Cost:
    """A product of vectors for each element of the first output; the left factor comes first."""
    left = sizes_at(inputs, 0)
    return Cost(elements(outputs[0]) * left[len(left) - 1])


def filter_cost(outputs: Shapes, filters: Shape | None, bias: Shape | None = None) -> Cost:
    """One of the filters for each element of the first output, and an addition where a bias is."""
    n = elements(outputs[0])
    return Cost(n * product((filters or ())[1:]), n if bias else 0)


def sizes_at(shapes: Shapes, index: int) -> Shape:
    """The sizes of a tensor that the node has."""
    return shapes[index] or ()


def input_at(inputs: Shapes, index: int) -> Shape | None:
    """None where a node lists fewer inputs."""
    return inputs[index] if index < len(inputs) else None


def recurrent_cost(inputs: Shapes, outputs: Shapes) -> Cost:
    """In each step all gates read the input and the state before; each of them is a function."""
    X, W, R = (sizes_at(inputs, i) for i in range(3))
    steps = elements(X[:2])
    return Cost(steps * (elements(W) + elements(R)), steps * elements(W[:2]))
