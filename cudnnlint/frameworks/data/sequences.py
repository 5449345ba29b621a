"""Keras sequences of batches that are not tf.data: ImageDataGenerator's iterators and TimeseriesGenerator."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any, ClassVar

from cudnnlint.events import Data
from cudnnlint.frameworks.data.images import channels, image_dims, image_size
from cudnnlint.frameworks.data.short_series import tell_of_short
from cudnnlint.frameworks.pandas.frames import TableOfV
from cudnnlint.frameworks.tfdata.dataset import Given, called_as
from cudnnlint.frameworks.training.feeding import batch_extent, rows_of, split_element
from cudnnlint.frameworks.training.images import tell_of_images
from cudnnlint.frameworks.training.structure import resting
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import Machine, assume
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.interp.wanted import batch_of
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Step, Tensor, Unknown, Where
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim, is_known
from cudnnlint.values.unknown import SeveralClasses

GENERATOR = "keras.preprocessing.image.ImageDataGenerator"
FRAMEWORK = Framework("keras.preprocessing", roots=("keras", "keras_preprocessing"), prefixes={
    "keras.legacy.preprocessing": "keras.preprocessing", "keras._legacy.preprocessing": "keras.preprocessing",
    "keras.preprocessing.image_dataset": "keras.preprocessing", "keras_preprocessing": "keras.preprocessing",
    "keras.legacy_tf_layers.preprocessing": "keras.preprocessing",
})


@record(frozen=True, slots=True)
class SequenceV:
    """Batches by index: fit() makes one pass over them, a for loop goes on for ever.

    element  structure of Tensors of one batch; a tuple is (x, y) or (x, y, sample_weight)
    batches  how many make one pass; rows: samples in them
    """

    element: Any
    batches: Any
    rows: Dim
    batch_size: Any
    span: Span | None = field(default=None, compare=False)
    assumptions: Assumptions = NONE
    extra: tuple[tuple[str, Any], ...] = field(default=(), compare=False)

    path: ClassVar[str] = "keras.preprocessing.image.Iterator"
    always_true: ClassVar[bool] = True

    def sample(self, m: Machine) -> Any:
        return wrap(resting(self.element, self.assumptions))

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.sample(m)

    def length(self, m: Machine) -> Any:
        return assume(self.batches, self.assumptions) if is_known(self.batches) else Unknown("number of batches")

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("n", "samples"):
            return assume(self.rows, self.assumptions)
        if name == "batch_size":
            return assume(self.batch_size, self.assumptions)
        return dict(self.extra).get(name, MISSING)

    def fed(self, m: Machine) -> Data:
        element = resting(self.element, self.assumptions)
        return split_element(element, kind="sequence", batches=self.batches, batched=True, span=self.span,
                             full=self._full())

    def _full(self) -> Dim:
        """Rows of the first batch, if there are so many."""
        if not is_known(self.batch_size) or self.batch_size <= 0:
            return Unknown("batch_size")
        size: int = self.batch_size
        return min(size, self.rows) if isinstance(self.rows, int) and self.rows > 0 else size

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


@FRAMEWORK.on("keras.preprocessing.image.Iterator.next", "keras.preprocessing.image.Iterator.__next__",
              "keras.preprocessing.image.Iterator.__getitem__", "keras.preprocessing.image.Iterator.__len__")
def method(c: Call) -> Any:
    held = Given(c).receiver
    if not isinstance(held, SequenceV):
        return Unknown("a batch")
    return held.length(c.machine) if called_as(c).endswith("__len__") else held.sample(c.machine)


@FRAMEWORK.on("keras.preprocessing.image.Iterator.reset", "keras.preprocessing.image.Iterator.on_epoch_end")
def silent(c: Call) -> Any:
    return None


@FRAMEWORK.on(f"{GENERATOR}.fit")
def fit(c: Call) -> None:
    tell_of_images(c, _array(Given(c).get(0, "x")), "fit")


@FRAMEWORK.on(f"{GENERATOR}.standardize", f"{GENERATOR}.random_transform", f"{GENERATOR}.apply_transform")
def same(c: Call) -> Any:
    return c.get(0, "x")


def _floatx(given: Given) -> Any:
    return given.call.machine.state.get("floatx", "float32")


def _setting(given: Given, name: str, default: Any) -> Any:
    """An argument of the ImageDataGenerator whose method is called; only keywords are looked at."""
    kwargs = getattr(given.receiver, "kwargs", {})
    value = strip(kwargs.get(name, default)) if isinstance(kwargs, dict) else Unknown(name)
    return Unknown(name) if isinstance(kwargs, dict) and "**" in kwargs and name not in kwargs else value


def _generated(given: Given) -> Any:
    """The dtype of its pictures: the ImageDataGenerator's, by default floatx."""
    return as_dtype(_setting(given, "dtype", None), _floatx(given), "numpy")


def _batched(given: Given, value: Any, extent: Dim, dtype: Any = None) -> Any:
    """A whole array cut to one batch."""
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple) or not value.shape:
        return value
    return Tensor((extent, *value.shape[1:]), dtype or value.dtype, "numpy", None, Step(given.call.span, (value,)),
                  value.assumptions)


@FRAMEWORK.on(f"{GENERATOR}.flow")
def flow(c: Call) -> Any:
    """Batches of arrays, x as floatx (keras/src/legacy/preprocessing/image.py: NumpyArrayIterator)."""
    given = Given(c)
    x, y, weights = (_array(given.get(at, name)) for at, name in ((0, "x"), (1, "y"), (4, "sample_weight")))
    tell_of_images(c, x, "flow")
    _tell_of_rows(c, x, y, "x", "y", "`x` (images tensor) and `y` (labels)")
    _tell_of_rows(c, x, weights, "x", "sample_weight", "`x` (images tensor) and `sample_weight`")
    size = batch_of(c.machine, given.number(2, "batch_size", 32))
    rows = _rows_of_subset(given, rows_of(x), given.get(10, "subset"))
    extent = batch_extent(rows, size)
    batch = _batched(given, x, extent, _generated(given))
    if y is None:
        return _sequence(given, batch, rows, size)
    parts = [batch, _batched(given, y, extent)]
    if weights is not None:
        parts.append(_batched(given, weights, extent))
    return _sequence(given, tuple(parts), rows, size)


def _tell_of_rows(c: Call, x: Any, other: Any, name: str, named: str, told: str) -> None:
    rows, others = rows_of(x), rows_of(other) if other is not None else None
    if isinstance(rows, int) and isinstance(others, int) and rows != others and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.MERGE, f"flow() is given {rows} rows of {name} and {others} of {named}",
            help="both of one part of the data, as train_test_split() gives them",
            error=f'ValueError "{told} should have the same length"', facts=(("rows", (rows, others)),)),
            what="ImageDataGenerator.flow")


def _rows_of_subset(given: Given, rows: Dim, subset: Any) -> Dim:
    """The first `validation_split` of the rows are those for validation (NumpyArrayIterator.__init__)."""
    split = _setting(given, "validation_split", 0.0)
    if subset is None or not is_known(rows):
        return rows
    if subset not in ("training", "validation") or not isinstance(split, float | int):
        return Unknown("a subset")
    kept_back = int(rows * split)  # type: ignore[operator]
    return kept_back if subset == "validation" else rows - kept_back  # type: ignore[operator]


def _array(value: Any) -> Any:
    return value if value is None else as_tensor(value, "numpy")


def _sequence(given: Given, element: Any, rows: Dim, size: Any, **extra: Any) -> SequenceV:
    batches = math.ceil(rows / size) if is_known(rows) and is_known(size) and size > 0 else Unknown("number of batches")
    return SequenceV(element, batches, rows, size, given.call.span, given.taken, tuple(extra.items()))


def _images(given: Given, first: int) -> SequenceV:
    """Batches of image files and their labels; `first` is the position of target_size, and color_mode, classes,
    class_mode and batch_size follow (keras/src/legacy/preprocessing/image.py: BatchFromFilesMixin)."""
    c = given.call
    size = batch_of(c.machine, given.number(first + 4, "batch_size", 32))
    extent = batch_extent(Unknown("files"), size)
    layout = _setting(given, "data_format", None) or c.machine.state.get("image_data_format", "channels_last")
    height, width = image_size(given.get(first, "target_size", (256, 256)))
    dims = image_dims(height, width, channels(given.get(first + 1, "color_mode", "rgb")), layout)
    x = Tensor((extent, *dims), _generated(given), "numpy", None, Step(c.span))
    classes = given.get(first + 2, "classes")
    named = isinstance(classes, list | tuple | dict) and classes
    count: Dim = len(classes) if named else SeveralClasses("number of classes")
    mode = given.get(first + 3, "class_mode", "categorical")
    _tell_of_mode(c, mode, frame=first == OF_FRAME)
    element = _with_labels(x, mode, extent, count)
    return _sequence(given, element, Unknown("files"), size, num_classes=count, image_shape=dims,
                     target_size=(height, width))


MODES = ("categorical", "binary", "sparse", "input")
"""keras/src/legacy/preprocessing/image.py: DirectoryIterator.allowed_class_modes; DataFrameIterator has two more."""
OF_FRAME = 5
"""The place of target_size in flow_from_dataframe()."""


def _tell_of_mode(c: Call, mode: Any, *, frame: bool) -> None:
    """`class_mode="other"`, which is "raw" since Keras 2.3."""
    taken = (*MODES, "raw", "multi_output") if frame else MODES
    if isinstance(mode, str) and mode not in taken and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"class_mode {mode!r} is none of {', '.join(map(repr, taken))} and None",
            help='class_mode="raw", the numbers of the columns' if frame and mode == "other" else "",
            error='ValueError "Invalid class_mode"', argument="class_mode",
            where=SINCE if mode == "other" else EVERYWHERE),
            what="flow_from_dataframe" if frame else "flow_from_directory")


SINCE = Where(keras=">=2.3")


def _with_labels(x: Tensor, mode: Any, extent: Dim, classes: Dim) -> Any:
    if mode is None:
        return x
    labels: dict[str, Any] = {"categorical": (extent, classes), "binary": (extent,), "sparse": (extent,)}
    if mode == "input":
        return (x, x)
    if isinstance(mode, str) and mode in labels:
        return (x, x.with_(shape=labels[mode], step=Step(x.step.span) if x.step else None))
    return (x, Unknown("labels")) if isinstance(mode, str) else Unknown("class_mode")


@FRAMEWORK.on(f"{GENERATOR}.flow_from_directory")
def flow_from_directory(c: Call) -> Any:
    return _images(Given(c), 1)


@FRAMEWORK.on(f"{GENERATOR}.flow_from_dataframe")
def flow_from_dataframe(c: Call) -> Any:
    given = Given(c)
    made = _images(given, OF_FRAME)
    columns = given.get(3, "y_col", "class")
    _tell_of_numbers(c, given.get(0, "dataframe"), columns, given.get(8, "class_mode", "categorical"))
    if given.get(8, "class_mode", "categorical") == "raw" and isinstance(columns, list | str):
        x = made.element[0]
        rest = () if isinstance(columns, str) else (len(columns),)
        y = x.with_(shape=(x.shape[0], *rest), dtype=Unknown("dtype of columns"), step=Step(c.span))
        made = replace(made, element=(x, y))  # keras/src/legacy/preprocessing/image.py: DataFrameIterator.labels
    weighted = given.get(4, "weight_col") is not None
    if weighted and isinstance(made.element, tuple):
        return replace(made, element=(*made.element, Unknown("weights")))
    return made


def _tell_of_numbers(c: Call, table: Any, name: Any, mode: Any) -> None:
    """Labels as the program wrote them into the table, which are numbers (keras/src/legacy/preprocessing/image.py:
    DataFrameIterator._check_params)."""
    held = table.column(name).held if isinstance(table, TableOfV) and isinstance(name, str) else None
    dtype = held.dtype if isinstance(held, Tensor) else "numbers" if isinstance(held, tuple) and held and all(
        isinstance(one, int | float) for one in held) else None
    if mode in ("categorical", "binary", "sparse") and isinstance(dtype, str) and is_certain(c.machine) \
            and dtype.startswith(("int", "uint", "float", "bool", "numbers")):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"class_mode {mode!r} takes texts, the column {name!r} holds {dtype}",
            help=f'df["{name}"].astype(str), or class_mode="raw"', argument="class_mode",
            error='TypeError "column values must be" strings'),
            what="flow_from_dataframe")


@FRAMEWORK.on("keras.preprocessing.sequence.TimeseriesGenerator")
def timeseries_generator(c: Call) -> Any:
    """Windows over rows (keras/src/legacy/preprocessing/sequence.py: TimeseriesGenerator)."""
    given = Given(c, method=False)
    data, targets = given.get(0, "data"), given.get(1, "targets")
    length, rate, stride = given.number(2, "length"), given.number(3, "sampling_rate", 1), given.number(4, "stride", 1)
    first, last = given.number(5, "start_index", 0), given.number(6, "end_index")
    size = batch_of(c.machine, given.number(9, "batch_size", 128))
    tell_of_short(c, total := rows_of(data), rows_of(targets), (length, first, last), given.taken)
    windows = _windows(total, length, stride, first, last)
    steps: Dim = -(-length // rate) if is_known(length) and is_known(rate) and rate > 0 else Unknown("length")
    extent = batch_extent(windows, size)
    if given.get(7, "shuffle", False) is not False:
        extent = size if given.get(7, "shuffle") is True and is_known(size) else Unknown("batch_size")
    x, y = _batched(given, _array(data), extent), _batched(given, _array(targets), extent)
    if isinstance(x, Tensor) and isinstance(x.shape, tuple) and x.shape:
        x = x.with_(shape=(extent, steps, *x.shape[1:]))
    return _sequence(given, (x, y), windows, size)


def _windows(total: Any, length: Any, stride: Any, first: Any, last: Any) -> Dim:
    """How many windows of `length` rows end before row `last`, which is included.

    >>> _windows(100, 10, 1, 0, None), _windows(100, 10, 3, 0, None)
    (90, 30)
    """
    if not all(is_known(part) for part in (total, length, stride, first)) or stride <= 0:
        return Unknown("number of windows")
    end = total - 1 if last is None else last
    return max(0, -(-(end + 1 - first - length) // stride)) if is_known(end) else Unknown("end_index")


__all__ = ["SequenceV"]
