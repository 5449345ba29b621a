"""The same elements in another shape: reshape, ravel, flatten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from math import gcd
from typing import Any

from cudnnlint.ops.arith import product
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import extents, shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import BATCH, Dim, Mismatch, Problem, Shape, Symbol, Tensor, Unknown
from cudnnlint.values.dim import computed, factors
from cudnnlint.values.unknown import Counted


def reshape(value: Any, shape: Any, library: Library, name: str) -> Outcome:
    """One -1 is inferred; element counts must agree.

    >>> print(reshape(Tensor((BATCH, 7, 7, 64), "float32"), [-1, 3136], "tf", "tf.reshape"))
    float32[B, 3136]
    >>> reshape(Tensor((10000, 28, 28), "uint8"), (60000, 784), "numpy", "np.reshape").message
    'cannot reshape 7840000 elements into (60000, 784), which has 47040000'
    """
    x = as_tensor(value, library)
    asked = _of_its_own(shape, x)
    kept = {id(item) for item in asked} if isinstance(asked, list) else set()
    target = extents(asked)
    if isinstance(target, tuple | list):
        target = tuple(Unknown(dim.why) if isinstance(dim, Unknown) and id(dim) not in kept else dim for dim in target)
    if library == "tf" and isinstance(shape, Tensor) and shape.rank == 0:
        return Unknown("a scalar as a shape")
    if isinstance(target, Unknown):
        return x.with_(shape=target) if isinstance(x, Tensor) else x
    if wrong := _wrong_target(target, name):
        return wrong
    if isinstance(x, Unknown):
        return Tensor(tuple(Unknown("-1 of an unknown size") if dim == -1 else dim for dim in target), x)
    found = target if isinstance(x.shape, Unknown) else solve(x.shape, target, x)
    if isinstance(found, Mismatch):
        return found if found.otherwise is not None else _in_words_of(library, found, x, target)
    if isinstance(x.shape, Unknown):
        found = tuple(Unknown("-1 of an unknown size") if dim == -1 else dim for dim in target)
    return renested(x, found)


def _in_words_of(library: Library, found: Mismatch, x: Tensor, target: Shape) -> Mismatch:
    """What the library says, and which shape fits, if one does that is near (run with NumPy 2.3, TensorFlow 2.21)."""
    have, want, source = found.fact("actual"), found.fact("expected"), x.shape if isinstance(x.shape, tuple) else ()
    counted = "..." if any(isinstance(dim, Symbol | Unknown) for dim in (*source, *target)) else have
    if library == "numpy":
        error = f'ValueError "cannot reshape array of size {counted} into shape"'
    elif x.kind == "keras" and library == "keras":
        error = 'ValueError "The total size of the tensor must be unchanged"'
    else:
        graph = f"Dimension size must be evenly divisible by {want}" if -1 in target \
            else f"Cannot reshape a tensor with {counted} elements"
        error = f'InvalidArgumentError "Input to reshape is a tensor with {counted} values", or in a graph ' \
                f'ValueError "{graph}"'
    return replace(found, error=error, help=_fitting(source, target, have))


def _fitting(source: Shape, target: Shape, have: int) -> str:
    """The same shape for the rows that there are, or for rows of their length.

    >>> _fitting((10000, 28, 28), (60000, 784), 7840000), _fitting((8, 97, 48, 64), (-1, 3136), 2383872)
    ('(10000, 784) or (-1, 784) has 7840000', '(-1, 297984) keeps the rows')
    """
    if len(target) < 2 or not all(isinstance(dim, int) and dim for dim in (*source, *target)):
        return ""
    each = product(target[1:])
    if target[0] != -1 and isinstance(each, int) and each > 0 and have % each == 0:
        return f"{shown((have // each, *target[1:]))} or {shown((-1, *target[1:]))} has {have}"
    row = product(source[1:])
    return f"{shown((-1, row))} keeps the rows" if target[0] == -1 and len(target) == 2 and len(source) > 1 else ""


def _of_its_own(shape: Any, x: Any) -> Any:
    """A shape with the extents of `x` that it repeats without knowing them, as in `x.reshape(len(x), -1)`.

    Arithmetic on an Unknown may give that very Unknown back: only lengths are told from one another.
    """
    if not isinstance(shape, list | tuple) or not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return shape
    own = {id(dim): dim for dim in x.shape if isinstance(dim, Unknown)}
    return [own.get(id(item.base), item) if type(item) is Counted and item.shift == 0 else
            Unknown(item.why) if isinstance(item, Unknown) else item for item in shape]


def renested(x: Tensor, shape: Shape) -> Tensor:
    """`x` with the same elements in `shape`."""
    known = tuple(dim for dim in shape if isinstance(dim, int))
    items = contents.flat(x.content) if len(known) == len(shape) else None
    return x.with_(shape=shape, content=None if items is None else contents.nest(items, known))


def _wrong_target(target: Shape, name: str) -> Mismatch | None:
    negative = [dim for dim in target if isinstance(dim, int) and dim < 0]
    if negative.count(-1) > 1 or any(dim != -1 for dim in negative):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: at most one -1 and no other negative extent in "
                        f"{shown(target)}", error='ValueError "can only specify one unknown dimension"',
                        argument="shape", facts=(("shape", target),))
    return None


def solve(source: Shape, target: Shape, x: Tensor) -> Shape | Mismatch:
    """`target` with its -1, or its one unknown extent, worked out."""
    ours, theirs = factors(source), factors(target)
    have = product(dim for dim in ours if isinstance(dim, int))
    want = product(dim for dim in theirs if isinstance(dim, int) and dim != -1)
    assert isinstance(have, int) and isinstance(want, int)
    left, right = _uncommon(ours, theirs)
    unknown = [i for i, dim in enumerate(target) if dim == -1] or \
        ([i for i, dim in enumerate(target) if dim is right[0]] if len(right) == 1 and not left else [])
    if len(unknown) > 1:
        return target  # which of several open extents it is is not told
    if not left and (not right or (unknown and target[unknown[0]] != -1)):
        return _counted(source, target, have, want, unknown)
    if not unknown and not right and want and have and want % have and not _free_in(target):
        return Mismatch(Problem.RESHAPE, f"cannot reshape {shown(source)} into {shown(target)}: {want} elements are no "
                        f"multiple of {have}", error='ValueError "cannot reshape array"', argument="shape",
                        facts=(("actual", have), ("expected", want)))
    if not unknown or target[unknown[0]] != -1:
        return target
    if len(left) == 1 and not right and left[0] is source[0] and isinstance(left[0], Symbol) \
            and unknown[0] == 0 and (_cut(have, want) or _is_torn_within(source, target, have, want)):
        return _torn(have, want, x.with_(shape=_put(target, unknown[0], _free(left, right, have, want))))
    return _put(target, unknown[0], _free(left, right, have, want))


def _torn(have: int, want: int, made: Tensor) -> Mismatch:
    """Rows whose ends are not those of other rows."""
    fitting = f"{want // gcd(have, want)} rows or a multiple"
    error = 'InvalidArgumentError "Input to reshape is a tensor with ... values, but the requested shape requires a ' \
            f'multiple of {want}" or in a graph ValueError "Dimension size must be evenly divisible by {want}"'
    return Mismatch(Problem.RESHAPE, f"rows of {have} elements are reshaped into rows of {want}, which fits only "
                    f"{fitting}", help=f"a shape of (-1, {have}) keeps the rows", error=error, argument="shape",
                    otherwise=made,
                    facts=(("actual", have), ("expected", want), ("moment", f"unless it gets {fitting}")))


def _cut(have: int, want: int) -> bool:
    """Whether rows of `have` elements are neither split into rows of `want` nor put together to such, but cut within:
    a number that was copied from another model. Batches of the sizes that people choose, which are products of 2, 3 and
    5, may fit by chance where nothing else is asked of them.

    >>> _cut(19200, 3136), _cut(6272, 3136), _cut(10, 20), _cut(64, 48)
    (True, False, False, False)
    """
    if not (have and want and have % want and want % have):
        return False
    rows = want // gcd(have, want)
    for factor in (2, 3, 5):
        while rows % factor == 0:
            rows //= factor
    return rows > 1


def _is_torn_within(source: Shape, target: Shape, have: int, want: int) -> bool:
    """Whether what comes after the rows is kept, one axis or several in one, and what is in it does not fit, as where
    heads do not divide the width, `(B, 30, 48)` into `(-1, 30, 5, 9)`: -1 is meant to be the rows then, however many a
    batch has.

    >>> [_is_torn_within((None, 30, 48), to, 1440, product(to[1:])) for to in ((-1, 30, 5, 9), (-1, 30, 96))]
    [True, False]
    """
    if len(source) < 3 or len(target) < 3 or not (want and have % want and want % have):
        return False
    kept = target[1]
    return isinstance(kept, int) and kept > 2 and any(
        product(source[1:upto]) == kept for upto in range(2, len(source)))


def _free_in(target: Shape) -> bool:
    """Whether it has an extent that may be any, as the product of two others is."""
    return any(isinstance(dim, Symbol) and dim != BATCH for dim in target)


def _uncommon(source: Shape, target: Shape) -> tuple[list[Dim], list[Dim]]:
    """The extents that are not numbers on each side, without those that both have: free ones, and the very same."""
    left = Counter(dim for dim in source if isinstance(dim, Symbol))
    right = Counter(dim for dim in target if isinstance(dim, Symbol))
    ours = {place: dim for place, dim in enumerate(source) if isinstance(dim, Unknown)}
    theirs = list[Dim]()
    for dim in target:
        same = next((place for place, own in ours.items() if own is dim), None)
        if same is not None:
            del ours[same]
        elif isinstance(dim, Unknown):
            theirs.append(dim)
    return [*(left - right).elements(), *ours.values()], [*(right - left).elements(), *theirs]


def _counted(source: Shape, target: Shape, have: int, want: int, unknown: Sequence[int]) -> Shape | Mismatch:
    """Both sides differ by numbers only: what is left over goes to the unknown extent."""
    if unknown and want == 0 and not (have and all(isinstance(dim, int) for dim in source)):
        return _put(target, unknown[0], Unknown("-1 beside 0"))
    if (unknown and (want == 0 or have % want)) or (not unknown and have != want):
        symbols = {dim for dim in source if isinstance(dim, Symbol)}
        if symbols - {BATCH}:
            return target if not unknown else _put(target, unknown[0], computed("//", have, want))
        each = " per sample" if symbols or any(isinstance(dim, Unknown) for dim in source) else ""
        return Mismatch(Problem.RESHAPE, f"cannot reshape {have} elements{each} into {shown(target)}"
                        + (f", which has {want}" if not unknown else ""),
                        error='ValueError "cannot reshape array of size ..." or InvalidArgumentError', argument="shape",
                        facts=(("actual", have), ("expected", want)))
    return _put(target, unknown[0], have // want) if unknown else target


def _free(left: Sequence[Dim], right: Sequence[Dim], have: int, want: int) -> Dim:
    """-1 where free or unknown extents remain: one of them only if it is all that remains, since the same Unknown
    stands for the same extent."""
    if not right and len(left) == 1 and have == want:
        return left[0]
    unknown = next((dim for dim in (*left, *right) if isinstance(dim, Unknown)), None)
    if unknown is not None:
        return Unknown(unknown.why)
    if right or want == 0:
        return Unknown("-1 beside free extents" if right else "-1 beside 0")
    whole = reduce(partial(computed, "*"), left)
    if have == want:
        return whole
    return computed("//", computed("*", whole, have), want) if have % want else computed("*", whole, have // want)


def _put(target: Shape, index: int, dim: Dim) -> Shape:
    return (*target[:index], dim, *target[index + 1:])


@function("tensorflow.reshape")
def tf_reshape(tensor: Any, shape: Any, name: Any = None) -> Outcome:
    return reshape(tensor, shape, "tf", "tf.reshape")


@function("numpy.reshape")
def np_reshape(a: Any, shape: Any = None, order: Any = "C", newshape: Any = None, *, copy: Any = None) -> Outcome:
    return reshape(a, newshape if shape is None else shape, "numpy", "np.reshape")


@function(*paths.ops("reshape"))
def keras_reshape(x: Any, newshape: Any) -> Outcome:
    return reshape(x, newshape, "keras", "keras.ops.reshape")


@function("keras.backend.reshape")
def backend_reshape(x: Any, shape: Any) -> Outcome:
    return reshape(x, shape, "keras", "keras.backend.reshape")


@function("numpy.ravel")
def np_ravel(a: Any, order: Any = "C") -> Outcome:
    return reshape(a, (-1,), "numpy", "np.ravel")


@function(*paths.ops("ravel"), "keras.backend.flatten")
def keras_ravel(x: Any) -> Outcome:
    return reshape(x, (-1,), "keras", "keras.ops.ravel")


@function("keras.backend.batch_flatten")
def batch_flatten(x: Any) -> Outcome:
    """(B, ...) -> (B, product); the product is computed as the graph runs, so that a graph for any batch leaves both
    open (tf_keras/src/backend.py: batch_flatten)."""
    tensor = as_tensor(x, "keras")
    if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown) or not tensor.shape:
        return tensor if isinstance(tensor, Unknown) else tensor.with_(shape=Unknown("rank"))
    if not all(isinstance(dim, int) for dim in tensor.shape):
        return tensor.with_(shape=(tensor.shape[0], Unknown("left open by keras.backend.batch_flatten")))
    return tensor.with_(shape=(tensor.shape[0], product(tensor.shape[1:])))
