"""The handwritten digits that came with TensorFlow 1 for its tutorials: input_data.read_data_sets()."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known

ROWS = {"train": 60000, "validation": 0, "test": 10000}
VALIDATION = 5000
"""tensorflow/contrib/learn/python/learn/datasets/mnist.py: read_data_sets, in TensorFlow 1.15."""


@record(frozen=True, slots=True)
class DigitsV:
    """`mnist.train`: rows of pictures, as vectors of 784 or as 28 by 28 by 1, and their classes or one-hot rows."""

    rows: Dim
    flat: Any
    one_hot: Any
    span: Span
    path: ClassVar[str] = "tensorflow.examples.DataSet"
    always_true: ClassVar[bool] = True

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("images", "labels"):
            return self.taken(self.rows, self.span)[name == "labels"]
        return self.rows if name == "num_examples" else MISSING

    def taken(self, rows: Dim, span: Span) -> tuple[Tensor, Tensor]:
        shape: Any = Unknown("reshape of read_data_sets()")
        if isinstance(self.flat, bool):
            shape = (rows, 784) if self.flat else (rows, 28, 28, 1)
        labels: Any = Unknown("one_hot of read_data_sets()")
        if isinstance(self.one_hot, bool):
            labels = (rows, 10) if self.one_hot else (rows,)
        dtype = "float64" if self.one_hot is True else "uint8" if self.one_hot is False else Unknown("one_hot")
        return Tensor(shape, "float32", "numpy", None, Step(span)), Tensor(labels, dtype, "numpy", None, Step(span))

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


@FRAMEWORK.on("tensorflow.examples.tutorials.mnist.input_data.read_data_sets",
              "tensorflow.contrib.learn.datasets.mnist.read_data_sets")
def read_data_sets(c: Call) -> Any:
    given = Given(c, method=False)
    one_hot, flat, kept = given.get(2, "one_hot", False), given.get(4, "reshape", True), given.get(
        5, "validation_size", VALIDATION)
    rows: dict[str, Dim] = {**ROWS, "train": Unknown("validation_size"), "validation": Unknown("validation_size")}
    if is_known(kept):
        rows |= {"train": ROWS["train"] - kept, "validation": kept}
    return NamespaceV({name: DigitsV(count, plain(flat), plain(one_hot), c.span) for name, count in rows.items()})


@FRAMEWORK.on("tensorflow.examples.DataSet.next_batch")
def next_batch(c: Call) -> Any:
    """As many rows as are asked for: at the end of an epoch the next one is begun."""
    size, held = plain(c.get(0, "batch_size")), plain(c.receiver)
    if not isinstance(held, DigitsV):
        return Unknown("a batch of digits")
    return held.taken(size if is_known(size) else Unknown("batch_size"), c.span)
