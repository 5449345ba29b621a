"""The order of a step as grappler leaves it: what decides which of several gradients is made first."""

from __future__ import annotations

import pytest

from cudnnlint.memory.order import edges, last_names_first, ranked
from cudnnlint.ops.kernels.tape import Size, Tape
from tests.memory.compared import estimated, frozen
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD, filled
from tests.oracle.memory_runs import ALL


def test_updates_are_walked_from_by_their_names() -> None:
    """AssignSubVariableOp_9, ..., _2, _12, _11, _10, _1 and AssignSubVariableOp, which is the first."""
    assert last_names_first(13, "sgd") == [9, 8, 7, 6, 5, 4, 3, 2, 12, 11, 10, 1, 0]


def test_adam_is_walked_from_the_second_variable_on() -> None:
    """adam/Mul_7, _51, _47, _43, ... as an optimizer of TensorFlow 2.21 and Keras 3.15 names what it reads."""
    assert last_names_first(13, "adam")[:4] == [1, 12, 11, 10]
    assert last_names_first(25, "adam")[:3] == [24, 23, 22]


def test_what_is_reached_first_runs_last() -> None:
    tape = Tape()
    x = tape.run("exp", (), Size(8))
    first, second = tape.run("neg", (x,), Size(8)), tape.run("neg", (x,), Size(8))
    for ends in ((first, second), (second, first)):
        last = [tape.run("assign", (one,), Size(0)) for one in ends]
        rank = ranked(edges(tape.kernels)[1], [((), last)])
        assert rank[ends[0].made] > rank[ends[1].made]


def test_two_networks_in_turns_take_what_was_measured() -> None:
    """What the first one's update changed is read again by the second one's step."""
    made = estimated(filled(ALL["in_turns"], 4, "adam")).terms.total
    assert made == pytest.approx(frozen("steps")["in_turns 4 adam"], rel=0.01)


def test_arguments_of_optimizers_go_without_names_too() -> None:
    text = f"""{HEAD}
model = keras.Sequential([keras.Input((64,)), layers.Dense(512), layers.Dense(4)])
model.compile(keras.optimizers.SGD(GIVEN), "mse", jit_compile=False)
model.fit(np.zeros((64, 64), "float32"), np.zeros((64, 4), "float32"), batch_size=16)
"""
    told = "0.1, 0.9", "0.1, momentum=0.9", "0.1"
    slots = [estimate(text.replace("GIVEN", given)).terms.optimizer for given in told]
    assert slots[0] == slots[1] > slots[2] + 4 * 64 * 512
