"""tf.data: transformations that keep the elements whole: map, filter, repeat, take, zip and their like."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import INFINITE, DatasetBuffered, tensors
from cudnnlint.frameworks.tfdata.calls import new_element, on_element
from cudnnlint.frameworks.tfdata.dataset import ROWS_OPEN, VAGUE, DatasetV, Given, full_batches, joined
from cudnnlint.frameworks.tfdata.making import FRAMEWORK, transformation
from cudnnlint.frameworks.tfdata.refused import different, refuse
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.convert import strip
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import BATCH, FREE, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known

OPEN = Unknown("number of elements")


@transformation("map")
def map_(given: Given, ds: DatasetV) -> Any:
    """The function is followed once, on a typical element."""
    element = new_element(given, on_element(given, given.get(0, "map_func"), ds.element))
    return ds.with_(element=element, batched=_still_batched(ds, element), spec=ds.spec_inside, unranked=False)


def _still_batched(ds: DatasetV, element: Any) -> Any:
    """Elements that were never batched may be made into batches by hand: `x[tf.newaxis]`."""
    if ds.batched is not False:
        return ds.batched
    made = tensors(element)
    for tensor in made:
        if not isinstance(tensor.shape, tuple) or (tensor.shape and tensor.shape[0] in (1, FREE, BATCH, Unknown())):
            return Unknown("a first axis added in map()")
    if _drawn(tensors(ds.element), made):
        return Unknown("rows drawn in map()")
    return False if made else Unknown("what map() gives")


def _drawn(before: tuple[Tensor, ...], made: tuple[Tensor, ...]) -> bool:
    """Whether each element becomes as many rows of everything: pixels, points or windows drawn from one sample."""
    firsts = {tensor.shape[0] if isinstance(tensor.shape, tuple) and len(tensor.shape) in (1, 2) else None
              for tensor in made}
    return len(made) > 1 and len(firsts) == 1 and None not in firsts and firsts.isdisjoint(
        tensor.shape[0] for tensor in before if isinstance(tensor.shape, tuple) and tensor.shape)


@transformation("filter")
def filter_(given: Given, ds: DatasetV) -> Any:
    kept = on_element(given, given.get(0, "predicate"), ds.element)
    wrong = isinstance(kept, Tensor) and (kept.rank not in (None, 0) or (isinstance(kept.dtype, str) and
                                                                         kept.dtype != "bool"))
    if wrong:
        refuse(given.call, "filter", ds.element, Mismatch(
            Problem.DTYPE, f"the function of filter() gives {kept}, not one truth value", argument="predicate",
            help="a comparison; tf.reduce_all(...) of several",
            error='ValueError "`predicate` must return a `tf.bool` scalar tensor"'), ds.assumptions | given.taken)
    return some(given, ds)


COUNTABLE = ("int32", "int64", "string")


@transformation("unique")
def unique(given: Given, ds: DatasetV) -> Any:
    """Elements that are equal to none before, of three dtypes (tensorflow/python/data/ops/unique_op.py)."""
    wrong = next((item for item in tensors(ds.element)
                  if isinstance(item.dtype, str) and item.dtype not in COUNTABLE), None)
    if wrong is not None:
        refuse(given.call, "unique", ds.element, Mismatch(
            Problem.DTYPE, f"unique() compares int32, int64 and strings, the elements are {wrong}",
            help="map(lambda x: tf.cast(x, tf.int64)) before it",
            error='TypeError "`tf.data.Dataset.unique` does not support type"'), ds.assumptions | given.taken)
    return some(given, ds)


@transformation("ignore_errors")
def some(given: Given, ds: DatasetV) -> DatasetV:
    """Some of the elements, nobody knows how many."""
    count = INFINITE if ds.cardinality == INFINITE else OPEN
    element = over(ds.element, lambda item: _chosen(item, given.call.span))
    return ds.with_(element=element, cardinality=count, rows=count, declared=False)


def _chosen(item: Any, span: Span) -> Any:
    """An element of those that are left: what the others held is not known of it."""
    return item.with_(step=Step(span, (item,), "Dataset.filter")) if isinstance(item, Tensor) else item


@transformation("take_while")
def take_while(given: Given, ds: DatasetV) -> Any:
    on_element(given, given.get(0, "predicate"), ds.element)
    return ds.with_(cardinality=OPEN, rows=OPEN, declared=False)


@transformation("with_options", "snapshot")
def same(given: Given, ds: DatasetV) -> Any:
    return ds


@transformation("prefetch")
def prefetch(given: Given, ds: DatasetV) -> Any:
    """So many elements wait to be taken; with AUTOTUNE, which is -1, as many as help."""
    size = given.number(0, "buffer_size", OPEN)
    if is_known(size) and size > 1:
        _buffered(given, ds, "prefetch", size)
    return ds


@transformation("cache")
def cache(given: Given, ds: DatasetV) -> Any:
    """In memory, unless a file is named."""
    if given.get(0, "filename", "") == "":
        _buffered(given, ds, "cache", ds.cardinality)
    return ds


def _buffered(given: Given, ds: DatasetV, what: str, count: Any) -> None:
    if is_known(ds.cardinality) and is_known(count):
        count = min(count, ds.cardinality)
    c = given.call
    c.machine.say(DatasetBuffered, c.span, about=ds.element, assumptions=ds.assumptions | given.taken, what=what,
                  element=ds.element, count=count, batch_size=ds.batch_size)


UNKNOWN_CARDINALITY = -2
"""tensorflow/core/kernels/data/shuffle_dataset_op.cc, which takes it for all of the data."""


@transformation("shuffle")
def shuffle(given: Given, ds: DatasetV) -> Any:
    size = given.number(0, "buffer_size", OPEN)
    if is_known(size) and size < 1 and size != UNKNOWN_CARDINALITY:
        refuse(given.call, "shuffle", ds.element, Mismatch(
            Problem.NON_POSITIVE, f"buffer_size is {size}, not positive", argument="buffer_size",
            help="max(1, ...) where it is calculated",
            error='InvalidArgumentError "buffer_size must be greater than zero"'), given.taken)
    few = ds.batched is True and not is_known(ds.cardinality)  # of batches there are seldom as many as are asked for
    _buffered(given, ds, "shuffle", OPEN if few else size)
    return disordered(ds).with_(shuffled=True)


def disordered(ds: DatasetV) -> DatasetV:
    """A partial batch may come anywhere from here on: `rows` counts only while it is the last one."""
    even = is_known(ds.rows) and is_known(ds.batch_size) and ds.batch_size and ds.rows % ds.batch_size == 0
    return ds if ds.batched is False or even or ds.rows == INFINITE else ds.with_(rows=OPEN, rest=None)


@transformation("repeat")
def repeat(given: Given, ds: DatasetV) -> Any:
    """`count` passes; None or a negative number for ever (tensorflow/core/kernels/data/repeat_dataset_op.cc)."""
    return repeated(given, ds, given.number(0, "count"))


def repeated(given: Given, ds: DatasetV, count: Any) -> DatasetV:
    if count is None or (is_known(count) and count < 0):
        endless = INFINITE if ds.cardinality != 0 else 0
        return ds.with_(cardinality=endless, rows=endless, declared=True)
    changed = ds.with_(assumptions=ds.assumptions | given.taken)
    if count == 1:
        return changed
    ds = disordered(ds)
    return changed.with_(cardinality=_times(ds.cardinality, count), rows=_times(ds.rows, count))


def _times(size: Any, count: Any) -> Any:
    if count == 0:
        return 0
    if size == INFINITE:
        return INFINITE if is_known(count) else OPEN
    return size * count if is_known(size) and is_known(count) else OPEN


@transformation("take")
def take(given: Given, ds: DatasetV) -> Any:
    """The first `count` elements; all of them for a negative number."""
    count = given.number(0, "count", OPEN)
    if is_known(count) and count < 0:
        return ds
    taken = ds.with_(assumptions=ds.assumptions | given.taken)
    if not is_known(count):
        return taken.with_(cardinality=OPEN, rows=OPEN)
    if is_known(ds.cardinality):
        if count >= ds.cardinality:
            return ds
    elif ds.cardinality != INFINITE and count:
        return taken.with_(cardinality=OPEN, rows=OPEN, declared=False)
    return _first(taken, count)


def _first(ds: DatasetV, count: int) -> DatasetV:
    """Fewer elements than there are: of batches, only the last one of all may be partial."""
    size: Any = ds.batch_size
    if ds.batched is not True or not is_known(size) or not is_known(ds.rows):
        return ds.with_(cardinality=count, rows=count if ds.batched is False else OPEN)
    return ds.with_(element=full_batches(ds.element, size), cardinality=count, rows=count * size)


@transformation("skip")
def skip(given: Given, ds: DatasetV) -> Any:
    """All but the first `count`; none for a negative number (tensorflow/core/kernels/data/skip_dataset_op.cc)."""
    count = given.number(0, "count", OPEN)
    rest = ds.with_(assumptions=ds.assumptions | given.taken)
    if ds.cardinality == INFINITE and is_known(count):
        return rest if count >= 0 else rest.with_(cardinality=0, rows=0, declared=False)
    if not is_known(count) or not is_known(ds.cardinality):
        return rest.with_(cardinality=OPEN, rows=OPEN)
    left = max(0, ds.cardinality - count) if count >= 0 else 0
    rows = left if ds.batched is False else OPEN
    size: Any = ds.batch_size
    if ds.batched is True and is_known(ds.rows) and is_known(size):
        rows = max(0, ds.rows - count * size) if count >= 0 else 0
    return rest.with_(cardinality=left, rows=rows)


@transformation("shard")
def shard(given: Given, ds: DatasetV) -> Any:
    """Every `num_shards`-th element from `index` on."""
    number, index = given.number(0, "num_shards"), given.number(1, "index")
    rest = ds.with_(assumptions=ds.assumptions | given.taken)
    if ds.cardinality == INFINITE:
        return rest
    count: Any = OPEN
    if is_known(ds.cardinality) and is_known(number) and number > 0:
        if ds.cardinality % number == 0:
            count = ds.cardinality // number
        elif is_known(index) and 0 <= index < number:
            count = len(range(index, ds.cardinality, number))
    return rest.with_(cardinality=count, rows=count if ds.batched is False else OPEN)


@transformation("enumerate")
def enumerate_(given: Given, ds: DatasetV) -> Any:
    index = Tensor((), "int64", "tf", None, Step(given.call.span))
    return ds.with_(element=(index, ds.element))


@transformation("concatenate")
def concatenate(given: Given, ds: DatasetV) -> Any:
    """The elements of both, which must have the same structure; extents that differ are left open."""
    other = given.get(0, "dataset")
    if not isinstance(other, DatasetV):
        return DatasetV(Unknown("elements of two datasets"), batched=ds.batched, span=ds.span)
    if (wrong := different(ds.element, other.element)) is not None:
        refuse(given.call, "concatenate", (ds.element, other.element), wrong, ds.assumptions | other.assumptions)
        return Unknown("concatenate() fails")
    rows = _plus(disordered(ds).rows, other.rows)
    return merged(ds, other).with_(cardinality=_plus(ds.cardinality, other.cardinality), rows=rows)


def _plus(a: Any, b: Any) -> Any:
    if INFINITE in (a, b):
        return INFINITE
    return a + b if is_known(a) and is_known(b) else OPEN


def merged(a: DatasetV, b: DatasetV) -> DatasetV:
    """Elements of either dataset, as many as there may be."""
    same_batch = a.batch_size if a.batch_size == b.batch_size else Unknown("batch sizes differ")
    return a.with_(
        element=joined(a.element, b.element, either), cardinality=OPEN, rows=OPEN, batch_size=same_batch,
        batched=a.batched if a.batched == b.batched else Unknown("only some are batched"),
        declared=a.declared and b.declared, assumptions=a.assumptions | b.assumptions,
        spec=VAGUE if VAGUE in (a.spec, b.spec) else a.spec if a.spec == b.spec else ROWS_OPEN)


def either(a: Tensor, b: Tensor) -> Tensor:
    """An element of one dataset or the other (tensorflow/python/data/ops/dataset_ops.py: most_specific_compatible)."""
    dtype = a.dtype if a.dtype == b.dtype else Unknown("dtypes of two datasets")
    if isinstance(a.shape, Unknown) or isinstance(b.shape, Unknown) or len(a.shape) != len(b.shape):
        return a.with_(shape=Unknown("shapes of two datasets"), dtype=dtype, assumptions=a.assumptions | b.assumptions)
    dims = tuple(x if x == y else x if isinstance(x, Unknown) else y if isinstance(y, Unknown) else
                 BATCH if i == 0 and BATCH in (x, y) else FREE
                 for i, (x, y) in enumerate(zip(a.shape, b.shape, strict=True)))
    return a.with_(shape=dims, dtype=dtype, assumptions=a.assumptions | b.assumptions)


@FRAMEWORK.on("tensorflow.data.Dataset.zip")
def zip_(c: Call) -> Any:
    """One element of each at a time, until the shortest ends; `ds.zip(...)` does not count ds itself."""
    given = Given(c, method=False)
    if named := next((name for name in c.kwargs if name not in ("datasets", "name", "**")), ""):
        refuse(c, "zip", None, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"Dataset.zip has no argument {named}", argument=named,
            help="a dict of datasets gives elements that are dicts: Dataset.zip({...})",
            error=f"TypeError \"zip() got an unexpected keyword argument '{named}'\""), given.taken)
        return Unknown("zip() fails")
    value: Any = tuple(strip(arg, given.found) for arg in c.args) if len(c.args) > 1 else given.get(0, "datasets")
    if wrong := _unzipped(value):
        refuse(c, "zip", None, Mismatch(Problem.UNEXPECTED, f"Dataset.zip() is given {wrong}", error=ZIPPED,
                                        help="a tuple of datasets: Dataset.zip((images, labels))"), given.taken)
    parts: list[DatasetV] = []

    def leaf(item: Any) -> Any:
        if not isinstance(item, DatasetV):
            parts.append(DatasetV(batched=Unknown("an unknown dataset")))
            return Unknown("elements of an unknown dataset")
        parts.append(item)
        return item.element

    element = over(tuple(value) if isinstance(value, list) else value, leaf)
    count, rows = shortest([part.cardinality for part in parts]), shortest([part.rows for part in parts])
    flags = {part.batched if isinstance(part.batched, bool) else None for part in parts}
    sizes = {part.batch_size for part in parts}
    return DatasetV(element, count, rows, flags.pop() if len(flags) == 1 and None not in flags else Unknown("batched"),
                    sizes.pop() if len(sizes) == 1 else None, all(part.declared for part in parts),
                    next((part.span for part in parts if part.span), c.span),
                    given.taken.union(*(part.assumptions for part in parts)), spec=_spec(parts))


ZIPPED = 'TypeError "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset`"'


def _unzipped(value: Any) -> str:
    """What is no structure of datasets (tensorflow/python/data/ops/zip_op.py), as a message has it."""
    if isinstance(value, list) and value and all(isinstance(part, DatasetV) for part in value):
        return "a list"
    parts = value if isinstance(value, tuple) else (value,)
    return next((f"{part}, which is no dataset" for part in parts if isinstance(part, Tensor)), "")


def _spec(parts: list[DatasetV]) -> str:
    return parts[0].spec if len({part.spec for part in parts}) == 1 else VAGUE


def shortest(counts: list[Any]) -> Any:
    """The length of the shortest; known only if all are.

    >>> shortest([3, INFINITE]), shortest([INFINITE])
    (3, 'infinite')
    """
    known = [count for count in counts if count != INFINITE]
    if 0 in known:
        return 0
    if not all(is_known(count) for count in known):
        return OPEN
    return min(known) if known else INFINITE


__all__ = ["merged", "repeated", "shortest"]
