"""Einsum: sums of products of elements, described by an equation of labels (Einstein's notation).

Each input has a term that names its axes by letters: "ij,jk->ik" is the product of two matrices. A
label that inputs share runs over both at once; one that is missing from the output, behind the
arrow, is summed over. A label twice in a term takes the diagonal: "ii->" is the trace. "..." stands
for any number of axes, the same everywhere. Without an arrow the output has the labels that occur
once, in the order of ASCII (capitals first), after the axes of the ellipsis.

A size of 1 repeats to meet another. Floats of 16 bits are summed in float32. Of more than two inputs
the first two are multiplied, the result with the third, and so on.

Spec: ai.onnx Einsum-28
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.dims import Dim, broadcast, product
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.ops.tensor.subscripts import Label, Labels, label_sizes, subscripts
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Shapes,
)
from onnx_explorer.schema.typesets import BF16, NUMBERS

EINSUM = Operator(
    "Einsum",
    doc=__doc__,
    history=(
        Change(
            12,
            "first version",
            inputs=(Port("Inputs", "T", "the factors", option="variadic", differentiable=True),),
            outputs=(
                Port(
                    "Output",
                    "T",
                    "the sums, with the axes of the output's term",
                    differentiable=True,
                ),
            ),
            attributes=(
                Attr(
                    "equation",
                    "string",
                    required=True,
                    doc='a term for each input and one for the output: "ij,jk->ik"',
                ),
            ),
            types={"T": NUMBERS},
        ),
        Change(28, "bfloat16", widen={"T": BF16}),
    ),
)


@EINSUM.infer(since=12)
def infer(*Inputs: Abstract, equation: str | None, at: RuleSite) -> Abstract:
    if equation is None:
        return Abstract()
    terms = subscripts(equation, [value.rank for value in Inputs])

    def joined(a: Dim, b: Dim) -> Dim:
        (size,) = at.broadcast((a,), (b,)) or (a,)
        return size

    sizes = label_sizes(terms.inputs, [value.shape for value in Inputs], joined)
    unseen: set[Label] = set()
    for labels, value in zip(terms.inputs, Inputs, strict=True):
        if value.shape is None:
            unseen.update(labels or ())
        elif labels is not None:
            for label, size in zip(labels, value.shape, strict=True):
                at.assume(value.shape[labels.index(label)], size)
    if terms.output is None:
        return Abstract()

    def size_of(label: Label) -> Dim:
        size = sizes.get(label, 1)
        # An input of which nothing is known may repeat what is 1 elsewhere.
        settled = label in sizes and (label not in unseen or (isinstance(size, int) and size != 1))
        return size if settled else at.fresh(f"label_{label}")

    return Abstract(None, tuple(map(size_of, terms.output)))


@EINSUM.cost(since=12)
def cost(inputs: Shapes, outputs: Shapes, *, equation: str) -> Cost:
    """One product of as many factors as there are inputs, for every value of all labels."""
    terms = subscripts(equation, [len(shape or ()) for shape in inputs])
    sizes = label_sizes(terms.inputs, inputs, lambda a, b: b if a == 1 else a)
    n = product(sizes.values())
    return Cost(n * (len(inputs) - 1), n if len(inputs) == 1 else 0)


@EINSUM.kernel(since=12)
def einsum(*Inputs: Floats, equation: str) -> Floats:
    terms = subscripts(equation, [array.ndim for array in Inputs])
    inputs = [labels or () for labels in terms.inputs]
    sizes = label_sizes(inputs, [array.shape for array in Inputs], broadcast)
    factors = [
        _own_axes(widened(array), labels, sizes)
        for array, labels in zip(Inputs, inputs, strict=True)
    ]
    return narrowed(_contracted(factors, terms.output or ()), Inputs[0])


@EINSUM.vjp(since=12)
def vjp(
    cotangents: Values, inputs: Values, outputs: Values, *, equation: str, at: DerivativeSite
) -> Cotangents:
    terms = subscripts(equation, [array.ndim for array in inputs])
    names = [labels or () for labels in terms.inputs]
    sizes = label_sizes(names, [array.shape for array in inputs], broadcast)
    factors = [_own_axes(array, labels, sizes) for array, labels in zip(inputs, names, strict=True)]
    found: list[Floats | None] = [None] * len(inputs)
    for i, array in enumerate(inputs):
        if at.needed[i]:
            # The cotangent takes the place of the factor. What the factor alone was summed over
            # repeats, and off the diagonals there is nothing.
            others = [(cotangents[0], terms.output or ()), *factors[:i], *factors[i + 1 :]]
            shared = {label for _, labels in others for label in labels}
            gradient = np.zeros(array.shape, array.dtype)
            seen, own = _own_axes(gradient, names[i], sizes)
            product = _contracted(others, tuple(label for label in own if label in shared))
            seen.flags.writeable = True
            seen[...] = product.reshape(
                [
                    size if label in shared else 1
                    for label, size in zip(own, seen.shape, strict=True)
                ]
            )
            found[i] = gradient
    return tuple(found)


def _contracted(factors: list[tuple[Floats, Labels]], output: Labels) -> Floats:
    """The product of all factors, summed over the labels that are not in the output."""
    product, labels = factors[0]
    for i, (factor, names) in enumerate(factors[1:], 2):
        needed = {*output, *(label for _, later in factors[i:] for label in later)}
        product, labels = _product(product, labels, factor, names, needed)
    product, labels = _summed(product, labels, set(output))
    return product.transpose([labels.index(label) for label in output])


def _own_axes(array: Floats, labels: Labels, sizes: dict[Label, Dim]) -> tuple[Floats, Labels]:
    """The array with one axis for each label, and none where its size of 1 is to repeat."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            array = array.diagonal(axis1=first, axis2=second)
            rest = labels[:first] + labels[first + 1 : second] + labels[second + 1 :]
            labels = (*rest, label)
    kept = [axis for axis, label in enumerate(labels) if array.shape[axis] == sizes[label]]
    shape = [array.shape[axis] for axis in kept]
    return array.reshape(shape), tuple(labels[axis] for axis in kept)


def _summed(array: Floats, labels: Labels, needed: set[Label]) -> tuple[Floats, Labels]:
    """The sums over the axes that nobody needs."""
    axes = tuple(axis for axis, label in enumerate(labels) if label not in needed)
    if not axes:
        return array, labels
    sums = np.asarray(np.add.reduce(array, axis=axes, dtype=array.dtype))
    return sums, tuple(label for label in labels if label in needed)


def _product(
    a: Floats, a_labels: Labels, b: Floats, b_labels: Labels, needed: set[Label]
) -> tuple[Floats, Labels]:
    """The product of two factors, summed over the labels that only they have: one product of
    matrices for each position of the labels that both have and somebody needs.
    """
    a, a_labels = _summed(a, a_labels, needed | {*b_labels})
    b, b_labels = _summed(b, b_labels, needed | {*a_labels})
    both = [label for label in a_labels if label in b_labels]
    batch, inner = [x for x in both if x in needed], [x for x in both if x not in needed]
    rows, columns = (
        [label for label in labels if label not in both] for labels in (a_labels, b_labels)
    )
    left, a_sizes = _matrices(a, a_labels, batch, rows, inner)
    right, b_sizes = _matrices(b, b_labels, batch, inner, columns)
    product = np.matmul(left, right) if inner else np.multiply(left, right)
    sizes = {**a_sizes, **b_sizes}
    labels = (*batch, *rows, *columns)
    return product.reshape([sizes[label] for label in labels]), labels


def _matrices(
    array: Floats,
    labels: Labels,
    batch: list[Label],
    rows: list[Label],
    columns: list[Label],
) -> tuple[Floats, dict[Label, int]]:
    """The array as a stack of matrices, and the size of each label."""
    sizes = dict(zip(labels, array.shape, strict=True))
    turned = array.transpose([labels.index(label) for label in (*batch, *rows, *columns)])
    shape = [prod(sizes[label] for label in group) for group in (rows, columns)]
    return turned.reshape([*(sizes[label] for label in batch), *shape]), sizes


EINSUM.example(([[1, 2], [3, 4]], [10, 1]), ([12, 34],), equation="ij,j->i")
EINSUM.example(([[1, 2], [3, 4]],), ([1, 4],), equation="ii->i")
# Without an arrow, the letters that occur once, in the order of the alphabet.
EINSUM.example(([[1, 2], [3, 4]],), ([[1, 3], [2, 4]],), equation="ba")
