"""tf.data: transformations that add or take away an axis, batch() first of all."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import INFINITE, DatasetBatched, tensors
from cudnnlint.frameworks.tfdata.calls import on_element
from cudnnlint.frameworks.tfdata.dataset import ROWS_OPEN, SAME, VAGUE, DatasetV, Given, opened, rows_off, stacked
from cudnnlint.frameworks.tfdata.differing import differing
from cudnnlint.frameworks.tfdata.making import transformation
from cudnnlint.frameworks.tfdata.refused import padding, refuse, scalars
from cudnnlint.frameworks.training.feeding import batch_extent
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.machine import plain
from cudnnlint.interp.wanted import batch_of
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import FREE, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known

OPEN = Unknown("number of batches")


def batched(given: Given, ds: DatasetV, size: Any, drop: Any, element: Any = None) -> DatasetV:
    """`ds` in batches of `size` elements, and the event that tells of it.

    element  the structure whose tensors get the new axis, where it is not that of `ds`
    """
    c = given.call
    size = batch_of(c.machine, size)
    drop = drop if isinstance(drop, bool) else False if drop is None else Unknown("drop_remainder")
    taken = ds.assumptions | given.taken
    c.machine.say(DatasetBatched, c.span, about=tensors(ds.element), assumptions=taken, batch_size=size,
                  rows=ds.cardinality, drop_remainder=drop,
                  differing=differing(c.machine, ds.element) if element is None else None)
    extent = batch_extent(ds.cardinality, size, drop_remainder=drop)
    made = stacked(ds.element if element is None else element, extent, c.span)
    rows = ds.cardinality
    if is_known(rows) and drop is not False:
        rows = rows // size * size if drop is True and is_known(size) and size > 0 else OPEN
    count = count_of_batches(ds.cardinality, size, drop)
    uneven = is_known(count) and is_known(rows) and drop is False and rows % size
    return ds.with_(element=made, cardinality=count, rows=rows, batched=True, batch_size=size, assumptions=taken,
                    rest=(count, size, rows % size) if uneven else None, spec=_spec(ds, drop))


def _spec(ds: DatasetV, drop: Any) -> str:
    """Only drop_remainder=True tells TensorFlow how many rows there are (tensorflow/python/data/ops/batch_op.py)."""
    if ds.spec_inside == VAGUE or not isinstance(drop, bool):
        return VAGUE
    return SAME if drop else ROWS_OPEN


def count_of_batches(count: Any, size: Any, drop: Any) -> Any:
    """How many batches `count` elements make.

    >>> count_of_batches(10, 4, False), count_of_batches(10, 4, True), count_of_batches(INFINITE, 4, True)
    (3, 2, 'infinite')
    """
    if count == INFINITE:
        return INFINITE
    if not is_known(count) or not is_known(size) or size <= 0:
        return OPEN
    if count % size == 0:
        return count // size
    return OPEN if isinstance(drop, Unknown) else count // size + (0 if drop else 1)


@transformation("batch")
def batch(given: Given, ds: DatasetV) -> Any:
    made = batched(given, ds, given.number(0, "batch_size"), given.get(1, "drop_remainder", False))
    return made.with_(batching=given.call.span)


@transformation("padded_batch")
def padded_batch(given: Given, ds: DatasetV) -> Any:
    shapes = given.get(1, "padded_shapes")
    if (wrong := padding(ds.element, shapes)) is not None:
        refuse(given.call, "padded_batch", ds.element, wrong, ds.assumptions | given.taken)
        return Unknown("padded_batch() fails")
    padded = pad(ds.element, shapes)
    differ = any(FREE in tensor.shape for tensor in tensors(padded) if isinstance(tensor.shape, tuple))
    made = batched(given, ds, given.number(0, "batch_size"), given.get(3, "drop_remainder", False), padded)
    spec = made.spec if given.get(1, "padded_shapes") is None else VAGUE
    return made.with_(padded=given.call.span if differ else made.padded, spec=spec)


def pad(element: Any, shapes: Any) -> Any:
    """Every extent that may differ between elements is free after padding, or what `padded_shapes` says."""
    if isinstance(element, tuple):
        parts = shapes if isinstance(shapes, tuple | list) and len(shapes) == len(element) else (None,) * len(element)
        return type(element)(pad(item, part) for item, part in zip(element, parts, strict=True))
    if isinstance(element, dict):
        named = shapes if isinstance(shapes, dict) else {}
        return {key: pad(item, named.get(key)) for key, item in element.items()}
    if not isinstance(element, Tensor):
        return element
    wanted = as_shape(shapes) if shapes is not None else Unknown("padded_shapes")
    own = element.shape
    if isinstance(wanted, tuple) and (isinstance(own, Unknown) or len(wanted) == len(own)):
        inner = (FREE,) * len(wanted) if isinstance(own, Unknown) else own
        return element.with_(shape=tuple(_padded(a, b) for a, b in zip(wanted, inner, strict=True)))
    if isinstance(own, tuple):
        return element.with_(shape=tuple(FREE if isinstance(dim, Unknown) else dim for dim in own))
    return element if shapes is None else element.with_(shape=Unknown("padded_shapes"))


def _padded(wanted: Dim, own: Dim) -> Dim:
    if is_known(wanted) and wanted != -1:
        return wanted
    return own if is_known(own) else FREE


@transformation("ragged_batch")
def ragged_batch(given: Given, ds: DatasetV) -> Any:
    """Batches of tensors of different shapes: ragged tensors are not followed, only those that stay whole
    (tensorflow/python/data/ops/ragged_batch_op.py: to_ragged_spec)."""
    element = over(ds.element, _ragged if ds.spec == SAME else lambda item: Unknown("a ragged batch"))
    return batched(given, ds, given.number(0, "batch_size"), given.get(1, "drop_remainder", False), element)


def _ragged(item: Any) -> Any:
    whole = isinstance(item, Tensor) and isinstance(item.shape, tuple) and all(map(is_known, item.shape))
    return item if whole else Unknown("a ragged batch")


@transformation("unbatch")
def unbatch(given: Given, ds: DatasetV) -> Any:
    """The rows of the batches, one by one."""
    if (wrong := scalars(ds.element)) is not None:
        refuse(given.call, "unbatch", ds.element, wrong, ds.assumptions)
        return Unknown("unbatch() fails")
    first = [item.shape[0] for item in tensors(ds.element) if isinstance(item.shape, tuple) and item.shape]
    count: Any = OPEN
    if ds.cardinality == INFINITE:
        count = INFINITE
    elif ds.batched is True and is_known(ds.rows):
        count = ds.rows
    elif is_known(ds.cardinality) and first and is_known(first[0]):
        count = ds.cardinality * first[0]
    # after batch().map(transpose) the rows may hold a batch each
    single = ds.batched is True and all(dim == ds.batch_size or not isinstance(dim, int) for dim in first)
    return ds.with_(element=rows_off(ds.element, given.call.span), cardinality=count, rows=count,
                    batched=False if single else Unknown("what unbatch() takes apart"), batch_size=None,
                    declared=ds.declared and ds.batched is not True and is_known(count),
                    spec=VAGUE if ds.spec == VAGUE else SAME)


@transformation("rebatch")
def rebatch(given: Given, ds: DatasetV) -> Any:
    """Batches cut anew; a list of sizes is used in turn."""
    size = given.get(0, "batch_size")
    if isinstance(size, list | tuple) and len(set(map(str, size))) == 1:
        size = size[0]
    size = size if is_known(size) else Unknown("batch sizes in turn")
    rows = ds.rows if ds.batched is True else OPEN
    flat = ds.with_(element=rows_off(ds.element, given.call.span), cardinality=rows)
    made = batched(given, flat, size, given.get(1, "drop_remainder", False)).with_(declared=False)
    # without drop_remainder TensorFlow looks whether the sizes divide each other
    return made.with_(spec=VAGUE) if made.spec == ROWS_OPEN else made


@transformation("window")
def window(given: Given, ds: DatasetV) -> Any:
    """Each tensor of the element becomes a dataset of `size` of them
    (tensorflow/core/kernels/data/window_dataset_op.cc)."""
    size, shift = given.number(0, "size"), given.number(1, "shift")
    stride, drop = given.number(2, "stride", 1), given.get(3, "drop_remainder", False)
    shift = size if shift is None else shift
    whole = drop is True or (stride == 1 and shift == size and is_known(size) and size > 0
                             and is_known(ds.cardinality) and ds.cardinality % size == 0)
    each = size if whole and is_known(size) else Unknown("length of a window")
    element = over(ds.element, lambda item: DatasetV(item, each, each, span=given.call.span, assumptions=given.taken,
                                                     spec=ds.spec)
                   if isinstance(item, Tensor | Unknown) else Unknown("windows of windows"))
    count = windows(ds.cardinality, size, shift, stride, drop)
    return ds.with_(element=element, cardinality=count, rows=count, batched=False, batch_size=None,
                    assumptions=ds.assumptions | given.taken)


def windows(count: Any, size: Any, shift: Any, stride: Any, drop: Any) -> Any:
    """How many windows `count` elements give.

    >>> windows(10, 3, 1, 1, True), windows(10, 3, 2, 2, True), windows(10, 3, 3, 1, False)
    (8, 3, 4)
    """
    if count == INFINITE:
        return INFINITE
    if not all(is_known(part) for part in (count, size, shift, stride)) or min(size, shift, stride) <= 0:
        return OPEN
    if not isinstance(drop, bool):
        return OPEN
    usable = count - (size - 1) * stride if drop else count
    return max(0, -(-usable // shift))


@transformation("bucket_by_sequence_length")
def bucket_by_sequence_length(given: Given, ds: DatasetV) -> Any:
    """Elements of similar length in padded batches whose size depends on the length."""
    padded = opened(pad(ds.element, given.get(3, "padded_shapes")))
    sizes = given.get(2, "bucket_batch_sizes")
    size = sizes[0] if isinstance(sizes, list | tuple) and len(set(map(str, sizes))) == 1 else OPEN
    flat = ds.with_(cardinality=INFINITE if ds.cardinality == INFINITE else OPEN)
    made = batched(given, flat, size, given.get(8, "drop_remainder", False), padded)
    return made.with_(declared=False, spec=VAGUE)


@transformation("group_by_window")
def group_by_window(given: Given, ds: DatasetV) -> Any:
    """Whatever `reduce_func` makes of the elements that share a key."""
    on_element(given, given.get(0, "key_func"), ds.element)
    group = ds.with_(cardinality=OPEN, rows=OPEN)
    c = given.call
    made = plain(c.machine.call(given.get(1, "reduce_func"), [Tensor((), "int64"), group], {}, c.node))
    if not isinstance(made, DatasetV):
        return Unknown("what reduce_func gives")
    count = INFINITE if ds.cardinality == INFINITE else OPEN
    return made.with_(cardinality=count, rows=count, declared=False)


__all__ = ["batched", "count_of_batches", "pad", "windows"]
