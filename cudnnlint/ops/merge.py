"""Element-wise merges: Add, Subtract, Multiply, Average, Maximum, Minimum and their lower-case functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.ops.kernels.maths import binary, scale
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.merging import applied, differing, extent, listed, merged_dtype, remedy, told
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.records import record
from cudnnlint.values import BATCH, FREE, Dim, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Implied
from cudnnlint.values.tensor import DType

MEAN = {"int32": "float64", "int64": "float64", "uint32": "float64", "uint64": "float64"}
"""What tf.truediv makes of integers; float32 of smaller ones (tensorflow/python/ops/math_ops.py: _TRUEDIV_TABLE)."""


@record(frozen=True, slots=True)
class Merge:
    """Shapes broadcast from the last axis, the batch axis apart (keras/src/layers/merging/base_merge.py).

    (N, 3, 1) and (N, 4) -> (N, 3, 4)
    """

    name: str

    def check(self, stack: Stack) -> tuple[Mismatch, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        items = listed(call.inputs, self.name)
        if not isinstance(items, tuple):
            return items
        shape = self._shape(items, newest=call.stack.keras >= (3,), built=call.built)
        if isinstance(shape, Mismatch):
            return shape
        if self.name == "Subtract" and len(items) != 2:
            return Mismatch(Problem.INPUT_COUNT, f"Subtract needs exactly 2 tensors, received {len(items)}",
                            error='ValueError "A `Subtract` layer should be called on exactly 2 inputs"')
        dtype = self._dtype(items, call)
        if isinstance(dtype, Mismatch):
            return dtype
        return self._alone(items, items[0].with_(shape=shape, dtype=dtype), call)

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def _alone(self, items: Sequence[Tensor], done: Tensor, call: LayerCall) -> Outcome:
        if len(items) > 1 or call.stack.keras >= (2, 9):
            return done
        return Mismatch(Problem.INPUT_COUNT, f"{self.name} of a list of one tensor", where=Where(keras="<2.9"),
                        otherwise=done, help=f"{self.name} needs at least two tensors before Keras 2.9",
                        error='ValueError "A merge layer should be called on a list of at least 2 inputs"')

    def _dtype(self, items: Sequence[Tensor], call: LayerCall) -> DType | Mismatch:
        dtype = merged_dtype(items, call, self.name)
        if call.stack.keras >= (3,) or isinstance(dtype, Mismatch | Unknown):
            return dtype
        if dtype == "bool" and (self.name == "Average" or (self.name != "Multiply" and len(items) > 1)):
            return Mismatch(Problem.DTYPE, f"{self.name} of bool tensors", where=Where(keras="<3"),
                            error='TypeError "Value passed to parameter \'x\' has DataType bool not in list of allowed '
                                  'values"', facts=(("dtypes", ("bool",)),))
        integer = dtype.startswith(("int", "uint"))
        return MEAN.get(dtype, "float32") if integer and self.name == "Average" else dtype

    def _shape(self, items: Sequence[Tensor], *, newest: bool, built: bool) -> Shape | Unknown | Mismatch:
        """build() refuses batches of other sizes: one of 1 is broadcast where the layer was built before."""
        batches = {item.shape[0] for item in items if isinstance(item.shape, tuple) and item.shape}
        numbers = sorted(size for size in batches if isinstance(size, int))
        if len(numbers) > 1 and not (built and numbers[:-1] == [1]):
            return self._mismatch(items, f"batch sizes {numbers[0]} and {numbers[-1]}",
                                  'ValueError "Cannot merge tensors with different batch sizes"')
        so_far: Shape | None = None
        for index, item in enumerate(items):
            if isinstance(item.shape, Unknown):
                return self._rest(items, item.shape)
            rest = item.shape[1:]
            wider = rest if so_far is None else _broadcast(so_far, rest, newest=newest)
            if isinstance(wider, Unknown):
                assert so_far is not None
                return self._conflict(items, index, _received(so_far, rest))
            so_far = wider
        return (_batch(items, newest=newest), *so_far) if so_far is not None and items[0].shape else Unknown("rank 0")

    def _rest(self, items: Sequence[Tensor], why: Unknown) -> Unknown | Mismatch:
        """One shape is not known: the others may clash all the same."""
        known = [item for item in items if isinstance(item.shape, tuple) and item.shape]
        for index, item in enumerate(known):
            for earlier in known[:index]:
                assert isinstance(item.shape, tuple) and isinstance(earlier.shape, tuple)
                if any(1 not in (m, n) for _, m, n in differing(earlier.shape[1:], item.shape[1:])):
                    return self._clash(earlier, item)
        return why

    def _conflict(self, items: Sequence[Tensor], index: int, error: str) -> Mismatch:
        """`items[index]` does not fit: name the earlier tensor that it clashes with."""
        last = items[index]
        for earlier in items[:index]:
            if isinstance(earlier.shape, tuple) and isinstance(last.shape, tuple) and any(
                    1 not in (m, n) for _, m, n in differing(earlier.shape[1:], last.shape[1:])):
                return self._clash(earlier, last, error)
        return self._mismatch(items, "incompatible shapes", error)

    def _clash(self, a: Tensor, b: Tensor, error: str = 'ValueError "Inputs have incompatible shapes"') -> Mismatch:
        assert isinstance(a.shape, tuple) and isinstance(b.shape, tuple)
        shift = 1 if len(a.shape) == len(b.shape) else 0
        axes = [(axis + shift, m, n) for axis, m, n in differing(a.shape[1:], b.shape[1:]) if 1 not in (m, n)]
        return replace(self._mismatch((a, b), told(axes), error), help=remedy(a, b, axes, joined=False),
                       facts=(("shapes", (a.shape, b.shape)), ("axes", tuple(axis for axis, _, _ in axes))))

    def _mismatch(self, items: Sequence[Tensor], what: str, error: str) -> Mismatch:
        return Mismatch(Problem.MERGE, f"{self.name} of {' and '.join(map(str, items))}: {what}", error=error,
                        facts=(("shapes", tuple(item.shape for item in items)),))

    def lower(self, at: Site) -> Value:
        """One operand after the other (keras/src/layers/merging/*.py: _merge_function)."""
        kind = {"Add": "add", "Average": "add", "Subtract": "sub", "Multiply": "mul"}.get(self.name, "larger")
        made = at.values[0]
        for value in at.values[1:]:
            made = binary(at.tape, kind, made, value)
        return scale(at.tape, made) if self.name == "Average" else made


def _received(so_far: Shape, rest: Shape) -> str:
    """What Keras says where a shape does not fit what those before it came to, without the batch axis: the longer one
    first (keras/src/layers/merging/base_merge.py: _compute_elemwise_op_output_shape).

    >>> _received((8,), (4, 3))
    'ValueError "Inputs have incompatible shapes. Received shapes (4, 3) and (8,)"'
    """
    first, last = (so_far, rest) if len(so_far) >= len(rest) else (rest, so_far)
    return f'ValueError "Inputs have incompatible shapes. Received shapes {_python(first)} and {_python(last)}"'


def _python(shape: Shape) -> str:
    """The shape as Keras prints it."""
    return str(tuple(dim if isinstance(dim, int) else None for dim in shape))


def _batch(items: Sequence[Tensor], *, newest: bool) -> Dim:
    sizes = [item.shape[0] for item in items if isinstance(item.shape, tuple) and item.shape]
    size = sizes[0]
    for other in sizes[1:]:
        size = other if size == 1 and isinstance(other, int) else extent(size, other)
    traced = newest and any(item.kind == "keras" for item in items)  # base_merge.py: compute_output_shape
    if size == 1 and not traced and any(isinstance(other, Symbol) for other in sizes):
        return next(other for other in sizes if isinstance(other, Symbol))
    return BATCH if size == FREE and BATCH in sizes else size


def _broadcast(a: Shape, b: Shape, *, newest: bool) -> Shape | Unknown:
    """NumPy broadcasting where Keras 3 calls every extent beside a None None; Unknown when it certainly fails."""
    if len(a) < len(b):
        a, b = b, a
    out = list(a)
    for at, (m, n) in enumerate(zip(a[len(a) - len(b):], b, strict=True), len(a) - len(b)):
        if newest and (isinstance(m, Symbol) or isinstance(n, Symbol)):
            out[at] = FREE
        elif m == 1 or n == 1:
            out[at] = n if m == 1 else m
        elif isinstance(m, int) and isinstance(n, int) and m != n:
            return Unknown("incompatible")
        elif isinstance(m, int) and isinstance(n, int) and Implied in (type(m), type(n)):
            out[at] = Implied(m) if newest or type(m) is type(n) else n if type(m) is Implied else m
        else:
            out[at] = Unknown("broadcast") if newest and (
                isinstance(m, Unknown) or isinstance(n, Unknown)) else extent(m, n)
    return tuple(out)


def _register(name: str) -> None:
    def build() -> Merge:
        return Merge(name)

    def apply(inputs: Any, **kwargs: Any) -> Outcome:
        return applied(Merge(name), inputs)

    layer(f"keras.layers.{name}")(build)
    function(f"keras.layers.{name.lower()}")(apply)


for _name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
    _register(_name)
