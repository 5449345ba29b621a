"""What a program draws at random or measures: random, timeit, time."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import sample
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import Drawn


@FRAMEWORK.on("random.shuffle", "numpy.random.shuffle")
def shuffle(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    if isinstance(value, ListV):
        from cudnnlint.interp.join import join

        c.machine.heap.touch(value)
        if not value.unknown:
            value.items = [join(value.items)] * len(value.items) if value.items else []
    return None


@FRAMEWORK.on("random.choice")
def chosen(c: Call) -> Any:
    """Any of the elements."""
    return sample(c.machine, c.args[0]) if c.args else Unknown("a random value")


@FRAMEWORK.on("random.sample")
def several(c: Call) -> Any:
    """A list of some of the elements, of as many as are asked for."""
    count, any_one = plain(c.get(1, "k")), sample(c.machine, c.args[0]) if c.args else Unknown("a random value")
    if isinstance(count, int) and 0 < count <= MOST and "counts" not in c.kwargs:
        return ListV([any_one] * count)
    return ListV([any_one] if c.args else [], Unknown("a random sample")).settle()


MOST = 256
"""Elements that a sample is listed with."""


@FRAMEWORK.on("random.randint", "random.randrange")
def drawn(c: Call) -> Any:
    return Drawn("a random number", number=True, base=object())


@FRAMEWORK.on("timeit.timeit", "timeit.repeat", "timeit.default_timer")
def timed(c: Call) -> Any:
    """What is measured is called: here once."""
    statement = c.get(0, "stmt")
    if statement is not None and not isinstance(plain(statement), str | Unknown):
        c.machine.call(statement, [], {}, c.node)
    return Unknown("how long something takes", number=True)


@FRAMEWORK.on("random.random", "random.uniform", "time.time")
def at_random(c: Call) -> Any:
    return Unknown("a random value", number=True)
