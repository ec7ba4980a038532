"""How operators are described: schemas, their history, and what pages are written against."""

from onnx_explorer.schema.contract import (
    CONTENT_LIMIT,
    UNKNOWN,
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSparse,
    AbstractValue,
    Call,
    Content,
    RuleSite,
    RunSite,
    Shape,
    Size,
    Steps,
    Subgraph,
    Violation,
    scalar,
    with_shape,
)
from onnx_explorer.schema.operator import (
    Attr,
    Change,
    Operator,
    OpSchema,
    PageFunction,
    Port,
    TypeConstraint,
)

__all__ = [
    "CONTENT_LIMIT", "UNKNOWN", "Abstract", "AbstractMap", "AbstractOptional", "AbstractSequence",
    "AbstractSparse", "AbstractValue", "Attr", "Call", "Change", "Content", "OpSchema", "Operator",
    "PageFunction", "Port", "RuleSite", "RunSite", "Shape", "Size", "Steps", "Subgraph",
    "TypeConstraint", "Violation", "scalar", "with_shape",
]
