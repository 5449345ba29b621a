"""Packed sequences of PyTorch: what is packed, what pack_padded_sequence refuses, and what is padded again."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag, numbers
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.packed import Packed

RNN = "torch.nn.utils.rnn."
STEPS = "the steps of all sequences"
LONGEST = "the longest sequence"


@function(f"{RNN}pack_padded_sequence")
def pack_padded_sequence(input: Any, lengths: Any, batch_first: Any = False, enforce_sorted: Any = True) -> Outcome:
    """Lengths are positive, one for each sequence, the longest first (aten/src/ATen/native/PackedSequence.cpp)."""
    known = numbers(lengths)
    counts = None if isinstance(known, Unknown) or not all(isinstance(one, int) for one in known) else list(known)
    return _wrong_lengths(input, counts, batch_first, enforce_sorted) or _packed(input, counts, batch_first)


def _wrong_lengths(x: Any, counts: list[Any] | None, batch_first: Any, enforce_sorted: Any) -> Mismatch | None:
    if counts is None:
        return None
    rows = _batch(x, batch_first)
    if isinstance(rows, int) and rows != len(counts):
        return _refused(f"{len(counts)} lengths of {rows} sequences", "one length for each sequence; batch_first "
                        "says which axis they are on", "Expected `len(lengths)` to be equal to batch_size, but got "
                        f"{len(counts)} (batch_size={rows})")
    if any(one <= 0 for one in counts):
        return _refused(f"a length of {min(counts)} among {counts}", "leave out empty sequences, or clamp the "
                        "lengths to 1", "Length of all samples has to be greater than 0, but found an element in "
                        "'lengths' that is <= 0")
    if flag(enforce_sorted) is True and counts != sorted(counts, reverse=True):
        return _refused(f"lengths {counts} are not in decreasing order", "enforce_sorted=False",
                        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True")
    return _beyond(x, counts, batch_first)


def _beyond(x: Any, counts: list[int], batch_first: Any) -> Mismatch | None:
    """A length beyond the steps, which is seen only by what takes the packed sequences."""
    steps = Unknown("batch_first") if (first := flag(batch_first)) is None else _batch(x, not first)
    longest = max(counts, default=0)
    if not isinstance(steps, int) or longest <= steps:
        return None
    return Mismatch(
        Problem.INVALID_ARGUMENT, f"pack_padded_sequence: a length of {longest}, of sequences of {steps} steps",
        help="the number of steps that each sequence has", argument="lengths",
        error=f"RuntimeError \"shape '[{longest}, ...]' is invalid for input of size ...\" or \"start (...) + length "
              "(...) exceeds dimension size\", of the module or pad_packed_sequence() that takes what is packed")


def _batch(x: Any, batch_first: Any) -> Dim:
    first = flag(batch_first)
    if isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) > 1 and first is not None:
        return x.shape[0 if first else 1]
    return Unknown("sequences")


def _packed(x: Any, counts: list[Any] | None, batch_first: Any) -> Outcome:
    """(N, T, *), or (T, N, *) -> (steps of all, *)"""
    steps: Dim = Unknown(STEPS) if counts is None else sum(counts)
    data = x.with_(shape=(steps, *x.shape[2:]) if isinstance(x.shape, tuple) else x.shape) if isinstance(x, Tensor) \
        else Tensor(Unknown("a packed sequence"), Unknown("a packed sequence"), "torch")
    return Packed.of(data, max(counts) if counts else Unknown(LONGEST), _batch(x, batch_first))


@function(f"{RNN}pack_sequence")
def pack_sequence(sequences: Any, enforce_sorted: Any = True) -> Outcome:
    """(T, *) each -> (steps of all, *)"""
    first = sequences[0] if isinstance(sequences, (list, tuple)) and sequences else None
    if not isinstance(first, Tensor):
        return Unknown("a packed sequence")
    inner = first.shape[1:] if isinstance(first.shape, tuple) else None
    data = first.with_(shape=Unknown(STEPS) if inner is None else (Unknown(STEPS), *inner))
    return Packed.of(data, Unknown(LONGEST), len(sequences))


def _refused(message: str, hint: str, error: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"pack_padded_sequence: {message}", help=hint, argument="lengths",
                    error=f'RuntimeError "{error}"')


@function(f"{RNN}pad_packed_sequence")
def pad_packed_sequence(sequence: Any, batch_first: Any = False, padding_value: Any = 0.0,
                        total_length: Any = None) -> Outcome:
    """(T, N, *), or (N, T, *), and the lengths, on the CPU wherever the sequences are."""
    lengths, data = Unknown("lengths of sequences"), sequence.data if isinstance(sequence, Packed) else None
    if data is None:
        return (Unknown("a padded sequence"), lengths)
    first = flag(batch_first)
    if not isinstance(data.shape, tuple) or first is None:
        return (data.with_(shape=Unknown("a padded sequence")), lengths)
    longest = sequence.longest if total_length is None else \
        total_length if isinstance(total_length, int) else Unknown("total_length")
    lead = (sequence.rows, longest) if first else (longest, sequence.rows)
    return (data.with_(shape=(*lead, *data.shape[1:])), lengths)


@function(f"{RNN}pad_sequence")
def pad_sequence(sequences: Any, batch_first: Any = False, padding_value: Any = 0.0,
                 padding_side: Any = "right") -> Outcome:
    """(T, *) each -> (longest, N, *), or (N, longest, *)."""
    first = flag(batch_first)
    if not isinstance(sequences, (list, tuple)) or not sequences or first is None \
            or not all(isinstance(one, Tensor) and isinstance(one.shape, tuple) and one.shape for one in sequences):
        return Unknown("sequences")
    shapes = [one.shape for one in sequences]
    if len({shape[1:] for shape in shapes}) > 1:
        return sequences[0].with_(shape=Unknown("sequences of different shapes"))
    known = [shape[0] for shape in shapes if isinstance(shape[0], int)]
    longest: Dim = max(known) if len(known) == len(shapes) else Unknown("the longest sequence")
    lead = (len(shapes), longest) if first else (longest, len(shapes))
    return sequences[0].with_(shape=(*lead, *shapes[0][1:]))
