"""Configurations of DenseFeatures: columns as tf.feature_column makes them, beside what stands for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cudnnlint.ops.feature_columns import Column
from tests.oracle.harness import Case, Made, Spec


def _room() -> Any:
    import tensorflow

    return tensorflow.feature_column


def _age() -> Any:
    return _room().numeric_column("age")


def _word() -> Any:
    return _room().categorical_column_with_hash_bucket("word", 100)


COLUMNS = st.sampled_from([
    Made(_age, Column(1)),
    Made(lambda: _room().numeric_column("picture", shape=(2, 3)), Column(6)),
    Made(lambda: _room().bucketized_column(_age(), [18, 30]), Column(3)),
    Made(lambda: _room().indicator_column(_word()), Column(100)),
    Made(lambda: _room().indicator_column(_room().categorical_column_with_identity("kind", 7)), Column(7)),
    Made(lambda: _room().embedding_column(_word(), 8), Column(8, table=(100, 8))),
    Made(lambda: _room().indicator_column(_room().categorical_column_with_vocabulary_list(
        "text", ["a", "b"], num_oov_buckets=2)), Column(4)),
])
INPUTS = {"age": Spec((None, 1)), "picture": Spec((None, 2, 3)), "word": Spec((None, 1), "string"),
          "text": Spec((None, 1), "string"), "kind": Spec((None, 1), "int64")}

CONFIGS = {"keras.layers.DenseFeatures": st.builds(
    lambda columns: Case({"feature_columns": columns}, INPUTS, sharper=True),
    st.lists(COLUMNS, min_size=1, max_size=3, unique_by=id))}
