"""DenseFeatures: columns of a table, as tf.feature_column describes them, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arith import is_known
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Stack, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.tensor import tensors


@record(frozen=True, slots=True)
class Column:
    """What one column becomes: so many numbers of each row, looked up in a table of `table`, if it is embedded.

    buckets  of a categorical column, which only another column makes numbers of
    """

    width: Dim | None = None
    buckets: Dim | None = None
    table: tuple[Dim, Dim] | None = None
    assumptions: Assumptions = NONE


@record(frozen=True, slots=True)
class DenseFeatures:
    """{name: (B,) or (B, n)} -> (B, sum of widths) (tf_keras/src/feature_column/dense_features.py: call)."""

    columns: tuple[Column, ...] | Unknown

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        given = tensors(call.inputs)
        first = given[0] if given else Tensor(Unknown("the features"))
        batch = first.shape[0] if isinstance(first.shape, tuple) and first.shape else Unknown("the batch of features")
        width = Unknown("feature columns") if isinstance(self.columns, Unknown) else _sum(self.columns)
        known = () if isinstance(self.columns, Unknown) else self.columns
        assumptions = frozenset(one for column in known for one in column.assumptions)
        return Tensor((batch, width), "float32", first.kind, assumptions=first.assumptions | assumptions)

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if isinstance(self.columns, Unknown):
            return self.columns
        return tuple(Weight("embedding_weights", column.table) for column in self.columns if column.table is not None)


def _sum(columns: Iterable[Column]) -> Dim:
    total = 0
    for column in columns:
        if column.width is None or not is_known(column.width):
            return column.width or Unknown("a categorical column")
        total += column.width  # type: ignore[operator]
    return total


@layer("keras.layers.DenseFeatures", versions={"": "<3"})
def dense_features(feature_columns: Any, trainable: Any = True, name: Any = None) -> DenseFeatures:
    given = [feature_columns] if isinstance(feature_columns, Column) else feature_columns
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, list | tuple) and all(isinstance(column, Column) for column in given):
        return DenseFeatures(tuple(given))
    return DenseFeatures(Unknown("feature columns"))
