"""Mutable objects of the abstract program, and the journal that lets two paths be run and joined.

Every mutable object can `snapshot`, `restore` and `merge` its state. Before a mutation the machine calls
`Heap.touch(obj)`; `Heap.fork` runs each branch from the same state and joins what the branches leave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import filterfalse
from typing import Any, Protocol

from cudnnlint.interp.join import join, unlike
from cudnnlint.interp.lists import ListV, YieldsV, clock, join_given
from cudnnlint.interp.meeting import Meeting, loosen
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.unknown import UNHELD, Grown, Unset


class Mutable(Protocol):
    """An object with identity whose state changes while the program runs; `born` is its creation on `clock`."""

    born: int

    def snapshot(self) -> Any: ...
    def restore(self, state: Any) -> None: ...
    def merge(self, states: Sequence[Any]) -> None: ...


class TableV:
    """Anything that maps keys to values: dicts, scopes, attributes of instances.

    `unknown` is set once a key that is not known was written: no key is certain any more.
    """

    __slots__ = ("born", "items", "unknown")
    of_names = False

    def __init__(self, items: dict[Any, Any] | None = None, unknown: Unknown | None = None) -> None:
        self.born = next(clock)
        self.items: dict[Any, Any] = {} if items is None else items
        self.unknown = unknown

    def snapshot(self) -> Any:
        return dict(self.items), self.unknown

    def restore(self, state: Any) -> None:
        self.items, self.unknown = dict(state[0]), state[1]

    def merge(self, states: Sequence[Any]) -> None:
        found = [unknown for _, unknown in states if unknown]
        self.unknown = next((unknown for unknown in found if type(unknown) is not Grown), found[0]) if found else None
        first, *others = (items for items, _ in states)
        differing: dict[Any, None] = {}
        for items in others:
            differing.update(dict.fromkeys(unlike(first, items, ABSENT)))
            differing.update(dict.fromkeys(filterfalse(first.__contains__, items)))
        self.items = dict(first)
        for key in differing:
            self.items[key] = _meet([items.get(key, ABSENT) for items in (first, *others)], self.of_names)


def _meet(values: Sequence[Any], of_names: bool) -> Any:
    """What a key holds where tables meet."""
    if not any(type(each) is Unset for each in values):
        return join(values)
    held = [one for each in values if (one := each.held if type(each) is Unset else each) is not UNHELD] \
        if of_names else []
    return Unset(ABSENT.why, held=join(held)) if held else ABSENT


class DictV(TableV):
    """A dict (or a set: keys only, `is_set`).

    absent  assumptions under which an unknown one has no keys but those of `items`: the **kwargs of a function that
            nothing calls, to which nothing more than its defaults is given
    ordered  it is an OrderedDict, of which Keras 3 takes the values as they were put in, not by their keys
    many     it stands for each element of a list of any length
    """

    __slots__ = ("absent", "default", "is_set", "many", "ordered")

    def __init__(self, items: dict[Any, Any] | None = None, unknown: Unknown | None = None, *, is_set: bool = False,
                 default: Any = None, absent: Assumptions = NONE, ordered: bool = False) -> None:
        super().__init__(items, unknown)
        self.is_set = is_set
        self.ordered = ordered
        self.default = default
        self.absent = absent
        self.many = False

    def remove(self, key: Any) -> Any:
        """Take a key out, and give what it held; of many others may have it still."""
        if self.many:
            self.unknown = self.unknown or Unknown("taken out of one of many")
        return self.items.pop(key, None)

    def copy(self, items: dict[Any, Any]) -> DictV:
        """A dict of its own with these items."""
        return DictV(items, self.unknown, is_set=self.is_set, default=self.default, absent=self.absent,
                     ordered=self.ordered)

    @property
    def open(self) -> Unknown | None:
        """Why there may be more keys than in `items`, or fewer: one that only some paths have set is among them."""
        if self.unknown is None and any(type(value) is Unset for value in self.items.values()):
            return Unknown("a key that only some paths have set")
        return self.unknown

    @property
    def lost(self) -> Unknown | None:
        """Why a key that is not in `items` may be there all the same."""
        return None if self.absent else self.unknown


ABSENT = Unset("not set on every path")

Delta = dict[int, tuple[Any, Any]]
"""id -> (object, state)."""


class Journal(dict[int, tuple[Any, Any]]):
    """States at the time it was opened. Objects born later are left out: no other path can reach them."""

    __slots__ = ("opened",)

    def __init__(self) -> None:
        self.opened = next(clock)


NEXT, BREAK, CONTINUE, RETURN, STOP = range(5)
"""How a statement ends. STOP: no path falls through; each has been recorded where it goes."""


class Raised(Exception):
    """The analysed program certainly raises here."""


class RaisedAs(Raised):
    """It raises this class of Python's own."""

    def __init__(self, kind: type[BaseException]) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


class Pending:
    """A path that left a block early under an unknown condition: how, with what value and state."""

    __slots__ = ("delta", "kind", "value")

    def __init__(self, kind: int, value: Any, delta: Delta) -> None:
        self.kind, self.value, self.delta = kind, value, delta


PLAIN: frozenset[type] = frozenset({ListV, DictV})


class Heap:
    """The stack of journals. A journal keeps the state each touched object had when the journal was opened."""

    __slots__ = ("joined", "journals")

    def __init__(self) -> None:
        self.journals: list[Journal] = []
        self.joined: dict[int, Any] = {}
        """Lists and dicts that stand for one of several: to change one changes which, and who else holds that?"""

    def touch(self, obj: Mutable) -> None:
        if self.journals:
            journal = self.journals[-1]
            if obj.born < journal.opened and id(obj) not in journal:
                journal[id(obj)] = (obj, obj.snapshot())
        if self.joined and id(obj) in self.joined:
            loosen(self.joined[id(obj)])

    def meeting(self, since: int) -> Meeting:
        """Of paths that began at `since`."""
        return Meeting(since, PLAIN, self.joined)

    def open(self) -> None:
        self.journals.append(Journal())

    def grown_older(self) -> None:
        """A module was imported, for other files too: it counts as older than the outermost journal, so that what the
        program at hand goes on to change in it is undone with that."""
        if self.journals:
            self.journals[0].opened = next(clock)

    def close(self, pendings: Sequence[Pending] = ()) -> Delta:
        """Drop the top journal, keeping its changes; the one below learns what it needs for its own undo.

        `pendings` made under it become relative to the journal below.
        """
        journal = self.journals.pop()
        if pendings:
            for pending in pendings:
                for key, entry in journal.items():
                    pending.delta.setdefault(key, entry)
            self.lift(pendings)
        if journal and self.journals:
            below = self.journals[-1]
            for key, entry in journal.items():
                if entry[0].born < below.opened:
                    below.setdefault(key, entry)
        return journal

    def undo(self) -> Delta:
        """Drop the top journal and its changes; return the state that was reached."""
        journal = self.journals.pop()
        reached = {key: (obj, obj.snapshot()) for key, (obj, _) in journal.items()}
        for obj, state in journal.values():
            obj.restore(state)
        return reached

    def lift(self, pendings: Sequence[Pending]) -> None:
        """After `undo`: make the deltas of `pendings` relative to the journal that is now on top."""
        if self.journals:
            for pending in pendings:
                for key, (obj, _) in self.journals[-1].items():
                    if key not in pending.delta:
                        pending.delta[key] = (obj, obj.snapshot())

    def meet(self, deltas: Sequence[Delta], since: int | None = None, *, turns: bool = False) -> None:
        """Set every object that some path changed to the join of its states on all paths, which began at `since`;
        `turns`: they differ by the turns of a loop that they made, and what has `of_turns` says what that means."""
        if not deltas:
            return
        meeting = None if since is None or len(deltas) == 1 else self.meeting(since)
        keys = {key: entry[0] for delta in deltas for key, entry in delta.items()}
        for key, obj in keys.items():
            self.touch(obj)
            if len(deltas) == 1:
                obj.restore(deltas[0][key][1])
                continue
            base = None
            states = []
            for delta in deltas:
                if key in delta:
                    states.append(delta[key][1])
                else:
                    base = base or obj.snapshot()
                    states.append(base)
            if meeting is not None and isinstance(obj, TableV):
                states = meeting.states(states)
            of_turns = getattr(obj, "of_turns", None) if turns else None
            obj.merge(states if of_turns is None else of_turns(states))

    def resolve(self, pendings: Sequence[Pending], journal_falls: bool, *, turns: bool = False) -> None:
        """Join `pendings` (relative to the top journal) with the current state, if that is reached at all."""
        if not pendings:
            return
        journal: Delta = self.journals[-1] if self.journals else {}
        deltas = [pending.delta for pending in pendings]
        for delta in deltas:
            for key, entry in journal.items():
                delta.setdefault(key, entry)
        if journal_falls:
            keys = {key: entry[0] for delta in deltas for key, entry in delta.items()}
            deltas.append({key: (obj, obj.snapshot()) for key, obj in keys.items()})
        self.meet(deltas, turns=turns)

    def fork(self, branches: Sequence[Callable[[], int]], pendings: list[Pending],
             value_of: Callable[[], Any], *, turns: bool = False, raised: list[Delta] | None = None) -> int:
        """Run each branch from the state now and join the ones that fall through; `turns` as in `meet`.

        A branch that returns, breaks or continues is added to `pendings`; of one that raises, what it had changed is
        added to `raised`, if anyone asks for it.
        """
        falls: list[Delta] = []
        since = next(clock)
        for branch in branches:
            self.open()
            mark = len(pendings)
            failed = False
            try:
                code = branch()
            except Raised:
                code, failed = STOP, True
            except BaseException:
                self.undo()
                raise
            value = value_of() if code == RETURN else None
            delta = self.undo()
            if failed and raised is not None:
                raised.append(delta)
            if code == NEXT:
                falls.append(delta)
            elif code != STOP:
                pendings.append(Pending(code, value, delta))
            self.lift(pendings[mark:])
        self.meet(falls, since, turns=turns)
        return NEXT if falls else STOP


__all__ = ["ABSENT", "BREAK", "CONTINUE", "NEXT", "RETURN", "STOP", "Delta", "DictV", "Heap", "Journal", "ListV",
           "Mutable", "Pending", "Raised", "RaisedAs", "TableV", "YieldsV", "clock", "join_given"]
