"""Derivatives of recurrent layers with what onnx's node cases leave out."""

import numpy as np
import pytest

from tests.derivatives.differences import check_node

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STATES = {"RNN": ["initial_h"], "GRU": ["initial_h"], "LSTM": ["initial_h", "initial_c"]}
OUTPUTS = {"RNN": ("Y", "Y_h"), "GRU": ("Y", "Y_h"), "LSTM": ("Y", "Y_h", "Y_c")}
STEPS, BATCH, WIDTH, HIDDEN = 4, 3, 2, 3


def layer(op_type, directions=1, layout=0):
    """Inputs of a layer with everything, and sequences of three lengths."""
    rng = np.random.default_rng(3)
    rows = GATES[op_type] * HIDDEN
    shapes = {
        "X": (BATCH, STEPS, WIDTH) if layout else (STEPS, BATCH, WIDTH),
        "W": (directions, rows, WIDTH),
        "R": (directions, rows, HIDDEN),
        "B": (directions, 2 * rows),
        "lengths": None,
        **dict.fromkeys(
            STATES[op_type],
            (BATCH, directions, HIDDEN) if layout else (directions, BATCH, HIDDEN),
        ),
        **({"P": (directions, 3 * HIDDEN)} if op_type == "LSTM" else {}),
    }
    feeds = {
        name: None if shape is None else rng.normal(size=shape) for name, shape in shapes.items()
    }
    feeds["lengths"] = np.array([4, 1, 3], np.int32)
    return feeds


def weights(op_type):
    return ["X", "W", "R", "B", *(["P"] if op_type == "LSTM" else [])]


@pytest.mark.parametrize("op_type", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("layout", [0, 1])
def test_sequences_of_many_lengths_have_derivatives_in_all_directions(op_type, direction, layout):
    feeds = layer(op_type, 2 if direction == "bidirectional" else 1, layout)
    check_node(
        op_type,
        feeds,
        weights(op_type),
        outputs=OUTPUTS[op_type],
        hidden_size=HIDDEN,
        direction=direction,
        layout=layout,
    )


@pytest.mark.parametrize(
    ("op_type", "attributes"),
    [
        ("GRU", {"linear_before_reset": 1}),
        ("LSTM", {"input_forget": 1}),
        ("RNN", {"clip": 0.8}),
        ("GRU", {"clip": 0.8}),
        ("LSTM", {"clip": 0.8}),
    ],
)
def test_other_kinds_of_cells_have_derivatives(op_type, attributes):
    outputs, feeds = OUTPUTS[op_type], layer(op_type)
    check_node(op_type, feeds, weights(op_type), outputs=outputs, hidden_size=HIDDEN, **attributes)


@pytest.mark.parametrize(
    "name",
    [
        "Relu",
        "Tanh",
        "Sigmoid",
        "Affine",
        "LeakyRelu",
        "ThresholdedRelu",
        "ScaledTanh",
        "HardSigmoid",
        "Elu",
        "Softsign",
        "Softplus",
    ],
)
def test_every_activation_has_its_derivative(name):
    check_node(
        "RNN",
        layer("RNN"),
        weights("RNN"),
        outputs=OUTPUTS["RNN"],
        hidden_size=HIDDEN,
        activations=[name],
        activation_alpha=[0.4],
        activation_beta=[0.3],
    )
