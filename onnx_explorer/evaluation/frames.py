"""What a machine is made of: plans on their way, what a move did, and what failed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.ir import RunValue
from onnx_explorer.schema import Call

Steps = Generator[Call, tuple[RunValue, ...], object]


@dataclass(slots=True, eq=False)
class Control:
    """A control-flow kernel on its way: what it was sent so far is enough to start it again."""

    start: Callable[[], Steps]
    steps: Steps | None
    sent: list[tuple[RunValue, ...]] = field(default_factory=list[tuple[RunValue, ...]])

    def send(self, results: tuple[RunValue, ...]) -> Call:
        """Hand the results of its latest call to the kernel; its next call comes back.

        Raises:
            StopIteration: the kernel is through.
        """
        if self.steps is None:
            self.steps = self.start()
            next(self.steps)
            for earlier in self.sent:
                self.steps.send(earlier)
        self.sent.append(results)
        return self.steps.send(results)

    def take_back(self) -> None:
        """Forget the latest results. The kernel starts again when it is sent others: going back
        many times costs one new start.
        """
        self.forget(len(self.sent) - 1)

    def forget(self, n: int) -> None:
        """Forget all results but the first `n`."""
        del self.sent[n:]
        self.steps = None


@dataclass(slots=True, eq=False)
class Frame:
    """A plan on its way. `index` is the step that runs next; `control` is the kernel of that step
    while a frame above this one runs one of its subgraphs; `visit` counts the calls of this frame's
    subgraph by its node: the iteration of a loop. `stands_for_kernel` marks the function that the
    standard gives for an operator: it is there to be looked at, the kernel gives the outputs.
    """

    plan: Plan
    values: dict[str, RunValue]
    index: int = 0
    control: Control | None = None
    visit: int = 0
    stands_for_kernel: bool = False
    dropped: set[str] = field(default_factory=set[str])
    """Values that were computed and are not kept."""
    generation: object = None
    """Results of this generation, kept by the steps, are those that this run would give again."""
    apart: bool = False
    """Whether it has a generation of its own."""

    def __post_init__(self) -> None:
        self.generation = self.plan.generation

    def part(self) -> None:
        """Give it a generation of its own: what it gives from now on may be something else."""
        self.generation, self.apart = object(), True

    def leave_nothing_out(self, step: PlanStep) -> None:
        """Go on at a step of a quick plan with all that the plan leaves out from there on."""
        if self.plan.whole is not None:
            self.plan = self.plan.whole
            self.index = self.plan.steps.index(step)

    @property
    def path(self) -> str:
        return self.plan.path

    @property
    def is_closed(self) -> bool:
        """Whether the graph is a function, which sees nothing of what is around it."""
        return self.stands_for_kernel or self.path.endswith("/function/")

    @property
    def step(self) -> PlanStep | None:
        """The step that runs next; None when the frame is through."""
        return self.plan.steps[self.index] if self.index < len(self.plan.steps) else None


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A node that failed: where, why, and what went in."""

    id: str
    operator: str
    message: str
    inputs: Mapping[str, RunValue]
    error: Exception | None = None

    def __str__(self) -> str:
        return f"node {self.id!r} ({self.operator}): {self.message}"

    def __repr__(self) -> str:
        return f"<failure at {self}>"


class NodeFailed(EvaluationError):
    """Raised by `Machine.advance` when a node fails; the machine stays where it was."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(slots=True, eq=False)
class Move:
    """What one `advance` did, with what it takes to undo it. A move may do several things at once:
    pop a frame that is through, go on with the node below it, enter the next subgraph. `frame` is
    the one that the computed node belongs to.

    Not frozen: making it would cost more than all else that a machine does for a small node.
    """

    computed: PlanStep | None = None
    frame: Frame | None = None
    entered: Frame | None = None
    popped: Frame | None = None
    control: Control | None = None
