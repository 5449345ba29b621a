"""Numbers into categories: Discretization, CategoryEncoding, Hashing and HashedCrossing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cudnnlint.ops.arguments import check_positive
from cudnnlint.ops.arith import as_dim, is_known
from cudnnlint.ops.elementwise import one_of
from cudnnlint.ops.encoding import encode
from cudnnlint.ops.kernels.maths import copy, stop
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Value
from cudnnlint.ops.merging import listed
from cudnnlint.ops.preprocessing import preprocessing
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where, is_integer

MODES = ("int", "one_hot", "multi_hot", "count")
KERAS_2 = Where(keras="<3")


@record(frozen=True, slots=True)
class Encoder(SingleInput):
    """Categories as integers of the input's shape, or encoded with `depth` columns.

    dtypes  of integers, before Keras `since` and from it on
    """

    name: str
    mode: Any
    depth: Dim
    dtypes: tuple[str, str]
    faults: tuple[Mismatch, ...] = ()
    since: tuple[int, ...] = (3,)

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return self.faults

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        mode = {"binary": "multi_hot"}.get(self.mode, self.mode) if isinstance(self.mode, str) else None
        if mode is None or isinstance(x.shape, Unknown):
            return x.with_(shape=x.shape if mode == "int" else Unknown("output_mode or input rank"),
                           dtype=self._dtype(mode, call))
        if mode == "int":
            return x.with_(dtype=self._dtype(mode, call))
        return encode(self.name, x, mode, self.depth, call, call.policy.compute)

    def lower(self, at: Site) -> Value:
        """Numbers of classes, or rows of zeros and ones, that no gradient goes through. Of more than two axes Keras 3
        has those of each class before it takes the largest (keras/src/utils/numerical_utils.py:
        encode_categorical_inputs)."""
        if self.mode not in ("int", "one_hot") and len(at.shape()) > 2:
            raise NotSized("encoding of more than 2 axes")
        return stop(at.tape, copy(at.tape, at.x, at.size()))

    def _dtype(self, mode: str | None, call: LayerCall) -> Any:
        if mode is None:
            return Unknown("output_mode")
        integer = is_integer(call.policy.compute)
        if integer is None:
            return call.policy.compute
        return call.policy.compute if integer else self.dtypes[call.stack.keras >= self.since]


@record(frozen=True, slots=True)
class HashedCrossing:
    """Two or more equal columns of integers or strings, crossed into num_bins."""

    bins: Dim
    mode: Any
    faults: tuple[Mismatch, ...] = ()

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return self.faults

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        items = listed(call.inputs, "HashedCrossing")
        if not isinstance(items, tuple):
            return items
        newest = call.stack.keras >= (3,)
        if len(items) < 2:
            return Mismatch(Problem.INPUT_COUNT, f"HashedCrossing needs at least 2 tensors, received {len(items)}",
                            error='ValueError "`HashedCrossing` should be called on at least two inputs"')
        first = items[0]
        if isinstance(first.shape, Unknown) or not isinstance(self.mode, str):
            return first.with_(shape=Unknown("input rank"), dtype=Unknown("output_mode"))
        if wrong := self._wrong(items, first.shape, newest=newest):
            return wrong
        if len(first.shape) == 2 and first.shape[1] != 1:
            return Unknown("columns of unknown width")
        integer = self.mode == "int"
        dtype = call.policy.compute if not integer or is_integer(call.policy.compute) is not False else "int64"
        shape = first.shape if integer else (*first.shape[:1], self.bins)
        if not integer and first.shape in ((), (1,)):
            return Unknown("encoding of a single sample")
        return first.with_(shape=shape, dtype=dtype)

    def _wrong(self, items: tuple[Tensor, ...], shape: Shape, *, newest: bool) -> Mismatch | Unknown | None:
        for item in items[1:]:
            if isinstance(item.shape, Unknown):
                return Unknown("input rank")
            if _differ(shape, item.shape) and (not newest or _differ(shape[-1:], item.shape[-1:])):
                return Mismatch(Problem.MERGE, f"HashedCrossing of {items[0]} and {item}: the shapes differ",
                                error='ValueError "All `HashedCrossing` inputs should have equal shape"',
                                facts=(("shapes", (shape, item.shape)),))
        if len(items) > 2 and newest:
            return Unknown("Keras 3 traces two inputs only")
        column = len(shape) < 2 or (len(shape) == 2 and not isinstance(shape[1], Symbol) and shape[1] == 1)
        if column or (len(shape) == 2 and isinstance(shape[1], Unknown)):
            return None
        if newest:
            return Unknown("more than one column")
        return Mismatch(Problem.RANK, f"HashedCrossing needs inputs of shape (B,) or (B, 1), received {items[0]}",
                        error='ValueError "All `HashedCrossing` inputs should have shape `[]`, `[batch_size]` or '
                              '`[batch_size, 1]`"', where=KERAS_2, facts=(("expected", 2), ("actual", len(shape))))


def _differ(a: Shape, b: Shape) -> bool:
    """HashedCrossing takes a None and a number for different extents."""
    return len(a) != len(b) or any(m != n and not isinstance(m, Unknown) and not isinstance(n, Unknown)
                                   and not (isinstance(m, Symbol) and isinstance(n, Symbol))
                                   for m, n in zip(a, b, strict=True))


def _sparse_int(mode: Any, sparse: Any) -> Iterator[Mismatch]:
    if sparse is True and mode == "int":
        yield Mismatch(Problem.INVALID_ARGUMENT, 'sparse=True with output_mode "int"', argument="sparse",
                       help='sparse goes with "one_hot", "multi_hot" or "count"',
                       error='ValueError "`sparse=True` may only be used if `output_mode` is `\'one_hot\'`, ..."')


def _boundaries(bin_boundaries: Any, num_bins: Any) -> Iterator[Mismatch]:
    """keras/src/layers/preprocessing/discretization.py: __init__; until 3.8 neither would do, and both that agree."""
    both = bin_boundaries is not None and num_bins is not None
    agree = isinstance(bin_boundaries, (list, tuple)) and len(bin_boundaries) + 1 == num_bins
    if both or (bin_boundaries is None and num_bins is None):
        word = "both" if both else "neither"
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{word} of bin_boundaries and num_bins given", argument="num_bins",
                       help="give bin_boundaries, or num_bins and call adapt",
                       where=Where(keras="" if both and not agree else "<3|>=3.9" if both else ">=3.9"),
                       error='ValueError "You need to set either `num_bins` or `bin_boundaries`"')
    if is_known(num_bins) and num_bins < 0:
        yield Mismatch(Problem.NON_POSITIVE, f"num_bins is {num_bins}", argument="num_bins",
                       error='ValueError "`num_bins` must be greater than or equal to 0"')


def _depth(value: Any) -> Dim:
    dim = as_dim(value) if value is not None else Unknown("None")
    return dim if isinstance(dim, int) and dim >= 0 else Unknown("number of categories")


@preprocessing("Discretization", versions={"output_mode": ">=2.8", "sparse": ">=2.8"})
def discretization(bin_boundaries: Any = None, num_bins: Any = None, epsilon: Any = 0.01, output_mode: Any = "int",
                   sparse: Any = False) -> Encoder:
    known = isinstance(bin_boundaries, (list, tuple))
    depth = len(bin_boundaries) + 1 if known else num_bins if bin_boundaries is None else Unknown("bin_boundaries")
    return Encoder("Discretization", output_mode, _depth(depth), ("int64", "int32"), (
        *one_of("output_mode", output_mode, *MODES), *_sparse_int(output_mode, sparse),
        *_boundaries(bin_boundaries, num_bins)), since=(3, 12))


@preprocessing("CategoryEncoding", versions={"sparse": "<3|>=3.2"})
def category_encoding(num_tokens: Any = None, output_mode: Any = "multi_hot", sparse: Any = False) -> Encoder:
    faults = [*one_of("output_mode", output_mode, "one_hot", "multi_hot", "count", "binary")]
    if num_tokens is None:
        faults.append(Mismatch(Problem.INVALID_ARGUMENT, "num_tokens is not given", argument="num_tokens",
                               help="give the number of categories, or use IntegerLookup",
                               error='ValueError "num_tokens must be set to use this layer"'))
    if is_known(num_tokens) and num_tokens < 1:
        faults.append(Mismatch(Problem.NON_POSITIVE, f"num_tokens is {num_tokens}", argument="num_tokens",
                               error=f'ValueError "`num_tokens` must be >= 1. Received: num_tokens={num_tokens}"'))
    return Encoder("CategoryEncoding", output_mode, _depth(num_tokens), ("float32", "float32"), tuple(faults))


@preprocessing("Hashing", versions={"output_mode": ">=2.8", "sparse": ">=2.8"})
def hashing(num_bins: Any, mask_value: Any = None, salt: Any = None, output_mode: Any = "int",
            sparse: Any = False) -> Encoder:
    return Encoder("Hashing", output_mode, _depth(num_bins), ("int64", "int64"), (
        *check_positive("num_bins", num_bins), *one_of("output_mode", output_mode, *MODES),
        *_sparse_int(output_mode, sparse)))


@preprocessing("HashedCrossing")
def hashed_crossing(num_bins: Any, output_mode: Any = "int", sparse: Any = False) -> HashedCrossing:
    return HashedCrossing(_depth(num_bins), output_mode, tuple(one_of("output_mode", output_mode, "int", "one_hot")))


