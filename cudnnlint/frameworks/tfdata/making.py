"""tf.data: where datasets come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events import INFINITE, DatasetMade, Rejected, tensors
from cudnnlint.frameworks.pandas.columns import is_mixed
from cudnnlint.frameworks.tensorflow.placement import device_of
from cudnnlint.frameworks.tfdata.apart import tell_of_apart
from cudnnlint.frameworks.tfdata.dataset import SAME, VAGUE, DatasetV, Given, as_element, called_as, rows_off
from cudnnlint.frameworks.tfdata.differing import varied
from cudnnlint.frameworks.tfdata.signatures import listed, tell_of_structure, tell_of_yielded, uncallable
from cudnnlint.frameworks.training.feeding import batch_extent
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.builtin.several import structure_of
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import start
from cudnnlint.interp.join import join
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import GeneratorV, InstanceV
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.ops.arith import as_shape
from cudnnlint.source import Span
from cudnnlint.values import FREE, Mismatch, Problem, Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import is_known, meet

FRAMEWORK = Framework("tf.data", roots=("tensorflow",), prefixes={
    "tensorflow.python.data.ops.dataset_ops.Dataset": "tensorflow.data.Dataset",
    "tensorflow.python.data.ops.dataset_ops.DatasetV2": "tensorflow.data.Dataset",
    "tensorflow.contrib.data.Dataset": "tensorflow.data.Dataset",
})
for _name in ("tensorflow.data.AUTOTUNE", "tensorflow.data.experimental.AUTOTUNE",
              "tensorflow.data.experimental.INFINITE_CARDINALITY", "tensorflow.data.INFINITE_CARDINALITY"):
    FRAMEWORK.constant(_name, -1)
for _name in ("tensorflow.data.experimental.UNKNOWN_CARDINALITY", "tensorflow.data.UNKNOWN_CARDINALITY"):
    FRAMEWORK.constant(_name, -2)


Transformation = Callable[[Given, DatasetV], Any]


def transformation(*names: str) -> Callable[[Transformation], Transformation]:
    """Register a method of datasets; it is only called on datasets that are followed."""

    def decorate(function: Transformation) -> Transformation:
        def handle(c: Call) -> Any:
            given = Given(c)
            ds = given.dataset
            return ds if isinstance(ds, Unknown) else _marked(function(given, ds), ds, c.span)

        FRAMEWORK.on(*(f"tensorflow.data.Dataset.{name}" for name in names))(handle)
        return function

    return decorate


def _marked(made: Any, ds: DatasetV, span: Span) -> Any:
    """A dataset that becomes empty or endless here says so; attributes that Keras set stay behind with the old one."""
    if not isinstance(made, DatasetV):
        return made
    made = made.without_extra()
    turned = made.cardinality in (0, INFINITE) and made.cardinality != ds.cardinality
    return made.with_(span=span) if turned else made


def inner(value: Any, given: Given) -> Any:
    """A structure of what tf.data converts to tensors: only tuples and dicts keep their structure."""
    return as_element(value, given.call.span, top=False)


@FRAMEWORK.on("tensorflow.data.Dataset.from_tensor_slices")
def from_tensor_slices(c: Call) -> Any:
    """One element for each row of the arrays, which must have the same number of rows."""
    given = Given(Call(c.machine, c.callee, [structure_of(arg, "tf") for arg in c.args],
                       {name: structure_of(value, "tf") for name, value in c.kwargs.items()}, c.node), method=False)
    start(c.machine, c.span)
    tell_of_apart(c)
    value = inner(given.get(0, "tensors", Unknown("tensors")), given)
    rows: Any = Unknown("number of rows")
    for tensor in tensors(value):
        if is_mixed(tensor):
            return _refuse(given, value, Mismatch(
                Problem.DTYPE, f"from_tensor_slices() is given a table with columns of texts or dates: {tensor}",
                help="dict(table), or numbers in their place",
                error='ValueError "Failed to convert a NumPy array to a Tensor (Unsupported object type"'))
        if tensor.shape == ():
            return _refuse(given, value, Mismatch(
                Problem.RANK, "from_tensor_slices needs at least 1 axis, a scalar is given",
                error='ValueError "Unbatching a tensor is only supported for rank >= 1"'))
        size = tensor.shape[0] if isinstance(tensor.shape, tuple) else rows
        if is_known(size) and is_known(rows) and size != rows:
            return _refuse(given, value, Mismatch(
                Problem.MERGE, f"arrays with {rows} and {size} rows are sliced together",
                help="give every array the same number of rows",
                error=f'ValueError "Dimensions {rows} and {size} are not compatible"', facts=(("rows", (rows, size)),)))
        rows = size if is_known(size) else rows
    _made(given, value)
    held = plain(c.get(0, "tensors"))
    own = isinstance(held, InstanceV) and held.cls.fields is None  # a tf.experimental.ExtensionType, say
    return DatasetV(rows_off(value, c.span), rows, rows, span=c.span, assumptions=given.taken, shuffled=False,
                    spec=_spec(given, value), batched=Unknown("rows of an object") if own else False)


def _spec(given: Given, value: Any) -> str:
    """A tensor at hand has extents that differ from run to run, and TensorFlow knows them."""
    shapes = [tensor.shape for tensor in tensors(value) if isinstance(tensor.shape, tuple)]
    differ = any(isinstance(dim, Symbol) for shape in shapes for dim in shape)
    return VAGUE if differ and not given.call.machine.tracing else SAME


def _made(given: Given, value: Any) -> None:
    c = given.call
    c.machine.say(DatasetMade, c.span, about=tensors(value), assumptions=given.taken, arrays=value,
                  device=device_of(c.machine))


def _refuse(given: Given, value: Any, mismatch: Mismatch) -> Unknown:
    c = given.call
    c.machine.say(Rejected, c.span, about=tensors(value), assumptions=given.taken,
                  what="tf.data.Dataset.from_tensor_slices", mismatch=mismatch, inputs=value)
    return Unknown("from_tensor_slices() fails")


@FRAMEWORK.on("tensorflow.data.Dataset.from_tensors")
def from_tensors(c: Call) -> Any:
    """The arrays as they are, as the only element: often one whole batch."""
    given = Given(c, method=False)
    value = inner(given.get(0, "tensors", Unknown("tensors")), given)
    _made(given, value)
    return DatasetV(value, 1, 1, batched=Unknown("whole arrays"), span=c.span, assumptions=given.taken,
                    spec=_spec(given, value))


@FRAMEWORK.on("tensorflow.data.Dataset.range")
def range_(c: Call) -> Any:
    given = Given(c, method=False)
    values = [given.number(i, "", None) for i in range(len(given.args))]
    count: Any = Unknown("length of a range")
    first, last, step = {1: (0, *values, 1), 2: (*values, 1), 3: values}.get(len(values), (None,) * 3)
    if all(is_known(value) for value in (first, last, step)) and step != 0:
        count = max(0, -(-(last - first) // step))
    dtype = given.get(9, "output_type", "int64")
    element = Tensor((), dtype if isinstance(dtype, str) else Unknown("output_type"), "tf", None, Step(c.span))
    return DatasetV(element, count, count, span=c.span, assumptions=given.taken)


@FRAMEWORK.on("tensorflow.data.Dataset.random", "tensorflow.data.experimental.RandomDataset")
def random(c: Call) -> Any:
    return DatasetV(Tensor((), "int64", "tf", None, Step(c.span)), INFINITE, INFINITE, span=c.span)


@FRAMEWORK.on("tensorflow.data.Dataset.counter", "tensorflow.data.experimental.Counter")
def counter(c: Call) -> Any:
    given = Given(c, method=False)
    dtype = given.get(2, "dtype", "int64")
    element = Tensor((), dtype if isinstance(dtype, str) else Unknown("dtype"), "tf", None, Step(c.span))
    return DatasetV(element, INFINITE, INFINITE, span=c.span, assumptions=given.taken)


@FRAMEWORK.on("tensorflow.data.TFRecordDataset", "tensorflow.data.TextLineDataset",
              "tensorflow.data.FixedLengthRecordDataset", "tensorflow.data.Dataset.list_files")
def strings(c: Call) -> Any:
    """Records, lines or file names: scalar strings, as many as the files hold."""
    listed = called_as(c).endswith("list_files")  # whose files TensorFlow counts
    return DatasetV(Tensor((), "string", "tf", None, Step(c.span)), declared=listed, span=c.span)


@FRAMEWORK.on("tensorflow.data.experimental.CsvDataset")
def csv(c: Call) -> Any:
    """One scalar for each column (tensorflow/python/data/experimental/ops/readers.py: CsvDatasetV2)."""
    given = Given(c, method=False)
    columns = given.get(1, "record_defaults")
    if not isinstance(columns, list | tuple):
        return DatasetV(declared=False, span=c.span)
    dtypes = [item if isinstance(item, str) else Unknown("dtype of a column") for item in columns]
    return DatasetV(tuple(Tensor((), dtype, "tf", None, Step(c.span)) for dtype in dtypes), declared=False, span=c.span)


def spec_tensor(value: Any, span: Any) -> Any:
    """The tensor that a tf.TensorSpec describes; the spec of None and of ragged values is not followed."""
    if isinstance(value, ObjectV) and value.path.rpartition(".")[2] in ("TensorSpec", "KerasTensor"):
        shape = value.args[0] if value.args else value.kwargs.get("shape")
        dtype = plain(value.args[1] if len(value.args) > 1 else value.kwargs.get("dtype", "float32"))
        return declared(strip(shape), dtype, span)
    return Unknown("a type specification")


def declared(shape: Any, dtype: Any, span: Any) -> Tensor:
    """A tensor of a declared shape; None, for the whole shape, leaves even the rank open."""
    dims = Unknown("shape not declared") if shape is None else as_shape(shape)
    return Tensor(dims, dtype if isinstance(dtype, str) else Unknown("dtype"), "tf", None, Step(span))


@FRAMEWORK.on("tensorflow.data.Dataset.from_generator")
def from_generator(c: Call) -> Any:
    """What the signature declares, refined by what the generator is seen to yield."""
    m = c.machine
    given = Given(c, method=False)
    if (wrong := uncallable(given.get(0, "generator"))) is not None:
        return _refuse(given, None, wrong)
    signature = given.get(4, "output_signature")
    types, shapes = given.get(1, "output_types"), given.get(2, "output_shapes")
    wrong = listed(signature, "output_signature") if signature is not None else listed(types, "output_types")
    if wrong is not None:
        return _refuse(given, None, wrong)
    if signature is not None:
        element = over(signature, lambda item: spec_tensor(item, c.span))
    elif types is not None:
        element = _by_types(types, shapes, c.span)
    else:
        element = Unknown("no output_signature")
    made, told = _run_generator(m, c, given), [tensor.shape for tensor in tensors(element)]
    count: Any = Unknown("number of elements that a generator yields")
    if isinstance(made, GeneratorV):
        if made.infinite:
            count = INFINITE
        elif made.complete and not made.elements.unknown:
            count = len(made.elements.items)
        if made.elements.items:
            seen = as_element(strip(join(made.elements.items)), c.span)
            items = [as_element(strip(item), c.span) for item in made.elements.items]
            if not tell_of_structure(c, signature if signature is not None else types,
                                     [strip(item) for item in made.elements.items]):
                tell_of_yielded(c, element, seen)
            element = varied(m, items, refine(element, seen), c.span)
    unranked = signature is None and shapes is None and types is not None and not isinstance(types, Unknown)
    spec = SAME if told == [tensor.shape for tensor in tensors(element)] else VAGUE
    return DatasetV(element, count, count, batched=Unknown("what a generator yields"), declared=False, span=c.span,
                    assumptions=given.taken, spec=spec, unranked=unranked)


def _by_types(types: Any, shapes: Any, span: Any) -> Any:
    if isinstance(types, Unknown):  # one tensor or many
        return types
    if isinstance(types, tuple):
        parts = shapes if isinstance(shapes, tuple | list) and len(shapes) == len(types) else (None,) * len(types)
        return tuple(_by_types(one, part, span) for one, part in zip(types, parts, strict=True))
    if isinstance(types, dict):
        named = shapes if isinstance(shapes, dict) else {}
        return {key: _by_types(one, named.get(key), span) for key, one in types.items()}
    return declared(shapes, types, span)


def _run_generator(m: Machine, c: Call, given: Given) -> Any:
    generator = given.args[0] if given.args else c.kwargs.get("generator", Unknown("generator"))
    args = given.get(3, "args")
    values = [as_element(arg, c.span) for arg in args] if isinstance(args, list | tuple) else []
    return plain(m.call(generator, values, {}, c.node))


def refine(spec: Any, seen: Any) -> Any:
    """The declared structure with the extents that every element is seen to have."""
    if isinstance(spec, tuple) and isinstance(seen, tuple) and len(spec) == len(seen):
        return tuple(refine(a, b) for a, b in zip(spec, seen, strict=True))
    if isinstance(spec, dict) and isinstance(seen, dict) and spec.keys() == seen.keys():
        return {key: refine(spec[key], seen[key]) for key in spec}
    if isinstance(spec, Tensor) and isinstance(seen, Tensor):
        return _refined(spec, seen)
    return seen if isinstance(spec, Unknown) else spec


def _refined(spec: Tensor, seen: Tensor) -> Tensor:
    if isinstance(seen.shape, Unknown):
        return spec
    if isinstance(spec.shape, Unknown):
        return spec.with_(shape=tuple(FREE if isinstance(dim, Symbol) else dim for dim in seen.shape))
    if len(spec.shape) != len(seen.shape):
        return spec
    return spec.with_(shape=tuple(meet(a, b) for a, b in zip(spec.shape, seen.shape, strict=True)))


@FRAMEWORK.on("tensorflow.data.experimental.make_csv_dataset")
def make_csv_dataset(c: Call) -> Any:
    """Batches of named columns, repeated for ever by default
    (tensorflow/python/data/experimental/ops/readers.py: make_csv_dataset_v2)."""
    given = Given(c, method=False)
    size, epochs = given.number(1, "batch_size"), given.number(10, "num_epochs")
    count: Any = INFINITE if epochs is None else Unknown("rows of files")
    extent = batch_extent(count, size, drop_remainder=epochs is None)
    columns = Unknown("columns of a file")
    label = Tensor((extent,), Unknown("dtype of a column"), "tf", None, Step(c.span))
    element: Any = columns if given.get(4, "label_name") is None else (columns, label)
    return DatasetV(element, count, count, batched=True, batch_size=size, declared=epochs is None, span=c.span,
                    assumptions=given.taken)


__all__ = ["FRAMEWORK", "declared", "spec_tensor", "transformation"]
