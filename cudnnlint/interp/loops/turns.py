"""Loops under way: which turn each is in, and what its later turns still do as the first ones did.

Only loops that run as Python does count. One inside a tf.function, a layer's call() or a function mapped over a
dataset is unrolled or becomes part of a graph, and what stands in it happens once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Event
from cudnnlint.interp.heap import clock
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.packed import like
from cudnnlint.values.unknown import EACH, Counted, Drawn

if TYPE_CHECKING:
    from cudnnlint.events.loops import LoopInfo
    from cudnnlint.interp.machine import Machine


COLLECTED, PADDED, VARIABLE = "collected", "padded", "variable"
"""Keys of a loop's facts: what was made to be kept, data whose batches differ in length, the name of its variable."""


@record(slots=True)
class Note:
    """Something met in a loop: in how many of its turns, in which of them last, and the event to tell."""

    count: int
    last: int
    event: Event
    lasting: bool


@record(frozen=True, slots=True)
class Made:
    """Where something came to be: the place in the program, and whether it was made whatever way the program went."""

    thing: Any
    turn: int
    span: Span
    certain: bool


@record(frozen=True, slots=True)
class Origin:
    """Where a model was made, by which calls, and in the scope of which strategy, if of any."""

    thing: Any
    span: Span
    calls: tuple[Span, ...]
    strategy: Any

    def seen_from(self, calls: tuple[Span, ...]) -> Span:
        """The place in the innermost body that these calls share with those that led here."""
        shared = next((i for i, (a, b) in enumerate(zip(self.calls, calls, strict=False)) if a != b),
                      min(len(self.calls), len(calls)))
        return self.calls[shared] if shared < len(self.calls) else self.span


class Loop:
    """One loop under way. `turn` counts from 0, `began` is the clock at the start of it.

    turns  how many there will be, or Unknown
    over   what it goes through: "dataset", "range", "list", "rows" of a tensor, "items" or "" for a while loop
    conditions  how many that are not known it stands under
    made   models and compiled functions that came to be in the present turn, by id
    ends   called when the loop is left
    asks   whether another turn would tell something, likewise
    """

    __slots__ = ("asks", "began", "born", "conditions", "depth", "ends", "facts", "made", "notes", "over", "span",
                 "turn", "turns", "uncertain")

    def __init__(self, m: Machine, span: Span, turns: Any, over: str) -> None:
        self.span, self.turns, self.over = span, turns, over
        self.born = self.began = next(clock)
        self.turn, self.depth, self.uncertain = -1, len(m.calls), m.uncertain
        self.conditions = len(m.conditions)
        self.notes: dict[Any, Note] = {}
        self.made: dict[int, Made] = {}
        self.facts: dict[Any, Any] = {}
        self.ends: dict[str, Callable[[], None]] = {}
        self.asks: dict[str, Callable[[], bool]] = {}

    def info(self) -> LoopInfo:
        from cudnnlint.events.loops import LoopInfo

        return LoopInfo(span=self.span, turns=self.turns, over=self.over)

    def next_turn(self, m: Machine) -> None:
        self.turn, self.began, self.uncertain = self.turn + 1, next(clock), m.uncertain
        self.made.clear()

    def place(self, m: Machine, span: Span) -> Span:
        """Where in the loop's own body that is which happens now at `span`: the outermost call since it began."""
        return m.calls[self.depth] if len(m.calls) > self.depth else span

    def note(self, key: Any, event: Event, *, lasting: bool = False) -> None:
        """To be told when the loop ends, if more than one turn noted it; `lasting`: if the last one did, too."""
        known = self.notes.get(key)
        if known is None:
            self.notes[key] = Note(1, self.turn, event, lasting)
        elif known.last != self.turn:
            known.count, known.last = known.count + 1, self.turn

    def waits(self) -> bool:
        """Whether another turn would tell whether something happens in each."""
        return any(note.count == 1 and note.last == self.turn for note in self.notes.values()) \
            or any(ask() for ask in self.asks.values())

    def left(self, m: Machine) -> None:
        for note in self.notes.values():
            if note.count > 1 and (not note.lasting or note.last == self.turn):
                m.emit(note.event)
        for end in self.ends.values():
            end()
        for table in (self.notes, self.ends, self.asks):
            table.clear()


@contextmanager
def loop(m: Machine, span: Span, turns: Any, over: str) -> Iterator[Loop | None]:
    """A loop is entered, and left; None where it is not one that Python runs."""
    if in_graph(m):
        yield None
        return
    made = Loop(m, span, turns, over)
    m.loops.append(made)
    try:
        yield made
    except OutOfBounds:  # what its turns have shown is known
        _leave(m, made)
        made.left(m)
        raise
    finally:
        _leave(m, made)
    made.left(m)


def _leave(m: Machine, within: Loop) -> None:
    if m.loops and m.loops[-1] is within:
        m.loops.pop()


def in_graph(m: Machine) -> bool:
    """Whether what is followed now builds a graph: it happens once, however often that runs."""
    return bool(m.tracing) or m.symbolic or m.phase == "call"


def undecided(m: Machine) -> bool:
    """Whether one more turn of the innermost loop would tell what each of them does."""
    return bool(m.loops) and not in_graph(m) and m.loops[-1].waits()


def turn(m: Machine) -> None:
    """The next turn of the innermost loop begins."""
    if m.loops and not in_graph(m):
        m.loops[-1].next_turn(m)


def came_to_be(m: Machine, thing: Any, span: Span) -> None:
    """A model or a compiled function came to be."""
    m.origins[id(thing)] = Origin(thing, span, tuple(m.calls), m.state.get("strategy"))
    for each in m.loops:
        each.made[id(thing)] = Made(thing, each.turn, each.place(m, span), m.uncertain == each.uncertain)


def remade(m: Machine, thing: Any) -> tuple[Loop, Made] | None:
    """The innermost loop in whose present turn `thing` was made, certainly; None where it is older."""
    for each in reversed(m.loops):
        found = each.made.get(id(thing))
        if found is not None:
            return (each, found) if found.certain else None
    return None


def collected(m: Machine, value: Any) -> None:
    """What a turn made is put into a container: it is made to be kept, and its memory is wanted."""
    for part in value if isinstance(value, tuple) else (value,):
        for each in m.loops:
            if (found := each.made.get(id(part))) is not None:
                each.facts[COLLECTED, found.span] = True
                for key in [key for key in each.notes if key[:2] == ("model", found.span)]:
                    del each.notes[key]


def total(m: Machine, innermost: Loop) -> Any:
    """How many turns `innermost` takes in all, those of the loops around it included; Unknown if any is."""
    return product(m.loops[:m.loops.index(innermost) + 1])


def product(loops: list[Loop]) -> Any:
    """How often the body of the innermost of nested loops runs; Unknown if one of them is of unknown length."""
    count = 1
    for each in loops:
        if not isinstance(each.turns, int):
            return Unknown("a loop of unknown length")
        count *= each.turns
    return count


def varying(value: Any, within: Loop | None) -> Any:
    """What a loop binds its variable to: a number that is not known is another one in each turn."""
    if within is None:
        return value
    if isinstance(value, Unknown) and value.number:
        return replace(value, loop=within) if type(value) is Counted \
            else Unknown(value.why, number=True, loop=within)
    if isinstance(value, tuple):
        return like(value, [varying(item, within) for item in value])
    return value


def drawn_anew(value: Any) -> Any:
    """An element of a turn: an extent that is drawn for each element is another one than in the turn before."""
    if isinstance(value, tuple):
        return like(value, [drawn_anew(item) for item in value])
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple) \
            or not any(type(dim) is Drawn and dim.base is EACH for dim in value.shape):
        return value
    return value.with_(shape=tuple(replace(dim, base=object()) if type(dim) is Drawn and dim.base is EACH else dim
                                   for dim in value.shape))
