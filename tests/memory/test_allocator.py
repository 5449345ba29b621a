"""The allocator on sizes alone: what fragments, and when a request is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cudnnlint.memory.allocator import SPLITS, Arena, Refused
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

MIB = 1 << 20


def test_all_of_one_region_is_handed_out_and_no_more() -> None:
    arena = Arena(10 * MIB, grows=False)
    taken = [arena.take(MIB) for _ in range(10)]
    with pytest.raises(Refused):
        arena.take(256)
    arena.give(taken[3])
    assert arena.take(MIB) == taken[3]


def test_neighbours_that_are_free_become_one() -> None:
    arena = Arena(9 * MIB, grows=False)
    first, second, third = (arena.take(3 * MIB) for _ in range(3))
    arena.give(first)
    arena.give(third)
    with pytest.raises(Refused):
        arena.take(4 * MIB)
    arena.give(second)
    assert arena.take(9 * MIB) == first


def test_a_hole_less_than_twice_as_large_is_taken_whole() -> None:
    arena = Arena(20 * MIB, grows=False)
    hole, _ = arena.take(7 * MIB), arena.take(13 * MIB)
    arena.give(hole)
    assert arena.take(4 * MIB) == hole
    with pytest.raises(Refused):
        arena.take(MIB)


def test_a_hole_that_is_much_larger_is_split_whatever_its_share() -> None:
    arena = Arena(2 * SPLITS, grows=False)
    arena.take(SPLITS)
    assert arena.take(SPLITS)


def test_regions_double_and_do_not_merge() -> None:
    arena = Arena(256 * MIB, grows=True)
    first, _ = arena.take(65 * MIB), arena.take(65 * MIB)
    with pytest.raises(Refused):  # two regions of 128 MiB, half of each unused
        arena.take(65 * MIB)
    arena.give(first)
    assert arena.take(128 * MIB) == first


def test_the_best_fit_is_taken() -> None:
    arena = Arena(20 * MIB, grows=False)
    large, _, small, _ = (arena.take(size * MIB) for size in (8, 1, 5, 6))
    arena.give(large)
    arena.give(small)
    assert arena.take(5 * MIB) == small


def test_each_tensor_of_the_batch_is_a_chunk_of_its_own() -> None:
    """Three images of 45 MiB each lie in regions where one of 135 MiB would need a larger one."""
    towers = HEAD + """
tower = keras.Sequential([keras.Input((80, 80, 3)), layers.Conv2D(8, 5, strides=4), layers.GlobalAveragePooling2D()])
inputs = [keras.Input((80, 80, 3)) for _ in range(3)]
model = keras.Model(inputs, layers.Concatenate()([tower(x) for x in inputs]))
model.compile("sgd", "mse", jit_compile=False)
x = np.zeros((64, 80, 80, 3), "float32")
model.fit([x, x, x], np.zeros((64, 24), "float32"), batch_size=32)
"""
    made = estimate(towers)
    assert made.plan is not None
    together = replace(made.plan, fed=(tuple(map(sum, zip(*made.plan.fed, strict=True))),), _runs={})
    usable = 250 * MIB
    assert made.largest(usable) > 1.1 * replace(made, plan=together).largest(usable)
