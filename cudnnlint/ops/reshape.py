"""Layers that rearrange a sample without computing: Flatten, Reshape, Permute and RepeatVector."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod
from typing import Any

from cudnnlint.ops.arguments import check_data_format, show
from cudnnlint.ops.arith import as_dim, as_shape, is_known, product, rank_mismatch
from cudnnlint.ops.elementwise import kept, number
from cudnnlint.ops.kernels.maths import PACKED, copy, shape_of, view, waiting
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.records import record
from cudnnlint.values import FREE, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim

SIZE_ERROR = 'ValueError "The total size of the tensor must be unchanged" or "total size of new array"'


@record(frozen=True, slots=True)
class Flatten(SingleInput):
    """(N, ...) -> (N, product); (N,) -> (N, 1) (keras/src/layers/reshaping/flatten.py)."""

    data_format: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown):
            return x.with_(shape=(Unknown("input rank"), Unknown("input rank")))
        if wrong := rank_mismatch(x, 1, "Flatten", at_least=True):
            return wrong
        rest = x.shape[1:]
        size: Dim = FREE if any(isinstance(dim, Symbol) for dim in rest) else product(rest)
        return x.with_(shape=(x.shape[0], size))

    def lower(self, at: Site) -> Value:
        return with_shape(at)


NO_NONE = Where(keras=">=3,<3.15")
"""Where None cannot stand in target_shape (keras/src/ops/operation_utils.py: compute_reshape_output_shape)."""


@record(frozen=True, slots=True)
class Reshape(SingleInput):
    """(N, ...) -> (N, *target_shape), one extent of which may be -1.

    With any extent of the input free, Keras reports -1 as None and checks nothing
    (keras/src/ops/operation_utils.py: compute_reshape_output_shape).
    """

    target: Shape | Unknown

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        target = () if isinstance(self.target, Unknown) else self.target
        if sum(1 for dim in target if dim == -1) > 1:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"target_shape {show(target)} has more than one -1",
                           help="only one extent can be inferred", argument="target_shape",
                           error='ValueError "There must be at most one unknown dimension (-1)"')
        low = [dim for dim in target if is_known(dim) and dim < -1]  # type: ignore[operator]
        if low:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"target_shape {show(target)} has an extent of {low[0]}",
                           argument="target_shape", help="an extent must be a positive integer or -1",
                           error='ValueError "Each dimension in `target_shape` must be a non-negative integer, or '
                                 '`-1`"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(self.target, Unknown):
            return x.with_(shape=self.target)
        if isinstance(x.shape, Unknown):
            return x.with_(shape=(Unknown("input rank"), *_inferred(self.target, Unknown("input rank"))))
        if not x.shape:
            return Unknown("a scalar has no batch axis")
        rest = x.shape[1:]
        if NO_NONE.holds(call.stack) and all(isinstance(dim, int) for dim in rest) and any(
                isinstance(dim, Symbol) for dim in self.target):
            return Mismatch(Problem.INVALID_ARGUMENT, f"target_shape {show(self.target)} has a None", where=NO_NONE,
                            help="write -1 for the extent that is to be inferred", argument="target_shape",
                            error="TypeError \"unsupported operand type(s) for *=: 'int' and 'NoneType'\"")
        if any(isinstance(dim, Symbol) for dim in (*rest, *self.target)):
            done = x.with_(shape=(x.shape[0], *_inferred(self.target, FREE)))
            return self._partial(x, x.shape, done) or done
        fixed = product(dim for dim in self.target if dim != -1)
        size = product(rest)
        if isinstance(size, int) and isinstance(fixed, int):
            if -1 in self.target and (fixed == 0 or size % fixed):
                return self._uneven(x, size, fixed)
            if -1 not in self.target and fixed != size:
                return self._unequal(x, size, fixed)
            missing: Dim = size // fixed if fixed else 0
        else:
            missing = Unknown("an extent that is not known")
        return x.with_(shape=(x.shape[0], *_inferred(self.target, missing)))

    def _partial(self, x: Tensor, shape: Shape, done: Tensor) -> Mismatch | None:
        """Keras 2 on a single free extent that no number can fill.

        tensorflow/core/ops/array_ops.cc: SetOutputShapeForReshape
        """
        known = [dim for dim in shape if isinstance(dim, int)]
        fixed = product(self.target) if isinstance(self.target, tuple) and -1 not in self.target else FREE
        if len(known) < len(shape) - 1 or not isinstance(shape[0], int) or not isinstance(fixed, int):
            return None
        size = prod(known)
        if size and shape[0] * fixed % size == 0:
            return None
        return replace(self._uneven(x, size // max(shape[0], 1), fixed), where=Where(keras="<3"), otherwise=done,
                       message=f"target_shape {show(self.target)} has {fixed} elements, which no extent for None in "
                               f"{x} gives", help="")

    def _uneven(self, x: Tensor, size: int, fixed: int) -> Mismatch:
        return Mismatch(Problem.RESHAPE, f"target_shape {show(self.target)} needs a multiple of {fixed} elements, each "
                                         f"sample of {x} has {size}",
                        error=SIZE_ERROR, argument="target_shape", facts=(("size", size), ("expected", fixed)),
                        help=f"{size} = {fixed} x {size // fixed} + {size % fixed}" if fixed else "")

    def _unequal(self, x: Tensor, size: int, fixed: int) -> Mismatch:
        return Mismatch(Problem.RESHAPE, f"target_shape {show(self.target)} has {fixed} elements, each sample of {x} "
                                         f"has {size}",
                        error=SIZE_ERROR, argument="target_shape", facts=(("size", size), ("expected", fixed)),
                        help=self._remedy(size))

    def _remedy(self, size: int) -> str:
        assert isinstance(self.target, tuple)
        *space, channels = self.target or (0,)
        if len(space) > 1 and len(set(space)) == 1 and isinstance(channels, int) and channels > 0:  # (8, 8, 64)
            side = round((size / channels) ** (1 / len(space)))
            if side > 0 and side ** len(space) * channels == size:
                return f"{show((*(side for _ in space), channels))} has {size}"
        for index in range(len(self.target)):
            others = product(dim for at, dim in enumerate(self.target) if at != index)
            if isinstance(others, int) and others > 0 and size % others == 0:
                fixed = (*self.target[:index], size // others, *self.target[index + 1:])
                return f"{show(fixed)} has {size}"
        return ""

    def lower(self, at: Site) -> Value:
        return with_shape(at)


def with_shape(at: Site) -> Value:
    """The same numbers in another shape, the first extent of which is that of what comes in."""
    return waiting(at.tape, view(at.tape, at.x, at.size()), shape_of(at.tape, at.x, PACKED))


def _inferred(target: Shape, missing: Dim) -> Shape:
    return tuple(missing if dim == -1 else dim if not is_known(dim) or dim >= 0 else Unknown("not an extent")  # type: ignore[operator]
                 for dim in target)


@record(frozen=True, slots=True)
class Permute(SingleInput):
    """Reorders the axes after the batch axis; dims counts them from 1."""

    dims: Shape | Unknown

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        dims = () if isinstance(self.dims, Unknown) else self.dims
        numbers = [dim for dim in dims if isinstance(dim, int)]
        if len(numbers) == len(dims) and sorted(numbers) != list(range(1, len(dims) + 1)):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"dims {show(dims)} is not an order of the axes 1 to {len(dims)}",
                           help="dims counts the axes after the batch axis from 1", argument="dims",
                           error='ValueError "Invalid permutation argument `dims` for Permute Layer"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(self.dims, Unknown):
            return x.with_(shape=self.dims)
        if wrong := rank_mismatch(x, len(self.dims) + 1, "Permute"):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_(shape=(Unknown("input rank"),) * (len(self.dims) + 1))
        return x.with_(shape=(x.shape[0], *(self._extent(x.shape, dim) for dim in self.dims)))

    @staticmethod
    def _extent(shape: Shape, dim: Dim) -> Dim:
        return shape[dim] if isinstance(dim, int) and 0 < dim < len(shape) else Unknown("dims")

    def lower(self, at: Site) -> Value:
        return copy(at.tape, at.x, at.size())


@record(frozen=True, slots=True)
class RepeatVector(SingleInput):
    """(N, C) -> (N, n, C)."""

    n: Any

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if isinstance(self.n, (str, float, list, tuple, dict)) or self.n is None:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"n is {show(self.n)}, not an integer", argument="n",
                           error='TypeError "Expected an integer value for `n`"')
        found = number(self.n)
        if found is not None and found <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"n is {self.n}", help="n must be a positive integer", argument="n",
                           error=f'ValueError "Argument `n` should be a positive integer. Received: n={self.n}"',
                           where=Where(keras=">=3.15"))

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := rank_mismatch(x, 2, "RepeatVector"):
            return wrong
        n = as_dim(self.n) if self.n is not None else Unknown("None")
        count: Dim = Unknown("n is negative") if isinstance(n, int) and n < 0 else n
        shape: Shape = (Unknown("input rank"),) * 2 if isinstance(x.shape, Unknown) else x.shape
        return x.with_(shape=(shape[0], count, shape[1]), dtype=kept(x, call))

    def lower(self, at: Site) -> Value:
        return copy(at.tape, at.x, at.size())


@layer("keras.layers.Flatten")
def flatten(data_format: Any = None) -> Flatten:
    return Flatten(data_format)


@layer("keras.layers.Reshape")
def reshape(target_shape: Any) -> Reshape:
    return Reshape(as_shape(target_shape))


@layer("keras.layers.Permute")
def permute(dims: Any) -> Permute:
    return Permute(as_shape(dims))


@layer("keras.layers.RepeatVector")
def repeat_vector(n: Any) -> RepeatVector:
    return RepeatVector(n)
