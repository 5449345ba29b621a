"""Joining along an axis: Concatenate and keras.layers.concatenate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import is_known, lift, normalise_axis
from cudnnlint.ops.axes import out_of_range
from cudnnlint.ops.kernels.maths import joined
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.merging import applied, differing, extent, listed, merged_dtype, remedy, told
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

ERROR = ('ValueError "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis"')

SQUEEZES = Where(keras=">=3,<3.7")
"""Where axes of extent 1 are left out as shapes are compared (keras/src/layers/merging/concatenate.py: build)."""


@record(frozen=True, slots=True)
class Concatenate:
    """Extents add up along `axis` and are equal elsewhere, the batch axis too.

    Keras 3 reports the first input's extents (keras/src/layers/merging/concatenate.py: compute_output_shape).
    """

    axis: Any = -1

    def check(self, stack: Stack) -> tuple[Mismatch, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        items = listed(call.inputs, "Concatenate")
        if not isinstance(items, tuple):
            return items
        shape = self._shape(items, call.stack)
        if isinstance(shape, Mismatch):
            return shape
        dtype = merged_dtype(items, call, "Concatenate")
        return dtype if isinstance(dtype, Mismatch) else items[0].with_(shape=shape, dtype=dtype)

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def _shape(self, items: Sequence[Tensor], stack: Stack) -> Shape | Unknown | Mismatch:
        known = [item for item in items if isinstance(item.shape, tuple)]
        if not known:
            return Unknown("input rank")
        first = known[0]
        rank = first.rank or 0
        for item in known[1:]:
            if item.rank != rank:
                return Mismatch(Problem.MERGE, f"Concatenate of {first} and {item}: {rank} and {item.rank} axes",
                                error=ERROR, facts=(("shapes", (first.shape, item.shape)),))
        if not is_known(self.axis):
            return tuple(Unknown("axis") for _ in range(rank))
        axis = normalise_axis(self.axis, rank)
        if axis is None:
            return out_of_range(self.axis, first, "Concatenate")
        wrong = self._clash(known, axis) or (self._squeezed(known, axis) if SQUEEZES.holds(stack) else None)
        return wrong or self._joined(items, rank, axis, newest=stack.keras >= (3,))

    def _clash(self, known: Sequence[Tensor], axis: int) -> Mismatch | None:
        for index, b in enumerate(known):
            for a in known[:index]:
                assert isinstance(a.shape, tuple) and isinstance(b.shape, tuple)
                axes = [found for found in differing(a.shape, b.shape) if found[0] != axis]
                if axes:
                    return Mismatch(Problem.MERGE, f"Concatenate of {a} and {b} along axis {axis}: {told(axes)}",
                                    error=ERROR, help=remedy(a, b, axes, joined=True), facts=(
                                        ("shapes", (a.shape, b.shape)), ("axes", tuple(found[0] for found in axes))))
        return None

    def _squeezed(self, known: Sequence[Tensor], axis: int) -> Mismatch | None:
        """Extents of 1 against None, and several of 1, where they are taken out before shapes are compared."""
        shapes = [item.shape for item in known if isinstance(item.shape, tuple)]
        if any(isinstance(size, Unknown) for shape in shapes for size in shape):
            return None
        first, *rest = (self._compared(shape, axis) for shape in shapes)
        for item, kept in zip(known, (first, *rest), strict=True):
            if kept is None or first is None or len(kept) != len(first):
                return Mismatch(Problem.MERGE, f"Concatenate of {known[0]} and {item} along axis {axis}, which takes "
                                "axes of extent 1 out first", error="IndexError" if kept is None else ERROR,
                                help="use Keras 3.7 or newer, or tf.concat", where=SQUEEZES,
                                facts=(("shapes", (known[0].shape, item.shape)),))
        return None

    def _compared(self, shape: Shape, axis: int) -> list[Dim] | None:
        """Concatenate.build until Keras 3.6, whose positions go stale as it deletes; None where it raises."""
        kept = list(shape)
        for at, size in enumerate(shape[1:], start=1):
            if at != axis and size == 1:
                if at >= len(kept):
                    return None
                del kept[at]
        if len(kept) > self.axis:
            del kept[self.axis]
        return kept

    def _joined(self, items: Sequence[Tensor], rank: int, axis: int, *, newest: bool) -> Shape:
        shapes = [item.shape if isinstance(item.shape, tuple) else (Unknown("input rank"),) * rank for item in items]
        out: list[Dim] = list(shapes[0])
        for shape in shapes[1:]:
            for at, size in enumerate(shape):
                if at == axis:
                    out[at] = lift(lambda a, b: a + b, out[at], size)
                elif not newest:
                    out[at] = extent(out[at], size)
        return tuple(out)

    def lower(self, at: Site) -> Value:
        return joined(at.tape, at.values, at.size())


@layer("keras.layers.Concatenate")
def concatenate_layer(axis: Any = -1) -> Concatenate:
    return Concatenate(axis)


@function("keras.layers.concatenate")
def concatenate(inputs: Any, axis: Any = -1, **kwargs: Any) -> Outcome:
    return applied(Concatenate(axis), inputs)
