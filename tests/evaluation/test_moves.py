"""A run in single moves, as the widget drives it."""

from __future__ import annotations

import numpy as np

import onnx_explorer as ox


def _stepper(number: int) -> ox.Stepper:
    return ox.Stepper(ox.example("loop_if"), {"start": np.int64(number), "limit": np.int64(100)})


def test_moves_end_where_a_run_ends():
    moved, ran = _stepper(6), _stepper(6)
    for _ in moved.moves():
        pass
    ran.run()
    assert moved.done
    # 6, 3, 10, 5, 16, 8, 4, 2, 1 as every book has it.
    assert moved.values["path"].tolist() == [3, 10, 5, 16, 8, 4, 2, 1]
    assert moved.completed == ran.completed


def test_moves_rest_inside_a_loop_and_back_takes_one_node_there():
    stepper = _stepper(6)
    moves = stepper.moves()
    for _ in range(5):
        next(moves)
    moves.close()
    assert len(stepper.frames) > 1
    before = stepper.completed
    stepper.step_into(operators=False)
    stepper.back()
    assert stepper.completed == before


def test_moves_stop_at_a_breakpoint_and_go_on_behind_it():
    stepper = _stepper(6)
    stop = stepper.add_breakpoint("is_one")
    for round_ in (1, 2):
        for _ in stepper.moves():
            pass
        assert stepper.stopped_at is stop
        assert stop.hits == round_
        assert stepper.current is not None
        assert stepper.current.node.name == "is_one"
