"""Keras: what is asked of a layer or model by shape alone, build() and compute_output_shape()."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK, model_of
from cudnnlint.frameworks.training.model_views import use
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.application import judge
from cudnnlint.interp.keras.base_build import as_input
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.replay import apply_any, asked_for_shapes, run_chain
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.interp.tensors import shape_value
from cudnnlint.interp.uncalled.following import MEANT
from cudnnlint.values import BATCH, Mismatch, Step, Tensor, Unknown


@FRAMEWORK.on("keras.layers.Layer.build")
def build(c: Call) -> Any:
    """`build(input_shape)`: variables are made, and a deferred Sequential gets its input."""
    m, held, model = c.machine, plain(c.receiver), model_of(c.receiver)
    inputs = as_input(strip(c.get(0, "input_shape")), c.span)
    use(held)
    if isinstance(inputs, Unknown):
        return None
    if model is not None:
        if model.kind == "sequential" and model.inputs is None and isinstance(inputs, Tensor):
            m.heap.touch(model)
            model.inputs = inputs
            model.outputs = strip(run_chain(m, model.layers, inputs, None))
        elif model.kind == "subclassed" and isinstance(held, InstanceV):
            _run(c, held, inputs, is_model=True)
    elif isinstance(held, InstanceV):
        _run(c, held, inputs, is_model="keras.Model" in ancestry(held.cls.external_base() or ""))
    elif isinstance(held, LayerV) and held.op is not None and held.weights is None:
        m.heap.touch(held)
        held.weights, held.built = judge(m, held, inputs, c.span)[1], True
    return None


def _run(c: Call, held: InstanceV, inputs: Any, *, is_model: bool) -> None:
    """Keras 2 calls a model on symbolic inputs (tf_keras/src/engine/training.py: Model.build). Keras 3, and for a layer
    Keras 2 too, makes what a library's layer has that the class derives from, and else nothing
    (keras/src/layers/layer.py: Layer.build). Layers without variables have no build() of their own in Keras 2, as
    Reshape has in Keras 3.
    """
    m, derived = c.machine, isinstance(held.extra, LayerV) and held.extra.op is not None
    called = is_model and m.stack.keras < (3,)
    if derived and not called and m.stack.keras < (3,) and judge(m, held.extra, inputs, c.span)[1] == ():
        return
    if derived or called:
        with asked_for_shapes(m) if called else nullcontext():  # its call() is run, and it is not called itself
            apply_any(c.machine, held, wrap(inputs), c.span)
    elif is_model:
        c.machine.notes.setdefault(MEANT, {})[held] = wrap(inputs), c.node


@FRAMEWORK.on("keras.layers.Layer.compute_output_shape", "keras.layers.Layer.compute_output_spec",
              "keras.layers.Layer.compute_output_signature")
def compute_output_shape(c: Call) -> Any:
    """The shape, or for the other two methods the tensor, that would come out; nothing is built or reported."""
    m, held = c.machine, plain(c.receiver)
    found: set[Any] = set()
    given = strip(c.get(0, "input_shape"), found)
    inputs = given if tensors(given) else as_input(given, c.span)
    if isinstance(inputs, Unknown):
        return inputs
    if isinstance(held, LayerV) and held.op is not None:
        outcome = judge(m, held, inputs, c.span)[0]
    elif isinstance(held, (LayerV, ModelV, InstanceV)):
        outcome = _tried(c, held, inputs)
    else:
        return Unknown("compute_output_shape()")
    if isinstance(outcome, Mismatch):
        return Unknown("the output shape of a layer that refuses its input")
    return assume(outcome if not c.callee.name.endswith("shape") else shapes(outcome), frozenset(found))


@FRAMEWORK.on("keras.layers.Layer.call")
def call(c: Call) -> Any:
    """`layer.call(x)`, as wrappers of one's own write it: no place where the layer is applied, and nothing is built."""
    m, held = c.machine, plain(c.receiver)
    use(held)
    if isinstance(held, ModelV):
        return held.apply(m, c.args, c.kwargs, c.span)
    found: set[Any] = set()
    inputs = strip(c.get(0, "inputs"), found)
    if not isinstance(held, LayerV) or held.op is None or len(c.args) > 1:
        return Unknown("call() of a layer")
    outcome, weights = judge(m, held, inputs, c.span)
    if isinstance(outcome, Mismatch) or (held.weights is None and weights != ()):
        return Unknown("call() of a layer that is not built, or refuses what it is given")
    step = Step(c.span, tensors(inputs))
    return assume(outcome.with_(step=step) if isinstance(outcome, Tensor) else outcome, frozenset(found))


@FRAMEWORK.on(*(f"keras.layers.{name}.convolution_op" for name in ("Conv1D", "Conv2D", "Conv3D")))
def convolution_op(c: Call) -> Any:
    """The convolution alone, with a kernel of the layer's own shape (keras/src/layers/convolutional/base_conv.py:
    BaseConv.convolution_op)."""
    held = plain(c.receiver)
    layer = held.extra if isinstance(held, InstanceV) else held
    found: set[Any] = set()
    inputs, kernel = strip(c.get(0, "inputs"), found), strip(c.get(1, "kernel"), found)
    if not isinstance(layer, LayerV) or layer.op is None:
        return Unknown("a convolution of a layer that is not known")
    outcome = judge(c.machine, layer, inputs, c.span)[0]
    if isinstance(outcome, Mismatch):
        refuse(c.machine, c.span, outcome, about=tensors(inputs), assumptions=frozenset(found), what=layer.display,
               inputs=inputs, layer=layer.info())
        return Unknown(f"{layer.display} rejects its input")
    if not isinstance(outcome, Tensor) or not _is_own(layer, kernel):
        return outcome if isinstance(outcome, Unknown) else Unknown("a convolution with a kernel of another shape")
    step = Step(c.span, tensors([inputs, kernel]))
    return assume(outcome.with_(step=step), frozenset(found))


def _is_own(layer: LayerV, kernel: Any) -> bool:
    """Whether a kernel has the shape of the layer's."""
    own = layer.weights[0].shape if isinstance(layer.weights, tuple) and layer.weights else None
    return isinstance(kernel, Tensor) and own is not None and kernel.shape == own


def _tried(c: Call, held: Any, inputs: Any) -> Any:
    """What applying it gives, and then as if it had not been applied."""
    m = c.machine
    m.expecting += 1
    m.heap.open()
    try:
        return strip(apply_any(m, held, wrap(inputs), c.span))
    finally:
        m.heap.undo()
        m.expecting -= 1


def shapes(value: Any) -> Any:
    """The shapes of a structure of tensors, as the program sees them."""
    if isinstance(value, Tensor):
        return shape_value(Tensor(value.shape, value.dtype, "keras", None, None, value.assumptions))
    if isinstance(value, (list, tuple)):
        return wrap(type(value)(shapes(item) for item in value))
    return value if isinstance(value, Unknown) else Unknown("an output shape")


@FRAMEWORK.on("keras.layers.Normalization.adapt")
def adapt(c: Call) -> None:
    """Statistics of the data: the layer is built for as many features from then on."""
    layer, data = plain(c.receiver), _adapted_to(c, strip(c.get(0, "data")))
    if isinstance(layer, LayerV):
        known = isinstance(data, Tensor) and isinstance(data.shape, tuple)
        c.machine.heap.touch(layer)
        weights = judge(c.machine, layer, data, c.span)[1] if known else Unknown("what it was adapted to")
        layer.weights, layer.built = weights, True


def _adapted_to(c: Call, data: Any) -> Any:
    """An array, or a batch of a dataset; Keras 3 makes batches of the rows that a dataset has."""
    element = getattr(data, "element", data)
    if element is not data and isinstance(element, Tensor) and element.rank == 1 and isinstance(element.shape, tuple):
        return element.with_(shape=(BATCH, *element.shape)) if c.machine.stack.keras >= (3,) else Unknown("rows")
    return element
