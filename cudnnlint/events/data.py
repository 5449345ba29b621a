"""Data: what fit() and its kin are given, and what pipelines make."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import Shape


@record(frozen=True, slots=True)
class Differing:
    """Two shapes that a component of a dataset's elements takes.

    origin  what yields elements of several sizes: a generator, a data set of photos, decoded files
    seen    the program itself shows these two; else they stand for any two sizes
    """

    shapes: tuple[Shape, Shape]
    origin: str
    span: Span
    seen: bool


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DatasetBatched(Event):
    """`Dataset.batch(batch_size)`, or a DataLoader of PyTorch: `rows` is the cardinality before; `differing` the shapes
    of two elements if those that are batched certainly differ in size, and where they come from."""

    batch_size: Dim
    rows: Any
    drop_remainder: Any
    differing: Differing | None = None
    library: str = "tensorflow"


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DatasetMade(Event):
    """Arrays became a dataset as they are (`from_tensor_slices`, `from_tensors`), or a tensor (`tf.constant`): `arrays`
    is their structure, `device` where the program said that they go, "" if it did not, Unknown if that is not known."""

    arrays: Any
    device: Any = ""


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DatasetBuffered(Event):
    """A dataset keeps elements in memory: `count` of them, each like `element`, whose batches have `batch_size` rows.

    what  "shuffle" or "cache"
    """

    what: str
    element: Any
    count: Any
    batch_size: Any = None


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SetFed(Event):
    """A session of TensorFlow 1 computes `fetched` of `rows` rows at once, with no step of a training among it."""

    fetched: tuple[Tensor, ...]
    rows: int


@record(frozen=True, slots=True, kw_only=True)
class Data:
    """What a training call is fed.

    x, y, weights  structures (Tensor, tuple, list, dict) of *one batch*: batch axis first, a number,
                   BATCH or Unknown; None where not given; Unknown where not known
    kind           "arrays", "dataset", "generator", "sequence", "batch" (what one step of a custom loop is given)
                   or "unknown"
    rows           number of samples for arrays (before validation_split); for the rest Unknown
    batches        number of batches in one pass: int, INFINITE or Unknown
    batched        False for a tf.data.Dataset that was never batched; Unknown when not known
    span           where the data came from, if known
    element        the batch as train_step() is given it: the tuple that a dataset's element is, say
    full           rows of the first batch of a dataset or a Sequence, as far as the program says them
    shuffled       False for a dataset of arrays that was never shuffled; Unknown where not known
    padded         where rows of different lengths were padded to the longest of their batch
    last, batching rows of the last batch of a dataset or Sequence if it has fewer than the others, and the call of
                   batch()
    """

    x: Any = Unknown()
    y: Any = Unknown()
    weights: Any = None
    kind: str = "unknown"
    rows: Dim = Unknown()
    batches: Any = Unknown()
    batched: Any = Unknown()
    span: Span | None = None
    element: Any = Unknown()
    full: Dim = Unknown()
    shuffled: Any = Unknown()
    padded: Span | None = None
    last: Dim = Unknown()
    batching: Span | None = None


INFINITE = "infinite"
"""Cardinality of an endless dataset or generator."""
