"""compile, fit, evaluate, predict and the *_on_batch methods: what a training call is given and runs on."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Data, ModelCompiled, Rejected, TrainingStarted, tensors
from cudnnlint.frameworks.compile_names import check_names
from cudnnlint.frameworks.estimates import Request
from cudnnlint.frameworks.fed_sizes import as_tf, at_size, by_last, closes, refused, told_apart
from cudnnlint.frameworks.feeding import describe
from cudnnlint.frameworks.fit_checks import check_call
from cudnnlint.frameworks.keras import FRAMEWORK, model_of
from cudnnlint.frameworks.logged import history_of
from cudnnlint.frameworks.model_views import holder_of, runs_eagerly, use, view
from cudnnlint.frameworks.optimizers_built import trained_by
from cudnnlint.frameworks.output_structures import check_places
from cudnnlint.frameworks.own_losses import follow_compiled
from cudnnlint.frameworks.policies import trained
from cudnnlint.frameworks.rebuilt import predicted, used
from cudnnlint.frameworks.rows import check_rows
from cudnnlint.frameworks.scopes import check_scope
from cudnnlint.frameworks.signatures import METHODS
from cudnnlint.frameworks.stepped import fitted
from cudnnlint.frameworks.strategies import replicas
from cudnnlint.frameworks.traced import traced_by
from cudnnlint.frameworks.train_steps import follow_step, own_step
from cudnnlint.frameworks.uncompiled import not_known
from cudnnlint.frameworks.unexpected_data import check_compiled, check_data
from cudnnlint.interp.application import BUILT_IN_GRAPH
from cudnnlint.interp.binding import Bound, bind_spelling
from cudnnlint.interp.chains import refused_input, refused_rank
from cudnnlint.interp.changes import outlived
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.creation import CONVERTING
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.incomplete import tell_of_no_base
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.model_inputs import (
    conformed,
    is_known_structure,
    missing_inputs,
    of_other_rank,
    taken,
    wrong_count,
    wrong_input,
)
from cudnnlint.interp.models import ModelV, tell_built
from cudnnlint.interp.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import External, InstanceV
from cudnnlint.interp.placeholders import OF_KERAS_3, placeholders
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.replay import apply_any
from cudnnlint.interp.subclass import layer_of
from cudnnlint.ops.whole import fractional_counts
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import may_equal
from cudnnlint.values.tensor import matched

MISFIT = Unknown("inputs do not fit")


def bind(c: Call, method: str, found: set[Any]) -> Bound | Unknown:
    """Bind to the real signature; what does not fit is told and dropped."""
    args = [plain(arg) for arg in c.args]
    for arg in (*c.args, *c.kwargs.values()):
        strip(arg, found)
    kwargs = {k: plain(v) for k, v in c.kwargs.items()}
    if method == "fit" and "nb_epoch" in kwargs and CONVERTING.holds(c.machine.stack):
        kwargs["epochs"] = kwargs.pop("nb_epoch")  # keras 2.3 keras/engine/training.py: Model.fit
        if c.machine.stack.implied:
            outlived(c.machine, "argument", "keras.Model.fit", "nb_epoch", CONVERTING, c.node, instead="epochs")
    bound = bind_spelling(METHODS[method], args, kwargs, c.machine.stack)
    if isinstance(bound, Bound):
        for problem in bound.problems if c.receiver is not None else ():
            c.machine.say(Rejected, c.span, what=f"Model.{method}", mismatch=problem, stage=method)
        for wrong in fractional_counts(bound.arguments) if c.receiver is not None else ():
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method, assumptions=frozenset(found))
    return bound


@FRAMEWORK.on("keras.Model.compile")
def compile_(c: Call) -> Any:
    m = c.machine
    found: set[Any] = set()
    bound = bind(c, "compile", found)
    if isinstance(made := plain(c.receiver), InstanceV) and not isinstance(made.extra, LayerV):
        tell_of_no_base(m, made, c.span)
        m.heap.touch(made)
        layer_of(m, made)
    holder = holder_of(c.receiver)
    if isinstance(bound, Unknown) or holder is None:
        not_known(m, holder)
        return None
    check_places(c, bound.arguments)
    check_names(c, bound.arguments, found)
    check_compiled(c, bound.arguments)
    compiled = {**bound.arguments, "span": c.span, "assumptions": frozenset(found), "replicas": plain(replicas(m)),
                "strategy": m.state.get("strategy"), "calls": tuple(m.calls)}
    if isinstance(holder, ModelV | LayerV):
        m.heap.touch(holder)
        holder.compiled = compiled
    m.say(ModelCompiled, c.span, assumptions=frozenset(found), model=view(m, c.receiver), arguments=bound.arguments)
    return None


def run(c: Call, method: str) -> Any:
    """Tell of one training, evaluation or prediction call; gives predict()'s result."""
    m = c.machine
    found: set[Any] = set()
    bound = bind(c, method, found)
    if isinstance(bound, Unknown):
        return bound
    a = bound.arguments
    check_data(c, method, a)
    on_batch = method.endswith("_on_batch")
    data = describe(m, a.get("x"), y=a.get("y"), weights=a.get("sample_weight"),
                    batch_size="all" if on_batch else a.get("batch_size"),
                    validation_split=a.get("validation_split") if method == "fit" else None,
                    steps=a.get("steps_per_epoch" if method == "fit" else "steps"), span=c.span)
    data = told_apart(model_of(c.receiver), data)
    if data.kind == "arrays":
        check_rows(c, a, method)
    outputs, trains = fitted(m, lambda: _forward(c, data, method))
    validation = _validation(m, a)
    steps = a.get("steps_per_epoch") if method == "fit" else a.get("steps")
    seen = view(m, c.receiver, outputs)
    given = assumptions_of(c.get(1 if method == "predict" else 2, "batch_size"))
    whole = (m, c.span, method, c.receiver, seen, data, a, trains, given, c.node)
    memory = Request(*whole) if c.receiver is not None else None
    event_data = {"method": method, "model": seen, "data": data, "arguments": a, "memory": memory,
                  "batch_size": _batch(data), "steps_per_epoch": strip(steps), "given": bound.given,
                  "validation": validation}
    about = tensors([data.x, data.y, outputs])
    m.say(TrainingStarted, c.span, about=about, assumptions=frozenset(found), **event_data)
    if own_step(c.receiver, method) is None:
        follow_compiled(c, seen.compiled, data, outputs, method)
    check_call(c, method, seen, data, a)
    used(m, c.receiver, method, c.span)
    use(c.receiver)
    if method == "predict":
        predicted(m, data, a.get("batch_size"), c.span)
    if method in ("fit", "train_on_batch"):
        trained(m, c.receiver, c.span)
        check_scope(m, c.receiver, c.span)
        trained_by(m, (seen.compiled or {}).get("optimizer"), (plain(c.receiver),), c.span, method)
    if validation is not None and outputs is not MISFIT:  # what the model is trained on was refused already
        _check_validation(c, data, validation)
    if method.startswith("predict"):
        return wrap(_predicted(outputs, data))
    return history_of(c, seen, a) if method == "fit" else Unknown(f"{method}()")


def _batch(data: Data) -> Any:
    found = tensors(data.x)
    if found and isinstance(found[0].shape, tuple) and found[0].shape:
        return found[0].shape[0]
    return Unknown("batch size")


def _validation(m: Machine, arguments: dict[str, Any]) -> Data | None:
    given = arguments.get("validation_data")
    if given is None or isinstance(given, Unknown):
        return None
    batch = arguments.get("validation_batch_size") or arguments.get("batch_size")
    steps = arguments.get("validation_steps")
    if isinstance(given, ListV) and not given.unknown:  # keras/src/trainers/data_adapters: unpack_x_y_sample_weight
        given = tuple(given.items)
    if isinstance(given, tuple) and len(given) in (2, 3):
        return describe(m, given[0], y=given[1], weights=given[2] if len(given) == 3 else None, batch_size=batch,
                        steps=steps)
    return describe(m, given, y=None, weights=None, batch_size=batch, steps=steps)


def _check_inputs(c: Call, data: Data, where: str) -> bool:
    """Compare a batch with the inputs that the model declares; True when they may fit."""
    m = c.machine
    model = model_of(c.receiver)
    if data.batched is False:
        return False  # rows where batches are needed: told of by itself
    if model is None or not is_known_structure(model.inputs) or own_step(c.receiver, where) is not None:
        return True
    if model.kind == "functional" and (lacking := missing_inputs(model.inputs, data.x)) is not None:
        m.say(Rejected, c.span, about=tensors(data.x), what=f"Model.{where}", inputs=data.x, stage=where,
              mismatch=lacking)
        return False
    wanted, given = tensors(model.inputs), matched(model.inputs, data.x)
    given = taken(wanted, given, sequential=model.kind == "sequential", keras_3=m.stack.keras >= (3,))
    if len(wanted) != len(given):
        if _all_known(data.x):
            m.say(Rejected, c.span, about=given, what=f"Model.{where}", inputs=data.x, stage=where,
                  mismatch=wrong_count(len(wanted), len(given), yielded=data.kind in ("generator", "dataset")))
        return False
    for want, have in zip(wanted, given, strict=True):
        wrong = refused_input(m, model, want, have, c.span)
        if wrong is None and m.stack.tensorflow < (2, 2) and data.kind == "arrays":
            wrong = of_other_rank(want, have)
        wrong = wrong or refused_rank(m, model, want, have, c.span)
        if wrong is not None:
            m.say(Rejected, c.span, about=[have, want], what=f"Model.{where}", mismatch=wrong, inputs=data.x,
                  stage=where)
            return False
    return True


def _check_validation(c: Call, data: Data, validation: Data) -> None:
    """Its inputs; a model that declares none is followed on them too where they are not of the shapes of the others."""
    model = model_of(c.receiver)
    shapes = [[item.shape[1:] for item in tensors(each.x) if isinstance(item.shape, tuple)]
              for each in (data, validation)]
    if not _check_inputs(c, validation, "validation_data") or not shapes[0] or len(shapes[0]) != len(shapes[1]) \
            or shapes[0] == shapes[1] or own_step(c.receiver, "evaluate") is not None:
        return
    if model is None or model.outputs is None:
        _forward(c, validation, "evaluate")
    else:
        _misread(c, model, validation, "validation_data")


def _all_known(x: Any) -> bool:
    """A tensor, or a sequence of tensors: a dict may hold more than the model takes."""
    return isinstance(x, Tensor) or (isinstance(x, list | tuple) and all(isinstance(item, Tensor) for item in x))


def _forward(c: Call, data: Data, method: str) -> Any:
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
    if model is not None and model.outputs is not None:
        if _misread(c, model, data, method):
            return MISFIT
        if model.kind == "sequential" and m.wanted is not None:
            tell_built(m, model)
        if closes(model, data):
            return at_size(c, model, data, method)
        return model.outputs
    batch = _floats(m, data.x) if model is not None and m.stack.keras >= (3,) else data.x
    if not tensors(batch) and (model is None or not model.tells_width):
        return Unknown("unknown data")
    phase, training, any_batch = m.phase, m.training, m.any_batch
    m.phase, m.training, m.any_batch = "call", method in ("fit", "train_on_batch"), True
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


def _predicted(outputs: Any, data: Data) -> Any:
    """predict() gives NumPy arrays with one row for each sample, in the structure of the outputs."""
    if isinstance(outputs, list | tuple):
        return type(outputs)(_predicted(each, data) for each in outputs)
    if isinstance(outputs, Tensor) and isinstance(outputs.shape, tuple) and outputs.shape:
        rows = data.rows
        step = Step(outputs.step.span, outputs.step.parents) if outputs.step is not None else None
        return Tensor((rows, *outputs.shape[1:]), outputs.dtype, "numpy", None, step, outputs.assumptions)
    return Unknown("predictions")


def _method(name: str) -> Any:
    return lambda c: run(c, name)


for _name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"):
    FRAMEWORK.on(f"keras.Model.{_name}")(_method(_name))


@FRAMEWORK.on("*.fit")
def fit_of_unknown(c: Call) -> Any:
    """`model.fit(data, epochs=...)` where the model is not known: what it is fed may be."""
    names = c.machine.frame.module.scope.items.values()
    keras = any(isinstance(plain(value), External) and plain(value).path.partition(".")[0] in ("keras", "tensorflow")
                for value in names)
    if keras and c.kwargs.keys() & {"epochs", "steps_per_epoch"}:
        run(c, "fit")
    return None
