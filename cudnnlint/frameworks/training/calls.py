"""compile, fit, evaluate, predict and the *_on_batch methods: what a training call is given and runs on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, ModelCompiled, Rejected, TrainingStarted, tensors
from cudnnlint.frameworks.gradients.optimizers_built import trained_by
from cudnnlint.frameworks.gradients.stepped import fitted
from cudnnlint.frameworks.keras.making import FRAMEWORK, model_of
from cudnnlint.frameworks.keras.policies import trained
from cudnnlint.frameworks.tensorflow.strategies import replicas
from cudnnlint.frameworks.training.callbacks import check_callbacks
from cudnnlint.frameworks.training.compile_names import check_names
from cudnnlint.frameworks.training.estimates import Request
from cudnnlint.frameworks.training.evaluated import evaluated
from cudnnlint.frameworks.training.fed_sizes import told_apart
from cudnnlint.frameworks.training.feeding import describe
from cudnnlint.frameworks.training.forwards import MISFIT, check_validation, forward, predicted_arrays
from cudnnlint.frameworks.training.logged import history_of
from cudnnlint.frameworks.training.model_views import holder_of, use, view
from cudnnlint.frameworks.training.output_structures import check_places
from cudnnlint.frameworks.training.own_compute_loss import follow_computed
from cudnnlint.frameworks.training.own_losses import follow_compiled
from cudnnlint.frameworks.training.rebuilt import predicted, used
from cudnnlint.frameworks.training.refused import check_call
from cudnnlint.frameworks.training.rows import check_batches, check_rows
from cudnnlint.frameworks.training.same_again import same_again
from cudnnlint.frameworks.training.scopes import check_scope
from cudnnlint.frameworks.training.signatures import METHODS
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.frameworks.training.uncompiled import not_known
from cudnnlint.frameworks.training.unconverted import tell_of_objects
from cudnnlint.frameworks.training.unexpected_data import check_compiled, check_data, check_samples
from cudnnlint.frameworks.training.unranked import tell_of_unranked
from cudnnlint.frameworks.training.weights import with_class_weight
from cudnnlint.interp.binding import Bound, bind_spelling
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.devices import start
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.inlined import ENTERED
from cudnnlint.interp.keras.base_init import layer_of
from cudnnlint.interp.keras.creation import CONVERTING
from cudnnlint.interp.keras.incomplete import tell_of_no_base
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.rebatched import unpacked
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.changes import outlived
from cudnnlint.interp.mistakes.nearly_named import meant
from cudnnlint.interp.objects import External, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.whole import fractional_counts
from cudnnlint.values import Unknown


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
        for name in meant(bound.problems, bound.arguments, bound.given):
            bound.arguments[name] = Unknown(f"{name} is misspelt")
        for wrong in fractional_counts(bound.arguments) if c.receiver is not None else ():
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method, assumptions=frozenset(found))
    return bound


@FRAMEWORK.on("keras.Model.compile")
def compile_(c: Call) -> Any:
    m = c.machine
    found: set[Any] = set()
    bound = bind(c, "compile", found)
    _lacks_base(c)
    if isinstance(made := plain(c.receiver), InstanceV) and not isinstance(made.extra, LayerV):
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
        for name in ("jit_compile", "run_eagerly"):  # what was set before is overwritten
            holder.extra.pop(name, None)
            if isinstance(made, InstanceV) and name in made.items:
                m.set_item(made, name, Unknown("what compile() sets"))
    m.say(ModelCompiled, c.span, assumptions=frozenset(found), model=view(m, c.receiver), arguments=bound.arguments)
    return None


def _lacks_base(c: Call) -> bool:
    """Whether it fails since nothing has set the model up, as is then told."""
    made = plain(c.receiver)
    return isinstance(made, InstanceV) and not isinstance(made.extra, LayerV) and tell_of_no_base(
        c.machine, made, c.span)


def run(c: Call, method: str) -> Any:
    """Tell of one training, evaluation or prediction call; gives predict()'s result."""
    m = c.machine
    found: set[Any] = set()
    bound = bind(c, method, found)
    if isinstance(bound, Unknown) or _lacks_base(c):
        return bound if isinstance(bound, Unknown) else Unknown("a model that nothing has set up")
    a = bound.arguments
    check_data(c, method, a)
    if c.receiver is not None:
        start(m, c.span)
    model = model_of(c.receiver)
    unweighted = _data(c, method, a, model)
    data = with_class_weight(m, unweighted, a.get("class_weight"))
    outputs, trains = fitted(m, lambda: forward(c, data, method))
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
        follow_computed(c, data, outputs, method)
    check_call(c, method, seen, unweighted, a)
    if c.receiver is not None:
        check_callbacks(c, method, a.get("callbacks"), (seen.compiled or {}).get("optimizer"))
    used(m, c.receiver, method, c.span)
    use(c.receiver)
    if method == "predict":
        predicted(m, data, a.get("batch_size"), c.span)
    if method in ("fit", "train_on_batch"):
        trained(m, c.receiver, c.span)
        check_scope(m, c.receiver, c.span)
        trained_by(m, (seen.compiled or {}).get("optimizer"), (plain(c.receiver),), c.span, method)
    if validation is not None and outputs is not MISFIT:  # what the model is trained on was refused already
        check_validation(c, data, validation)
    if method.startswith("predict"):
        declared = model is not None and outputs is model.outputs and m.stack.keras >= (3,)
        return wrap(predicted_arrays(unpacked(outputs) if declared else outputs, data, plain(c.receiver), c.span))
    if method == "evaluate":
        return evaluated(c, seen, a)
    return history_of(c, seen, a) if method == "fit" else Unknown(f"{method}()")


def _data(c: Call, method: str, a: dict[str, Any], model: ModelV | None) -> Data:
    """What the model is given; tells of data that it cannot be."""
    on_batch = method.endswith("_on_batch")
    data = describe(c.machine, a.get("x"), y=a.get("y"), weights=a.get("sample_weight"),
                    batch_size="all" if on_batch else a.get("batch_size"),
                    validation_split=a.get("validation_split") if method == "fit" else None,
                    steps=a.get("steps_per_epoch" if method == "fit" else "steps"), span=c.span)
    if c.receiver is not None and not on_batch:
        check_samples(c, method, a.get("x"), model)
    data = same_again(c, model, told_apart(model, data))
    if data.kind == "arrays":
        check_rows(c, a, method)
        if tell_of_objects(c, method, data, tensors(model.inputs) if model is not None else ()):
            data = replace(data, x=Unknown("what the model is not fed"), y=Unknown("what the model is not fed"))
    elif data.kind == "dataset":
        tell_of_unranked(c, method, data)
    elif method == "fit":
        check_batches(c, a.get("x"))
    return data


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


def _method(name: str) -> Any:
    def called(c: Call) -> Any:
        c.machine.notes.setdefault(ENTERED, {})[id(plain(c.receiver))] = True  # it is fed, though who knows with what
        return run(c, name)

    return called


for _name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"):
    FRAMEWORK.on(f"keras.Model.{_name}")(_method(_name))


@FRAMEWORK.on("*.fit")
def fit_of_unknown(c: Call) -> Any:
    """`model.fit(data, epochs=...)` where the model is not known: what it is fed may be."""
    names = c.machine.frame.module.scope.items.values()
    keras = any(isinstance(plain(value), External) and plain(value).path.partition(".")[0] in ("keras", "tensorflow")
                for value in names)
    if keras and c.kwargs.keys() & {"epochs", "steps_per_epoch"} and not _trains_otherwise(c):
        run(c, "fit")
    return None


def _trains_otherwise(c: Call) -> bool:
    """Whether a second dataset stands where Keras takes labels: some other fit(), of a class around a model."""
    return len(c.args) > 1 and describe(c.machine, c.args[1], y=None, weights=None).kind in (
        "dataset", "generator", "sequence")
