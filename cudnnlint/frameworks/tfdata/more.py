"""tf.data: datasets out of datasets, and what a program asks of a dataset."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import INFINITE
from cudnnlint.frameworks.tfdata.calls import new_element, on_element
from cudnnlint.frameworks.tfdata.dataset import ROWS_OPEN, VAGUE, DatasetV, Given, as_element, called_as, joined, opened
from cudnnlint.frameworks.tfdata.making import FRAMEWORK, spec_tensor, transformation
from cudnnlint.frameworks.tfdata.refused import no_dataset, refuse
from cudnnlint.frameworks.tfdata.steps import merged
from cudnnlint.frameworks.training.structure import over, resting
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.graphs.sessions import built
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import GeneratorV, MethodV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.tensors import shape_value
from cudnnlint.values import Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import is_known

OPEN = Unknown("number of elements")


@transformation("flat_map", "interleave", "parallel_interleave")
def flat_map(given: Given, ds: DatasetV) -> Any:
    """The elements of the dataset that the function makes of each element."""
    made = plain(on_element(given, given.get(0, "map_func"), ds.element))
    if (wrong := no_dataset(given.call.path.rpartition(".")[2], made)) is not None:
        refuse(given.call, "flat_map", ds.element, wrong, ds.assumptions)
        return Unknown("flat_map() fails")
    if not isinstance(made, DatasetV):
        return DatasetV(span=ds.span, batched=Unknown("what the function gives"))
    count = _product(ds.cardinality, made.cardinality)
    batched = False if made.batched is False else Unknown("batches inside a window")
    return made.with_(element=opened(made.element), cardinality=count, batched=batched, batch_size=None,
                      rows=count if batched is False else OPEN, declared=False, span=ds.span,
                      assumptions=ds.assumptions | made.assumptions,
                      spec=VAGUE if ds.spec_inside == VAGUE else made.spec)


def _product(outer: Any, inner: Any) -> Any:
    if 0 in (outer, inner):
        return 0
    if INFINITE in (outer, inner):
        return INFINITE if all(is_known(count) or count == INFINITE for count in (outer, inner)) else OPEN
    return outer * inner if is_known(outer) and is_known(inner) else OPEN


@FRAMEWORK.on("tensorflow.data.Dataset.choose_from_datasets", "tensorflow.data.Dataset.sample_from_datasets",
              "tensorflow.data.experimental.choose_from_datasets", "tensorflow.data.experimental.sample_from_datasets")
def from_datasets(c: Call) -> Any:
    """Elements of one dataset or another; sampling goes on while one of them does
    (tensorflow/python/data/ops/sample_from_datasets_op.py)."""
    given = Given(c, method=False)
    parts = given.get(0, "datasets")
    if not isinstance(parts, list | tuple) or not parts or not all(isinstance(part, DatasetV) for part in parts):
        return Unknown("one of several datasets")
    made: DatasetV = parts[0]
    for part in parts[1:]:
        made = merged(made, part)
    sampled = called_as(c).endswith("sample_from_datasets")
    stops = given.get(3, "stop_on_empty_dataset", False)
    endless = [part.cardinality == INFINITE for part in parts]
    forever = sampled and (all(endless) or (any(endless) and stops is False))
    count = INFINITE if forever else OPEN
    return made.with_(cardinality=count, rows=count, declared=bool(forever))


@transformation("scan")
def scan(given: Given, ds: DatasetV) -> Any:
    """map() with a state: the function gives (new state, element)."""
    state = _state(given, 0)
    made = plain(on_element(given, given.get(1, "scan_func"), ds.element, wrap(state)))
    pair = isinstance(made, tuple) and len(made) == 2
    return ds.with_(element=new_element(given, made[1]) if pair else Unknown("what scan() gives"), spec=ds.spec_inside,
                    unranked=False)


@transformation("rejection_resample")
def rejection_resample(given: Given, ds: DatasetV) -> Any:
    """Some of the elements, each behind its class
    (tensorflow/python/data/ops/rejection_resample_op.py: _rejection_resample)."""
    label = new_element(given, on_element(given, given.get(0, "class_func"), ds.element))
    return ds.with_(element=(label, ds.element), cardinality=OPEN, rows=OPEN, declared=False, spec=VAGUE)


@transformation("apply")
def apply(given: Given, ds: DatasetV) -> Any:
    c = given.call
    return c.machine.call(given.get(0, "transformation_func"), [ds], {}, c.node)


@transformation("as_numpy_iterator")
def as_numpy_iterator(given: Given, ds: DatasetV) -> Any:
    """The elements as NumPy arrays."""
    element = over(resting(ds.element, ds.assumptions), lambda item: item.with_(kind="numpy")
                   if isinstance(item, Tensor) else item)
    one = wrap(element)
    if isinstance(ds.cardinality, int) and ds.cardinality <= 4 and not ds.assumptions:
        return GeneratorV(ListV([one] * ds.cardinality), complete=True)
    unknown = Unknown("elements of a dataset")
    return GeneratorV(ListV([one], unknown), complete=False, infinite=ds.cardinality == INFINITE)


@transformation("get_single_element", "get_next", "next", "__next__", "get_next_as_optional")
def one_element(given: Given, ds: DatasetV) -> Any:
    built(given.call.machine, "tensorflow.data.Iterator.get_next", given.call.span)
    return ds.sample(given.call.machine)


@transformation("__iter__")
def iterator(given: Given, ds: DatasetV) -> Any:
    """An iterator is followed as the dataset itself: next() gives a typical element."""
    return ds.as_iterator()


@transformation("make_one_shot_iterator", "make_initializable_iterator")
def iterator_of_graph(given: Given, ds: DatasetV) -> Any:
    built(given.call.machine, "tensorflow.data.Dataset.make_iterator", given.call.span)
    return ds.as_iterator()


@FRAMEWORK.on("*.make_initializer")
def initializer(c: Call) -> Any:
    """Of an iterator that takes several datasets: the operation that begins with this one
    (tensorflow/python/data/ops/iterator_ops.py: Iterator.make_initializer)."""
    built(c.machine, "tensorflow.data.Iterator.make_initializer", c.span)
    return Unknown("an operation")


@FRAMEWORK.on("tensorflow.data.make_one_shot_iterator", "tensorflow.data.make_initializable_iterator",
              "tensorflow.data.experimental.get_single_element")
def of_dataset(c: Call) -> Any:
    ds = plain(c.get(0, "dataset"))
    if isinstance(ds, DatasetV) and called_as(c).endswith("element"):
        return ds.sample(c.machine)
    built(c.machine, called_as(c), c.span)
    return ds.as_iterator() if isinstance(ds, DatasetV) else Unknown("an unknown dataset")


@transformation("reduce")
def reduce(given: Given, ds: DatasetV) -> Any:
    """The state after the last element; only its shape may change on the way
    (tensorflow/python/data/ops/dataset_ops.py: DatasetV2.reduce)."""
    state = _state(given, 0)
    made = new_element(given, on_element(given, given.get(1, "reduce_func"), ds.element, wrap(state)))
    return wrap(joined(state, made, _last))


def _state(given: Given, position: int) -> Any:
    """The state that is handed on: a plain number may have been np.int64(0), and no value is that of later turns."""
    def leaf(item: Any) -> Any:
        if isinstance(item, bool | int | float):
            return Tensor((), Unknown("dtype of a number"), "tf", None, Step(given.call.span))
        made = as_element(item, given.call.span)
        return made.with_() if isinstance(made, Tensor) else made

    return over(given.get(position, "initial_state"), leaf)


def _last(before: Tensor, after: Tensor) -> Tensor:
    same = isinstance(before.shape, tuple) and before.shape == after.shape
    return after.with_(shape=before.shape if same else Unknown("result of reduce()"),
                       dtype=before.dtype if isinstance(before.dtype, str) else after.dtype)


@transformation("cardinality")
def cardinality(given: Given, ds: DatasetV) -> Any:
    """A scalar: -1 for ever, -2 where TensorFlow does not know."""
    known = is_known(ds.cardinality) and ds.declared
    value = ds.cardinality if known else -1 if ds.cardinality == INFINITE and ds.declared else None
    return assume(Tensor((), "int64", "tf", value, Step(given.call.span)), ds.assumptions)


@transformation("__len__")
def length(given: Given, ds: DatasetV) -> Any:
    return ds.length(given.call.machine)


@FRAMEWORK.on("tensorflow.data.experimental.cardinality")
def cardinality_of(c: Call) -> Any:
    ds = c.get(0, "dataset")
    return c.machine.call(MethodV(ds, "tensorflow.data.Dataset.cardinality"), [], {}, c.node) \
        if isinstance(plain(ds), DatasetV) else Unknown("cardinality of an unknown dataset")


@FRAMEWORK.attribute("tensorflow.data.Dataset.element_spec")
def element_spec(m: Machine, ds: DatasetV) -> Any:
    """tf.TensorSpecs, with None where TensorFlow does not know an extent."""
    def leaf(item: Any) -> Any:
        if not isinstance(item, Tensor):
            return Unknown("a type specification")
        shape: Any = Unknown("what TensorFlow knows of the shape")
        if isinstance(item.shape, tuple) and ds.spec != VAGUE:
            shape = tuple(None if isinstance(dim, Symbol) else dim for dim in item.shape)
            shape = (None, *shape[1:]) if ds.spec == ROWS_OPEN and shape else shape
        return ObjectV("tensorflow.TensorSpec", (shape, item.dtype), {}, ds.span)  # type: ignore[arg-type]

    return wrap(over(ds.element, leaf))


@FRAMEWORK.attribute("tensorflow.TensorSpec.shape", "tensorflow.RaggedTensorSpec.shape")
def spec_shape(m: Machine, spec: Any) -> Any:
    made = spec_tensor(spec, spec.span)
    return shape_value(made.with_(kind="keras")) if isinstance(made, Tensor) else Unknown("shape of a specification")


@FRAMEWORK.attribute("tensorflow.TensorSpec.dtype")
def spec_dtype(m: Machine, spec: Any) -> Any:
    made = spec_tensor(spec, spec.span)
    return made.dtype if isinstance(made, Tensor) else Unknown("dtype of a specification")


@transformation("assert_cardinality")
def assert_cardinality(given: Given, ds: DatasetV) -> Any:
    """The program vouches for the number of elements."""
    count = given.number(0, "expected_cardinality")
    count = INFINITE if count == -1 else count if is_known(count) and count >= 0 else OPEN
    return ds.with_(cardinality=count, rows=count if ds.batched is False else OPEN, declared=True,
                    assumptions=ds.assumptions | given.taken)


@FRAMEWORK.on("tensorflow.compat.v1.data.get_output_types", "tensorflow.data.get_output_types")
def output_types(c: Call) -> Any:
    """The dtypes of an element (tensorflow/python/data/ops/dataset_ops.py: get_legacy_output_types)."""
    ds = plain(c.get(0, "dataset_or_iterator"))
    if not isinstance(ds, DatasetV) or isinstance(ds.element, Unknown):
        return Unknown("elements of an unknown dataset")
    return wrap(over(ds.element, lambda item: item.dtype if isinstance(item, Tensor) else Unknown("a type")))
