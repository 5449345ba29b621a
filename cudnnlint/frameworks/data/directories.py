"""keras.utils.*_dataset_from_directory and timeseries_dataset_from_array: files and windows as batches."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.data.images import FRAMEWORK, channels, image_dims, image_size
from cudnnlint.frameworks.tfdata.batches import batched
from cudnnlint.frameworks.tfdata.dataset import VAGUE, DatasetV, Given, called_as
from cudnnlint.frameworks.training.feeding import rows_of
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.values import FREE, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known
from cudnnlint.values.unknown import SeveralClasses

FILES = Unknown("number of files")
LABELS_AT, MODE_AT, NAMES_AT = 1, 2, 3


def _spelled(name: str) -> tuple[str, ...]:
    return f"keras.utils.{name}", f"keras.preprocessing.{name}"


@FRAMEWORK.on(*_spelled("image_dataset_from_directory"), "keras.preprocessing.image.image_dataset_from_directory")
def image_dataset_from_directory(c: Call) -> Any:
    """Images resized to `image_size`, float32 (keras/src/utils/image_dataset_utils.py)."""
    given = Given(c, method=False)
    height, width = image_size(given.get(6, "image_size", (256, 256)))
    layout = given.get(15, "data_format") or c.machine.state.get("image_data_format", "channels_last")
    dims = image_dims(height, width, channels(given.get(4, "color_mode", "rgb")), layout)
    return _labelled(given, Tensor(dims, "float32", "tf", None, Step(c.span)), batch_at=5, subset_at=10)


@FRAMEWORK.on(*_spelled("text_dataset_from_directory"), "keras.preprocessing.text.text_dataset_from_directory")
def text_dataset_from_directory(c: Call) -> Any:
    """Whole files as scalar strings (keras/src/utils/text_dataset_utils.py)."""
    given = Given(c, method=False)
    return _labelled(given, Tensor((), "string", "tf", None, Step(c.span)), batch_at=4, subset_at=9)


@FRAMEWORK.on(*_spelled("audio_dataset_from_directory"))
def audio_dataset_from_directory(c: Call) -> Any:
    """Samples by channels, float32 (keras/src/utils/audio_dataset_utils.py)."""
    given = Given(c, method=False)
    length = given.number(6, "output_sequence_length")
    audio: Any = Tensor((FREE if length is None else length, FREE), "float32", "tf", None, Step(c.span))
    if given.get(7, "ragged", False) is not False:
        audio = Unknown("ragged audio")
    return _labelled(given, audio, batch_at=4, subset_at=11)


def _tell_of_subset(given: Given, subset_at: int) -> None:
    """keras/src/utils/dataset_utils.py: check_validation_split_arg"""
    c, part = given.call, plain(given.get(subset_at, "subset"))
    share, seed = plain(given.get(subset_at - 1, "validation_split")), plain(given.get(subset_at - 2, "seed"))
    shuffle = plain(given.get(subset_at - 3, "shuffle", True))
    if STAR in c.kwargs or not is_meant(c.machine) or c.machine.uncalled or any(
            isinstance(one, Unknown) for one in (part, share, seed, shuffle)):
        return
    name = called_as(c).rpartition(".")[2]
    if (not share) != (not part):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, f"{name} is given {'subset' if part else 'validation_split'} without "
            f"{'validation_split' if part else 'subset'}", argument="validation_split" if part else "subset",
            help="validation_split=0.2" if part else 'subset="training", and "validation" in another call',
            error='ValueError "If `subset` is set, `validation_split` must be set, and inversely."'), what=name,
            stage="called")
    elif share and shuffle is True and seed is None:
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, f"{name} shuffles before it splits, and is given no seed", argument="seed",
            help="the same seed in both calls", error='ValueError "If using `validation_split` and shuffling the data, '
            'you must provide a `seed` argument"'), what=name, stage="called")


def _labelled(given: Given, x: Any, *, batch_at: int, subset_at: int) -> Any:
    """One dataset, or with subset="both" a list of two; batch_size=None leaves it unbatched."""
    _tell_of_subset(given, subset_at)
    if given.get(99, "format", "tf") != "tf":
        return Unknown("a dataset that is not of tf.data")
    names = given.get(NAMES_AT, "class_names")
    known = isinstance(names, list | tuple) and names
    classes: Dim = len(names) if known else SeveralClasses("number of classes")
    element = _with_labels(given, x, classes)
    extra = (("class_names", ListV(names) if known else ListV([], Unknown("names of directories"))),
             ("file_paths", ListV([], FILES)))
    ds = DatasetV(element, FILES, FILES, span=given.call.span, assumptions=given.taken, extra=extra)
    size = given.number(batch_at, "batch_size", 32)
    if size is not None:
        ds = batched(given, ds, size, drop=False)
    subset = given.get(subset_at, "subset")
    if isinstance(subset, Unknown):
        return Unknown("one dataset or two")
    return ListV([ds, ds]) if subset == "both" else ds


def _with_labels(given: Given, x: Any, classes: Dim) -> Any:
    """The file with its label (keras/src/utils/dataset_utils.py: labels_to_dataset_tf)."""
    labels, mode = given.get(LABELS_AT, "labels", "inferred"), given.get(MODE_AT, "label_mode", "int")
    if labels is None or mode is None:
        return x
    if isinstance(labels, Unknown) or not isinstance(mode, str):
        return Unknown("label_mode")
    shapes: dict[str, tuple[tuple[Dim, ...], str]] = {
        "int": ((), "int32"), "binary": ((1,), "float32"), "categorical": ((classes,), "float32")}
    if mode not in shapes:
        return Unknown("label_mode")
    shape, dtype = shapes[mode]
    return x, Tensor(shape, dtype, "tf", None, Step(given.call.span))


@FRAMEWORK.on(*_spelled("timeseries_dataset_from_array"))
def timeseries_dataset_from_array(c: Call) -> Any:
    """Windows of `sequence_length` rows and the target of each (keras/src/utils/timeseries_dataset_utils.py)."""
    given = Given(c, method=False)
    data, targets = _array(given.get(0, "data", Unknown())), _array(given.get(1, "targets"))
    length = given.number(2, "sequence_length", Unknown("sequence_length"))
    stride, rate = given.number(3, "sequence_stride", 1), given.number(4, "sampling_rate", 1)
    size = given.number(5, "batch_size", 128)
    first, last = given.number(8, "start_index"), given.number(9, "end_index")
    limit = None if targets is None else rows_of(targets)
    count = sequences(rows_of(data), limit, length, stride, rate, first, last)
    window = _window(data, length, c)
    element: Any = window if targets is None else (window, _row(targets, c))
    ds = DatasetV(element, count, count, span=c.span, assumptions=given.taken, spec=VAGUE)
    return ds if size is None else batched(given, ds, size, drop=False)


def _array(value: Any) -> Any:
    return value if value is None else as_tensor(value, "numpy")


def _window(data: Any, length: Any, c: Call) -> Any:
    if not isinstance(data, Tensor) or not isinstance(data.shape, tuple) or not data.shape:
        return Unknown("unknown data")
    return data.with_(shape=(length if is_known(length) else Unknown("sequence_length"), *data.shape[1:]), kind="tf",
                      step=Step(c.span, (data,)))


def _row(data: Any, c: Call) -> Any:
    if not isinstance(data, Tensor) or not isinstance(data.shape, tuple) or not data.shape:
        return Unknown("unknown targets")
    return data.with_(shape=data.shape[1:], kind="tf", step=Step(c.span, (data,)))


def sequences(rows: Any, limit: Any, length: Any, stride: Any, rate: Any, first: Any, last: Any) -> Any:
    """How many windows there are; `limit` is the number of targets, None without them.

    >>> sequences(100, None, 10, 1, 1, None, None), sequences(100, 100, 10, 3, 2, None, None)
    (91, 28)
    """
    first, last = 0 if first is None else first, rows if last is None else last
    if not all(is_known(part) for part in (length, stride, rate, first, last)) or stride <= 0:
        return Unknown("number of windows")
    count = last - first - (length - 1) * rate
    if limit is not None:
        if not is_known(limit):
            return Unknown("number of targets")
        count = min(count, limit)
    return max(0, -(-count // stride))


__all__ = ["sequences"]
