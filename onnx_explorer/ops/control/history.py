"""The types that control flow passes on, which grew alike for every operator of it."""

from __future__ import annotations

from onnx_explorer.schema import Change
from onnx_explorer.schema.typesets import (
    BF16,
    EVERY_V4,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    SEQUENCES_V1,
    SEQUENCES_V4,
    TypeSet,
    optionals,
    sequences,
)


def type_steps(variable: str) -> tuple[Change, ...]:
    """The versions from 13 on, each of which lets `variable` stand for more types."""

    def step(since: int, reason: str, types: TypeSet) -> Change:
        return Change(since, reason, widen={variable: types})

    def with_containers(types: TypeSet) -> TypeSet:
        return types | sequences(types) | optionals(types)

    return (
        step(13, "sequences may pass too", SEQUENCES_V1),
        step(
            16,
            "optionals and bfloat16 may pass too",
            BF16 | SEQUENCES_V4 | optionals(EVERY_V4) | optionals(SEQUENCES_V4),
        ),
        step(19, "8-bit floats", with_containers(FLOAT8)),
        step(21, "4-bit integers", with_containers(INT4)),
        step(23, "4-bit floats", with_containers(FLOAT4)),
        step(24, "float8_e8m0fnu", with_containers(FLOAT8_E8M0)),
        step(25, "2-bit integers", with_containers(INT2)),
    )
