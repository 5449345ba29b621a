"""Builtins that make or go through sequences: list, zip, enumerate, sum, map and the like."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from cudnnlint.interp.builtin.functions import BUILTINS, builtin
from cudnnlint.interp.builtin.special import tested
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.left_uncalled import tell_of_sum
from cudnnlint.interp.objects import (
    BuiltinV,
    GeneratorV,
    RangeV,
)
from cudnnlint.interp.registry import Call
from cudnnlint.interp.several import of_a_set
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.occurring import occurring
from cudnnlint.values.unknown import LONG_RANGE


def _sequence(kind: str) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        from cudnnlint.interp.iterate import in_order, in_turn

        if not c.args:
            return {"list": ListV(), "tuple": (), "set": DictV(is_set=True), "frozenset": DictV(is_set=True)}[kind]
        if kind in ("set", "frozenset") and (met := _met(c)) is not None:
            return DictV(dict.fromkeys(met), is_set=True)
        found = (in_order if kind in ("list", "tuple") else in_turn)(c.machine, c.args[0])
        assumed = assumptions_of(c.args[0])
        if isinstance(found, Unknown):
            return {"list": opened(c, found), "tuple": found}.get(kind, DictV({}, found, is_set=True))
        if len(found) > c.machine.limits.items:
            return Unknown("a long sequence")
        items = [assume(item, assumed) for item in found]
        if kind == "list":
            return ListV(items)
        if kind == "tuple":
            return tuple(items)
        keys = [key_of(item) for item in items]
        unknown = next((key for key in keys if isinstance(key, Unknown)), None)
        return DictV({} if unknown else dict.fromkeys(keys), unknown, is_set=True)

    return run


def _met(c: Call) -> range | None:
    """The elements of an array of NumPy, if they are few and sure to occur, in any order."""
    array = plain(c.args[0])
    met = occurring(array) if isinstance(array, Tensor) and array.kind == "numpy" and array.rank == 1 else None
    return met if met is not None and len(met) <= c.machine.limits.items else None


def opened(c: Call, why: Unknown) -> ListV:
    """A list of elements that are not all known: what one is like is."""
    from cudnnlint.interp.iterate import sample

    made = ListV([], why)
    made.kept = ListV([sample(c.machine, c.args[0])], why).settle().kept
    return made


def unzipped(source: Any) -> Any:
    """`zip(*pairs)` of a list whose length is not known: a column for each part of an element."""
    held = plain(source)
    one = held.typical() if isinstance(held, ListV) and held.unknown else None
    if not isinstance(one, tuple) or not one:
        return None
    columns = [ListV([part], Unknown("a list of unknown length")).settle() for part in one]
    return GeneratorV(ListV([column if column.kept else column.unknown for column in columns]), complete=True)


for _name in ("list", "tuple", "set", "frozenset"):
    BUILTINS[_name] = BuiltinV(_name, _sequence(_name))


@builtin("dict")
def dict_(c: Call) -> Any:
    from cudnnlint.interp.binding import STAR
    from cudnnlint.interp.iterate import elements

    result = DictV()
    if STAR in c.kwargs:
        result.unknown, result.absent = Unknown(plain(c.kwargs[STAR]).why), assumptions_of(c.kwargs[STAR])
    if c.args:
        value = plain(c.args[0])
        if (entries := getattr(value, "entries", None)) is not None:
            value = entries()
        if isinstance(value, DictV):
            result.items, result.unknown = dict(value.items), value.unknown
        else:
            found = elements(c.machine, value)
            if not isinstance(found, Unknown) and found and all(
                    isinstance(pair, tuple) and len(pair) == 2 for pair in found) \
                    and (of_set := of_a_set(found)) is not None:
                result.items, found = of_set, ()
            for pair in () if isinstance(found, Unknown) else found:
                if isinstance(pair, tuple) and len(pair) == 2 and not isinstance(key_of(pair[0]), Unknown):
                    result.items[key_of(pair[0])] = pair[1]
                else:
                    result.unknown = Unknown("an unknown item")
            if isinstance(found, Unknown):
                result.unknown = found
    result.items.update({key: value for key, value in c.kwargs.items() if key != STAR})
    return result


def elements_taken(m: Machine, sources: Iterable[Any]) -> None:
    """All that iterators give is taken from them."""
    from cudnnlint.interp.iterate import elements

    for source in sources:
        if type(source) is GeneratorV:
            elements(m, source)


@builtin("zip")
def zip_(c: Call) -> Any:
    from cudnnlint.interp.binding import STAR
    from cudnnlint.interp.iterate import RANGE, in_order, sample

    if STAR in c.kwargs:
        return Unknown("zip() of unknown sequences")
    given = [plain(arg) for arg in c.args]
    if any(type(one) is GeneratorV and one is other for one, other in itertools.combinations(given, 2)):
        elements_taken(c.machine, given)
        return Unknown("zip() of an iterator with itself")
    counters = [_begun(one) for one in given]
    columns = [in_order(c.machine, arg) for arg in c.args]
    if any(counters):
        columns = _counted_along(columns, counters)
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown or (columns and min(map(len, columns)) > RANGE):  # type: ignore[arg-type]
        unknown = unknown or Unknown("a long zip")
        columns = [LONG_RANGE if isinstance(column, range) and len(column) > RANGE else column
                   for column in columns]
        for column in columns:
            _open(c.machine, column)
        typical = tuple(sample(c.machine, arg) if isinstance(column, Unknown)
                        else (join(list(column)) if column else unknown)
                        for arg, column in zip(c.args, columns, strict=True))
        return GeneratorV(ListV([typical], unknown), complete=False, over=plain(c.args[0]), maker="zip")
    assumed = [assumptions_of(arg) for arg in c.args]
    rows = zip(*columns, strict=False)
    return GeneratorV(ListV([tuple(assume(item, taken) for item, taken in zip(row, assumed, strict=True))
                             for row in rows]), complete=True, maker="zip")


def _begun(value: Any) -> tuple[str, list[Any]] | None:
    """Where an endless iterator is that nobody else goes through."""
    if type(value) is not GeneratorV or value.counter is None or value.counter.unknown:
        return None
    return value.maker, list(value.counter.items)


def _counted_along(columns: list[Any], counters: list[tuple[str, list[Any]] | None]) -> list[Any]:
    """Endless iterators give as many as the shortest of the other columns has."""
    ends = [len(column) for column, counter in zip(columns, counters, strict=True)
            if counter is None and not isinstance(column, Unknown)]
    length = min(ends, default=0)
    return [column if counter is None or not ends or length > LONGEST else _first(*counter, length)
            for column, counter in zip(columns, counters, strict=True)]


def _first(maker: str, items: list[Any], length: int) -> Any:
    if maker == "cycle":
        return list(itertools.islice(itertools.cycle(items), length))
    start, step = map(plain, items)
    if not isinstance(start, int | float):
        return Unknown("a number counted")
    return [start + step * place for place in range(length)]


LONGEST = 4096
"""Elements of an endless iterator that are written out."""


def _open(m: Machine, column: Any) -> None:
    """Empty lists that are met side by side with what is not known are there to be filled: what with is not known."""
    if isinstance(column, list | tuple) and len(column) > 1:
        for item in column:
            if isinstance(item, ListV) and not item.items and not item.unknown:
                m.heap.touch(item)
                item.loosen(Unknown("filled side by side with something unknown"))


@builtin("enumerate")
def enumerate_(c: Call) -> Any:
    from cudnnlint.interp.iterate import in_order, kinds, sample

    start = plain(c.get(1, "start", 0))
    source = c.args[0] if c.args else c.kwargs.get("iterable", Unknown())
    found = in_order(c.machine, source)
    if isinstance(found, Unknown) or not isinstance(start, int) or len(found) > c.machine.limits.items:
        index = Unknown("loop variable of enumerate()", number=True)
        each = [(index, item) for item in kinds(c.machine, source)]
        return GeneratorV(ListV([(index, sample(c.machine, source))], Unknown("enumeration of an unknown value")),
                          complete=False, kinds=each, over=plain(source), maker="enumerate")
    taken = assumptions_of(source)
    return GeneratorV(ListV([(i, assume(item, taken)) for i, item in enumerate(found, start)]), complete=True,
                      maker="enumerate")


@builtin("reversed")
def reversed_(c: Call) -> Any:
    from cudnnlint.interp.iterate import RANGE, in_turn, sample

    found = in_turn(c.machine, c.args[0])
    if isinstance(found, range) and len(found) > RANGE:
        return RangeV(found[::-1])
    if isinstance(found, Unknown):
        return GeneratorV(ListV([sample(c.machine, c.args[0])], found), complete=False, over=plain(c.args[0]))
    return GeneratorV(ListV(list(found)[::-1]), complete=True)


@builtin("sum")
def sum_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements, sample
    from cudnnlint.interp.operators import binary

    found = elements(c.machine, c.args[0])
    if isinstance(found, Unknown):
        known = getattr(plain(c.args[0]), "items", None)  # of which there are more like them
        known = [plain(item) for item in known] if isinstance(known, list) and len(known) > 1 else \
            [plain(sample(c.machine, c.args[0]))]
        if not all(isinstance(one, Tensor) and one.shape == () for one in known):
            return found
        found = known  # numbers, as many as there are
    total = c.get(1, "start", 0)
    if isinstance(found, range) and isinstance(total, int):
        return total + sum(found)
    if found:
        tell_of_sum(c.machine, found[0], c.node)
    for item in found:
        c.machine.tick()
        total = binary(c.machine, ast.Add(), total, item, c.node)
    return total


def _quantifier(wanted: bool) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        from cudnnlint.interp.comparison import truth
        from cudnnlint.interp.iterate import elements, partly_run

        source = plain(c.args[0])
        found = elements(c.machine, source)
        if isinstance(found, Unknown):
            return found
        verdicts = [truth(tested(c.machine, item, c.node)) for item in found]
        if type(source) is GeneratorV and source.changed and {wanted, None}.intersection(verdicts[:-1]):
            partly_run(c.machine, source)
        if wanted in verdicts:
            return wanted
        return Unknown("an unknown condition") if None in verdicts else not wanted

    return run


BUILTINS["any"] = BuiltinV("any", _quantifier(True))
BUILTINS["all"] = BuiltinV("all", _quantifier(False))


@builtin("map")
def map_(c: Call) -> Any:
    from cudnnlint.interp.iterate import all_in_order

    columns = [all_in_order(c.machine, arg) for arg in c.args[1:]]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown or not columns:
        return _map_one(c, unknown) if unknown else Unknown("map of nothing")
    return GeneratorV(ListV([c.machine.call(c.args[0], list(row), {}, c.node) for row in zip(*columns, strict=False)]),
                      complete=True, maker="map")


def _map_one(c: Call, why: Unknown) -> Any:
    """What the function gives for a typical element; it may never be called."""
    from cudnnlint.interp.expressions import fork_values
    from cudnnlint.interp.iterate import sample

    m, made = c.machine, list[Any]()
    row = [sample(m, arg) for arg in c.args[1:]]
    fork_values(m, [lambda: None, lambda: made.append(m.call(c.args[0], row, {}, c.node))])
    return GeneratorV(ListV(made, why), complete=False, over=plain(c.args[1]), maker="map")


@builtin("filter")
def filter_(c: Call) -> Any:
    from cudnnlint.interp.comparison import truth
    from cudnnlint.interp.iterate import elements
    from cudnnlint.interp.torch.frozen import Parameters

    found, source = elements(c.machine, c.args[1]), plain(c.args[1])
    if isinstance(found, Unknown) and isinstance(source, Parameters):  # of which one stands for each
        verdict = truth(c.machine.call(c.args[0], [source.sample(c.machine)], {}, c.node))
        return GeneratorV(ListV([]), complete=True) if verdict is False else found if verdict \
            else Unknown("filtered by an unknown condition")
    if isinstance(found, Unknown):
        return found
    keep: list[Any] = []
    for item in found:
        verdict = truth(c.machine.call(c.args[0], [item], {}, c.node) if plain(c.args[0]) is not None else item)
        if verdict is None:
            return Unknown("filtered by an unknown condition")
        if verdict:
            keep.append(item)
    return GeneratorV(ListV(keep), complete=True)
