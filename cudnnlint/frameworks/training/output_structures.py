"""What compile() and fit() say of each output, against the outputs that a functional model has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, tensors
from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.training.compile_names import weights_of_one
from cudnnlint.frameworks.training.model_views import holder_of
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where

METHODS = ("fit", "evaluate", "train_on_batch", "test_on_batch")
KERAS_3 = Where(keras=">=3")
STRICT = Where(keras=">=3.8")
"""Structures of labels are compared (run with 3.3, which does not, 3.8 and 3.15)."""


def check_structures(c: Call, method: str, data: Data, outputs: Any) -> None:
    """Tell of the first thing that names or counts other outputs than there are."""
    model, compiled = model_of(c.receiver), getattr(holder_of(c.receiver), "compiled", None)
    if method not in METHODS or not compiled or own_step(c.receiver, method) is not None:
        return
    if model is None or model.outputs is None:
        _check_weights(c, method, compiled, outputs)
    if isinstance(data.y, dict) and not isinstance(plain(c.receiver), InstanceV) and compiled.get("loss") is not None \
            and _is_one(outputs if model is None or model.outputs is None else model.outputs):
        refuse(c.machine, c.span, _of_one(data.y), what=f"Model.{method}", stage=method)
        return
    alone = outputs if model is None or model.outputs is None else model.outputs
    if isinstance(data.y, list | tuple) and _is_one(alone) and (
            not isinstance(plain(c.receiver), InstanceV) or _is_subclass(c.receiver)):
        for wrong in _labels(data.y, strip(compiled.get("loss")), [], 1):
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method)
            return
    given = list(outputs.values()) if isinstance(outputs, dict) else outputs
    if _is_subclass(c.receiver) and isinstance(data.y, Tensor) and _are_several(given):
        for wrong in _labels(data.y, strip(compiled.get("loss")), [], len(given)):
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method)
    if model is None or model.kind != "functional":
        return
    outputs = model.outputs
    given = {name: strip(compiled.get(name)) for name in ("loss", "loss_weights", "metrics")}
    if isinstance(outputs, Tensor):
        for wrong in _placed(_named({"loss": given["loss"]}, names_of([outputs])), compiled):
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method)
            return
    if isinstance(outputs, dict) and outputs and all(isinstance(key, str) for key in outputs):
        for wrong in (*_placed(_keyed(given, list(outputs)), compiled),
                      *_labels(data.y, given["loss"], list(outputs), max(len(outputs), len(tensors(outputs))))):
            refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method)
            return
    if not _are_several(outputs):
        return
    for wrong in (*_placed((*_named(given, names_of(outputs)), *_counted(given, len(outputs))), compiled),
                  *_labels(data.y, given["loss"], names_of(outputs), len(outputs))):
        if refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method):
            return


def _check_weights(c: Call, method: str, compiled: dict[str, Any], outputs: Any) -> None:
    """What compile() could not tell of a model that was not built, by the `outputs` that it has now."""
    if isinstance(outputs, Tensor):
        for wrong in weights_of_one(strip(compiled.get("loss")), strip(compiled.get("loss_weights"))):
            refuse(c.machine, compiled["span"], wrong, what="Model.compile", stage=method)


def _is_subclass(receiver: Any) -> bool:
    """A model of the program's own that leaves it to Keras how its loss is computed."""
    value = plain(receiver)
    return isinstance(value, InstanceV) and not isinstance(value.cls.lookup("compute_loss"), FunctionV | Unknown) \
        and getattr(value.extra, "outputs", None) is None


def _are_several(outputs: Any) -> bool:
    return isinstance(outputs, list | tuple) and len(outputs) > 1 and all(isinstance(o, Tensor) for o in outputs)


def _is_one(outputs: Any) -> bool:
    return isinstance(outputs[0] if isinstance(outputs, list | tuple) and len(outputs) == 1 else outputs, Tensor)


def _of_one(labels: dict[Any, Any]) -> Mismatch:
    """The dict is packed as the output is, which makes its first key the labels (keras/src/trainers/compile_utils.py:
    CompileLoss.call; run with 3.7, which takes it with a single loss, 3.8, 3.12 and 3.15)."""
    return _wrong("labels are a dict, the model has one output", 'TypeError "Expected float32, but got" or '
                  'ValueError "y_true and y_pred have different structures"', STRICT,
                  f"the array itself, without {next(iter(labels), 'the name')!r}, or a dict of outputs for the model")


def check_places(c: Call, arguments: dict[str, Any]) -> None:
    """The third argument of compile() is `metrics` in Keras 2 and `loss_weights` in Keras 3."""
    if c.machine.stack.keras < (3,):
        if len(c.args) in (3, 4):
            arguments["metrics"], arguments["loss_weights"] = arguments["loss_weights"], arguments["metrics"]
        return
    weights = strip(arguments.get("loss_weights"))
    given = list(weights) if isinstance(weights, list | tuple) else [weights]
    if any(map(_is_metric, given)):
        told = f"loss_weights {'has' if isinstance(weights, list | tuple) else 'is'} a metric"
    elif isinstance(weights, str | list | tuple) and weights and all(isinstance(item, str) for item in given):
        told = f"loss_weights is {_listed(given)}: {'a name' if given == [weights] else 'names'} of metrics"
    else:
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.OUTPUTS, told, where=KERAS_3, error=PLACES,
        help="metrics=[...] by name: the third argument of compile() is loss_weights"), what="Model.compile",
           stage="fit")


PLACES = ('ValueError "`loss_weights` must match the number of losses" or "dtype=\'string\' is not a valid dtype" or '
          '"the `loss_weights` argument must be a Python float", of metric objects TypeError "Failed to convert '
          'elements of"')


def _is_metric(value: Any) -> bool:
    return isinstance(value, ObjectV) and value.path.startswith("keras.metrics.")


def names_of(outputs: Any) -> list[str]:
    """Names that the program gave the layers of the outputs (keras/src/models/functional.py: output_names); none if
    some go by names that Keras makes up."""
    makers = [output.step.maker if output.step is not None else None for output in outputs]
    names = [maker.base.get("name") if isinstance(maker, LayerV) else None for maker in makers]
    told = [name for name in names if isinstance(name, str)]
    return told if len(told) == len(names) == len(set(told)) else []


def _named(given: dict[str, Any], names: list[str]) -> Iterator[Mismatch]:
    for what, value in given.items():
        if not names or not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            continue
        for key in value:
            if key not in names:
                yield _wrong(f"{what} names an output {key!r}, the model's are {_listed(names)}", _unnamed(what))
        lacking = [name for name in names if name not in value]
        if what == "loss" and lacking:
            yield _wrong(f"loss leaves out the output {lacking[0]!r}", _unnamed(what), STRICT,
                         f"{lacking[0]!r}: None where it has no loss")


def _placed(found: Iterable[Mismatch], compiled: dict[str, Any]) -> Iterator[Mismatch]:
    """What was given to compile(), with where that was."""
    for wrong in found:
        yield replace(wrong, facts=(("elsewhere", (compiled["span"], "given to compile()")),))


def _keyed(given: dict[str, Any], keys: list[str]) -> Iterator[Mismatch]:
    """Of outputs in a dict, which go by its keys, whatever their layers are called (run with Keras 3.15 and tf_keras
    2.21, which trains nothing by a loss of another name)."""
    for what, where in (("loss", KERAS_3), ("metrics", Where())):
        value = given[what]
        for key in value if isinstance(value, dict) else ():
            if isinstance(key, str) and key not in keys:
                yield _wrong(f"{what} names an output {key!r}, the model's are {_listed(keys)}", KEYED[what], where)
    if len(keys) > 1:
        yield from _counted({"loss": None, "loss_weights": None, "metrics": given["metrics"]}, len(keys))


def _counted(given: dict[str, Any], count: int) -> Iterator[Mismatch]:
    losses = given["loss"]
    if isinstance(losses, list | tuple) and len(losses) > count:
        yield _wrong(f"{len(losses)} losses for {count} outputs", LOSSES, KERAS_3)
    weights = given["loss_weights"]
    if isinstance(weights, list | tuple) and isinstance(losses, list | tuple | dict) and len(weights) != len(losses):
        yield _wrong(f"{len(weights)} loss_weights for {len(losses)} losses", WEIGHTS, KERAS_3)
    metrics = given["metrics"]
    if isinstance(metrics, list | tuple) and metrics and len(metrics) != count:
        yield _wrong(f"metrics is a list of {len(metrics)} for {count} outputs", METRICS, KERAS_3,
                     "a dict by the names of the outputs, or a list with one entry for each of them")


def _labels(y: Any, losses: Any, names: list[str], count: int) -> Iterator[Mismatch]:
    if losses is None or isinstance(losses, Unknown) or None in (
            losses.values() if isinstance(losses, dict) else losses if isinstance(losses, list | tuple) else ()):
        return
    if isinstance(y, Tensor) and count == 1:
        return  # of a dict with one key: it is the labels of that
    if isinstance(y, Tensor):
        yield _wrong(f"one array of labels, {y}, for {count} outputs", STRUCTURES, STRICT, "one for each output")
    elif isinstance(y, list | tuple) and len(y) != count and all(isinstance(item, Tensor) for item in y):
        yield _wrong(f"labels for {len(y)} outputs, the model has {count}", STRUCTURES,
                     OLD_AND_NEW if count > 1 else STRICT)
    elif isinstance(y, dict) and names:
        for key in y:
            if key not in names:
                yield _wrong(f"labels name an output {key!r}, the model's are {_listed(names)}", STRUCTURES,
                             OLD_AND_NEW)
        lacking = [name for name in names if name not in y]
        if lacking:
            yield _wrong(f"no labels for the output {lacking[0]!r}", STRUCTURES, STRICT)


OLD_AND_NEW = Where(keras="<3|>=3.8")
LOSSES = "KeyError \"The path: (2,) in the `loss` argument, can't be found in either the model's output\" or ValueError"
WEIGHTS = 'ValueError "`loss_weights` must match the number of losses"'
METRICS = ('ValueError "Invalid `metrics`. `metrics` should contain metrics objects and either be a dict or a list '
           'matching the output names" or "Expected an instance of dict" or "it should have as many entries as the '
           'model has outputs"')
STRUCTURES = ('ValueError "y_true and y_pred have different structures" or "The two structures don\'t have the same '
              'sequence length" or "Found unexpected losses or metrics" or KeyError "can\'t be found in either the '
              'model\'s output" or TypeError "Expected float32, but got"')


KEYED = {
    "loss": "KeyError \"in the `loss` argument, can't be found in either the model's output\"",
    "metrics": 'ValueError "dictionary key mismatch; expected key(s)" or "Found unexpected losses or metrics that do '
               'not correspond to any Model output"'}


def _unnamed(what: str) -> str:
    said = {"loss": '"in loss dict, but found loss.keys()="', "metrics": '"Invalid `metrics`"'}
    told = [*([said[what]] if what in said else []), '"does not correspond to any model output"',
            '"Found unexpected losses or metrics that do not correspond to any Model output"', *(
                ["KeyError"] if what == "loss_weights" else [])]
    return f"ValueError {' or '.join(told)}"


def _wrong(message: str, error: str, where: Where = Where(), help: str = "") -> Mismatch:
    return Mismatch(Problem.OUTPUTS, message, help=help or "one entry for each output, by its name or in its place",
                    error=error, where=where)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


__all__ = ["check_places", "check_structures", "names_of"]
