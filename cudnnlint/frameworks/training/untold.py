"""Models that fit() does not tell of training: Keras 3 does only where their call() has such an argument."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.misbound import FILLED_IN, parameters, tell_of_handed
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Unknown, Where

DROPS = re.compile(r"^keras\.layers\.(\w*Dropout\w*|GaussianNoise)$")
AVERAGES = "keras.layers.BatchNormalization"
LISTENS = "training"


def check_told(c: Call, method: str) -> None:
    """Tell of a model that trains as if it were used (keras/src/backend/tensorflow/trainer.py: train_step)."""
    model = plain(c.receiver)
    if method not in ("fit", "train_on_batch") or not isinstance(model, InstanceV) or model.unknown:
        return
    function = model.cls.lookup("call")
    if not isinstance(function, FunctionV) or not isinstance(function.node, ast.FunctionDef) \
            or any(model.cls.lookup(name) is not MISSING for name in ("train_step", method, "__call__")):
        return
    parts = list(within(model))
    if any(isinstance(part, InstanceV) and _speaks(part, model) for part in parts) or not (idle := _idle(parts)):
        return
    given = function.node.args
    last = [*given.posonlyargs, *given.args, *filter(None, (given.vararg,))][-1]
    wrong = Mismatch(
        Problem.UNTOLD, f"call() of {model.cls.name} has no training argument: fit() trains with {idle} as in use",
        where=Where(keras=">=3"), help="call(self, ..., training=None): Keras tells it, and with it the layers within",
        error=f"no error: {_undone(idle)}")
    refuse(c.machine, function.module.source.span(last), wrong, what=f"Model.{method}", stage=method)


def check_parts(c: Call, method: str) -> None:
    """Tell of a call() with a parameter for each input: fit() and its kin give it all of them as one (keras/src/
    backend/tensorflow/trainer.py: train_step; tf_keras/src/engine/training.py: Model.train_step)."""
    model = plain(c.receiver)
    if not isinstance(model, InstanceV) or model.unknown or model.cls.lookup("__call__") is not MISSING:
        return
    function = model.cls.lookup("call")
    if not isinstance(function, FunctionV) or not isinstance(function.node, ast.FunctionDef) \
            or own_step(c.receiver, method) is not None or model.cls.lookup(method) is not MISSING:
        return
    required = parameters(function.node)[0][1:]
    required = required[:len(required) - len(function.defaults)]
    needed = [name for name in required if name not in FILLED_IN]
    if len(needed) < 2:
        return
    told = [name for name in required if name in FILLED_IN]
    tell_of_handed(c.machine, BoundV(function, model), ("inputs", *told), method,
                   advice=f"def call(self, inputs, ...): {', '.join(needed)} = inputs",
                   error=f"TypeError \"missing a required argument: '{needed[1]}'\", with Keras before 3 "
                         '"missing 1 required positional argument"')


def is_untold(m: Machine, model: Any) -> bool:
    """Whether fit() calls the model as it is used (keras/src/backend/tensorflow/trainer.py: train_step asks
    `_call_has_training_arg`)."""
    held = plain(model)
    function = held.cls.lookup("call") if isinstance(held, InstanceV) else None
    if m.stack.keras < (3,) or not isinstance(function, FunctionV):
        return False
    given = function.node.args
    return all(arg.arg != LISTENS for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def _speaks(part: InstanceV, model: InstanceV) -> bool:
    """Whether a class of the program tells layers of training itself, and not only what it was told."""
    nodes = [cls.node for cls in part.cls.mro if getattr(cls, "node", None) is not None]
    words = [node for each in nodes for node in walk(each)
             if isinstance(node, ast.keyword | ast.arg) and node.arg == LISTENS]
    if part is model:
        return bool(words)
    return any(isinstance(word, ast.keyword) and not (isinstance(word.value, ast.Name) and word.value.id == LISTENS)
               for word in words) or any(_is_on(node) for each in nodes for node in walk(each))


def _is_on(node: ast.AST) -> bool:
    """`def call(self, x, training=True)`."""
    if not isinstance(node, ast.FunctionDef):
        return False
    positional = [*node.args.posonlyargs, *node.args.args]
    pairs = [*zip(reversed(positional), reversed(node.args.defaults), strict=False),
             *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    return any(arg.arg == LISTENS and not (isinstance(default, ast.Constant) and not default.value)
               for arg, default in pairs)


def _idle(parts: list[Any]) -> str:
    """Layers that were called, and do something else in training: "Dropout and BatchNormalization"."""
    return " and ".join(dict.fromkeys(_names(parts)))


def _undone(idle: str) -> str:
    """What the layers of that name leave out."""
    dropped = "" if idle == "BatchNormalization" else "nothing is dropped"
    return ", ".join(filter(None, (dropped, "averages are not learned" if "BatchNormalization" in idle else "")))


def _names(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if not isinstance(part, LayerV) or not part.calls:
            continue
        if part.path == AVERAGES:
            if part.extra.get("trainable", True) is True and plain(part.arguments.get("trainable", True)) is True:
                yield "BatchNormalization"
        elif DROPS.match(part.path):
            rate = plain(part.arguments.get("rate", part.arguments.get("stddev", 0.0)))
            if not isinstance(rate, Unknown) and isinstance(rate, int | float) and rate > 0:
                yield part.path.rpartition(".")[2]
