"""The largest batch of a step that XLA compiles: what is kept hangs on how large it is, so each batch is asked anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from cudnnlint.memory.xla.alive import adds, compiled_moments, forwards, kept_with
from cudnnlint.ops.kernels.tape import Tape
from cudnnlint.records import record

FIRST = 1 << 30
"""A batch from which on nothing more is too large: where the search begins, whatever batch the program has."""
ROUNDS = 12
"""Of the search, which mostly takes three."""


@record(slots=True)
class Compiled:
    """The steps of a program that XLA compiles one after another.

    tapes  of each; shared: for each the layers of every later one that it computes too, but does not train
    state  bytes of variables and slots, each those of one sample; room: what is left, as a multiple
    """

    tapes: Sequence[Tape]
    shared: Sequence[Sequence[Collection[int]]]
    state: int
    each: int
    room: float
    _found: dict[int, int] = field(default_factory=dict, init=False)

    def largest(self, usable: int, most: int) -> int:
        """The largest batch of which we are sure: one for which the moments are those of just that batch, so that it is
        the same whichever batch is asked about; the least of several between which that goes back and forth."""
        if usable not in self._found:
            self._found[usable] = self._largest(usable)
        return self._found[usable]

    def _largest(self, usable: int) -> int:
        tried = [FIRST]
        while len(tried) < ROUNDS and (found := self._for(tried[-1], usable)) not in tried:
            tried.append(found)
        last = self._for(tried[-1], usable)
        return min(tried[tried.index(last):]) if last in tried else min(last, *tried)

    def _for(self, batch: int, usable: int) -> int:
        """The largest batch with the moments of another one."""
        beside(self.tapes, self.shared, batch)
        moments = [one for tape in self.tapes for one in compiled_moments(tape, batch)[0]]
        return max(0, min((int(usable / self.room) - self.state - one.fixed) // max(1, self.each + one.each)
                          for one in moments))


def beside(tapes: Sequence[Tape], shared: Sequence[Sequence[Collection[int]]], batch: int) -> None:
    """Note on each tape what is there of the others. XLA frees what one gradient needed before the next one's losses
    are computed; but what a step computes of a model that it does not train comes with what a later one computes of it,
    and keeps."""
    if len(tapes) < 2:
        return
    aside = max((forwards(tape, batch) for tape in tapes), key=lambda one: one[0] + one[1] * batch)
    for place, tape in enumerate(tapes):
        tape.aside = aside
        most = adds(tape, batch)
        kept = [kept_with(later, layers, batch, most)
                for later, layers in zip(tapes[place + 1:], shared[place], strict=True)]
        tape.together = sum(fixed for fixed, _ in kept), sum(each for _, each in kept)
