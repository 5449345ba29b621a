"""Not knowing, with its reason: the value that absorbs and never becomes a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from cudnnlint.records import record


@record(frozen=True, slots=True)
class Unknown:
    """Any value at all. `why` reads after "unknown: ", e.g. "parameter width".

    number  it is certainly a Python number, whichever
    loop    the loop under way in whose turns it is always another one
    """

    why: str = field(default="", compare=False)
    number: bool = field(default=False, compare=False, repr=False)
    loop: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return "?"


@record(frozen=True, slots=True)
class ByName(Unknown):
    """Further arguments of a call, all of them by name: `f(x, **options)`."""


@record(frozen=True, slots=True)
class OfPython(Unknown):
    """A class of Python itself that one of the program is derived from, `name`: what it has is not listed here."""

    name: str = field(default="", compare=False, repr=False)


UNHELD = object()


@record(frozen=True, slots=True)
class Unset(Unknown):
    """A name, attribute or key that only some of the paths that met have set.

    held  what a variable is on those that have, which is what it is wherever it can be read; UNHELD where nobody asks
    """

    held: Any = field(default=UNHELD, compare=False, repr=False)


@record(frozen=True, slots=True)
class Grown(Unknown):
    """Why a dict may have more keys than those that are known, all of which it has."""


@record(frozen=True, slots=True)
class OneOf(Unknown):
    """Whatever it is, it may be one of these lists and dicts of the program: who changes it may change any of them.

    whole  and it is nothing else
    """

    held: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    whole: bool = field(default=False, compare=False, repr=False)


@record(frozen=True, slots=True)
class Cut(Unknown):
    """What a layer gave that could not be followed, and the tensors that it was called on (`of`)."""

    of: tuple[Any, ...] = field(default=(), repr=False)


@record(frozen=True, slots=True)
class Mapped(Unknown):
    """An element of a dataset, or a part of one, that map() hands to a function: a tensor of its graph, or several."""


@record(frozen=True, slots=True)
class Features(Unknown):
    """An element of a dataset that is a dict, of features that are not known: one argument of a function."""


NOTHING_KNOWN = frozenset({Unknown, Cut, Mapped, Features})
"""Types of what may be anything."""


@record(frozen=True, slots=True)
class SomeFloat(Unknown):
    """A dtype of floats, whichever: what autocast chooses."""


@record(frozen=True, slots=True)
class Placed(Unknown):
    """One of the elements of a set that were put into an order which is another one in each run.

    every  all of them, by identity of the tuple; each is at one place
    place  which of the places this one is at
    """

    every: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    place: int = field(default=0, compare=False, repr=False)


def put_together(elements: Sequence[Any]) -> Sequence[Any]:
    """The elements in whatever order: where they are all those of one set, what these are.

    >>> put_together([Placed(every=("a", "b"), place=1), Placed(every=("a", "b"), place=0)])
    ('a', 'b')
    """
    first = elements[0] if elements else None
    if type(first) is not Placed or len(elements) != len(first.every):
        return elements
    ours = {one.place for one in elements if type(one) is Placed and one.every is first.every}
    return first.every if len(ours) == len(elements) else elements


@record(frozen=True, slots=True)
class WordCount(Unknown):
    """How many words a Tokenizer met, whose indices run from 1 to that number; arithmetic on it gives any Unknown."""


@record(frozen=True, slots=True)
class GpuOrCpu(Unknown):
    """The name of a GPU on one path, "cpu" on the other: `"cuda" if torch.cuda.is_available() else "cpu"`."""


@record(frozen=True, slots=True)
class Ending(Unknown):
    """Text of which nothing but the end is known: a file in some folder. Operations on it give any Unknown."""

    end: str = field(default="", compare=False, repr=False)


@record(frozen=True, slots=True)
class Elements(Unknown):
    """A list of all that an array or a column holds, nested as its axes are: what tolist() gives. Operations on it give
    any Unknown.

    of  "numbers" or "texts"; "" where it may be either, or neither
    """

    of: str = ""


@record(frozen=True, slots=True)
class OpenExtent(Unknown):
    """An extent of a symbolic tensor inside call(): None while the model is built, a number when it runs."""


@record(frozen=True, slots=True)
class Unranked(Unknown):
    """The shape of a tensor of which TensorFlow itself knows no axis in a graph: what Python code in it gave.

    graph  whether it certainly is part of one
    """

    graph: bool = field(default=False, compare=False, repr=False)


@record(frozen=True, slots=True)
class Lines(Unknown):
    """The shape of the numbers of a text file: one axis or two, (rows, columns) where the program takes it so."""

    rows: Any = field(default=None, compare=False, repr=False)
    columns: Any = field(default=None, compare=False, repr=False)


def lines(why: str) -> Lines:
    return Lines(why, rows=Unknown(why), columns=Unknown(why))


@record(frozen=True, slots=True)
class RowIndex(Unknown):
    """The index of each of `rows` rows in turn: what one of them gives is met for all; arithmetic gives any Unknown."""

    rows: object = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Counted(Unknown):
    """A whole number known but for its `base`: base + shift. Arithmetic other than adding a number gives any Unknown.

    base  what tells it from other numbers by identity: the extent of an axis, or the variable of one turn of a loop
    low   the least that the base may be
    high  one more than the greatest that the base may be: a number, or another Counted
    """

    base: object = field(default=None, compare=False, repr=False)
    shift: int = field(default=0, compare=False, repr=False)
    low: int | None = field(default=None, compare=False, repr=False)
    high: object = field(default=None, compare=False, repr=False)

    def plus(self, number: int) -> Counted:
        return replace(self, shift=self.shift + number)

    @property
    def least(self) -> int | None:
        return None if self.low is None else self.low + self.shift


@record(frozen=True, slots=True)
class Window(Unknown):
    """How long a part of an axis is that is `full` long if the axis goes on so far. Arithmetic gives any Unknown.

    base   the extent of the axis, by identity
    start  where it begins; None for another place in each turn of a loop
    """

    full: int = 0
    base: object = field(default=None, compare=False, repr=False)
    start: int | None = field(default=None, compare=False, repr=False)

    @property
    def moving(self) -> Window:
        return replace(self, start=None)


def window(start: object, stop: object, size: Unknown) -> Window | None:
    """`x[start:stop]` of an axis of which nothing is known, where they are so far apart and neither is negative.

    >>> window(5, 15, Unknown()).full, window(None, 7, Unknown()).full, window(5, -1, Unknown())
    (10, 7, None)
    """
    begin: int | None = None
    start = 0 if start is None else start
    if isinstance(start, int) and isinstance(stop, int):
        apart, least, begin = stop - start, start, start
    elif type(start) is Counted and type(stop) is Counted and start.base is stop.base and start.least is not None:
        apart, least = stop.shift - start.shift, start.least
    else:
        return None
    return Window("a slice that may reach beyond the end", full=apart, base=size, start=begin) \
        if apart > 0 <= least else None


def common(a: Window, b: Window) -> Unknown:
    """One of two windows: that of a loop's turns stands for those of its first ones."""
    alike = a.full == b.full and a.base is b.base and (a.start == b.start or a.start is None or b.start is None)
    return (a if a.start is None else b) if alike else Unknown("differs between paths")


def stacked(extents: Sequence[object]) -> int | None:
    """How long windows onto one axis are that are as long as each other, and begin at different places: full, since
    shorter ones would differ.

    >>> rows = Unknown()
    >>> stacked([window(0, 9, rows), window(1, 10, rows)]), stacked([window(0, 9, rows), window(0, 9, rows)])
    (9, None)
    """
    first = extents[0] if len(extents) > 1 else None
    if type(first) is not Window:
        return None
    starts: set[int | None] = set()
    for each in extents:
        if type(each) is not Window or each.full != first.full or each.base is not first.base:
            return None
        starts.add(each.start)
    return first.full if len(starts) > 1 or None in starts else None


def length_of(extent: object, why: str) -> Counted:
    """The length of an axis whose extent is not known: a number that the same axis always gives."""
    return Counted(why, number=True, base=extent, low=0)


def loose(value: Any) -> Any:
    """Of a Counted only that it is a number."""
    return Unknown(value.why, number=True, loop=value.loop) if type(value) is Counted else value


def between(start: object, stop: object, size: object) -> int | None:
    """How long `x[start:stop]` is where both differ by a number and both are certainly within `size`.

    >>> i = Counted("i", number=True, base=object(), low=10, high=100)
    >>> between(i.plus(-10), i, 100), between(i, i.plus(5), 100)
    (10, None)
    """
    if type(start) is not Counted or type(stop) is not Counted or start.base is not stop.base:
        return None
    if start.least is None or start.least < 0 or stop.shift < start.shift:
        return None
    last = _last(stop, size)
    return stop.shift - start.shift if last is not None and last <= 0 else None


def _last(stop: Counted, size: object) -> int | None:
    """How far beyond the end of an axis the greatest `stop` is."""
    if isinstance(stop.high, int) and isinstance(size, int):
        return stop.high - 1 + stop.shift - size
    if type(stop.high) is Counted and isinstance(size, Unknown) and stop.high.base is size:
        return stop.high.shift - 1 + stop.shift
    return None


@record(frozen=True, slots=True)
class Drawn(Unknown):
    """A number drawn at random; `base` tells one draw from another by identity. Arithmetic gives any Unknown."""

    base: object = field(default=None, compare=False, repr=False)

    def met(self, other: Drawn) -> Drawn:
        """Either of two: the same draw, or some draw."""
        return self if self.base is other.base else replace(self, base=EACH)


EACH = "each"
"""`base` of a number that is drawn anew for each element of what a program goes through."""


@record(frozen=True, slots=True)
class ClassCount(Unknown):
    """How many classes labels are told apart as, one-hot; more than one, or there is nothing to tell apart. Arithmetic
    on it gives any Unknown."""


class SeveralClasses(ClassCount):
    """The same where each class has a column: two at least."""


LONG_RANGE = Unknown("a long range")
"""A range whose numbers nobody lists."""
OPEN_RANGE = Unknown("a range of unknown length")
