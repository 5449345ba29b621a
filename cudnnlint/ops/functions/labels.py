"""keras.utils helpers on arrays: to_categorical, pad_sequences, normalize, img_to_array."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import known_size, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.norms import scaled
from cudnnlint.ops.functions.reduce import averaged
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.bounds import bounds
from cudnnlint.values.occurring import extremes
from cudnnlint.values.unknown import ClassCount, SeveralClasses


def classes(x: Tensor, num_classes: Any) -> Dim:
    """`num_classes`, or one more than the largest label where the labels are known."""
    if num_classes is not None:
        count = number(num_classes)
        return count if isinstance(count, int) and count >= 0 else ClassCount("num_classes")
    items = contents.flat(x.content)
    if items and all(isinstance(item, int) for item in items):
        return int(max(items)) + 1
    held = extremes(x)
    return held.high + 1 if held is not None and held.low >= 0 else SeveralClasses("the largest label")


@function("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical",
          versions={"x": ">=3", "y": "<3", "dtype": "<3"})
def to_categorical(x: Any = None, y: Any = None, num_classes: Any = None, dtype: Any = None) -> Outcome:
    """Labels, a last axis of 1 dropped, with a new axis of classes (keras/src/utils/numerical_utils.py).

    >>> print(to_categorical(Tensor((60000, 1), "uint8"), num_classes=10).shape)
    (60000, 10)
    """
    given = y if x is None else x
    number_of_one = isinstance(given, Unknown) and given.number
    labels = Tensor((), Unknown("a number"), "numpy") if number_of_one else as_tensor(given, "numpy")
    unset: DType = Unknown("float32 in Keras 2, float64 in Keras 3")
    if isinstance(labels, Unknown):
        return Tensor(labels, as_dtype(dtype, unset))
    found = as_dtype(dtype, "float32" if labels.kind != "numpy" else unset)
    if isinstance(labels.shape, Unknown):
        return labels.with_(dtype=found)
    lead = labels.shape[:-1] if len(labels.shape) > 1 and labels.shape[-1] == 1 else labels.shape
    if len(labels.shape) > 1 and isinstance(labels.shape[-1], Unknown) and not isinstance(labels.shape[-1], ClassCount):
        return labels.with_(shape=Unknown("a last axis that may be 1"), dtype=found)
    made = labels.with_(shape=(*lead, classes(labels, num_classes)), dtype=found)
    return too_few(labels, num_classes) or made


def too_few(labels: Tensor, num_classes: Any) -> Mismatch | None:
    """A label that has no column (keras/src/utils/numerical_utils.py: to_categorical)."""
    held, count = bounds(labels), number(num_classes) if num_classes is not None else None
    if held is None or not isinstance(count, int) or held.high < count:
        return None
    return Mismatch(
        Problem.LABEL, f"labels {held.told}, num_classes is {count}: 0 to {count - 1}",
        help=f"count from 0, y - {held.low}" if held.high - held.low < count and held.low > 0
        else f"num_classes={held.high + 1}",
        error=f'IndexError "index {held.high} is out of bounds for axis 1 with size {count}"')


@function("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(sequences: Any, maxlen: Any = None, dtype: Any = "int32", padding: Any = "pre",
                  truncating: Any = "pre", value: Any = 0.0) -> Outcome:
    """(number of sequences, maxlen, ...): what is inside a sequence decides the rest."""
    if isinstance(maxlen, str | float):
        return Mismatch(Problem.INVALID_ARGUMENT, f"maxlen is {maxlen!r}, no whole number", argument="maxlen",
                        help="int(...) of it", error=f"TypeError \"'{type(maxlen).__name__}' object cannot be "
                        'interpreted as an integer"')
    found = as_dtype(dtype, "int32", "numpy")
    length: Dim = known_size(number(maxlen)) if maxlen is not None else Unknown("the longest sequence")
    if isinstance(sequences, (list, tuple)):
        shapes = [row.shape for row in sequences if isinstance(row, Tensor) and isinstance(row.shape, tuple)]
        if shapes and len(shapes) == len(sequences) and all(shapes) and len({shape[1:] for shape in shapes}) == 1:
            steps = [shape[0] for shape in shapes if isinstance(shape[0], int)]
            if maxlen is None and len(steps) == len(shapes):
                length = max(steps)
            return Tensor((len(sequences), length, *shapes[0][1:]), found)
        if sequences and all(isinstance(row, int | float) for row in sequences):
            return _flat("a list of numbers")
        rows = [row for row in sequences if isinstance(row, (list, tuple))]
        plain = len(rows) == len(sequences) and all(isinstance(item, (int, float, str)) for row in rows for item in row)
        if not plain:
            return Tensor(Unknown("sequences"), found)
        longest = max((len(row) for row in rows), default=0)
        return Tensor((len(rows), longest if maxlen is None else length), found)
    x = as_tensor(sequences, "numpy")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return Tensor(Unknown("sequences"), found)
    if len(x.shape) == 1 and isinstance(x.dtype, str) and x.dtype in NUMBERS:
        return _flat("an array of numbers")
    if len(x.shape) == 1:  # an array of lists
        return Tensor((x.shape[0], length) if not _filled_later(x) else Unknown("what was put into the array"), found)
    return x.with_(shape=(x.shape[0], x.shape[1] if maxlen is None else length, *x.shape[2:]), dtype=found)


NUMBERS = frozenset({"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"})


def _flat(given: str) -> Mismatch:
    """Labels, or one sequence (keras/src/utils/sequence_utils.py: pad_sequences)."""
    return Mismatch(Problem.RANK, f"pad_sequences needs sequences, {given} is one", help="a list of sequences",
                    error='ValueError "`sequences` must be a list of iterables"')


EMPTY = frozenset({"numpy.empty", "numpy.zeros", "numpy.ndarray", "numpy.full", "numpy.empty_like", "numpy.zeros_like"})


def _filled_later(x: Tensor) -> bool:
    """`np.empty(n, dtype=object)`: each place holds a list, or a matrix, that the program puts there."""
    for _ in range(20):
        if x.step is None or x.step.maker in EMPTY:
            return x.step is not None
        if not x.step.parents:
            return False
        x = x.step.parents[0]
    return True


@function("keras.utils.normalize")
def normalize(x: Any, axis: Any = -1, order: Any = 2) -> Outcome:
    made = scaled(x, axis, "numpy", "keras.utils.normalize")
    return made.with_(dtype=averaged(made.dtype, "numpy")) if isinstance(made, Tensor) else made


@function("keras.utils.img_to_array", "keras.preprocessing.image.img_to_array")
def img_to_array(img: Any, data_format: Any = None, dtype: Any = None) -> Outcome:
    """Three axes; a grayscale array gets one for its channel."""
    found = as_dtype(dtype, "float32", "numpy")
    x = as_tensor(img, "numpy") if isinstance(img, Tensor) else Unknown("image")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return Tensor((Unknown("image"), Unknown("image"), Unknown("image")), found)
    if len(x.shape) == 2:
        first = data_format == "channels_first"
        return x.with_(shape=(1, *x.shape) if first else (*x.shape, 1), dtype=found)
    return x.with_(dtype=found)
