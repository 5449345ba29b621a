"""Variables of the program's own layers: add_weight()."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.keras.layers import FROZEN, WEIGHT, LayerV
from cudnnlint.interp.keras.subclass import SYMBOLICALLY
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import refuse, told_elsewhere
from cudnnlint.interp.registry import Call
from cudnnlint.interp.uncalled.left_open import has_left_open
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Mismatch, Problem, Step, Symbol, Tensor, Unknown, Where, is_floating, show

TAKEN = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint", "autocast", "aggregation",
         "overwrite_with_gradient", "use_resource", "synchronization")
"""Parameters of some version (keras/src/layers/layer.py, tf_keras/src/engine/base_layer.py: Layer.add_weight)."""
TAKEN_BESIDE = frozenset({"partitioner", "collections", "experimental_autocast", "caching_device", "getter", "layout",
                          "experimental_enable_variable_lifting"})
"""What Keras 2 looks for among the rest."""


def _refuse_name(c: Call, name: str) -> None:
    """keras/src/layers/layer.py: Layer.add_weight; once, of a program that may be for Keras 2 as well"""
    m = c.machine
    if m.stack.before and told_elsewhere(m, "name of a weight", c.span):
        return
    refuse(m, c.span, Mismatch(
        Problem.INVALID_ARGUMENT, f"the first argument of add_weight() is its shape, here the text {name!r}",
        help=f"name={name!r}", where=Where(keras=">=3"), argument="shape",
        error='TypeError "Layer.add_weight() got multiple values for argument \'shape\'" or ValueError "`name` must be '
              'passed as a keyword argument" or "Cannot convert"'), what="add_weight", stage="add_weight")


def _refuse_unknown(c: Call, kwargs: dict[str, Any]) -> None:
    """`reguarizer=`: what no version takes."""
    for name in kwargs:
        if name not in TAKEN and name not in TAKEN_BESIDE and name != STAR:
            refuse(c.machine, c.span, Mismatch(
                Problem.UNKNOWN_ARGUMENT, f"add_weight has no argument {name}", argument=name,
                facts=(("name", name), ("versions", ""), ("twice", False), ("parameters", TAKEN))),
                what="add_weight", stage="add_weight")


def _tell_of_open(c: Call, dims: Any) -> None:
    """`add_weight(shape=input_shape)` with the None of the batch, or of the time axis (keras/src/backend/common/
    variables.py: standardize_shape; in Keras 2 its initializer gets the None)."""
    if not isinstance(dims, tuple) or not any(isinstance(dim, Symbol) for dim in dims) \
            or not c.machine.state.get(SYMBOLICALLY) or c.machine.trying or c.machine.handlers \
            or any(map(has_left_open, (*c.args, *c.kwargs.values()))):
        return
    shown = show(dims)
    batch = isinstance(dims[0], Symbol)
    refuse(c.machine, c.span, Mismatch(
        Problem.FEATURE_UNKNOWN, f"add_weight() of the shape {shown}, which is open: a weight is of one size",
        help="input_shape[-1:], without the batch" if batch else "give that axis in the Input",
        error='ValueError "Shapes used to initialize variables must be fully-defined", "Cannot convert a partially '
              'known TensorShape" or "Attempt to convert a value (None)"',
        facts=(("moment", "when the layer is built"),)), what="add_weight", stage="add_weight")


@FRAMEWORK.on("keras.metrics.Metric.add_weight", "keras.metrics.Metric.add_variable")
def add_weight_of_metric(c: Call) -> Any:
    """keras/src/metrics/metric.py: Metric.add_weight, whose first parameter is the shape, too."""
    if c.args and isinstance(name := strip(c.args[0]), str):
        _refuse_name(c, name)
    return Unknown("a variable of a metric")


@FRAMEWORK.on("keras.layers.Layer.add_weight", "keras.layers.Layer.add_variable")
def add_weight(c: Call) -> Any:
    """A variable of a user's layer (Keras 2 takes name first, Keras 3 shape first)."""
    m = c.machine
    found: set[Any] = set()
    args = [strip(arg, found) for arg in c.args]
    kwargs = {key: strip(value, found) for key, value in c.kwargs.items()}
    _refuse_unknown(c, kwargs)
    texts = [arg for arg in args if isinstance(arg, str)]
    if args and texts and args[0] is texts[0]:
        _refuse_name(c, texts[0])
    given = next((arg for arg in args if isinstance(arg, tuple | list)), None)
    place = 0 if m.stack.keras >= (3,) else 1  # of the shape, where nothing more is known of it
    if given is None and len(args) > place and not isinstance(args[place], str | None):
        given = args[place]
    shape = kwargs.get("shape", given)
    dims = () if shape is None else as_shape(shape)
    if not isinstance(dims, tuple) or not all(isinstance(dim, int) for dim in dims):
        m.doubts += 1  # it refuses shapes that are open
        _tell_of_open(c, dims)
    trainable = kwargs.get("trainable", True)
    holder = plain(c.receiver)
    layer = holder.extra if isinstance(holder, InstanceV) else holder
    step = Step(c.span, (), WEIGHT if trainable is not False else FROZEN)
    if isinstance(layer, LayerV):
        m.heap.touch(layer)
        layer.added.append(Weight(str(kwargs.get("name") or (texts or ["variable"])[0]),
                                  dims if isinstance(dims, tuple) else (dims,), trainable is not False, step=step))
    policy = layer.policy if isinstance(layer, LayerV) else policy_of(m, None)
    dtype = as_dtype(kwargs.get("dtype"), policy.variable)
    mixed = policy.compute != policy.variable  # else there is no scope (keras/src/layers/layer.py: Layer.__call__)
    if mixed and kwargs.get("autocast", True) is not False and is_floating(dtype) and m.stack.keras >= (2, 4):
        dtype = policy.compute  # as call() sees it (keras/src/backend/common/variables.py: Variable.value)
    return assume(Tensor(dims, dtype, "tf", None, step), frozenset(found))
