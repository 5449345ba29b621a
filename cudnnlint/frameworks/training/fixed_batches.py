"""Whether the graph that fit() traces knows how many samples a batch has."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Data
from cudnnlint.frameworks.tfdata.dataset import SAME
from cudnnlint.frameworks.training.feeding import training_rows
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import plain
from cudnnlint.values import Symbol
from cudnnlint.values.tensor import tensors


def fixes_batch(fed: Any) -> bool:
    """Whether TensorFlow knows the size of a dataset's batches: batch(drop_remainder=True), from_tensors()."""
    shapes = [tensor.shape for tensor in tensors(strip(getattr(fed, "element", None)))]
    return getattr(fed, "spec", "") == SAME and bool(shapes) and all(
        isinstance(shape, tuple) and shape and not isinstance(shape[0], Symbol) for shape in shapes)


def divides_rows(data: Data, split: Any, batch: int | None) -> bool:
    """Whether arrays give full batches only: then they are cut as rows of a table of numbers, and the shape of a row is
    known; a smaller one after them opens it, also where it is the only one (keras/src/trainers/data_adapters/
    array_data_adapter.py: slice_batch_indices; so in Keras 2). Seen in what train_step() is traced with."""
    rows = training_rows(data.rows, plain(split))
    return data.kind == "arrays" and isinstance(rows, int) and rows > 0 and batch is not None and rows % batch == 0
