"""Losses and metrics of the user's own that compile() was given, followed on what a training call compares."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from cudnnlint.events import Data
from cudnnlint.frameworks.training.fed_sizes import as_tf
from cudnnlint.frameworks.training.losses_called import OF_COMPILE
from cudnnlint.frameworks.training.model_views import runs_eagerly
from cudnnlint.frameworks.training.output_structures import names_of
from cudnnlint.frameworks.training.traced import traced_by
from cudnnlint.frameworks.training.weights import check_own_weights
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.graphs.bodies import body
from cudnnlint.interp.graphs.placeholders import OF_KERAS_3, placeholders
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.misbound import tell_of_handed
from cudnnlint.interp.mistakes.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, PartialV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import BATCH, Mismatch, Problem, Symbol, Tensor

TRAINING = frozenset({"fit", "train_on_batch"})
COMPARING = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})
LOSS, METRIC = "keras.losses.Loss", "keras.metrics.Metric"
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


def follow_compiled(c: Call, compiled: Any, data: Data, outputs: Any, method: str) -> None:
    """Call each of them once on labels and outputs of one batch, as fit() would."""
    if not compiled or method not in COMPARING:
        return
    if isinstance(outputs, Tensor) and method in TRAINING:
        _check_within(c, method, outputs)
    for y, output, own in _matched(data.y, outputs, plain(compiled.get("loss"))):
        made = _follow(c, method, own, y, output, casts=c.machine.stack.keras >= (3,), squeezes=not _is_instance(own),
                       traced=partial(traced_by, c, data, method=method) if _is_open(data, y) else None)
        if output is outputs:
            check_own_weights(c, method, data, made)
        if isinstance(made, Tensor) and made.dtype in FLOATS and output is outputs and method in TRAINING:
            _check_gradients(c, method, made, output)
    for own in (*(_parts(compiled.get("metrics")) or ()), *(_parts(compiled.get("weighted_metrics")) or ())):
        for y, output, each in _matched(data.y, outputs, plain(own), METRIC):
            if isinstance(each, InstanceV):
                if isinstance(updating := each.cls.lookup("update_state"), FunctionV) \
                        and not _tell_of_unweighted(c, method, updating):
                    _follow(c, method, BoundV(updating, each), y, output, casts=False, squeezes=False, gives=False)
            else:
                _follow(c, method, each, y, output, casts=c.machine.stack.keras < (3,),
                        squeezes=c.machine.stack.keras < (3,))


def _tell_of_unweighted(c: Call, method: str, updating: FunctionV) -> bool:
    """Metrics are always given sample_weight, by keyword (keras/src/trainers/compile_utils.py: CompileMetrics.
    update_state; tf_keras/src/engine/compile_utils.py: MetricsContainer.update_state)."""
    taken = updating.node.args
    names = {one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
    if "sample_weight" in names or taken.kwarg is not None or getattr(updating.node, "decorator_list", None) \
            or c.machine.uncalled or c.machine.trying or c.machine.handlers:
        return False
    return refuse(c.machine, updating.module.source.span(updating.node), Mismatch(
        Problem.UNKNOWN_ARGUMENT, f"update_state() takes no sample_weight, with which {method}() calls it",
        help="def update_state(self, y_true, y_pred, sample_weight=None)",
        error="TypeError \"update_state() got an unexpected keyword argument 'sample_weight'\"",
        facts=(("name", ""), ("versions", ""), ("twice", False), ("parameters", tuple(names)))),
        what=f"Model.{method}", stage=method)


def _is_open(data: Data, y: Tensor) -> bool:
    """Whether the rows of a batch are None in the graph, which is followed on a batch of any size in either case."""
    return data.kind == "arrays" or (isinstance(y.shape, tuple) and bool(y.shape) and isinstance(y.shape[0], Symbol))


def _parts(value: Any) -> list[Any] | None:
    value = plain(value)
    if isinstance(value, ListV):
        return None if value.unknown else list(value.items)
    return list(value) if isinstance(value, list | tuple) else None


def _matched(y: Any, outputs: Any, given: Any, base: str = LOSS) -> list[tuple[Tensor, Tensor, Any]]:
    """Labels and outputs that belong together, with what is the user's own among what was given for them."""
    if isinstance(outputs, list | tuple) and len(outputs) == 1:
        outputs = outputs[0]
    if isinstance(y, Tensor) and isinstance(outputs, Tensor):
        parts = _parts(given)
        given = plain(parts[0]) if parts is not None and len(parts) == 1 else given
        return [(y, outputs, given)] if _is_own(given, base) else []
    if isinstance(given, DictV):
        return _named(y, outputs, given, base)
    several = _parts(given)
    if not isinstance(y, list | tuple) or not isinstance(outputs, list | tuple):
        return []
    each = [given] * len(y) if several is None else [plain(one) for one in several]
    if len(y) != len(outputs) or len(each) != len(y):
        return []
    return [(t, o, own) for t, o, own in zip(y, outputs, each, strict=True)
            if isinstance(t, Tensor) and isinstance(o, Tensor) and _is_own(own, base)]


def _named(y: Any, outputs: Any, given: DictV, base: str) -> list[tuple[Tensor, Tensor, Any]]:
    """The same of losses by the names of the outputs, or by the keys of outputs in a dict."""
    names = list(outputs) if isinstance(outputs, dict) else names_of(outputs) \
        if isinstance(outputs, list | tuple) and all(isinstance(one, Tensor) for one in outputs) else []
    if not names:
        return []
    made = outputs if isinstance(outputs, dict) else dict(zip(names, outputs, strict=False))
    labels = y if isinstance(y, dict) else dict(zip(names, y, strict=False)) \
        if isinstance(y, list | tuple) and len(y) == len(names) and not isinstance(outputs, dict) else {}
    each = [(labels.get(name), made.get(name), plain(given.items.get(name))) for name in names]
    return [(t, o, own) for t, o, own in each
            if isinstance(t, Tensor) and isinstance(o, Tensor) and _is_own(own, base)]


def _is_own(value: Any, base: str) -> bool:
    if isinstance(value, PartialV):
        return _is_own(plain(value.function), base)
    return isinstance(value, FunctionV | BoundV) or _is_instance(value, base)


def _is_instance(value: Any, base: str = LOSS) -> bool:
    """A loss, or a metric, of a class of the user's."""
    return isinstance(value, InstanceV) and any(getattr(each, "path", "") == base for each in value.cls.mro)


def _follow(c: Call, method: str, own: Any, y: Tensor, output: Tensor, *, casts: bool, squeezes: bool,
            gives: bool = True, traced: Callable[[Any], AbstractContextManager[None]] | None = None) -> Any:
    """keras/src/losses/loss.py: Loss.__call__ casts both; losses.py: LossFunctionWrapper.call brings them to one rank
    before a function. Metrics of Keras 3 do neither. tf_keras/src/engine/compile_utils.py: match_dtype_and_rank casts
    labels to the output's dtype only if both are floats or both integers, and adds an axis to labels of one; before
    Keras 2.4 labels are placeholders of the output's dtype (keras/engine/training.py: Model.compile of 2.3)."""
    m = c.machine
    called = BoundV(own.cls.lookup("call"), own) if isinstance(own, InstanceV) else own
    if tell_of_handed(m, called, ("y_true", "y_pred"), method):
        return None
    if m.stack.keras < (3,) and y.rank == 1 and output.rank == 2 and isinstance(y.shape, tuple):
        y = y.with_(shape=(*y.shape, 1))
    floats = output.dtype in FLOATS
    if casts or m.stack.keras < (2, 4) or (y.dtype in FLOATS and floats):
        y = y.with_(dtype=output.dtype) if floats else y
    y, output = _same_rank(y, output) if squeezes else (y, output)
    y, output = _of_one_batch(y, output)
    phase, training, any_batch = m.phase, m.training, m.any_batch
    m.phase, m.training, m.any_batch = "call", True, True
    m.state[OF_COMPILE] = True
    compared = [as_tf(y), as_tf(output)]
    try:
        eager = runs_eagerly(c.receiver)
        with placeholders(m, () if eager else compared, OF_KERAS_3), nullcontext() if eager else _traced(m, called), \
                nullcontext() if traced is None else traced(compared):
            made = m.call(own, [wrap(each) for each in compared], {}, c.node)
        if gives and not _tell_of_factory(c, own, plain(made)):
            tell_of_given_back(m, own, made, "what training goes by",
                               'ValueError "None values not supported"', c.span)
        return plain(made)
    except Raised:
        return None
    finally:
        m.state.pop(OF_COMPILE, None)
        m.phase, m.training, m.any_batch = phase, training, any_batch


def _of_one_batch(y: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    """Both have the rows of the first batch, if it is known how many these are."""
    labels, made = y.shape, output.shape
    if not isinstance(labels, tuple) or not isinstance(made, tuple) or not labels or not made:
        return y, output
    if made[0] == BATCH and isinstance(labels[0], int):
        return y, output.with_(shape=(labels[0], *made[1:]), step=output.step)
    return y.with_(shape=(made[0], *labels[1:])), output


def _check_gradients(c: Call, method: str, made: Tensor, output: Tensor) -> None:
    """A loss that rounds off or counts: all variables of the model have None for a gradient, unless the layers add
    losses of their own (keras/src/optimizers/base_optimizer.py: BaseOptimizer._filter_empty_gradients)."""
    from cudnnlint.frameworks.gradients.unreached import cut_off, is_apart

    source = c.machine.frame.module.source
    what = cut_off(made, output)
    apart = not what and is_apart(made, output)
    if (what or apart) and is_certain(c.machine) and not any(source.says(word) for word in ("regulariz", "add_loss")):
        refuse(c.machine, c.span, Mismatch(
            Problem.NO_GRADIENTS, "the loss is computed without the model's output: no gradients" if apart else
            f"the loss comes from the model's output through {what} alone: no gradients",
            help="a loss of y_pred, its second argument" if apart else
            "a loss of the output's floats; count with a metric",
            error='ValueError "No gradients provided for any variable"'), what=f"Model.{method}", stage=method)


def _check_within(c: Call, method: str, output: Tensor) -> None:
    """The same within the model."""
    from cudnnlint.frameworks.gradients.unreached import cut_inside

    source = c.machine.frame.module.source
    what = cut_inside(output) if is_certain(c.machine) else ""
    if what and not any(source.says(word) for word in ("regulariz", "add_loss", "custom_gradient", "stop_gradient")):
        refuse(c.machine, c.span, Mismatch(
            Problem.NO_GRADIENTS, f"the model's output comes from its weights through {what} alone: no gradients",
            help="leave the floats as they are in the model; round off, or take argmax, of what predict() gives",
            error='ValueError "No gradients provided for any variable"'), what=f"Model.{method}", stage=method)


def _tell_of_factory(c: Call, own: Any, made: Any) -> bool:
    """`loss=focal_loss` of a function that makes the loss and was to be called."""
    if not isinstance(made, FunctionV) or not isinstance(own, FunctionV) or not is_certain(c.machine):
        return False
    return refuse(c.machine, c.span, Mismatch(
        Problem.UNEXPECTED, f"{own.name}() is called on labels and predictions, and gives the function {made.name}",
        help=f"{own.name}(...), which makes the function that compares them",
        error='TypeError "<function" or ValueError "<function"'), what=own.name)


def _traced(m: Machine, called: Any) -> AbstractContextManager[None]:
    """Training steps are a tf.function (keras/src/backend/tensorflow/trainer.py: make_train_function)."""
    function = called.function if isinstance(called, BoundV) else called
    return body(m, function.name) if isinstance(function, FunctionV) else nullcontext()


def _same_rank(y: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    """keras/src/losses/loss.py: squeeze_or_expand_to_same_rank"""
    t, o = y.shape, output.shape
    if not isinstance(t, tuple) or not isinstance(o, tuple):
        return y, output
    if len(t) == len(o) + 1 and t[-1] == 1:
        return (y, output.with_(shape=(*o, 1))) if len(o) == 1 else (y.with_(shape=t[:-1]), output)
    if len(o) == len(t) + 1 and o[-1] == 1:
        return (y.with_(shape=(*t, 1)), output) if len(t) == 1 else (y, output.with_(shape=o[:-1]))
    return y, output


__all__ = ["follow_compiled"]
