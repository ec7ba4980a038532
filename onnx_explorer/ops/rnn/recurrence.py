"""What LSTM, GRU and RNN share: ports and attributes, the shapes that they ask for, and the walk
along the sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.ops.rnn.activations import Activation
from onnx_explorer.schema import Abstract, Attr, Port, RuleSite, Shape, Violation

Direction = Literal["forward", "reverse", "bidirectional"]
DIRECTIONS = ("forward", "reverse", "bidirectional")
State = tuple[Floats, ...]
"""What a cell carries from step to step, each (batch, hidden), or (D, batch, hidden) where it serves
all directions at once; its first item is its output.
"""
Cell = Callable[[Floats, State, Floats], State]
"""One step: from the input's share of the gates, (gates, D, batch, hidden), and the state, both of
which it leaves as they are, and an array to put the output into.
"""

X = Port("X", "T", "sequences, (steps, batch, input), or (batch, steps, input) with layout = 1")
SEQUENCE_LENS = Port(
    "sequence_lens",
    "T1",
    "number of steps of each sequence, (batch,); default: all",
    option="optional",
)
INITIAL_H = Port(
    "initial_h",
    "T",
    "output before the first step, (D, batch, H), or (batch, D, H) with layout = 1; default 0",
    option="optional",
)
Y = Port(
    "Y",
    "T",
    "output of every step, (steps, D, batch, H), or (batch, steps, D, H) with layout = 1",
    option="optional",
)
Y_H = Port(
    "Y_h",
    "T",
    "output of the last step, (D, batch, H), or (batch, D, H) with layout = 1",
    option="optional",
)

ACTIVATION_ALPHA = Attr(
    "activation_alpha", "floats", doc="alphas of those activations that have one, in order"
)
ACTIVATION_BETA = Attr(
    "activation_beta", "floats", doc="betas of those activations that have one, in order"
)
CLIP = Attr("clip", "float", doc="activations see their input cut to [-clip, clip]")
DIRECTION = Attr(
    "direction",
    "string",
    "forward",
    one_of=DIRECTIONS,
    doc="which way the steps are taken; bidirectional: both, with weights of their own",
)
HIDDEN_SIZE = Attr("hidden_size", "int", doc="H; default: what R has")
OUTPUT_SEQUENCE = Attr("output_sequence", "int", 0, doc="a wish for the output Y")
LAYOUT = Attr("layout", "int", 0, one_of=(0, 1), doc="1: the batch is the first axis")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a recurrent node."""

    steps: Dim
    batch: Dim
    input: Dim
    hidden: Dim
    directions: int
    gates: int
    layout: int

    @classmethod
    def of(
        cls,
        X: Shape,
        R: Shape,
        *,
        gates: int,
        direction: Direction,
        hidden_size: int | None,
        layout: int,
    ) -> Sizes:
        """What the shapes of X and R and the attributes tell.

        Raises:
            Violation: X or R has not rank 3.
        """
        for port, shape in (("X", X), ("R", R)):
            if len(shape) != 3:
                raise Violation(
                    f"rank {len(shape)}", "expected rank 3", port=port, code="wrong-rank"
                )
        return cls(
            X[layout],
            X[1 - layout],
            X[2],
            R[2] if hidden_size is None else hidden_size,
            2 if direction == "bidirectional" else 1,
            gates,
            layout,
        )

    @property
    def state(self) -> Shape:
        """The shape of Y_h."""
        if self.layout:
            return (self.batch, self.directions, self.hidden)
        return (self.directions, self.batch, self.hidden)

    @property
    def outputs(self) -> Shape:
        """The shape of Y."""
        if self.layout:
            return (self.batch, self.steps, self.directions, self.hidden)
        return (self.steps, self.directions, self.batch, self.hidden)

    def expected(self) -> dict[str, Shape]:
        """The shape of each input beside X."""
        rows = self.hidden * self.gates
        return {
            "W": (self.directions, rows, self.input),
            "R": (self.directions, rows, self.hidden),
            "B": (self.directions, rows * 2),
            "sequence_lens": (self.batch,),
            "initial_h": self.state,
            "initial_c": self.state,
            "P": (self.directions, self.hidden * 3),
        }

    def faults(self, shapes: Mapping[str, Shape | None]) -> list[Violation]:
        """The inputs among `shapes` that are known not to fit."""
        expected = self.expected()
        return [
            Violation(
                f"shape {shape_text(shape)}",
                f"expected {shape_text(expected[port])}",
                port=port,
                code="wrong-shape",
            )
            for port, shape in shapes.items()
            if shape is not None
            and (
                len(shape) != len(expected[port])
                or any(map(known_different, shape, expected[port]))
            )
        ]


def shapes_of(**inputs: Abstract | NDArray[np.generic] | None) -> dict[str, Shape | None]:
    """The shape of each input that is there, by port name."""
    return {port: None if value is None else value.shape for port, value in inputs.items()}


def recurrent_rule(
    X: Abstract,
    shapes: Mapping[str, Shape | None],
    *,
    gates: int,
    direction: Direction,
    hidden_size: int | None,
    layout: int,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    """Y and Y_h; Y_c has the shape of Y_h."""
    sequences = X.shape
    if sequences is None:
        sequences = tuple(at.fresh(f"dim{axis}") for axis in range(3))
    recurrence = shapes["R"]
    if recurrence is None:
        hidden = at.fresh("hidden") if hidden_size is None else hidden_size
        recurrence = (at.fresh("directions"), hidden * gates, hidden)
    sizes = Sizes.of(
        sequences,
        recurrence,
        gates=gates,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
    )
    for fault in sizes.faults(shapes):
        at.fail(fault.found, fault.expected, port=fault.port, code=fault.code, sides=fault.sides)
    return Abstract(None, sizes.outputs), Abstract(None, sizes.state)


def recurrent(
    X: Floats,
    W: Floats,
    bias: Floats,
    lengths: NDArray[np.integer] | None,
    initial: tuple[Floats | None, ...],
    cells: list[Cell],
    sizes: Sizes,
    *,
    direction: Direction,
) -> tuple[Floats, ...]:
    """Y and the last value of each item of the state.

    `bias`, (D, gates × H), is added to the input's share of the gates; `cells` holds one for each
    direction, or one for all.
    """
    steps = widened(X).swapaxes(0, 1) if sizes.layout else widened(X)
    shares = shares_of(steps, W, bias, sizes, direction)
    before = states_before(initial, sizes, steps.dtype)
    going = going_on(len(steps), lengths, sizes, direction)
    outputs = np.empty((len(steps), *shares.shape[2:]), steps.dtype)
    last = [np.empty(outputs.shape[1:], steps.dtype) for _ in before]
    each = sizes.directions // len(cells)
    for i, cell in enumerate(cells):
        own = slice(i * each, i * each + each)
        state = tuple(value[own] for value in before)
        where = None if going is None else going[:, own]
        for _, after in along(cell, shares[:, :, own], state, where, outputs[:, own]):
            state = after
        for whole, value in zip(last, state, strict=True):
            whole[own] = value
    for d in range(sizes.directions):
        if backwards(d, direction):
            outputs[:, d] = outputs[::-1, d]
    if lengths is not None and going is not None:
        over = np.arange(len(steps))[:, None] >= lengths
        outputs.swapaxes(1, 2)[over] = 0
    if sizes.layout:
        outputs = outputs.transpose(2, 0, 1, 3)
        last = [value.swapaxes(0, 1) for value in last]
    return tuple(narrowed(value, X) for value in (outputs, *last))


def shares_of(steps: Floats, W: Floats, bias: Floats, sizes: Sizes, direction: Direction) -> Floats:
    """The input's share of the gates at all steps, (steps, gates, D, batch, H), from one large
    product; each direction has them in the order in which it takes the steps.
    """
    n, batch, width = steps.shape
    gates, hidden = sizes.gates, int(sizes.hidden)
    n_rows = len(W) * W.shape[1]
    rows, weights = steps.reshape(n * batch, width), widened(W).reshape(n_rows, width)
    product = np.matmul(rows, weights.T).reshape(n, batch, len(W), gates, hidden)
    shares = np.empty((n, gates, len(W), batch, hidden), steps.dtype)
    for d in range(len(W)):
        own = product[:, :, d].swapaxes(1, 2)
        ordered = own[::-1] if backwards(d, direction) else own
        summand = bias[d].reshape(gates, 1, hidden)
        np.add(ordered, summand, out=shares[:, :, d], casting="same_kind")
    return shares


def states_before(
    initial: tuple[Floats | None, ...], sizes: Sizes, dtype: np.dtype[np.floating]
) -> State:
    """The state before the first step, each (D, batch, H)."""
    shape = (sizes.directions, int(sizes.batch), int(sizes.hidden))
    return tuple(
        np.zeros(shape, dtype)
        if value is None
        else widened(value.swapaxes(0, 1) if sizes.layout else value)
        for value in initial
    )


def whole_bias(B: Floats | None, R: Floats) -> Floats:
    """The biases for W and for R together, (D, gates × H)."""
    if B is None:
        return np.zeros(R.shape[:2])
    of_W = widened(B)[:, : R.shape[1]]
    return of_W + widened(B)[:, R.shape[1] :]


def backwards(d: int, direction: Direction) -> bool:
    """Whether that direction, of the one or two, takes the steps from the last to the first."""
    return direction == "reverse" or d == 1


def going_on(
    n: int, lengths: NDArray[np.integer] | None, sizes: Sizes, direction: Direction
) -> NDArray[np.bool_] | None:
    """Which sequences are not over at the steps of each direction, (steps, D, batch, 1), in the
    order in which it takes them. None: all, always.
    """
    if lengths is None or (lengths >= n).all():
        return None
    going = np.arange(n)[:, None] < lengths
    directions = range(sizes.directions)
    ordered = [going[::-1] if backwards(d, direction) else going for d in directions]
    return np.stack(ordered, axis=1)[..., None]


def along(
    cell: Cell, shares: Floats, state: State, going: NDArray[np.bool_] | None, outputs: Floats
) -> Iterator[tuple[State, State]]:
    """The walk along the sequence: of each step the state before and the one after. It fills in the
    outputs of all steps.
    """
    for t, (share, output) in enumerate(zip(shares, outputs, strict=True)):
        after = cell(share, state, output)
        if going is not None:
            # A sequence that is over keeps its state; one that runs backwards begins late.
            for new, old in zip(after, state, strict=True):
                np.copyto(new, old, where=~going[t])
        yield state, after
        state = after


def cells_of(
    cell: Callable[[slice, tuple[Activation, ...]], Cell], functions: tuple[Activation, ...], n: int
) -> list[Cell]:
    """A cell for both of two directions if they have the same functions: one call serves both
    then. Else one for each of the `n`.
    """
    each = len(functions) // n
    if functions[:each] * n == functions:
        return [cell(slice(n), functions[:each])]
    return [cell(slice(d, d + 1), functions[d * each : d * each + each]) for d in range(n)]


def by_gate(R: Floats, sizes: Sizes) -> Floats:
    """R as the state is multiplied with it, (gates, D, H, H): each gate of all directions lies in
    one piece then, and numpy is twice as fast with pieces as with slices of rows.
    """
    hidden = R.shape[-1]
    turned = R.reshape(len(R), sizes.gates, hidden, hidden).transpose(1, 0, 3, 2)
    # BLAS multiplies several rows faster with a copy, which costs what ten such products gain.
    if int(sizes.batch) > 1 and int(sizes.steps) > 10:
        return np.ascontiguousarray(turned)
    return turned


def sums_like(weights: Floats, sizes: Sizes) -> Floats:
    """Room for what gates are functions of, (gates, D, batch, H): all steps use it."""
    gates, directions, hidden, _ = weights.shape
    return np.empty((gates, directions, int(sizes.batch), hidden), weights.dtype)


def checked_sizes(
    X: Floats,
    R: Floats,
    shapes: Mapping[str, Shape | None],
    *,
    gates: int,
    direction: Direction,
    hidden_size: int | None,
    layout: int,
) -> Sizes:
    """The sizes of a node that runs.

    Raises:
        Violation: an input does not fit them.
    """
    others = tuple(shapes.items())
    return _checked_sizes(X.shape, R.shape, others, gates, direction, hidden_size, layout)


@lru_cache(256)
def _checked_sizes(
    X: Shape,
    R: Shape,
    others: tuple[tuple[str, Shape | None], ...],
    gates: int,
    direction: Direction,
    hidden_size: int | None,
    layout: int,
) -> Sizes:
    sizes = Sizes.of(X, R, gates=gates, direction=direction, hidden_size=hidden_size, layout=layout)
    for fault in sizes.faults(dict(others)):
        raise fault
    return sizes
