"""Batch-wise dot products: Dot and keras.layers.dot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import is_known, normalise_axis
from cudnnlint.ops.axes import out_of_range
from cudnnlint.ops.kernels.maths import contract
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.merging import applied, extent, listed, merged_dtype
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

KERAS_2 = Where(keras="<3")


@record(frozen=True, slots=True)
class Dot:
    """(N, ..., C, ...) and (N, ..., C, ...) -> (N, ..., ...): the contracted axes and the second batch axis go.

    keras/src/layers/merging/dot.py: build, compute_output_shape
    """

    axes: Any
    normalize: Any = False

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        axes = self.axes
        wrong = axes is None or isinstance(axes, (str, float, dict))
        if isinstance(axes, (list, tuple)):
            wrong = len(axes) != 2 or any(item is None or isinstance(item, (str, float, list, tuple)) for item in axes)
        if wrong:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"axes is {show(axes)}, not an integer or two integers",
                           argument="axes", help="give one axis for both inputs, or two: axes=(1, 2)",
                           error='TypeError or ValueError "Invalid format for argument `axes`"')

    def infer(self, call: LayerCall) -> Outcome:
        items = listed(call.inputs, "Dot")
        if not isinstance(items, tuple):
            return items
        if len(items) != 2:
            return Mismatch(Problem.INPUT_COUNT, f"Dot needs exactly 2 tensors, received {len(items)}",
                            error='ValueError "A `Dot` layer should be called on a list of 2 inputs"')
        dtype = merged_dtype(items, call, "Dot")
        if isinstance(dtype, Mismatch):
            return dtype
        a, b = items
        shape = self._shape(a, b, call)
        if isinstance(shape, Mismatch):
            return shape
        if call.stack.keras < (3,) and not str(dtype).startswith(("float", "bfloat")):
            dtype = Unknown("product of integers")
        return a.with_(shape=shape, dtype=dtype)

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def _shape(self, a: Tensor, b: Tensor, call: LayerCall) -> Shape | Unknown | Mismatch:
        if isinstance(a.shape, Unknown) or isinstance(b.shape, Unknown):
            return Unknown("input rank")
        pair = tuple(self.axes) if isinstance(self.axes, (list, tuple)) else (self.axes, self.axes)
        if len(pair) != 2 or not all(map(is_known, pair)):
            return Unknown("axes")
        places = []
        for axis, x in zip(pair, (a, b), strict=True):
            place = normalise_axis(axis, x.rank or 0)
            if place is None:
                return out_of_range(axis, x, "Dot")
            places.append(place)
        i, j = places
        return self._clash(a, b, i, j) or self._impossible(a, b, i, j, call) or _contracted(
            a.shape if call.stack.keras >= (3,) else (extent(a.shape[0], b.shape[0]), *a.shape[1:]), b.shape, i, j)

    def _clash(self, a: Tensor, b: Tensor, i: int, j: int) -> Mismatch | None:
        """The extents must be equal, and a None beside a number is not (Dot.build)."""
        assert isinstance(a.shape, tuple) and isinstance(b.shape, tuple)
        m, n = a.shape[i], b.shape[j]
        if isinstance(m, Unknown) or isinstance(n, Unknown) or m == n or not (isinstance(m, int) or isinstance(n, int)):
            return None
        return Mismatch(Problem.MERGE, f"Dot of {a} and {b}: axis {i} of the first is {m}, axis {j} of the second {n}",
                        error='ValueError "Incompatible input shapes: axis values"', argument="axes",
                        help="axes picks the axes to contract, which must have equal extents",
                        facts=(("shapes", (a.shape, b.shape)), ("axes", (i, j))))

    def _impossible(self, a: Tensor, b: Tensor, i: int, j: int, call: LayerCall) -> Mismatch | Unknown | None:
        """What Keras 2 refuses when it traces the product and Keras 3 when it runs (batch_dot)."""
        assert isinstance(a.shape, tuple) and isinstance(b.shape, tuple)
        first, second = a.shape[0], b.shape[0]
        if isinstance(first, int) and isinstance(second, int) and first != second:
            reason = f"batch sizes {first} and {second}"
        elif 0 in (i, j) or min(len(a.shape), len(b.shape)) < 2:
            reason = "the batch axis cannot be contracted"
        else:
            return None
        if call.stack.keras >= (3,):
            return Unknown(reason)
        return Mismatch(Problem.MERGE, f"Dot of {a} and {b}: {reason}", where=KERAS_2, argument="axes",
                        error='ValueError "Cannot do batch_dot on inputs"', facts=(("shapes", (a.shape, b.shape)),))

    def lower(self, at: Site) -> Value:
        return contract(at.tape, at.values[0], at.values[-1], at.size())


def _contracted(a: Shape, b: Shape, i: int, j: int) -> Shape:
    """
    >>> _contracted((2, 3, 4), (2, 5, 4), 2, 2), _contracted((2, 4), (2, 4), 1, 1)
    ((2, 3, 5), (2, 1))
    """
    out = (*a[:i], *a[i + 1:], *b[1:j], *b[j + 1:])
    return (*out, 1) if len(out) == 1 else out


@layer("keras.layers.Dot")
def dot_layer(axes: Any, normalize: Any = False) -> Dot:
    return Dot(axes, normalize)


@function("keras.layers.dot")
def dot(inputs: Any, axes: Any = -1, normalize: Any = False, **kwargs: Any) -> Outcome:
    mismatch = next(iter(Dot(axes, normalize).check(Stack())), None)
    return mismatch or applied(Dot(axes, normalize), inputs)
