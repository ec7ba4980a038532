"""Worked cases of control flow, constants, maps, and gradients."""

import numpy as np

from onnx_explorer.ir import DType
from tests.soundness.drawing import Maybe
from tests.versions.worked import worked

ML, TRAINING = "ai.onnx.ml", "ai.onnx.preview.training"


def constant(*values):
    def branch(outer):
        inner = outer.subgraph()
        inner.output(inner.op("Constant", value=np.array(values, np.float32)))
        return inner

    return branch


def doubling(outer):
    """Doubles what is carried, collects it, and goes on for ever."""
    inner = outer.subgraph()
    inner.input("iteration", "int64[]")
    on = inner.input("on", "bool[]")
    carried = inner.input("carried", "float32[1]")
    doubled = inner.op("Concat", carried, carried, axis=0)
    twice = inner.op("ReduceSum", doubled, axes=[0], keepdims=1)
    inner.output(inner.op("Not", inner.op("Not", on)))
    inner.output(twice)
    inner.output(twice)
    return inner


def adding(outer):
    """Adds what is seen to the state, and collects the negative sums."""
    inner = outer.subgraph()
    state, seen = inner.input("state", "float32[1]"), inner.input("seen", "float32[1]")
    added = inner.op("Add", state, seen)
    inner.output(added)
    inner.output(inner.op("Neg", added))
    return inner


def squared(builder, x):
    builder.ops("Mul", x, x, outputs=["y"])


CONTROL = (
    worked("If", (1,), (True,), ([1.0],), then_branch=constant(1.0), else_branch=constant(2.0)),
    worked("If", (1,), (False,), ([2.0],), then_branch=constant(1.0), else_branch=constant(2.0)),
    worked("Loop", (1,), (3, True, [1.0]), ([8.0], [[2.0], [4.0], [8.0]]), body=doubling),
    worked("Loop", (1,), (3, False, [1.0]), ([1.0], np.zeros((0, 1), np.float32)), body=doubling),
    worked(
        "Scan", (9, 11, 16, 19, 21, 23, 24, 25), ([0.5], [[1.0], [2.0]]),
        ([3.5], [[-1.5], [-3.5]]), body=adding, num_scan_inputs=1,
    ),
    # Walked backwards, and collected in front.
    worked(
        "Scan", (9, 11, 16, 19, 21, 23, 24, 25), ([0.5], [[1.0], [2.0]]),
        ([3.5], [[-3.5], [-2.5]]), body=adding, num_scan_inputs=1,
        scan_input_directions=[1], scan_output_directions=[1],
    ),
    worked("Constant", (1, 9), (), ([1.5, -2.0],), value=np.array([1.5, -2.0], np.float32)),
    worked("Optional", (15, 28), ([1.0, 2.0],), ([1.0, 2.0],)),
    worked("OptionalHasElement", (18, 28), ([1.0],), (True,)),
    worked("OptionalHasElement", (18, 28), (), (False,)),
    worked(
        "OptionalGetElement", (15, 18, 28),
        (Maybe(np.array([1.5], np.float32), DType.FLOAT32, (1,)),), ([1.5],),
    ),
)  # fmt: skip

WORDS = ["cat", "dog"]
SCORES = {0: np.float32(1.5), 2: np.float32(3.0)}
MAPS = (
    worked("CastMap", (1,), (SCORES,), ([[1.5, 3.0]],), domain=ML),
    worked(
        "CastMap", (1,), (SCORES,), ([[1.5, 0.0, 3.0, 0.0]],),
        domain=ML, map_form="SPARSE", max_map=4,
    ),
    worked("CastMap", (1,), (SCORES,), ([[1, 3]],), domain=ML, cast_to="TO_INT64"),
    worked(
        "DictVectorizer", (1,), ({"dog": np.float32(2.0)},), ([0.0, 2.0],),
        domain=ML, string_vocabulary=WORDS,
    ),
    worked(
        "DictVectorizer", (1,), ({7: np.float32(2.0), 9: np.float32(3.0)},), ([3.0, 0.0, 2.0],),
        domain=ML, int64_vocabulary=[9, 8, 7],
    ),
    worked(
        "LabelEncoder", (1,), (["dog", "cow", "cat"],), ([1, -1, 0],),
        domain=ML, classes_strings=WORDS,
    ),
    worked(
        "LabelEncoder", (1,), ([1, 5, 0],), (["dog", "?", "cat"],),
        domain=ML, classes_strings=WORDS, default_string="?",
    ),
)  # fmt: skip

GRADIENTS = (
    # d x² / d x
    worked(
        "Gradient", (1,), ([3.0, -1.0],), ([6.0, -2.0],),
        domain=TRAINING, around=squared, xs=["in0"], y="y",
    ),
)  # fmt: skip

LEARNING = (*CONTROL, *MAPS, *GRADIENTS)
