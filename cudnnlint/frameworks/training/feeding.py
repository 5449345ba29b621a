"""What fit, evaluate and predict are fed: arrays, datasets, generators and sequences as the structure of one batch."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any

from cudnnlint.events import INFINITE, Data, tensors
from cudnnlint.frameworks.training.structure import only_tensors, over, unpack
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV, Raised, join_given
from cudnnlint.interp.iterate import sample
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING, GeneratorV, InstanceV
from cudnnlint.interp.wanted import batch_of
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Step, Tensor, Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.dim import Dim, is_known
from cudnnlint.values.unknown import Window

DEFAULT_BATCH = 32
"""keras/src/trainers/data_adapters/array_data_adapter.py: ArrayDataAdapter.__init__."""
ALL = "all"
"""Batch size of the *_on_batch methods: every row at once."""
SEQUENCES = frozenset({"keras.utils.Sequence", "keras.utils.PyDataset", "keras.utils.data_utils.Sequence",
                       "keras.utils.all_utils.Sequence"})
NOWHERE = ast.Constant(value=None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


def describe(m: Machine, value: Any, *, y: Any = None, weights: Any = None, batch_size: Any = None,
             validation_split: Any = None, steps: Any = None, span: Span | None = None) -> Data:
    """`x`, `y` and `sample_weight` of a training call as one batch of `batch_size` rows.

    batch_size  None: what `steps` batches leave for each, or the default 32, of arrays; whatever it has for the rest;
                "all": every row at once
    span        the training call: the last step in the provenance of the batch
    """
    value, y = _as_array(value), _as_array(y)
    held = plain(value)
    fed = getattr(held, "fed", None)
    if fed is not None:
        data: Data = fed(m)
        return data
    if isinstance(held, GeneratorV):
        return generated(m, held)
    if isinstance(held, InstanceV):
        return of_instance(m, held)
    if isinstance(held, Tensor | tuple | ListV | DictV | list | dict) or tensors(strip(y)):
        # y beside x is only accepted where x is arrays too
        return arrays(m, value, y, weights, batch_size, validation_split, steps, span)
    return Data()


def _as_array(value: Any) -> Any:
    """A table or column of pandas as the array that Keras makes of it."""
    held = plain(value)
    array = getattr(held, "as_fed", None) or getattr(held, "as_array", None)
    return array if isinstance(array, Tensor) else value


def arrays(m: Machine, x: Any, y: Any, weights: Any, batch_size: Any, validation_split: Any, steps: Any,
           span: Span | None) -> Data:
    """Arrays are cut into batches of `batch_size` rows; the last one may be smaller."""
    found: set[Any] = set()
    parts = [_convertible(m, strip(part, found)) for part in (x, y, weights)]
    size = strip(batch_size, found)
    given = tensors(parts[:2])
    if not given:
        return Data(x=Unknown("data"), y=_whole(parts[1]), weights=_whole(parts[2]))
    total = rows_of(parts)
    used = training_rows(total, strip(validation_split, found))
    if size is None or size == 0:
        size = default_batch(used, strip(steps, found))
    size = batch_of(m, size)
    extent: Dim = used if size == ALL else batch_extent(used, size)
    made = [_cut(m, part, extent, size == ALL, span, frozenset(found)) for part in parts]
    batches: Any = 1 if size == ALL else Unknown("number of batches")
    if is_known(used) and is_known(size) and size > 0:
        batches = math.ceil(used / size)
    return Data(x=made[0], y=made[1], weights=made[2], kind="arrays", rows=total, batches=batches, batched=True,
                span=given[0].step.span if given[0].step is not None else None, element=packed(*made))


def default_batch(rows: Dim, steps: Any) -> Any:
    """keras/src/trainers/data_adapters/array_data_adapter.py: ArrayDataAdapter.__init__; so in Keras 2.

    >>> default_batch(1000, None), default_batch(10, 5), default_batch(1000, 31)
    (32, 2, 33)
    """
    if not steps:
        return DEFAULT_BATCH
    if not is_known(steps) or not is_known(rows) or steps < 0:
        return Unknown("as many rows as leave the number of steps")
    return math.ceil(rows / steps)


def packed(x: Any, y: Any, weights: Any) -> Any:
    """What a step gets of arrays (keras/src/trainers/data_adapters/data_adapter_utils.py: pack_x_y_sample_weight)."""
    if y is None:
        return (x,) if isinstance(x, list | tuple) else x
    return (x, y) if weights is None else (x, y, weights)


def rows_of(structure: Any) -> Dim:
    """The number of rows that all arrays share; Unknown when it is not known or when they differ."""
    rows: Dim = Unknown("number of rows")
    for tensor in tensors(structure):
        if isinstance(tensor.shape, tuple) and tensor.shape and is_known(tensor.shape[0]):
            if is_known(rows) and rows != tensor.shape[0]:
                return Unknown("arrays with different numbers of rows")
            rows = tensor.shape[0]
    return rows


def training_rows(rows: Dim, split: Any) -> Dim:
    """Rows left after validation_split (keras/src/trainers/data_adapters/array_slicing.py: train_validation_split).

    >>> training_rows(1000, 0.1), training_rows(1000, None)
    (900, 1000)
    """
    if split is None or split == 0:
        return rows
    if not isinstance(split, float) or not 0 < split < 1:
        return Unknown("validation_split")
    return math.floor(rows * (1.0 - split)) if is_known(rows) else rows  # type: ignore[operator]


def batch_extent(rows: Any, size: Any, *, drop_remainder: Any = False) -> Dim:
    """The extent that every batch of `rows` rows has; BATCH when the last one may be smaller.

    >>> batch_extent(1000, 100), batch_extent(7, 32), batch_extent(1000, 32)
    (100, 7, Symbol(name='B'))
    >>> batch_extent(1000, 32, drop_remainder=True), batch_extent(INFINITE, 32)
    (32, 32)
    """
    if not is_known(size) or size <= 0:
        return size if isinstance(size, Unknown) else BATCH
    if drop_remainder is True or rows == INFINITE:
        return int(size)
    if not is_known(rows) or rows == 0:
        return BATCH
    if rows % size == 0:
        return int(size)
    if isinstance(drop_remainder, Unknown):
        return BATCH
    return int(rows) if 0 < rows < size else BATCH


def _convertible(m: Machine, value: Any) -> Any:
    """Arrays of a structure; Keras 2 takes lists of numbers too (tf_keras: ListsOfScalarsDataAdapter)."""
    if isinstance(value, list | tuple) and value and _scalars(value):
        return as_tensor(list(value), "numpy") if m.stack.keras < (3,) else Unknown("a list of numbers")
    if isinstance(value, list | tuple):
        return type(value)(_convertible(m, item) for item in value)
    if isinstance(value, dict):
        return {key: _convertible(m, item) for key, item in value.items()}
    value = _as_array(value)
    return value if value is None or isinstance(value, Tensor | Unknown) else Unknown("not an array")


def _scalars(value: Any) -> bool:
    first = value[0]
    if isinstance(first, list | tuple) and first:
        return _scalars(first)
    return isinstance(first, int | float | str)


def _whole(value: Any) -> Any:
    return None if value is None else Unknown("rows of unknown data")


def _cut(m: Machine, value: Any, extent: Dim, whole: bool, span: Span | None, taken: Assumptions) -> Any:
    def leaf(item: Any) -> Any:
        if not isinstance(item, Tensor) or not isinstance(item.shape, tuple):
            return item
        if not item.shape:
            return Unknown("a scalar has no rows")
        step = item.step if span is None else Step(span, (item,))
        dtype = item.dtype if whole else fed_dtype(m, item)
        return assume(Tensor((extent, *item.shape[1:]), dtype, item.kind, None, step, item.assumptions), taken)

    return over(value, leaf)


def fed_dtype(m: Machine, tensor: Tensor) -> Any:
    """Floating arrays become floatx: all in Keras 3, NumPy ones in Keras 2.

    keras/src/trainers/data_adapters/array_slicing.py: convert_to_sliceable; tf_keras: _process_tensorlike.
    """
    floating = isinstance(tensor.dtype, str) and tensor.dtype.startswith(("float", "bfloat"))
    if floating and (tensor.kind == "numpy" or m.stack.keras >= (3,)):
        return m.state.get("floatx", "float32")
    return tensor.dtype


def as_fed(m: Machine, element: Any) -> Any:
    """A batch of a generator or Sequence: Keras 2 makes its floating arrays floatx
    (tf_keras/src/engine/data_adapter.py: GeneratorDataAdapter._standardize_batch, _process_tensorlike)."""
    if m.stack.keras >= (3,):
        return element
    return over(element, lambda item: item.with_(dtype=fed_dtype(m, item)) if isinstance(item, Tensor) else item)


def split_element(element: Any, **more: Any) -> Data:
    """Data whose x, y and weights are the parts of one element."""
    x, y, weights = (only_tensors(part) for part in unpack(element))
    return Data(x=x, y=y, weights=weights, element=only_tensors(element), **more)


def generated(m: Machine, value: GeneratorV) -> Data:
    """A Python generator: each element that it yields is one batch."""
    items = value.elements.items
    taken: Assumptions = frozenset().union(*(assumptions_of(item) for item in items))
    element = strip(assume(join_given(items), taken)) if items else Unknown("what the generator yields")
    batches: Any = Unknown("number of batches")
    if value.infinite:
        batches = INFINITE
    elif value.complete and not value.elements.unknown:
        batches = len(items)
    return split_element(as_fed(m, element), kind="generator", batches=batches, batched=Unknown("a generator"))


def of_instance(m: Machine, value: InstanceV) -> Data:
    """An object of the user's: a Sequence by its methods, an iterable by its __iter__."""
    if value.cls.external_base() in SEQUENCES or method_of(value, "__getitem__") is not MISSING:
        known = value.cls.external_base() in SEQUENCES
        element = strip(attempt(m, value, "__getitem__", [Unknown("index of a batch")]))
        length = strip(attempt(m, value, "__len__", []))
        full = _first_rows(m, value) if known else Unknown("the first batch")
        last = _last_rows(m, value, length, full) if known else Unknown("the last batch")
        element = over(element, _of_any_rows) if isinstance(full, int) else element
        return split_element(as_fed(m, element), kind="sequence" if known else "unknown", span=value.span, last=last,
                             full=full,
                             batches=length if is_known(length) else Unknown("number of batches"),
                             batched=True if known else Unknown("an object"))
    if method_of(value, "__iter__") is not MISSING:
        made = plain(attempt(m, value, "__iter__", []))
        if isinstance(made, GeneratorV):
            return replace(generated(m, made), span=value.span)
        return split_element(as_fed(m, strip(sample(m, value))), kind="generator", span=value.span)
    return Data(span=value.span)


def _last_rows(m: Machine, value: InstanceV, length: Any, full: Dim) -> Dim:
    """Of the last batch of a Sequence, which is asked for by its number, if it has fewer than the first."""
    rows = _rows_at(m, value, length - 1) if is_known(length) and length >= 1 else None
    fewer = rows == 0 or (isinstance(rows, int) and isinstance(full, int) and rows < full)
    return rows if fewer and isinstance(rows, int) else Unknown("rows of the last batch")


def _first_rows(m: Machine, value: InstanceV) -> Dim:
    """Of the first batch of a Sequence; as many as it asks for where there are an unknown number of rows."""
    rows = _rows_at(m, value, 0)
    rows = rows.full if type(rows) is Window else rows
    return rows if isinstance(rows, int) and rows > 0 else Unknown("rows of the first batch")


def _of_any_rows(item: Any) -> Any:
    """An array of a batch; how many rows there are depends on which batch it is."""
    varies = isinstance(item, Tensor) and isinstance(item.shape, tuple) and isinstance((*item.shape, 0)[0], Unknown)
    return item.with_(shape=(BATCH, *item.shape[1:]), step=item.step) if varies else item


def _rows_at(m: Machine, value: InstanceV, index: int) -> Dim | None:
    found = tensors(strip(batch_at(m, value, index)))
    return found[0].shape[0] if found and isinstance(found[0].shape, tuple) and found[0].shape else None


def batch_at(m: Machine, value: InstanceV, index: int) -> Any:
    """A batch of a Sequence; nothing is told of what happens in it."""
    emit, m.emit = m.emit, lambda event: None
    try:
        return attempt(m, value, "__getitem__", [index])
    finally:
        m.emit = emit


def attempt(m: Machine, value: InstanceV, name: str, args: list[Any]) -> Any:
    """Call a method for what it returns; one that is missing or raises gives Unknown."""
    method = method_of(value, name)
    if method is MISSING:
        return Unknown(f"{value.cls.name} has no {name}")
    try:
        return m.call(method, args, {}, value.cls.node or NOWHERE)
    except Raised:
        return Unknown(f"{name} raises")


__all__ = ["ALL", "arrays", "attempt", "batch_at", "batch_extent", "describe", "fed_dtype", "generated", "rows_of",
           "split_element"]
