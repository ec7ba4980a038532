"""`explore` and the widget that it makes."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast
from uuid import uuid4

import traitlets
from IPython.display import publish_display_data  # pyright: ignore[reportUnknownVariableType]

from onnx_explorer.errors import ExplorerError
from onnx_explorer.files import Source, load
from onnx_explorer.inference import Types, infer
from onnx_explorer.ir import Model
from onnx_explorer.ir.expected import expect_flag, path_to_write, shown
from onnx_explorer.ir.sameness import same_graph
from onnx_explorer.view import Scene, scene_of
from onnx_explorer.view.groups import Grouping
from onnx_explorer.view.still import still_html, still_text
from onnx_explorer.widgets.front_end import asset
from onnx_explorer.widgets.questions import CHANGES, MOVES
from onnx_explorer.widgets.ways import Depth, Ways
from onnx_explorer.widgets.words import explained, of_code, of_operator

# What runs models is imported with the first question about a run: drawing one has no need of it.
if TYPE_CHECKING:
    from onnx_explorer.evaluation import Stepper
    from onnx_explorer.evaluation.comparison import Comparison
    from onnx_explorer.widgets.debugging import Buffers, Debugger
    from onnx_explorer.widgets.ranges import Scanned
    from onnx_explorer.widgets.session import Moves, Session

PUSH_S = 0.2
"""How often a run tells the front end where it is; more seldom where that takes long."""


class Explorer(Ways):
    """A model drawn in the notebook, to look around in and to run node by node.

    The moves (`step`, `step_into`, `step_out`, `back`, `run`, `run_to`, `goto`, `restart`) do what
    the buttons do.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    _explorer = traitlets.Unicode().tag(sync=True)
    _comm_id = traitlets.Unicode().tag(sync=True)
    scene = traitlets.Bytes().tag(sync=True)
    interiors = traitlets.Bytes().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        model: Model,
        feeds: Mapping[str, object] | None = None,
        *,
        title: str = "",
        group: Grouping | None = None,
        constants: bool = False,
    ) -> None:
        """`feeds` are what a run starts from; without them it is random. `group` says which group
        a node belongs to, as in `explore`, and so `constants`.
        """
        self._model = model
        self._types = infer(model)

        def draw(types: Types) -> Scene:
            return scene_of(types, title, group)

        self._scene = self._sent = draw(self._types)
        self._begin_with = (self._types, self._scene, feeds, draw)
        if feeds is not None:
            # What is wrong with them is told at once.
            _ = self._debugger
        self._task: asyncio.Task[None] | None = None
        self._paused = False
        # The weights with NaN, once they have been looked for, and in which scene.
        self._scanned: tuple[Scene, Scanned] | None = None
        # The front end finds its own model by it.
        comm_id = uuid4().hex
        super().__init__(
            model_id=comm_id,
            _comm_id=comm_id,
            _esm=asset("loader.js"),
            _css=asset("widget.css"),
            _explorer=asset("widget.js"),
            scene=self._scene.to_bytes(),
            state={},
            constants=constants,
        )
        self.on_msg(self._receive)  # pyright: ignore[reportUnknownMemberType]

    @cached_property
    def _debugger(self) -> Debugger:
        from onnx_explorer.widgets.debugging import Debugger

        return Debugger(*self._begin_with)

    @property
    def _has_begun(self) -> bool:
        return "_debugger" in self.__dict__ and self._debugger.has_begun

    @property
    def model(self) -> Model:
        return self._model

    @property
    def types(self) -> Types:
        """What inference says about the model."""
        return self._types

    @property
    def stepper(self) -> Stepper:
        """The stepper that the buttons drive."""
        return self._started().stepper

    # -- moves -------------------------------------------------------------------------------

    def step(self) -> None:
        """Run the next node that is drawn."""
        self._finish(self._resting().step())

    def step_into(self) -> None:
        """Run the next node, or stop before the first one inside it: of its loop, branch or
        function, or of the function that the standard gives for its operator.
        """
        self._resting().step_into()
        self._push()

    def step_out(self) -> None:
        """Run until the node that the current loop, branch or function belongs to is through."""
        self._finish(self._resting().step_out())

    def goto(self, position: int | str) -> None:
        """Go to where so many nodes of the main graph have run, forward or back; beyond its end, to
        the end. The name of a node or value stands for the first time in the run that its node
        comes next, or that it is there.

        Raises:
            EvaluationError: it is neither a number nor a name.
            KeyError: the model has no such node or value, or several whose names end so.
        """
        self._finish(self._resting().goto(position))

    def back(self) -> None:
        """Take the last node back."""
        self._finish(self._resting().back())

    def restart(self) -> None:
        """Go back to the inputs, as they are now."""
        self._expect_rest()
        self._debugger.restart()
        self._push()

    def run(self) -> None:
        """Run to the end or to the first failure."""
        self._finish(self._resting().run())

    def run_to(self, target: str) -> None:
        """Run until a node, by its id, or `value:NAME` has been computed."""
        self._finish(self._resting().run_to(target))

    def _finish(self, moves: Moves) -> None:
        for _ in moves:
            pass
        self._push()

    def _started(self) -> Session:
        return self._debugger.session

    def _resting(self) -> Session:
        self._expect_rest()
        return self._started()

    def _expect_rest(self) -> None:
        """Raise ExplorerError while a run that the widget began is on its way."""
        if self._is_running:
            raise ExplorerError("a run is under way; pause it first")

    def _push(self, *, running: bool = False) -> None:
        state = self._debugger.state(running=running)
        # Both at once: the state may speak of what this scene alone has.
        with self.hold_sync():
            self._show_scene()
            self.state = state

    def _show_scene(self) -> None:
        """Send the scene where it is another one than the last, and what was gone into since."""
        scene = self._debugger.scene
        shown = self._debugger.what_if.scene
        if shown is not self._sent:
            self._sent = shown
            self.scene = shown.to_bytes()
        if scene is not self._scene:
            self._scene = scene
            self.interiors = self._debugger.interiors.to_bytes()

    def _begun(self, moves: Moves) -> Moves | None:
        """Make the first moves; what is left after a short while."""
        for _ in moves:
            return moves
        self._push()
        return None

    # -- inputs ------------------------------------------------------------------------------

    @property
    def inputs(self) -> Mapping[str, object]:
        """What the next run starts from, by input."""
        return self._debugger.inputs.values

    def feed(self, name: str, value: object) -> None:
        """Give an input an array, a list, a file (`.npy`, `.npz`, an image), or let it be "random",
        "zeros" or "ones". The run on its way stays; `restart` begins with the new one.

        Raises:
            EvaluationError: there is no such input, or it takes no such value.
            FileNotFoundError: there is no such file.
        """
        self._debugger.inputs.feed(name, value)
        if self._has_begun:
            self._push(running=self._is_running)

    def compare(self, result: Comparison) -> None:
        """Show what `ox.compare` has found: values can be looked at beside the partner's, and boxes
        are coloured by how many times the tolerance their nodes add to the difference. The run
        begins anew from what was compared.

        Raises:
            ExplorerError: it is about another model.
        """
        from onnx_explorer.evaluation.comparison import Comparison

        if not isinstance(cast("object", result), Comparison):
            given = shown(cast("object", result))
            raise ExplorerError(f"{given} came; expected what ox.compare gives")
        if not same_graph(result.model.graph, self._model.graph):
            raise ExplorerError(
                f"the comparison is of model {result.model.graph.name!r}, whose nodes or weights "
                "are not the explorer's; compare explorer.model"
            )
        self._expect_rest()
        self._debugger.compare(result)
        self._push()
        added = result.added
        drawn = {box.id for box in self._scene.boxes}
        finite = {n: t for n, t in added.items() if n in drawn and math.isfinite(t)}
        if finite:
            self.overlay("added difference", finite, unit="× tolerance", combine="max")

    # -- messages ----------------------------------------------------------------------------

    def _receive(self, _widget: object, content: object, buffers: object) -> None:
        if not isinstance(content, Mapping):
            return
        question = cast("Mapping[str, object]", content)
        number = question.get("id")
        if not isinstance(number, int):
            return
        try:
            moves = self._answer(number, question, cast("Buffers", buffers or ()))
        except Exception as error:  # noqa: BLE001  # whatever it is, the person who asked sees it
            self._reply(number, {"error": _message(error)})
            return
        if moves is not None:
            self._start(number, moves)

    def _answer(
        self, number: int, question: Mapping[str, object], buffers: Buffers
    ) -> Moves | None:
        """Reply at once, or return what is to run first."""
        kind, name = question.get("kind"), question.get("name")
        if not isinstance(kind, str):
            raise ExplorerError(f"there is no question of the kind {shown(kind)}")
        if kind in MOVES:
            self._expect_rest()
        match kind:
            case "step" | "step_out" | "back" | "goto" | "run" | "run_to":
                left = self._begun(self._debugger.moves(question))
                if left is not None:
                    return left
            case "step_into":
                self.step_into()
            case "restart":
                self.restart()
            case "pause":
                self._paused = True
            case "take_over":
                self._take_over()
            case "explain":
                return self._reply(number, explained(self._debugger.what_if.types, question))
            case "ranges":
                return self._reply(number, {"ranges": self._ranges()})
            case "nan":
                return self._reply(number, self._nodes_with_nan())
            case "code":
                return self._reply(number, of_code(str(name)))
            case "operator":
                return self._reply(number, of_operator(question))
            case _:
                found = self._debugger.answer(question, buffers)
                if isinstance(found, Generator):
                    return found
                if kind in CHANGES:
                    self._push(running=self._is_running)
                return self._reply(number, found)
        return self._reply(number, {"ok": True})

    def _take_over(self) -> None:
        """Make what was tried in the what-if panel the model."""
        self._types = self._debugger.take_over()
        self._model = self._types.model
        self._push()

    def _reply(self, number: int, answer: Mapping[str, object]) -> None:
        self.send({"id": number, **answer})  # pyright: ignore[reportUnknownMemberType]

    # -- runs --------------------------------------------------------------------------------

    @property
    def _is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def _start(self, number: int, moves: Moves) -> None:
        """Drive a run on the kernel's event loop, so that messages come in between nodes."""
        run = self._drive(number, moves)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(run)
            return
        self._task = loop.create_task(run)

    async def _drive(self, number: int, moves: Moves) -> None:
        loop = asyncio.get_running_loop()
        self._paused = False
        answer: Mapping[str, object] = {"ok": True}
        try:
            self._push(running=True)
            told, took = loop.time(), 0.0
            # Before the first node too: the front end shows that it runs.
            await asyncio.sleep(0.001)
            for _ in moves:
                if loop.time() - told > max(PUSH_S, 4 * took):
                    began = loop.time()
                    self._push(running=True)
                    told = loop.time()
                    took = told - began
                # A moment, not zero: the kernel's sockets are looked at only when the loop rests.
                await asyncio.sleep(0.001)
                if self._paused:
                    break
        except Exception as error:  # noqa: BLE001  # as in _receive
            answer = {"error": _message(error)}
        finally:
            # Paused or not, it arrives where it stands.
            moves.close()
            self._push()
        self._reply(number, answer)

    # -- files -------------------------------------------------------------------------------

    def to_html(
        self, path: str | os.PathLike[str], *, weights: bool = False, record: bool = False
    ) -> Path:
        """The explorer as one HTML file that needs neither kernel nor network: everything but
        running works. With `weights` it holds the numbers of each initializer too.

        With `record` the model is run from its inputs, and the page steps through that run, forward
        and back, into loops (32 rounds), branches, functions and operators and out again. Tensors of
        up to 4096 elements are in it whole, of larger ones statistics, a histogram and a window of
        each view (inside operators statistics alone); beyond 24 MB statistics alone, and beyond 4 MB
        operators are stepped over. What is left out is said in the page.

        While a what-if is looked at, the page is that of the changed model.
        """
        from onnx_explorer.widgets.page import html_page

        expect_flag("weights", weights, ExplorerError)
        expect_flag("record", record, ExplorerError)
        file = path_to_write(path, "the name of the page to write", ExplorerError)
        if not file.name:
            raise ExplorerError(
                f"{str(path)!r} names no file; expected a path such as 'model.html'"
            )
        run, scene = self._debugger.recorded() if record else (None, self._scene_shown)
        scene = replace(scene, sizes=self._open_sizes())
        text = html_page(scene, weights=weights, shared=self.shared_state(), record=run)
        file.write_text(text, encoding="utf-8")
        return file

    def to_svg(self, path: str | os.PathLike[str], *, depth: Depth = "shown") -> Path:
        """A picture of the graph in the colours of the overlay, groups open as they are in the
        drawing, or down to `depth` (None: all of them).

        Raises:
            ExplorerError: there is no Graphviz engine, or it failed.
            FileNotFoundError: there is no such folder.
        """
        return self._draw(path, "svg", depth)

    def to_png(self, path: str | os.PathLike[str], *, depth: Depth = "shown") -> Path:
        """As `to_svg`, in pixels."""
        return self._draw(path, "png", depth)

    def to_pdf(self, path: str | os.PathLike[str], *, depth: Depth = "shown") -> Path:
        """As `to_svg`, on a page of its size."""
        return self._draw(path, "pdf", depth)

    def _nodes_with_nan(self) -> dict[str, object]:
        from onnx_explorer.widgets.ranges import constants_with_nan, nodes_with_nan

        if self._scanned is None or self._scanned[0] is not self._scene:
            self._scanned = (self._scene, constants_with_nan(self._scene))
        session = self._started() if self._has_begun else None
        _, scanned = self._scanned
        found = nodes_with_nan(self._scene, scanned.names, session)
        return {"nodes": found, "note": scanned.note(has_run=self._has_begun)}

    def _magnitudes(self) -> dict[str, float | str]:
        found = self._ranges()
        return {node: max(abs(low), abs(high)) for node, (low, high) in found.items()}

    def _ranges(self) -> dict[str, tuple[float, float]]:
        if not self._has_begun:
            return {}
        from onnx_explorer.widgets.ranges import ranges

        return ranges(self._scene, self._started())

    @property
    def _scene_shown(self) -> Scene:
        return self._debugger.scene_shown if "_debugger" in self.__dict__ else self._scene

    def _open_sizes(self) -> dict[str, int]:
        return dict(self._debugger.inputs.sizes)

    # -- notebooks ---------------------------------------------------------------------------

    def _ipython_display_(self) -> None:
        """Two outputs: the widget, and a still picture, which a saved notebook shows in its
        place and a living widget hides.
        """
        bundle = cast(
            "tuple[dict[str, object], dict[str, object]] | None",
            self._repr_mimebundle_(),  # pyright: ignore[reportUnknownMemberType]
        )
        if bundle is not None:
            publish_display_data(*bundle)
        publish_display_data(
            {"text/plain": still_text(self._scene), "text/html": still_html(self._scene)}
        )


def _message(error: Exception) -> str:
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    if isinstance(error, ExplorerError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def explore(
    model: Source,
    feeds: Mapping[str, object] | None = None,
    *,
    group: Grouping | None = None,
    constants: bool = False,
) -> Explorer:
    """The explorer of a model, or of a file. `feeds` are what its step bar runs; without them
    small random ones are made.

    `group` puts nodes into groups of your own: a function of the node, or a mapping of names, that
    gives a path such as `encoder/layer 1`. None (a name left out) leaves a node where its name or
    its exporter puts it.

    With `constants` weights and other constants are boxes of their own from the first, else they
    are part of the nodes that read them until somebody asks (`k`).

    Raises:
        ModelError: the file is no model that can be read.
        FileNotFoundError: there is no such file, or the front end is not built.
    """
    title = ""
    if isinstance(model, str | os.PathLike):
        title = Path(model).name
    return Explorer(load(model), feeds, title=title, group=group, constants=constants)


def document(path: str) -> Explorer:
    """The explorer of a file that JupyterLab opened as a document."""
    return explore(path)
