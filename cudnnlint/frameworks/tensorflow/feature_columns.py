"""tf.feature_column: how wide the columns are that DenseFeatures and input_layer make of a table."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_dim, is_known
from cudnnlint.ops.feature_columns import Column, dense_features
from cudnnlint.ops.protocol import LayerCall
from cudnnlint.values import Dim, Tensor, Unknown
from cudnnlint.values.dim import product

ROOM = "tensorflow.feature_column."


@FRAMEWORK.on(ROOM + "numeric_column")
def numeric_column(c: Call) -> Column:
    """As many numbers as `shape` has (tensorflow/python/feature_column/feature_column_v2.py: numeric_column)."""
    found: set[Any] = set()
    shape = strip(c.get(1, "shape", (1,)), found)
    shape = (shape,) if isinstance(shape, int) else shape
    known = isinstance(shape, list | tuple)
    return Column(product(tuple(map(as_dim, shape))) if known else Unknown("the shape of a column"),
                  assumptions=frozenset(found))


@FRAMEWORK.on(ROOM + "bucketized_column")
def bucketized_column(c: Call) -> Column:
    """One of len(boundaries) + 1 for each number of the source."""
    found: set[Any] = set()
    source, count = plain(c.get(0, "source_column")), _length(c, c.get(1, "boundaries"), found)
    width = source.width if isinstance(source, Column) else None
    if not isinstance(width, int) or not isinstance(count, int):
        return Column(Unknown("boundaries"), Unknown("boundaries"))
    size = (count + 1) * width
    return Column(size, size, assumptions=frozenset(found) | source.assumptions)


def _length(c: Call, values: Any, found: set[Any]) -> Dim:
    held = strip(values, found)
    if isinstance(held, list | tuple):
        return len(held)
    if isinstance(held, Tensor) and isinstance(held.shape, tuple) and held.shape:
        return held.shape[0]
    several = elements(c.machine, values)
    return Unknown("how many there are") if isinstance(several, Unknown) else len(several)


def _categories(c: Call, *sizes: Any) -> Column:
    """A categorical column of as many buckets as several counts are together."""
    found: set[Any] = set()
    counts = [as_dim(strip(size, found)) for size in sizes]
    total = sum(counts) if all(map(is_known, counts)) else Unknown("the number of categories")  # type: ignore[arg-type]
    return Column(buckets=total, assumptions=frozenset(found))


@FRAMEWORK.on(ROOM + "categorical_column_with_identity")
def identity_column(c: Call) -> Column:
    return _categories(c, c.get(1, "num_buckets"))


@FRAMEWORK.on(ROOM + "categorical_column_with_hash_bucket", ROOM + "crossed_column")
def hashed_column(c: Call) -> Column:
    return _categories(c, c.get(1, "hash_bucket_size"))


@FRAMEWORK.on(ROOM + "categorical_column_with_vocabulary_list")
def vocabulary_column(c: Call) -> Column:
    found: set[Any] = set()
    made = _categories(c, _length(c, c.get(1, "vocabulary_list"), found), c.get(4, "num_oov_buckets", 0))
    return Column(buckets=made.buckets, assumptions=made.assumptions | frozenset(found))


@FRAMEWORK.on(ROOM + "categorical_column_with_vocabulary_file")
def file_column(c: Call) -> Column:
    """Without a size it is that of the file; versions differ in the order of what follows."""
    positional = len(c.args) > 3 or c.get(2, "vocabulary_size") is None
    return _categories(c, Unknown("a vocabulary in a file") if positional else c.get(2, "vocabulary_size"),
                       c.kwargs.get("num_oov_buckets", 0))


@FRAMEWORK.on(ROOM + "weighted_categorical_column", ROOM + "sequence_categorical_column_with_identity")
def weighted_column(c: Call) -> Any:
    column = plain(c.get(0, "categorical_column"))
    return column if isinstance(column, Column) else Unknown("a column of weights")


@FRAMEWORK.on(ROOM + "indicator_column")
def indicator_column(c: Call) -> Column:
    """As many numbers as categories."""
    column = plain(c.get(0, "categorical_column"))
    if not isinstance(column, Column) or column.buckets is None:
        return Column(Unknown("the categories of a column"))
    return Column(column.buckets, assumptions=column.assumptions)


@FRAMEWORK.on(ROOM + "embedding_column")
def embedding_column(c: Call) -> Column:
    found: set[Any] = set()
    column, width = plain(c.get(0, "categorical_column")), as_dim(strip(c.get(1, "dimension"), found))
    known = isinstance(column, Column) and column.buckets is not None
    buckets = column.buckets if known else Unknown("the categories of a column")
    taken = frozenset(found) | (column.assumptions if known else frozenset())
    return Column(width, table=(buckets, width), assumptions=taken)


@FRAMEWORK.on(ROOM + "shared_embeddings", ROOM + "shared_embedding_columns")
def shared_embeddings(c: Call) -> Any:
    """A column for each; they look up one table."""
    columns, width = elements(c.machine, c.get(0, "categorical_columns")), as_dim(strip(c.get(1, "dimension")))
    if isinstance(columns, Unknown):
        return Unknown("feature columns")
    return ListV([Column(width, table=(Unknown("a table that is shared"), width)) for _ in columns])


@FRAMEWORK.on(ROOM + "input_layer", "tensorflow.compat.v1.feature_column.input_layer")
def input_layer(c: Call) -> Any:
    """What TensorFlow 1 made of the columns without a layer."""
    found: set[Any] = set()
    op = dense_features(strip(c.get(1, "feature_columns"), found))
    made = op.infer(LayerCall(strip(c.get(0, "features"), found)))
    return assume(made.with_(kind="tf"), frozenset(found))
