"""What a model gives for one batch of what it is trained, evaluated or used on, or why it does not take it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, ModelRun, Rejected, tensors
from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.training.fed_sizes import as_given, as_tf, at_size, by_last, closes, refused
from cudnnlint.frameworks.training.model_views import runs_eagerly
from cudnnlint.frameworks.training.traced import traced_by
from cudnnlint.frameworks.training.train_steps import follow_step, own_step
from cudnnlint.frameworks.training.untold import is_untold
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.graphs.placeholders import OF_KERAS_3, placeholders
from cudnnlint.interp.keras.application import BUILT_IN_GRAPH
from cudnnlint.interp.keras.building import tell_built
from cudnnlint.interp.keras.chains import refused_input, refused_rank
from cudnnlint.interp.keras.model_inputs import (
    conformed,
    is_known_structure,
    is_of_dicts,
    known_by_name,
    missing_inputs,
    of_other_rank,
    other_order,
    taken,
    wrong_count,
    wrong_input,
)
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import data_pass
from cudnnlint.interp.keras.replay import apply_any
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import may_equal
from cudnnlint.values.origins import PREDICTED
from cudnnlint.values.tensor import matched

MISFIT = Unknown("inputs do not fit")


def _check_inputs(c: Call, data: Data, where: str) -> bool:
    """Compare a batch with the inputs that the model declares; True when they may fit."""
    m = c.machine
    model = model_of(c.receiver)
    if data.batched is False:
        return False  # rows where batches are needed: told of by itself
    if model is None or not is_known_structure(model.inputs) or own_step(c.receiver, where) is not None \
            or _calls_its_own(c, model):
        return True
    if model.kind in ("functional", "sequential") and (
            lacking := missing_inputs(model.inputs, data.x, model.kind)) is not None:
        m.say(Rejected, c.span, about=tensors(data.x), what=f"Model.{where}", inputs=data.x, stage=where,
              mismatch=lacking)
        return False
    if isinstance(data.x, list | tuple) and not is_known_structure(data.x):
        return True  # which of them is which input is not known either
    if is_of_dicts(model.inputs) or is_of_dicts(data.x):
        return True
    wanted, given = tensors(model.inputs), matched(model.inputs, data.x)
    given = taken(wanted, given, sequential=model.kind == "sequential", keras_3=m.stack.keras >= (3,))
    if len(wanted) != len(given) and not _all_known(data.x):  # what is fed is known in part at most
        wanted, given = known_by_name(model.inputs, data.x) if model.kind == "functional" else ((), ())
    if len(wanted) != len(given):
        if data.kind == "generator" and where == "predict" and m.stack.keras < (2, 4):
            return True  # a list is all inputs (keras 2.3.1 engine/training_generator.py: predict_generator)
        m.say(Rejected, c.span, about=given, what=f"Model.{where}", inputs=data.x, stage=where,
              mismatch=wrong_count(len(wanted), len(given), yielded=data.kind in ("generator", "dataset")))
        return False
    for want, have in zip(wanted, given, strict=True):
        wrong = refused_input(m, model, want, have, c.span)
        if wrong is None and m.stack.tensorflow < (2, 2) and data.kind == "arrays":
            wrong = of_other_rank(want, have)
        wrong = wrong or refused_rank(m, model, want, have, c.span)
        if wrong is not None:
            wrong = replace(wrong, help=wrong.help or other_order(wanted, given))
            m.say(Rejected, c.span, about=[have, want], what=f"Model.{where}", mismatch=wrong, inputs=data.x,
                  stage=where)
            return False
    return True


def _calls_its_own(c: Call, model: ModelV) -> bool:
    """Whether it is a Sequential whose class has another call(): what that takes is not what the layers declare. Before
    Keras 3 some releases compare it with them all the same (tf_keras/src/engine/sequential.py: input_spec)."""
    held = plain(c.receiver)
    return model.kind == "sequential" and isinstance(held, InstanceV) and isinstance(
        held.cls.lookup("call"), FunctionV)


def check_validation(c: Call, data: Data, validation: Data) -> None:
    """Its inputs; a model that declares none is followed on them too where they are not of the shapes of the others."""
    model = model_of(c.receiver)
    shapes = [[item.shape[1:] for item in tensors(each.x) if isinstance(item.shape, tuple)]
              for each in (data, validation)]
    if not _check_inputs(c, validation, "validation_data") or not shapes[0] or len(shapes[0]) != len(shapes[1]) \
            or shapes[0] == shapes[1] or own_step(c.receiver, "evaluate") is not None:
        return
    if model is None or model.outputs is None:
        forward(c, validation, "evaluate")
    else:
        _misread(c, model, validation, "validation_data")


def _all_known(x: Any) -> bool:
    """A tensor, or a sequence of tensors: a dict may hold more than the model takes."""
    return isinstance(x, Tensor) or (isinstance(x, list | tuple) and all(isinstance(item, Tensor) for item in x))


def forward(c: Call, data: Data, method: str) -> Any:
    """The model's outputs for one batch; a model that declares no inputs is followed on the batch now."""
    m = c.machine
    fed, m.fed = m.fed, (c.span, tensors(data.element))
    try:
        return _followed(c, data, method)
    finally:
        m.fed = fed


def _followed(c: Call, data: Data, method: str) -> Any:
    m = c.machine
    model = model_of(c.receiver)
    if (step := own_step(c.receiver, method)) is not None:
        return follow_step(c, step, data, method)
    if not _check_inputs(c, data, method):
        return MISFIT
    if model is not None and model.outputs is not None and not _calls_its_own(c, model):
        if _misread(c, model, data, method):
            return MISFIT
        if model.kind == "sequential" and m.wanted is not None:
            tell_built(m, model)
        m.say(ModelRun, c.span, model=model)
        data_pass(m, model)
        as_given(c, model, data)
        if closes(model, data):
            return at_size(c, model, data, method)
        return model.outputs
    batch = _floats(m, data.x) if model is not None and m.stack.keras >= (3,) else data.x
    if not tensors(batch) and (model is None or not model.tells_width):
        return Unknown("unknown data")
    phase, training, any_batch = m.phase, m.training, m.any_batch
    trains = method in ("fit", "train_on_batch")
    m.phase, m.training, m.any_batch = "call", None if trains and is_untold(m, c.receiver) else trains, True
    in_graph, m.state[BUILT_IN_GRAPH] = m.state.get(BUILT_IN_GRAPH), _traced(c, data, method)
    try:
        chain = model is None or model.kind == "sequential"  # what its first layer refuses is told of here
        fed = as_tf(batch)
        with placeholders(m, () if runs_eagerly(c.receiver) else fed, OF_KERAS_3), traced_by(c, data, fed, method):
            made = strip(apply_any(m, c.receiver, wrap(fed), c.span if chain else None))
        if made is None and isinstance(held := plain(c.receiver), InstanceV):
            tell_of_given_back(m, held.cls.lookup("call"), made, f"what {method}() takes for the outputs", OF_OUTPUTS,
                               c.span)
        return by_last(made) if model is not None and model.kind == "sequential" else made
    finally:
        m.state[BUILT_IN_GRAPH] = in_graph
        m.phase, m.training, m.any_batch = phase, training, any_batch


OF_OUTPUTS = ('ValueError "None values not supported" or "Structures don\'t have the same nested structure" or '
              'AttributeError or TypeError')


def _traced(c: Call, data: Data, method: str) -> bool:
    """Whether layers that are not built yet are built in a graph, of a batch whose extents are those that the dataset
    declares (keras/src/trainers/trainer.py: Trainer._symbolic_build; predict() of Keras 3 builds on real batches)."""
    return data.kind == "dataset" and method in ("fit", "evaluate") and not runs_eagerly(c.receiver)


def _misread(c: Call, model: ModelV, data: Data, method: str) -> bool:
    """What passes for a batch of the model, and is none: a sample without its batch axis, since an axis of 1 is added,
    (28, 28, 1) being read as (28, 28, 1, 1); and grey images where colours are declared or the reverse, since a last
    axis of 1 is not compared. Whether a layer then refuses it is found out by following the model.
    """
    for want, have in zip(tensors(model.inputs), matched(model.inputs, data.x), strict=False):
        made = conformed(want, have)
        if not isinstance(want.shape, tuple) or not isinstance(made.shape, tuple) or all(
                map(may_equal, want.shape[1:], made.shape[1:])):
            continue
        if refused(c, data.x) and isinstance(have.shape, tuple):
            c.machine.say(Rejected, c.span, about=[have, want], what=f"Model.{method}", stage=method, inputs=data.x,
                          mismatch=wrong_input(want.shape, have.shape))
            return True
    return False


def _floats(m: Machine, value: Any) -> Any:
    """A deferred Sequential of Keras 3 is rebuilt with float inputs (keras/src/models/sequential.py: build)."""
    if isinstance(value, Tensor):
        return value.with_(dtype=m.state.get("floatx", "float32"))
    return value


def predicted_arrays(outputs: Any, data: Data, model: Any, span: Span) -> Any:
    """predict() gives NumPy arrays with one row for each sample, in the structure of the outputs."""
    if isinstance(outputs, list | tuple):
        return type(outputs)(predicted_arrays(each, data, model, span) for each in outputs)
    if isinstance(outputs, Tensor) and isinstance(outputs.shape, tuple) and outputs.shape:
        rows = data.rows
        step = None
        if (own := outputs.step) is not None:  # made of what the model gave, which is no array
            step = Step(own.span, (outputs.with_(step=Step(span, own.parents, model)),), PREDICTED)
        return Tensor((rows, *outputs.shape[1:]), outputs.dtype, "numpy", None, step, outputs.assumptions)
    return Unknown("predictions")
