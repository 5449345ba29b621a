"""Packed sequences of PyTorch: what pack_padded_sequence refuses; what is packed is not followed."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag, numbers
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown

RNN = "torch.nn.utils.rnn."


@function(f"{RNN}pack_padded_sequence")
def pack_padded_sequence(input: Any, lengths: Any, batch_first: Any = False, enforce_sorted: Any = True) -> Outcome:
    """Lengths are positive, one for each sequence, the longest first (aten/src/ATen/native/PackedSequence.cpp)."""
    known = numbers(lengths)
    if isinstance(known, Unknown) or not all(isinstance(one, int) for one in known):
        return Unknown("a packed sequence")
    first = flag(batch_first)
    if isinstance(input, Tensor) and isinstance(input.shape, tuple) and len(input.shape) > 1 and first is not None:
        rows = input.shape[0 if first else 1]
        if isinstance(rows, int) and rows != len(known):
            return _refused(f"{len(known)} lengths of {rows} sequences", "one length for each sequence; batch_first "
                            "says which axis they are on", "Expected `len(lengths)` to be equal to batch_size, but got "
                            f"{len(known)} (batch_size={rows})")
    if any(one <= 0 for one in known):
        return _refused(f"a length of {min(known)} among {list(known)}", "leave out empty sequences, or clamp the "
                        "lengths to 1", "Length of all samples has to be greater than 0, but found an element in "
                        "'lengths' that is <= 0")
    if flag(enforce_sorted) is True and list(known) != sorted(known, reverse=True):
        return _refused(f"lengths {list(known)} are not in decreasing order", "enforce_sorted=False",
                        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True")
    return Unknown("a packed sequence")


def _refused(message: str, hint: str, error: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"pack_padded_sequence: {message}", help=hint, argument="lengths",
                    error=f'RuntimeError "{error}"')


@function(f"{RNN}pad_packed_sequence")
def pad_packed_sequence(sequence: Any, batch_first: Any = False, padding_value: Any = 0.0,
                        total_length: Any = None) -> Outcome:
    return (Unknown("a padded sequence"), Unknown("lengths of sequences"))


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
