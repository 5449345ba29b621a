"""keras.utils.split_dataset: one dataset, or arrays, in two."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tfdata.dataset import DatasetV, Given, as_element, rows_off
from cudnnlint.frameworks.tfdata.making import FRAMEWORK
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.tensor import tensors

HALVES = Unknown("what split_dataset() leaves")


@FRAMEWORK.on("keras.utils.split_dataset")
def split_dataset(c: Call) -> Any:
    """Two datasets of the elements one by one (keras/src/utils/dataset_utils.py: _split_dataset_tf).

    Of a dataset of batches it depends on what was done after batch() whether they are taken apart.
    """
    given = Given(c, method=False)
    whole = _whole(given)
    left, right = (given.get(at, name) for at, name in ((1, "left_size"), (2, "right_size")))
    sizes = None if whole is None else split_sizes(whole.cardinality, left, right)
    if whole is None or sizes is None:
        return (HALVES, HALVES)
    taken = whole.assumptions | given.taken
    return tuple(whole.with_(cardinality=size, rows=size, declared=True, assumptions=taken, unranked=False)
                 for size in sizes)  # made of arrays, whose shapes are known


def _whole(given: Given) -> DatasetV | None:
    """The elements that are shared out, if their shapes and number are known."""
    value = given.get(0, "dataset")
    if not isinstance(value, DatasetV):
        arrays = as_element(value, given.call.span, top=False)
        rows = {tensor.shape[0] for tensor in tensors(arrays) if isinstance(tensor.shape, tuple) and tensor.shape}
        if len(rows) != 1 or not isinstance(arrays, Tensor | tuple):
            return None
        count = rows.pop()
        value = DatasetV(rows_off(arrays, given.call.span), count, count, span=given.call.span)
    shapes = [tensor.shape for tensor in tensors(value.element)]
    known = shapes and all(isinstance(shape, tuple) and all(map(is_known, shape)) for shape in shapes)
    return value if known and value.batched is False else None


def split_sizes(total: Any, left: Any, right: Any) -> tuple[int, int] | None:
    """Elements of both parts; None where they are not known, or it fails (_rescale_dataset_split_sizes).

    >>> split_sizes(90, 0.8, None), split_sizes(10, None, 3), split_sizes(10, 4, 0.5), split_sizes(10, 8, 4)
    ((72, 18), (7, 3), (4, 5), None)
    """
    if not isinstance(total, int) or not all(
            size is None or (isinstance(size, int | float) and not isinstance(size, bool)) for size in (left, right)):
        return None
    left, right = (round(size * total) if isinstance(size, float) else size for size in (left, right))
    if left is None and right is None:
        return None
    left = total - right if left is None else left
    right = total - left if right is None else right
    return (left, right) if left > 0 and right > 0 and left + right <= total else None
