"""The bounds of an analysis: hitting one makes the rest of that part Unknown, never a hang."""

from __future__ import annotations

from cudnnlint.records import record

LAYER_STEPS = 16
"""What making or applying a layer costs, in evaluated expressions, as measured."""
NAMES_A_STEP = 64
"""How many names of a scope it costs one to copy and compare where paths part and meet."""


@record(frozen=True, slots=True)
class Limits:
    """steps: expressions and statements per file (a layer's application counts LAYER_STEPS); depth: nested user calls;
    unroll: iterations of a while loop.
    A for loop is followed for unroll_least iterations; then one that creates layers for unroll_building iterations or
    unroll_steps, whichever is more, or unroll_steps if it makes whole models at the same places; and any other for
    unroll_idle_steps, or no further if it would take more, or more than unroll_cheap steps where it is of more than
    unroll_idle iterations or changes nothing.

    root_steps bounds each function that nothing calls, so that one of them cannot starve the others, and roots_total
    all of them together, of which each is still followed a little until they took twice as many; again_steps one
    that leads to no function and no layer that was not met before, the many thin variants of one model; again_total
    all of these together; again_turn a turn of a loop in which layers are made only where layers were made before: the
    next one after a longer one that made a model has again_steps to make a layer at a new place.
    items bounds the elements of one list, tuple or comprehension; imported the bytes of the modules that are read for
    one file, aside those of them that name no framework.
    """

    steps: int = 600_000
    root_steps: int = 200_000
    again_steps: int = 200_000
    again_total: int = 600_000
    again_turn: int = 200_000
    roots_total: int = 6_000_000
    depth: int = 64
    recursion: int = 12
    unroll: int = 4_096
    unroll_least: int = 2
    unroll_building: int = 128
    unroll_steps: int = 20_000
    unroll_idle: int = 64
    unroll_idle_steps: int = 150_000
    unroll_cheap: int = 10_000
    passes: int = 3
    items: int = 16_384
    imported: int = 64 << 20
    aside: int = 8 << 20
    text: int = 100_000
    number_bits: int = 4_096


LONGEST = 25_000
"""Lines of a file that are granted steps: what a program makes of more is followed no further, within 10 s."""


def for_linting(lines: int) -> Limits:
    """Bounds that keep a linter's promise of speed: a step costs about as much as parsing a third of a line."""
    lines = min(lines, LONGEST)
    return Limits(steps=20_000 + 15 * lines, root_steps=9_000 + 10 * lines, again_steps=1_000 + lines,
                  again_total=6_000 + 6 * lines, again_turn=4_000,
                  roots_total=150_000 + 20 * lines, unroll_steps=8_000, unroll_cheap=500, unroll_idle_steps=2_000,
                  imported=16 << 20, aside=512 << 10)


class OutOfBounds(Exception):
    """A bound was hit; carries what gave up."""
