"""CausalConvWithState: each channel slides its own filter over the sequence, looking only back, and
hands over what the next piece of the sequence needs.

`output[b, c, t] = bias[c] + sum over i of weight[c, 0, i] × x[b, c, t + i - (k - 1)]`, where x at negative
positions is `past_state`, the last k - 1 elements of what came before (zeros without it). So the length stays.
`present_state` holds the last k - 1 elements of past and input together: feeding a
sequence in pieces gives what feeding it at once gives. `activation` "silu", also called "swish", turns each
output y into y × sigmoid(y).

Spec: ai.onnx CausalConvWithState-27
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import filter_cost, input_at
from onnx_explorer.ops.nn.correlate import correlate
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32

CAUSAL_CONV_WITH_STATE = Operator(
    "CausalConvWithState",
    doc=__doc__,
    history=(
        Change(
            27,
            "first version",
            inputs=(
                Port("input", "T", "(batch, channels, length)", differentiable=True),
                Port(
                    "weight", "T", "one filter per channel, (channels, 1, k)", differentiable=True
                ),
                Port(
                    "bias",
                    "T",
                    "what is added to each channel, (channels,)",
                    option="optional",
                    differentiable=True,
                ),
                Port(
                    "past_state",
                    "T",
                    "what came before, (batch, channels, k - 1); left out: zeros",
                    option="optional",
                    differentiable=False,
                ),
            ),
            outputs=(
                Port("output", "T", "same shape as input", differentiable=True),
                Port(
                    "present_state",
                    "T",
                    "the last elements seen, (batch, channels, k - 1)",
                    differentiable=False,
                ),
            ),
            attributes=(
                Attr(
                    "activation",
                    "string",
                    "none",
                    one_of=("none", "silu", "swish"),
                    doc="what is done to the output; silu and swish are the same",
                ),
            ),
            types={"T": FLOAT32 | FLOAT16 | BF16},
        ),
    ),
)


@CAUSAL_CONV_WITH_STATE.infer(since=27)
def infer(
    input: Abstract,
    weight: Abstract,
    bias: Abstract | None = None,
    past_state: Abstract | None = None,
    *,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    _check_ranks(input.shape, weight.shape)
    channels = weight.shape[0] if weight.shape else at.fresh("channels")
    batch, channels, length = input.shape or (at.fresh("batch"), channels, at.fresh("length"))
    if weight.shape:
        before = weight.shape[2] - 1
    else:
        known = past_state and past_state.shape
        before = known[2] if known and len(known) == 3 else at.fresh("before")
    outputs = (input.like((batch, channels, length)), input.like((batch, channels, before)))
    at.keep(outputs)
    if input.shape and weight.shape:
        _check(input.shape, weight.shape, bias and bias.shape, past_state and past_state.shape)
        at.assume(weight.shape[0], channels)
    return outputs


def _check_ranks(input: Shape | None, weight: Shape | None) -> None:
    for port, shape, text in (
        ("input", input, "(batch, channels, length)"),
        ("weight", weight, "(channels, 1, k)"),
    ):
        if shape is not None and len(shape) != 3:
            raise Violation(f"rank {len(shape)}", text, port=port, code="wrong-rank")


def _check(input: Shape, weight: Shape, bias: Shape | None, past_state: Shape | None) -> None:
    batch, channels, _ = input
    filters, one, k = weight
    if known_different(filters, channels) or known_different(one, 1):
        raise Violation(
            f"shape {shape_text(weight)}",
            f"one filter for each of {channels} channels",
            port="weight",
            code="wrong-shape",
        )
    if bias is not None and (len(bias) != 1 or known_different(bias[0], channels)):
        raise Violation(
            f"shape {shape_text(bias)}",
            f"there are {channels} channels",
            port="bias",
            code="wrong-shape",
        )
    wanted = (batch, channels, k - 1)
    if past_state is not None and (
        len(past_state) != 3 or any(map(known_different, past_state, wanted))
    ):
        raise Violation(
            f"shape {shape_text(past_state)}",
            f"what filters of {k} elements look back to is {shape_text(wanted)}",
            port="past_state",
            code="wrong-shape",
        )


@CAUSAL_CONV_WITH_STATE.cost(since=27)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    return filter_cost(outputs, inputs[1], input_at(inputs, 2))


@CAUSAL_CONV_WITH_STATE.kernel(since=27)
def causal_conv_with_state(
    input: Floats,
    weight: Floats,
    bias: Floats | None = None,
    past_state: Floats | None = None,
    *,
    activation: str,
) -> tuple[Floats, Floats]:
    _check_ranks(input.shape, weight.shape)
    _check(
        input.shape,
        weight.shape,
        None if bias is None else bias.shape,
        None if past_state is None else past_state.shape,
    )
    before = weight.shape[2] - 1
    if past_state is None:
        past_state = np.zeros((*input.shape[:2], before), input.dtype)
    sequence = np.concatenate((past_state, input), axis=2)
    output = np.empty(input.shape, widened(input[:0]).dtype)
    window = Window.of(weight.shape[2:])
    correlate(widened(sequence), widened(weight), window, input.shape[1], output)
    if bias is not None:
        output += bias[:, None]
    if activation != "none":
        output /= 1 + np.exp(-output)
    return narrowed(output, input), sequence[:, :, input.shape[2] :].copy()


@CAUSAL_CONV_WITH_STATE.body(since=27)
def body(
    f: Body,
    input: BodyValue,
    weight: BodyValue,
    bias: BodyValue | None = None,
    past_state: BodyValue | None = None,
    *,
    activation: str,
) -> tuple[BodyValue, BodyValue] | None:
    """None where the number of channels is not known."""
    channels = f.size(weight, 0) or f.size(input, 1)
    if channels is None:
        return None
    axis = f.constant([2])
    if past_state is None:
        before = f.Sub(f.Shape(weight, start=2), f.constant([1]))
        sequence = f.Pad(input, f.Concat(before, f.constant([0]), axis=0), None, axis)
    else:
        sequence = f.Concat(past_state, input, axis=2)
    output = f.Conv(sequence, weight, bias, group=channels)
    if activation != "none":
        output = f.Mul(output, f.Sigmoid(output))
    rest = f.Slice(sequence, f.Shape(input, start=2), f.constant([2**63 - 1]), axis)
    return output, rest


CAUSAL_CONV_WITH_STATE.example(
    ([[[1.0, 2.0, 3.0]]], [[[10.0, 1.0]]]), ([[[1.0, 12.0, 23.0]]], [[[3.0]]])
)
CAUSAL_CONV_WITH_STATE.example(
    ([[[4.0]]], [[[10.0, 1.0]]], None, [[[3.0]]]), ([[[34.0]]], [[[4.0]]])
)
