"""Keras, under all its names: how inputs, models and layers come to be and what they tell of themselves."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import ModelMade, Rejected
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.building import add_all, add_layer, functional
from cudnnlint.interp.keras.connected import tell_of_one_end
from cudnnlint.interp.keras.dim_order import note_order
from cudnnlint.interp.keras.layer_names import refuse_slash
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.loops.turns import came_to_be
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import External, GeneratorV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.input_dtypes import unknown_dtypes
from cudnnlint.ops.whole import fractional_inputs
from cudnnlint.values import BATCH, Mismatch, Problem, Step, Symbol, Tensor, Unknown, Where
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.dim import is_known

FRAMEWORK = Framework(
    "keras", roots=("keras", "tf_keras", "keras_core", "tensorflow"),
    prefixes={
        "tensorflow.keras": "keras", "tf_keras": "keras", "keras_core": "keras", "tensorflow.python.keras": "keras",
        "tensorflow.compat.v1.keras": "keras", "tensorflow.compat.v2.keras": "keras",
        "tensorflow._api.v2.keras": "keras", "tensorflow.contrib.keras": "keras",
        "keras.src": "keras", "keras.api": "keras", "keras._tf_keras.keras": "keras", "keras.python": "keras",
        "keras.legacy.backend": "keras.backend", "keras._legacy.backend": "keras.backend",
        "keras.models.Sequential": "keras.Sequential", "keras.models.Model": "keras.Model",
        "keras.engine.topology": "keras.engine", "keras.engine.training": "keras", "keras.engine.sequential": "keras",
        "keras.engine.functional": "keras", "keras.engine.input_layer": "keras",
        "keras.engine.training.Model": "keras.Model",
        "keras.engine.Model": "keras.Model", "keras.models.Functional": "keras.Model",
        "keras.models.functional.Functional": "keras.Model", "keras.engine.functional.Functional": "keras.Model",
        "keras.models.model.Model": "keras.Model", "keras.models.sequential.Sequential": "keras.Sequential",
        "keras.engine.sequential.Sequential": "keras.Sequential",
        "keras.layers.Input": "keras.Input", "keras.engine.Input": "keras.Input",
        "keras.engine.input_layer.Input": "keras.Input",
        "keras.engine.input_layer.InputLayer": "keras.layers.InputLayer",
        "keras.engine.base_layer.Layer": "keras.layers.Layer", "keras.engine.Layer": "keras.layers.Layer",
        "keras.engine.InputSpec": "keras.layers.InputSpec", "keras.Layer": "keras.layers.Layer",
        "keras.engine.base_layer.InputSpec": "keras.layers.InputSpec", "keras.InputSpec": "keras.layers.InputSpec",
        "keras.Loss": "keras.losses.Loss", "keras.Metric": "keras.metrics.Metric",
        "keras.Optimizer": "keras.optimizers.Optimizer", "keras.Initializer": "keras.initializers.Initializer",
        "keras.Regularizer": "keras.regularizers.Regularizer",
        "keras.layers.core": "keras.layers", "keras.layers.convolutional": "keras.layers",
        "keras.layers.pooling": "keras.layers", "keras.layers.normalization": "keras.layers",
        "keras.layers.merge": "keras.layers", "keras.layers.merging": "keras.layers",
        "keras.layers.advanced_activations": "keras.layers",
        "keras.layers.activation": "keras.layers", "keras.layers.recurrent": "keras.layers",
        "keras.layers.rnn": "keras.layers", "keras.layers.embeddings": "keras.layers",
        "keras.layers.wrappers": "keras.layers", "keras.layers.noise": "keras.layers",
        "keras.layers.regularization": "keras.layers", "keras.layers.reshaping": "keras.layers",
        "keras.layers.local": "keras.layers", "keras.layers.attention": "keras.layers",
        "keras.layers.preprocessing": "keras.layers", "keras.layers.convolutional_recurrent": "keras.layers",
        "keras.layers.cudnn_recurrent": "keras.layers", "keras.layers.experimental.preprocessing": "keras.layers",
        "keras.layers.normalization.batch_normalization": "keras.layers",
        "keras.applications.mobilenet.DepthwiseConv2D": "keras.layers.DepthwiseConv2D",  # until Keras 2.1.5
        "keras.applications.mobilenet.relu6": "tensorflow.nn.relu6",
        "keras.ops.operation.Operation": "keras.Operation", "keras.ops.Operation": "keras.Operation",
        **{f"keras.backend.common.{name}": f"keras.backend.{name}" for name in (
            "image_dim_ordering", "set_image_dim_ordering", "image_data_format", "floatx", "epsilon")},  # Keras 2.2
        "keras.legacy.layers": "keras.layers", "keras.backend.random": "keras.random", "keras.backend.tf": "tensorflow",
        "keras.backend.tensorflow": "keras.backend", "keras.backend.image": "keras.ops.image",
        **{f"keras.backend.{room}": "keras.ops" for room in ("core", "linalg", "math", "nn", "numpy")},  # keras.src
    },
    parents={"keras.Sequential": "keras.Model", "keras.Model": "keras.layers.Layer",
             "keras.layers.Wrapper": "keras.layers.Layer",
             "keras.layers.AbstractRNNCell": "keras.layers.Layer"},
)


SHAPES = frozenset({"shape", "batch_shape", "batch_input_shape", "input_shape", "tensor", "input_tensor", "type_spec",
                    STAR})
"""Arguments of which an Input needs one."""
NO_SHAPE = Mismatch(Problem.MISSING_ARGUMENT, "Input misses shape", argument="shape", help="shape=(...) of one sample",
                    error='ValueError "You must pass a `shape` argument" or "Please provide to Input a `shape`"')
SPARSE = "keras.sparse"
"""Set once the program has inputs that are sparse."""
RECORDED_LAYERS = "(layers)"
"""Where a model of keras.applications keeps its layers, in Keras' own order: no attribute that a program could name."""


@FRAMEWORK.on("keras.Input", "keras.layers.InputLayer", "keras.backend.placeholder", "keras.engine.Input")
def make_input(c: Call) -> Any:
    """A symbolic tensor (or an InputLayer that holds one)."""
    m = c.machine
    if _path(c) == "keras.backend.placeholder" and m.stack.keras >= (3,):
        return Unknown("keras.backend.placeholder, which Keras 3 does not have")
    found: set[Any] = set()
    names: tuple[str, ...] = ("shape", "batch_size", "name", "dtype", "sparse", "tensor")
    if _path(c) == "keras.layers.InputLayer":
        names = ("shape" if "shape" in c.kwargs else "input_shape", "batch_size", "dtype")
    given = {name: strip(value, found) for name, value in zip(names, c.args, strict=False)}
    given.update({key: strip(value, found) for key, value in c.kwargs.items()})
    if isinstance(given.get("shape"), GeneratorV):
        given["shape"] = _listed(m, given["shape"], found)
    if _path(c) == "keras.backend.placeholder" and "shape" in given:
        given["batch_shape"] = given.pop("shape")  # the batch included (tf_keras/src/backend.py: placeholder)
    tensor = given.get("tensor", given.get("input_tensor"))
    if isinstance(tensor, Tensor):
        return tensor
    if _path(c) == "keras.Input" and is_known(given.get("shape")):
        _refuse_number(c, given["shape"], frozenset(found))
    if m.stack.implied and m.stack.keras < (2, 4):
        note_order(m, given.get("shape"))
    if _path(c) == "keras.Input" and SHAPES.isdisjoint(given):
        refuse(m, c.span, NO_SHAPE, what="Input", stage="constructor")
    for wrong in (*fractional_inputs(given), *unknown_dtypes(given.get("dtype"))):
        refuse(m, c.span, wrong, assumptions=frozenset(found), what="Input", stage="constructor")
    if given.get("sparse") not in (None, False):
        m.state[SPARSE] = True
    shape = _input_shape(given)
    dtype = given.get("dtype") or m.state.get("floatx", "float32")
    made = assume(Tensor(shape, dtype if isinstance(dtype, str) else Unknown("dtype"), "keras", None, Step(c.span)),
                  frozenset(found) | m.frame.control)
    name = given.get("name")
    layer = LayerV("keras.layers.InputLayer", name if isinstance(name, str) else input_name(m), c.span,
                   given=frozenset({"name"} if isinstance(name, str) else ()))
    layer.weights, layer.named = (), isinstance(name, str)
    refuse_slash(m, layer, name)
    made = _with_maker(made, layer)
    layer.stand_for(m, made)
    return layer if _path(c) == "keras.layers.InputLayer" else made


def _listed(m: Machine, shape: GeneratorV, found: set[Any]) -> Any:
    """filter(None, model.output_shape): any iterator will do (keras/src/backend/common/variables.py:
    standardize_shape)."""
    extents = elements(m, shape)
    return extents if isinstance(extents, Unknown) else tuple(strip(extent, found) for extent in extents)


def _refuse_number(c: Call, size: int, taken: Assumptions) -> None:
    """keras/src/backend/common/variables.py: standardize_shape"""
    if c.machine.stack.keras >= (3,):
        c.machine.say(Rejected, c.span, assumptions=taken, what="Input", stage="constructor", mismatch=Mismatch(
            Problem.INVALID_ARGUMENT, f"shape is the number {size}, not a tuple", help=f"shape=({size},)",
            error=f'ValueError "Cannot convert \'{size}\' to a shape"', where=Where(keras=">=3"), argument="shape"))


def input_name(m: Machine) -> str:
    """Keras' automatic name of an Input: input_layer, input_layer_1 ...; in Keras 2 input_1, input_2 ..."""
    if m.stack.keras >= (3,):
        return m.unique_name("input_layer")
    m.counters["input"] = m.counters.get("input", 0) + 1
    return f"input_{m.counters['input']}"


def _with_maker(tensor: Any, layer: LayerV) -> Any:
    return Tensor(tensor.shape, tensor.dtype, tensor.kind, None, Step(tensor.step.span, (), layer), tensor.assumptions)


def _path(c: Call) -> str:
    callee = plain(c.callee)
    return callee.path if isinstance(callee, External) else ""


def _input_shape(given: dict[str, Any]) -> Any:
    full = given.get("batch_shape", given.get("batch_input_shape"))
    if full is not None:
        shape = as_shape(full)
        if isinstance(shape, tuple) and shape and isinstance(shape[0], Symbol):
            return (BATCH, *shape[1:])
        return shape
    rest = as_shape(given.get("shape", given.get("input_shape", Unknown("no shape"))))
    batch = given.get("batch_size")
    if isinstance(rest, Unknown):
        return rest
    return (batch if is_known(batch) else Unknown("batch_size") if isinstance(batch, Unknown) else BATCH, *rest)


@FRAMEWORK.on("keras.Model")
def make_model(c: Call) -> Any:
    """`keras.Model(inputs, outputs)`: a functional model."""
    m = c.machine
    inputs, outputs = c.get(0, "inputs", c.kwargs.get("input")), c.get(1, "outputs", c.kwargs.get("output"))
    if inputs is None or outputs is None:
        tell_of_one_end(m, inputs, outputs, c.node, c.span)
        return Unknown("a model without inputs and outputs")
    name = plain(c.get(2, "name"))
    model = functional(m, inputs, outputs, "keras.Model",
                       name if isinstance(name, str) else m.unique_name("functional"), c.span)
    model.named = isinstance(name, str)
    refuse_slash(m, model, name)
    return model


@FRAMEWORK.on("keras.Sequential")
def make_sequential(c: Call) -> Any:
    name = plain(c.get(1, "name"))
    model = ModelV("sequential", "keras.Sequential",
                   name if isinstance(name, str) else c.machine.unique_name("sequential"), c.span)
    model.named = isinstance(name, str)
    refuse_slash(c.machine, model, name)
    c.machine.say(ModelMade, c.span, model=model)
    came_to_be(c.machine, model, c.span)
    c.machine.keep(model)
    layers = c.get(0, "layers")
    if layers is not None:
        add_all(c.machine, model, layers)
    return model


def model_of(value: Any) -> ModelV | None:
    """The model part of a model or of an instance of a user's model class."""
    value = plain(value)
    if isinstance(value, ModelV):
        return value
    if isinstance(value, InstanceV) and isinstance(value.extra, LayerV):
        model: ModelV | None = value.extra.model
        return model
    return None


@FRAMEWORK.on("keras.Sequential.add")
def add(c: Call) -> Any:
    model = model_of(c.receiver)
    if model is not None:
        add_layer(c.machine, model, c.get(0, "layer"), c.span)
    return None


@FRAMEWORK.on("keras.Sequential.pop")
def pop(c: Call) -> Any:
    """Remove the last layer; the output is that of the one before."""
    model = model_of(c.receiver)
    if model is None:
        return None
    c.machine.heap.touch(model)
    if model.layers.items:
        model.layers.items.pop()
    last = plain(model.layers.items[-1]) if model.layers.items else None
    model.outputs = model.inputs if last is None else _last_output(last)
    return None


def _last_output(layer: Any) -> Any:
    if isinstance(layer, LayerV) and layer.calls:
        return layer.calls[-1][1]
    if isinstance(layer, InstanceV) and isinstance(layer.extra, LayerV) and layer.extra.calls:
        return layer.extra.calls[-1][1]
    return Unknown("output after pop()")


@FRAMEWORK.on("keras.utils.plot_model", "keras.utils.set_random_seed",
              "keras.layers.Layer._set_dtype_policy", "keras.layers.Layer.__setattr__",
              "keras.layers.Layer._track_trackable")
def silent(c: Call) -> Any:
    """Calls that change nothing that we follow."""
    return None
