"""Steps that a user's model overrides: train_step, test_step and predict_step, as fit() and its kin call them."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import Data, LossInfo, tensors
from cudnnlint.events.training import LOSS
from cudnnlint.frameworks.gradients.recording import Recorder
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.training.losses_called import LossV, tell
from cudnnlint.frameworks.training.losses_kept import is_own, quietly
from cudnnlint.frameworks.training.model_views import holder_of, resolve_losses, runs_eagerly
from cudnnlint.frameworks.training.step_logs import tell_of_logs
from cudnnlint.frameworks.training.structure import over
from cudnnlint.frameworks.training.traced import traced_by
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.graphs.placeholders import placeholders
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.keras.added import last_given
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import BoundV, External, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.stack import EVERYWHERE

MEAN, ADD = "keras.ops.mean", "keras.ops.add"
STEPS = {"fit": "train_step", "train_on_batch": "train_step", "predict": "predict_step",
         "predict_on_batch": "predict_step"}
"""Method -> the step that a user's model may override; test_step for the rest."""


def own_step(receiver: Any, method: str) -> Any:
    """The step of the user's own: a model that has one need not take its declared inputs; None where it has none."""
    value = plain(receiver)
    if not isinstance(value, InstanceV):
        return None
    step = value.cls.lookup(STEPS.get(method, "test_step"))
    if isinstance(step, FunctionV) and isinstance(step.node, ast.FunctionDef) \
            and [argument.arg for argument in step.node.args.args[1:3]] == ["state", "data"]:
        return Unknown("a step of Keras on JAX, which is handed all variables too")
    return step if isinstance(step, FunctionV | Unknown) else None


def follow_step(c: Call, step: Any, data: Data, method: str) -> Any:
    """Call the step on one batch; gives the model's outputs in it, or for predict() what it returns."""
    m = c.machine
    if isinstance(step, Unknown):
        return Unknown("a step that is not known")
    model, heard = plain(c.receiver), Recorder()
    phase, training, any_batch = m.phase, m.training, m.any_batch
    m.phase, m.training, m.any_batch = "call", method in ("fit", "train_on_batch"), True
    heard.entered(m)
    try:
        fed = over(_handed(m, data, method), _as_tf)
        with placeholders(m, () if runs_eagerly(model) else fed, EVERYWHERE), traced_by(c, data, fed, method):
            made = strip(m.call(BoundV(step, model), [wrap(fed)], {}, c.node))
    except Raised:
        return Unknown("the step raises")
    finally:
        heard.left(m)
        m.phase, m.training, m.any_batch = phase, training, any_batch
    tell_of_logs(c, method, step, made)
    if method.startswith("predict"):
        return made if tensors(made) else Unknown("what predict_step() returns")
    applied = heard.first_of(model)
    return Unknown("outputs of a step of the model's own") if applied is None else applied.output


def _handed(m: Machine, data: Data, method: str) -> Any:
    """What the step is given: for one batch a tuple, in Keras 3 of three parts, None among them
    (keras/src/backend/tensorflow/trainer.py: train_on_batch, predict_on_batch;
    tf_keras/src/engine/data_adapter.py: single_batch_iterator)."""
    if not method.endswith("_on_batch"):
        return _tuples(data.element)
    if method == "predict_on_batch":
        return (data.x,)
    parts = (data.x, data.y, data.weights)
    if m.stack.keras >= (3,):
        return parts
    return parts[:1] if data.y is None else parts[:2] if data.weights is None else parts


def _tuples(value: Any) -> Any:
    """Lists of what is fed are tuples in a batch (keras/src/trainers/data_adapters/array_data_adapter.py:
    get_tf_dataset; tf_keras/src/engine/data_adapter.py: _process_tensorlike)."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return tuple(map(_tuples, value))
    return {key: _tuples(item) for key, item in value.items()} if type(value) is dict else value


def _as_tf(item: Any) -> Any:
    return item.with_(kind="tf") if isinstance(item, Tensor) else item


OPTIMIZERS = {"adam": "Adam", "sgd": "SGD", "rmsprop": "RMSprop", "adagrad": "Adagrad", "adadelta": "Adadelta",
              "adamax": "Adamax", "nadam": "Nadam", "adamw": "AdamW", "ftrl": "Ftrl", "lion": "Lion"}
"""keras/src/optimizers/__init__.py: get"""


@FRAMEWORK.attribute("keras.Model.optimizer")
def optimizer(m: Machine, value: Any) -> Any:
    """The optimizer that compile() was given."""
    compiled = getattr(holder_of(value), "compiled", None) or {}
    given = plain(compiled.get("optimizer", Unknown("compile() was not called")))
    if isinstance(given, str) and given.lower() in OPTIMIZERS:
        return ObjectV(f"keras.optimizers.{OPTIMIZERS[given.lower()]}", (), {}, compiled["span"])
    return given


@FRAMEWORK.attribute("keras.Model.loss")
def loss(m: Machine, value: Any) -> Any:
    """The loss that compile() was given (keras/src/trainers/trainer.py: Trainer.compile)."""
    given = plain((getattr(holder_of(value), "compiled", None) or {}).get("loss"))
    called = isinstance(given, External) and given.path.startswith("keras.losses.")
    return given if called or isinstance(given, LossV) or is_own(given) else Unknown("the compiled loss")


@FRAMEWORK.on("keras.Model.compute_loss", "keras.Model.compiled_loss")
def compute_loss(c: Call) -> Any:
    """The compiled losses on labels and predictions (keras/src/trainers/trainer.py: Trainer.compute_loss)."""
    m, found = c.machine, set[Any]()
    first = 0 if c.path.endswith("compiled_loss") else 1
    y = strip(c.get(first, "y", c.kwargs.get("y_true")), found)
    output = strip(c.get(first + 1, "y_pred"), found)
    compiled = getattr(holder_of(c.receiver), "compiled", None) or {}
    losses = resolve_losses(m, compiled.get("loss"), compiled.get("span"))
    taken = frozenset(found)
    if isinstance(losses, LossInfo | list | dict):
        tell(m, c.span, losses, y, output, "fit", taken)
    about = tensors([output, y])
    if is_own(given := plain(compiled.get("loss"))) and len(tensors(output)) == 1:
        made = quietly(m, lambda: m.call(given, [wrap(y), wrap(output)], {}, c.node))
        if isinstance(made, Tensor):
            made = made if made.shape == () else Tensor((), made.dtype, "tf", None, Step(c.span, (made,), MEAN))
            return assume(_with_added(c, made), taken)
    shape: Any = () if reduced(compiled.get("loss")) else Unknown("a loss that may not be reduced")
    step = Step(c.span, about, LOSS, ((losses, output), {}))
    made = Tensor(shape, m.state.get("floatx", "float32"), "tf", None, step)
    return assume(_with_added(c, made), taken)


def _with_added(c: Call, made: Tensor) -> Tensor:
    """And what add_loss() was given (keras/src/trainers/trainer.py: Trainer.compute_loss;
    tf_keras/src/engine/training.py: Model.compute_loss)."""
    parts = [plain(one) for one in within(c.receiver)] if c.path.endswith("compute_loss") else []
    for one in last_given(c.machine, parts):
        made = made.with_(step=Step(c.span, (made, one), ADD, ((made, one), {})))
    return made


def reduced(loss: Any) -> bool:
    """Whether what compile() was given certainly comes to one number: names and functions do."""
    held = plain(loss)
    if isinstance(held, LossV):
        return isinstance(plain(held.kwargs.get("reduction", "auto")), str) and held.kwargs.get("reduction") != "none"
    parts = held.items if isinstance(held, ListV) else held.items.values() if isinstance(held, DictV) else None
    if parts is not None:
        return not held.unknown and all(map(reduced, parts))
    return isinstance(held, str | External | FunctionV)


__all__ = ["follow_step", "own_step"]
