"""What gradients of convolutions take while they run: patches of the input, unfolded for a product of matrices.

As TensorFlow's kernels for CPUs do it, some samples at once (tensorflow/core/kernels/conv_grad_input_ops.h,
conv_grad_filter_ops.cc); those for three axes ask the machine for its caches and are left out. cuDNN's ways differ, and
it takes one that needs less where less is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cudnnlint.ops.kernels.tape import Tape, Value
from cudnnlint.records import record

TARGET, PART = 30 << 20, 256 << 10
"""Bytes that are worked on at once, and from which on a thread's part of one sample is enough (l3_cache_size,
l2_cache_size)."""
THREADS = 2


@record(frozen=True, slots=True)
class Unfolded:
    """places: of a sample's output; patch: numbers of the input that one of them reads; filters: channels of the
    output; turned: a transposed convolution, whose forward pass is the gradient of one."""

    places: int
    patch: int
    filters: int
    turned: bool = False

    @property
    def unit(self) -> int:
        return self.places * self.filters + self.patch * self.filters + self.places * self.patch

    def of_kernel(self, item: int) -> int:
        """Bytes for the gradient of the kernel."""
        return -(-(TARGET // item) // self.unit) * self.places * self.patch * item

    def of_input(self, item: int) -> int:
        """Bytes for that of the input."""
        one = self.unit // THREADS >= PART // item
        return self.places * self.patch * item if one else self.of_kernel(item)


def unfolds(t: Tape, made: Value, places: Sequence[object], filters: object, weights: int,
            turned: bool = False) -> None:
    """Note what a convolution of one or two axes unfolds; `weights`: numbers in its kernel."""
    found = [dim for dim in (*places, filters) if isinstance(dim, int) and dim > 0]
    if len(found) != len(places) + 1 or len(places) > 2:
        return
    *known, last = found
    one = t.unfolds[made.index] = Unfolded(prod(known), max(1, weights // last), last, turned)
    if turned:
        t.scratch[made.index] = one.of_input(made.size.item)


def reads_both(t: Tape, made: Value, extent: Sequence[object], places: Sequence[object]) -> None:
    """Note where XLA reads the kernel of a convolution as it is on the way back, besides its copy in cuDNN's layout:
    turned for the gradient of the input, a kernel of one place is the same; and where what is put out is no larger than
    the window along an axis, the gradient of the kernel is not told from a convolution forwards, and comes in the
    kernel's layout (xla/service/gpu/transforms/conv_rewriter.cc: MatchBackwardInput, MatchBackwardFilter). `places` are
    those of the smaller side."""
    known = [(one, dim) for one, dim in zip(extent, places, strict=False) if isinstance(one, int) and one > 1]
    if not known or any(isinstance(dim, int) and dim <= one for one, dim in known):
        t.beside.add(made.index)


def unfolded(t: Tape, output: Value, dx: Value | None, kernel: Value | None) -> None:
    """Note what the two gradients of a convolution take."""
    one = t.unfolds.get(output.index)
    if one is None:
        return
    if dx is not None:
        t.scratch[dx.index] = 0 if one.turned else one.of_input(dx.size.item)
    if kernel is not None:
        t.scratch[kernel.index] = one.of_kernel(kernel.size.item)
