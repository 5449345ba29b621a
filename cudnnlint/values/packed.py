"""Packed sequences of PyTorch: the tuple of four that pack_padded_sequence() gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.records import record
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import Tensor
from cudnnlint.values.unknown import Unknown


@record(frozen=True, slots=True)
class Counts(Unknown):
    """A vector of so many whole numbers on the CPU, or None."""

    extent: Dim = 0


class Packed(tuple[Any, ...]):
    """(data, batch_sizes, sorted_indices, unsorted_indices) (torch/nn/utils/rnn.py: PackedSequence).

    Of `data` the first axis goes through all steps of all sequences. The others are Counts: of as many as there are
    steps in the longest sequence, and twice of as many as there are sequences.
    """

    __slots__ = ()
    PATH = "torch.nn.utils.rnn.PackedSequence"
    FIELDS = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")

    @staticmethod
    def of(data: Tensor, longest: Dim, rows: Dim) -> Packed:
        sizes, order = Counts("sequences of each step", extent=longest), Counts("an order of sequences", extent=rows)
        return Packed((data, sizes, order, order))

    @property
    def data(self) -> Tensor | None:
        return self[0] if isinstance(self[0], Tensor) else None

    @property
    def longest(self) -> Dim:
        return self[1].extent if isinstance(self[1], Counts) else Unknown("the longest sequence")

    @property
    def rows(self) -> Dim:
        return self[2].extent if isinstance(self[2], Counts) else Unknown("sequences")


def like(value: tuple[Any, ...], parts: Iterable[Any]) -> tuple[Any, ...]:
    """The parts as a tuple of the kind that `value` is."""
    return Packed(parts) if type(value) is Packed else tuple(parts)
