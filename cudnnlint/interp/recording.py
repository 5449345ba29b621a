"""What a constructor under way reads and does: whether it would make the same again, and what that hangs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Event, LayerCreated
from cudnnlint.interp.heap import TableV
from cudnnlint.interp.objects import ClassV
from cudnnlint.source import Span
from cudnnlint.source.asked import Asked, asking

if TYPE_CHECKING:
    from cudnnlint.interp.keras.moulds import Mould
    from cudnnlint.interp.machine import Machine


class Recording:
    """What a constructor under way reads and does; `refused` once it is seen not to be repeatable."""

    __slots__ = ("asked", "began", "called", "created", "doubts", "moulds", "names", "origins", "outer", "reads",
                 "refused", "sites", "tell")

    def __init__(self, m: Machine) -> None:
        """From here on: what `m` reads and does is recorded until `close`."""
        self.outer: Recording | None = m.recording
        self.tell: Callable[[Event], object] = m.emit
        self.refused = False
        self.reads: dict[tuple[int, Any], tuple[Any, Any, Any]] = {}
        self.names: list[tuple[str, str]] = []
        self.called: set[int] = set()
        self.sites: set[Span] = set()
        self.moulds: set[Mould] = set()
        self.created, self.doubts, self.origins = m.created, m.doubts, len(m.origins)
        self.asked = Asked()
        m.recording, m.emit = self, self.emit
        m.heap.open()
        self.began = m.heap.journals[-1].opened

    def follow(self, m: Machine, run: Callable[[], Any]) -> Any:
        """What `run` gives, recorded to its end; what never comes back cannot be repeated."""
        try:
            with asking(self.asked):
                return run()
        except BaseException:
            self.refused = True
            raise
        finally:
            self.close(m)

    def read(self, table: TableV, name: Any, value: Any) -> None:
        """A name of a module, a class or an enclosing function is looked up."""
        if table.born >= self.began and getattr(table, "kind", "") != "module":
            return  # a function within, or a comprehension, asks for what is at hand
        if hasattr(value, "born") and not isinstance(value, ClassV):
            self.refused = True  # its contents may change unseen
        self.reads[id(table), name] = (table, name, value)

    def read_of(self, cls: ClassV, name: str, value: Any) -> None:
        """An attribute of a class is looked up."""
        holder = next((base for base in cls.mro if isinstance(base, ClassV) and name in base.items), None)
        if holder is not None:
            self.read(holder, name, value)

    def emit(self, event: Event) -> object:
        """An event comes: nothing but layers that came to be, of which nothing is to be said."""
        told = self.tell(event)
        if told or type(event) is not LayerCreated:
            self.refused = True
        return told

    def take(self, mould: Mould) -> None:
        """A part is made by a mould: what that rests on, this rests on."""
        for entry in mould.reads:
            self.reads[id(entry[0]), entry[1]] = entry
        self.called |= mould.called
        self.sites |= mould.sites
        self.moulds |= {mould, *mould.inner}

    def close(self, m: Machine) -> None:
        """The constructor has ended, however it did; what encloses it did and read all the same."""
        m.recording, m.emit = self.outer, self.tell
        self.created, self.doubts = m.created - self.created, m.doubts - self.doubts
        changed = m.heap.close()
        self.refused = bool(self.refused or changed or len(m.origins) != self.origins)
        if self.outer is not None:
            self.outer.reads.update(self.reads)
            self.outer.names += self.names
            self.outer.called |= self.called
            self.outer.sites |= self.sites
            self.outer.moulds |= self.moulds
            self.outer.refused = self.outer.refused or self.refused
