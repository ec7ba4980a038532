"""Mutable twins of the objects that a model has thousands of.

A draft is filled and then given the frozen class of the same slots (`draft.__class__ = Node`). That takes
a fifth of the time that a frozen dataclass takes to fill itself.
"""

from __future__ import annotations


class NodeDraft:
    """A Node to be."""

    __slots__ = (
        "attributes",
        "devices",
        "doc",
        "domain",
        "inputs",
        "metadata",
        "name",
        "op_type",
        "outputs",
        "overload",
    )


class ValueDraft:
    """A Value to be."""

    __slots__ = ("doc", "metadata", "name", "type")


class TensorDraft:
    """A Tensor to be."""

    __slots__ = ("dims", "doc", "dtype", "metadata", "name", "payload")
