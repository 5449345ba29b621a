"""itertools: known elements combined, up to the bound of a list."""

from __future__ import annotations

import math
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import GeneratorV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

NAMED = {"product": ("repeat",), "combinations": ("r",), "permutations": ("r",)}
"""Arguments by their names that are numbers."""


@FRAMEWORK.on("itertools.zip_longest")
def zip_longest(c: Call) -> Any:
    from itertools import zip_longest as zipped

    columns = [elements(c.machine, arg) for arg in c.args]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown or c.kwargs.keys() - {"fillvalue"}:
        return unknown or Unknown("zip_longest")
    known = [column for column in columns if not isinstance(column, Unknown)]
    return GeneratorV(ListV(list(zipped(*known, fillvalue=c.kwargs.get("fillvalue")))), complete=True)


@FRAMEWORK.on("itertools.chain", "itertools.product", "itertools.combinations", "itertools.permutations")
def combine(c: Call) -> Any:
    import itertools

    name = plain(c.callee).path.rpartition(".")[2]
    chosen = name in ("combinations", "permutations")
    columns = [elements(c.machine, arg) for arg in (c.args[:1] if chosen else c.args)]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    counts = [plain(arg) for arg in c.args[1:]] if chosen else []
    named = {key: plain(value) for key, value in c.kwargs.items() if key in NAMED.get(name, ())}
    most = c.machine.limits.items
    if unknown or len(named) < len(c.kwargs) \
            or not all(isinstance(count, int) and 0 <= count <= most for count in (*counts, *named.values())):
        return unknown or Unknown(name)
    rows = math.prod(len(column) for column in columns if not isinstance(column, Unknown))
    if name == "product" and rows ** named.get("repeat", 1) > most:
        return Unknown("a long product")  # product() makes its columns as often as is said before the first row
    if chosen and len(columns) + len(counts) + len(named) != 2:
        return Unknown(f"{name}() of anything but two arguments")
    made = list(itertools.islice(getattr(itertools, name)(*columns, *counts, **named), most + 1))
    return GeneratorV(ListV(made), complete=True) if len(made) <= most else Unknown(f"a long {name}")


@FRAMEWORK.on("itertools.chain.from_iterable")
def chain_from(c: Call) -> Any:
    rows = elements(c.machine, c.first)
    if isinstance(rows, Unknown):
        return rows
    out: list[Any] = []
    for row in rows:
        found = elements(c.machine, row)
        if isinstance(found, Unknown):
            return found
        out.extend(found)
        if len(out) > c.machine.limits.items:
            return Unknown("a long chain")
    return GeneratorV(ListV(out), complete=True)


@FRAMEWORK.on("itertools.islice")
def sliced(c: Call) -> Any:
    """`islice(rows, stop)`, `islice(rows, start, stop, step)`, of count() too."""
    bounds = [plain(arg) for arg in c.args[1:]]
    if not 1 <= len(bounds) <= 3 or c.kwargs or not all(bound is None or (type(bound) is int and bound >= 0)
                                                        for bound in bounds):
        return Unknown("islice() with bounds that are not known")
    given = plain(c.args[0])
    if isinstance(given, GeneratorV) and given.maker in ("count", "cycle"):
        return _of_endless(c, given, slice(*bounds))
    if isinstance(given, GeneratorV):
        return Unknown("the first elements of an iterator")  # which goes on after them
    found = elements(c.machine, given)
    return found if isinstance(found, Unknown) else GeneratorV(ListV(list(found[slice(*bounds)])), complete=True)


def _of_endless(c: Call, given: GeneratorV, part: slice) -> Any:
    """Of a counter that nothing else has taken from."""
    held = given.counter
    if held is None or held.unknown or part.stop is None or part.stop > c.machine.limits.items:
        return Unknown("the first elements of an endless iterator")
    items = [plain(item) for item in held.items]
    c.machine.heap.touch(held)
    held.loosen(Unknown("an endless iterator from which some were taken"))
    if given.maker == "cycle":
        row = [items[at % len(items)] for at in range(part.stop)]
    else:
        row = [items[0] + at * items[1] for at in range(part.stop)]
    return GeneratorV(ListV(row[part]), complete=True)


@FRAMEWORK.on("itertools.repeat")
def repeat(c: Call) -> Any:
    count = plain(c.get(1, "times"))
    if isinstance(count, int) and count <= c.machine.limits.items:
        return GeneratorV(ListV([c.first] * count), complete=True)
    return GeneratorV(ListV([c.first]), complete=False, infinite=count is None)


@FRAMEWORK.on("itertools.count")
def count(c: Call) -> Any:
    start, step = plain(c.get(0, "start", 0)), plain(c.get(1, "step", 1))
    known = isinstance(start, int | float) and isinstance(step, int | float)
    return _endless("count", ListV([start, step]) if known else None)


@FRAMEWORK.on("itertools.cycle")
def cycle(c: Call) -> Any:
    given = elements(c.machine, c.first)
    return _endless("cycle", None if isinstance(given, Unknown) or not given else ListV(given))


def _endless(name: str, counter: ListV | None) -> GeneratorV:
    return GeneratorV(ListV([Unknown("an element")]), complete=False, infinite=True, maker=name, counter=counter)
