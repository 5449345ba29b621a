"""Bounds of what is drawn, counted, listed or stored: what the elements of a tensor are where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from cudnnlint.records import record
from cudnnlint.values.assumption import Assumed
from cudnnlint.values.tensor import Tensor

CLASSES = {f"keras.datasets.{name}.load_data": count for name, count in {
    "mnist": 10, "fashion_mnist": 10, "cifar10": 10, "cifar100": 100, "imdb": 2, "reuters": 46}.items()}
"""Label sets of keras.datasets (keras/src/datasets); cifar100's is another one for `label_mode="coarse"`."""
SAMPLES = {f"sklearn.datasets.{name}": count for name, count in {
    "load_iris": 3, "load_wine": 3, "load_breast_cancer": 2, "load_digits": 10, "make_moons": 2,
    "make_circles": 2}.items()}
"""Classes of what scikit-learn has or draws, one after the other, each about as often
(sklearn/datasets/_base.py, _samples_generator.py)."""
MODES = {"fine": 100, None: 100, "coarse": 20}
"""keras/src/datasets/cifar100.py: load_data"""
TEXTS = ("keras.datasets.imdb.load_data", "keras.datasets.reuters.load_data")
MOST_WORDS = 30000
"""Both vocabularies are larger (imdb 88,584 words, reuters 30,979): the last index below `num_words` is in use."""
CLASS_NUMBERS = "sklearn.preprocessing.LabelEncoder"
"""Maker of so many class numbers, from 0 on, all of which occur."""
PREDICTED = "keras.Model.predict"
"""Maker of what predict() gives."""
OF_TEXTS = "a text of a dataset"
"""Why what stands in a batch of texts is not known, which is a tuple of them."""
PLACE, GPU = "place of its weights", "GPU"
"""Key of where a module of PyTorch lies, in its `extra`, and one such place."""
TORCH_LABELS = "torchvision.datasets.labels"
"""Maker of the labels of a dataset with so many classes, likewise."""
TORCH_ROWS = "torch.utils.data.rows"
"""Maker of numbers of the rows of a dataset, the least and the greatest of which were seen."""


@record(frozen=True, slots=True)
class Bounds:
    """Both are elements of the tensor, or what its random elements are drawn from.

    random  the elements come in no order: a large part of them has the same bounds
    every   so has each whole number between
    often   both are found at least half as often as if all numbers between were equally many: a large part that is
            taken at random has them too
    rows    each row has both: a slice of rows has them
    """

    low: int
    high: int
    random: bool = False
    every: bool = field(default=False, compare=False, repr=False)
    often: bool = field(default=False, compare=False, repr=False)
    rows: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" if self.low != self.high else str(self.low)

    @property
    def told(self) -> str:
        return f"{'run from' if self.low != self.high else 'hold'} {self}"


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Assumed) else value


def of_content(content: Any) -> Bounds | None:
    found = list(_flat(content))
    if not found or not all(isinstance(item, int | float) and float(item).is_integer() for item in found):
        return None
    low, high = int(min(found)), int(max(found))
    return Bounds(low, high, every=len({int(item) for item in found}) == high - low + 1)


def _flat(content: Any) -> Iterator[Any]:
    if isinstance(content, tuple):
        for item in content:
            yield from _flat(item)
    else:
        yield content


def whole(*values: Any) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def drawn(low: Any, high: Any) -> Bounds | None:
    """From `low` up to `high`, which is not drawn itself; one bound counts from 0."""
    low, high = (0, low) if high is None else (low, high)
    return Bounds(low, high - 1, random=True, every=True) if whole(low, high) and low < high else None


def _randint(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    get = getter(args, kwargs)
    return drawn(get(0, "low"), get(1, "high"))


def _uniform(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    """tf.random.uniform(shape, minval, maxval, dtype): integers only with an integer dtype."""
    get = getter(args, kwargs)
    low, high = get(1, "minval"), get(2, "maxval")
    return drawn(0 if low is None else low, high) if high is not None else None


def _arange(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    get = getter(args, kwargs)
    start, stop, step = get(0, "start"), get(1, "stop"), get(2, "step")
    stop = kwargs.get("end", kwargs.get("limit", stop))
    step = kwargs.get("delta", step)
    start, stop, step = (part.content if isinstance(part, Tensor) else part for part in (start, stop, step))
    start, stop = (0, start) if stop is None else (0 if start is None else start, stop)
    numbers = range(start, stop, 1 if step is None else step) if whole(start, stop) and step != 0 \
        and (step is None or whole(step)) else ()
    if not numbers:
        return None
    ends = numbers[0], numbers[-1]  # min() and max() would count them
    return Bounds(min(ends), max(ends), every=abs(numbers.step) == 1)


def getter(args: list[Any], kwargs: dict[str, Any]) -> Callable[[int, str], Any]:
    return lambda position, name: args[position] if position < len(args) else kwargs.get(name)


def _torch_labels(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    return Bounds(0, args[0] - 1, random=True, every=True) if args and whole(args[0]) else None


def _torch_rows(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    return Bounds(args[0], args[1], random=True) if whole(*args) else None


def _torch_randint(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    """torch.randint(high, size) and torch.randint(low, high, size)."""
    get = getter(args, kwargs)
    low, high = get(0, "low"), get(1, "high")
    return drawn(low, high if whole(high) else None) if whole(low) else drawn(high, None)


def _torch_randperm(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    count: Any = args[0] if args else kwargs.get("n")
    return Bounds(0, count - 1, random=True) if whole(count) and count > 0 else None


def stored(path: str, labels: bool, words: Any, mode: Any) -> Bounds | None:
    """Labels, or word indices below `num_words` (keras/src/datasets/imdb.py: load_data)."""
    if labels:
        known = mode is None or isinstance(mode, str)
        count = CLASSES[path] if "cifar100" not in path else MODES.get(mode) if known else None
        return None if count is None else Bounds(0, count - 1, random=True, every=True)
    return Bounds(1, words - 1, random=True) if path in TEXTS and whole(words) and 1 < words <= MOST_WORDS else None


SOURCES: dict[str, Callable[[list[Any], dict[str, Any]], Bounds | None]] = {
    "numpy.random.randint": _randint,
    "tensorflow.random.uniform": _uniform,
    TORCH_LABELS: _torch_labels, TORCH_ROWS: _torch_rows, CLASS_NUMBERS: _torch_labels,
    "torch.randint": _torch_randint, "torch.randperm": _torch_randperm,
    "numpy.arange": _arange, "torch.arange": _arange, "tensorflow.range": _arange, "keras.ops.arange": _arange,
}
