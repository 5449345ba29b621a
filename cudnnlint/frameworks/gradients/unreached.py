"""Gradients of what a tape has not seen, or cannot go through: there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.events.training import VARIABLE
from cudnnlint.frameworks.gradients.tapes import READ, Descent
from cudnnlint.frameworks.gradients.unwatched import PLAIN
from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown

STEPPED = frozenset({"tensorflow.round", "tensorflow.math.round", "tensorflow.floor", "tensorflow.math.floor",
                     "tensorflow.math.ceil", "tensorflow.math.rint", "keras.backend.round", "keras.ops.round",
                     "keras.ops.floor", "keras.ops.ceil"})
"""Functions of floats that TensorFlow has no gradient of (tensorflow/python/ops/math_grad.py: NotDifferentiable)."""
ARRAY, COUNTED = "a NumPy array", "what a metric counted"
FAR = 256
"""Steps of a history that are looked back at."""


def check_reached(c: Call, descent: Descent) -> None:
    """Under the tape no variable was read, and the loss comes from what the model made above it, or through what has no
    gradient."""
    tape, m = descent.tape, c.machine
    if NUMPY_OF_TENSORFLOW in m.state:  # whose arrays are tensors
        return
    if tape.emptied or tape.span is None or not descent.owners or not tensors(descent.loss) or m.trying \
            or m.state.get(READ, -1) > tape.since:
        return
    if tape.silent and _is_above(descent, tape.span, _given(m, tape.span)):
        _tell(c, "no layer is applied under the tape: all gradients are None",
              "call the model within `with tf.GradientTape() as tape:`")
    elif what := _cut(descent):
        _tell(c, f"the loss comes from the model through {what} alone: all gradients are None",
              "operations of TensorFlow on floats, from the model to the loss")


def _tell(c: Call, message: str, advice: str) -> None:
    refuse(c.machine, c.span, Mismatch(Problem.NO_GRADIENTS, message, help=advice,
                                       error='ValueError "No gradients provided for any variable"'),
           what="apply_gradients", stage="call")


def _is_above(descent: Descent, tape: Span, given: set[int]) -> bool:
    steps = _history(descent.loss)
    made = [step for step in steps if _is_owner(step, descent)]
    if not made or any(step.maker == VARIABLE for step in steps):
        return False
    return all(id(step) in given or (step.span.path == tape.path and step.span.line < tape.line) for step in made)


def _given(m: Machine, tape: Span) -> set[int]:
    """The steps behind what the function is given that opens the tape: they were taken before."""
    frame, node = m.frame, getattr(m.frame.function, "node", None)
    source = frame.module.source
    if node is None or frame.call is None or source is None or source.path != tape.path \
            or not node.lineno <= tape.line <= node.end_lineno:
        return set()
    return {id(step) for step in _history(strip([*frame.call.args, *frame.call.kwargs.values()]))}


def _is_owner(step: Step, descent: Descent) -> bool:
    return any(plain(step.maker) is owner for owner in descent.owners)


def cut_off(made: Any, output: Tensor) -> str:
    """What stands between a loss that the program's own function made and a model's output; "" where a gradient may
    pass."""
    last = output.step
    if last is None or last.maker is None or isinstance(last.maker, str) or not isinstance(made, Tensor):
        return ""
    what = between(made, lambda step: step is last)
    return "" if what == ARRAY else what  # which may be one of TensorFlow's own NumPy, or else makes no graph


def is_apart(made: Tensor, output: Tensor) -> bool:
    """Whether such a loss is computed of other tensors alone, each by a function of TensorFlow or Keras."""
    if output.step is None or made.step is None or not made.step.parents:
        return False
    steps = _history(made)
    return len(steps) < FAR and all(
        step is not output.step and (step.maker is None or (isinstance(step.maker, str) and not _may_train(step.maker)))
        and not _holds_unknown(step.arguments) for step in steps)


def _may_train(maker: str) -> bool:
    return maker == VARIABLE or "ariable" in maker or not maker.startswith(PLAIN)


def cut_inside(output: Tensor) -> str:
    """The same between what a model gives and every layer of it that has weights to train; "" where a gradient may
    pass, or one of its layers is not followed."""
    todo, found, steps = [output], "", 0
    while todo:
        tensor, steps = todo.pop(), steps + 1
        step = tensor.step
        whole = isinstance(tensor.dtype, str) and tensor.dtype.startswith(("int", "uint", "bool"))
        if tensor.kind == "numpy" or steps > FAR:
            return ""
        if step is None:
            continue
        if whole or step.maker in STEPPED:
            if any(map(_trains, _history(tensor))):
                found = str(step.maker).replace("tensorflow.", "tf.") if step.maker in STEPPED else \
                    "a comparison" if tensor.dtype == "bool" else "whole numbers"
        elif isinstance(step.body, Tensor):
            todo.append(step.body)
        elif _passes(step):
            todo += step.parents
        else:
            return ""
    return found


def _passes(step: Step) -> bool:
    if isinstance(step.maker, str):
        return step.arguments is not None and not _holds_unknown(step.arguments)
    return isinstance(step.maker, LayerV) and step.maker.weights == () and step.maker.display in PASSING


def _trains(step: Step) -> bool:
    weights = step.maker.weights if isinstance(step.maker, LayerV) else None
    return isinstance(weights, tuple) and any(weight.trainable for weight in weights)


PASSING = frozenset({"Flatten", "Reshape", "Permute", "RepeatVector", "Dropout", "Activation", "ReLU", "Softmax",
                     "Concatenate", "Add", "Multiply", "Average", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
                     "GlobalMaxPooling1D", "GlobalMaxPooling2D", "MaxPooling2D", "AveragePooling2D"})
"""Layers without weights that gradients pass."""


def _cut(descent: Descent) -> str:
    return between(descent.loss, lambda step: _is_owner(step, descent))


def between(loss: Any, ends: Callable[[Step], bool]) -> str:
    """What stands between the loss and the model on every way, if that is known: a NumPy array, whole numbers, a
    comparison, a function without a gradient, or a metric."""
    todo, found, steps = list(tensors(loss)), "", 0
    while todo:
        tensor, steps = todo.pop(), steps + 1
        whole = isinstance(tensor.dtype, str) and tensor.dtype.startswith(("int", "uint", "bool"))
        step = tensor.step
        stepped = step is not None and step.maker in STEPPED
        if step is not None and step.maker == COUNTED:
            found = COUNTED
            continue
        if tensor.kind == "numpy" or whole or stepped:
            if any(map(ends, _history(tensor))):
                found = ARRAY if tensor.kind == "numpy" else str(step.maker).replace("tensorflow.", "tf.") \
                    if stepped and step is not None else "a comparison" if tensor.dtype == "bool" else "whole numbers"
            continue
        if step is None:
            continue
        named = isinstance(step.maker, str) and step.arguments is not None and not _holds_unknown(step.arguments)
        if steps > FAR or ends(step) or not (named or step.maker is None):
            return ""  # there, at a layer, or at what is not followed
        todo += step.parents
    return found


def _holds_unknown(value: Any) -> bool:
    held = plain(value)
    if isinstance(held, ListV):
        return bool(held.unknown) or any(map(_holds_unknown, held.items))
    if isinstance(held, list | tuple):
        return any(map(_holds_unknown, held))
    if isinstance(held, dict):
        return any(map(_holds_unknown, held.values()))
    return isinstance(held, Unknown)


def _history(loss: Any) -> list[Step]:
    found: list[Step] = []
    todo = list(tensors(loss))
    while todo and len(found) < FAR:
        step = todo.pop().step
        if step is not None:
            found.append(step)
            todo += step.parents
    return found


__all__ = ["ARRAY", "COUNTED", "between", "check_reached", "cut_inside", "cut_off", "is_apart"]
