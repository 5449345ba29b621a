"""Differential oracle: one layer configuration through real Keras and through our op, and where they differ.

A family of configurations is one file, `tests/oracle/configs/<family>.py`, with

    CONFIGS: dict[str, SearchStrategy]        # "keras.layers.Dense" -> strategy of (kwargs, inputs) or Case

`inputs` is a shape as keras.Input's batch_shape, `(None, 8, 8, 3)`, a `Spec(shape, dtype)`, or a list or dict
of those. Use `Case` for more: call arguments, a dtype policy, or permission to answer Unknown.
A wrapped layer among the kwargs is `Sub("keras.layers.LSTM", {"units": 4})`.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cudnnlint import ops
from cudnnlint.ops.protocol import LAYERS, LayerCall, Policy
from cudnnlint.values import BATCH, FREE, Mismatch, Problem, Stack, Symbol, Tensor, Unknown, is_floating
from cudnnlint.values.stack import parse_version

LATE = {Problem.EMPTY_DIM, Problem.UNEQUAL_STRIDES, Problem.LRN, Problem.EPSILON, Problem.INTEGER_INPUT}
"""Failures that a symbolic CPU build may let pass; the Mismatch must then carry the accepted result."""


@dataclass(frozen=True)
class Spec:
    """One symbolic input."""

    shape: tuple[int | None, ...]
    dtype: str = "float32"


@dataclass(frozen=True)
class Sub:
    """A layer passed to another layer's constructor."""

    path: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One configuration. `only` restricts it to "keras" or "tf_keras"; `unknown` allows our answer to be Unknown,
    `extra` holds arguments every layer takes (name, trainable, ...), which only the real layer is given."""

    kwargs: Mapping[str, Any]
    inputs: Any
    call: Mapping[str, Any] = field(default_factory=dict)
    policy: str | None = None
    unknown: bool = False
    only: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Accepted:
    """outputs is a structure of (shape, dtype); weights the sorted shapes; trainable counts the elements."""

    outputs: Any
    weights: tuple[tuple[int, ...], ...] | Unknown
    params: int | Unknown
    trainable: int | Unknown


@dataclass(frozen=True)
class Refused:
    stage: str
    error: str
    mismatch: Mismatch | None = None


def as_case(drawn: Any) -> Case:
    return drawn if isinstance(drawn, Case) else Case(*drawn)


@cache
def load_ops() -> None:
    """Import every family, so that LAYERS and FUNCTIONS are full."""
    for module in pkgutil.walk_packages(ops.__path__, "cudnnlint.ops."):
        importlib.import_module(module.name)


@cache
def library(name: str) -> Any:
    """`keras` or `tf_keras`, or None when it is not installed."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        importlib.import_module("tensorflow")
        return importlib.import_module(name)
    except ImportError:
        return None


def installed_stack(name: str) -> Stack:
    """The versions that a verdict is compared under."""
    tensorflow = importlib.import_module("tensorflow")
    return Stack(keras=parse_version(library(name).__version__), tensorflow=parse_version(tensorflow.__version__),
                 source="installed")


def real_class(name: str, path: str) -> Any:
    """The class that `path` (keras.layers.X) names in the library, or None."""
    value = library(name)
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def each(structure: Any, leaf: Any) -> Any:
    """Map `leaf` over a list/dict structure of shapes or Specs."""
    if isinstance(structure, list):
        return [each(item, leaf) for item in structure]
    if isinstance(structure, dict):
        return {key: each(item, leaf) for key, item in structure.items()}
    if isinstance(structure, Spec):
        return leaf(structure)
    if isinstance(structure, tuple):
        return leaf(Spec(structure))
    return structure


# ---------------------------------------------------------------- the real side


def real(name: str, path: str, case: Case) -> Accepted | Refused:
    """What the library makes of `case`."""
    keras = library(name)
    stage = "constructor"
    try:
        made = _real_layer(name, path, {**case.kwargs, **case.extra}, case.policy)
        stage = "call"
        inputs = each(case.inputs, lambda spec: keras.Input(batch_shape=spec.shape, dtype=spec.dtype))
        out = made(inputs, **{key: each(value, lambda spec: keras.Input(batch_shape=spec.shape, dtype=spec.dtype))
                              if isinstance(value, (Spec, list)) else value for key, value in case.call.items()})
    except Exception as error:  # the library raises every kind
        return Refused(stage, f"{type(error).__name__}: {error}")
    shapes = [tuple(weight.shape) for weight in made.weights]
    trainable = sum(_count(tuple(weight.shape)) for weight in made.trainable_weights)
    return Accepted(_observed(out), tuple(sorted(shapes)), sum(map(_count, shapes)), trainable)


def _real_layer(name: str, path: str, kwargs: Mapping[str, Any], policy: str | None = None) -> Any:
    arguments = {key: _real_value(name, value) for key, value in kwargs.items()}
    if policy:
        arguments["dtype"] = policy
    return real_class(name, path)(**arguments)


def _real_value(name: str, value: Any) -> Any:
    if isinstance(value, Sub):
        return _real_layer(name, value.path, value.kwargs)
    if isinstance(value, list) and any(isinstance(item, Sub) for item in value):
        return [_real_value(name, item) for item in value]
    return value


def _observed(out: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return [_observed(item) for item in out]
    if isinstance(out, dict):
        return {key: _observed(item) for key, item in out.items()}
    if out is None or not hasattr(out, "shape"):
        return out
    dtype = getattr(out.dtype, "name", out.dtype)
    try:
        return (tuple(out.shape), dtype)
    except ValueError:  # tf.TensorShape(None)
        return ("any rank", dtype)


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


# ---------------------------------------------------------------- our side


@dataclass(frozen=True)
class OurLayer:
    """A wrapped layer as a builder gets it: opaque, reached through call.apply and call.weigh."""

    op: Any
    sub: Sub


def our_call(case: Case, stack: Stack, **more: Any) -> LayerCall:
    """The LayerCall an interpreter would make for `case`."""
    compute = (case.policy or "float32").replace("mixed_", "")
    variable = "float32" if (case.policy or "").startswith("mixed_") else compute

    def leaf(spec: Spec) -> Tensor:
        dtype = compute if is_floating(spec.dtype) else spec.dtype
        shape = tuple(size if size is not None else FREE if axis else BATCH for axis, size in enumerate(spec.shape))
        return Tensor(shape, dtype, "keras")

    return LayerCall(each(case.inputs, leaf), kwargs={key: each(value, leaf) for key, value in case.call.items()},
                     policy=Policy(compute, variable), stack=stack, apply=_apply(stack), weigh=_weigh(stack), **more)


def _apply(stack: Stack) -> Any:
    def apply(callee: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(callee, OurLayer) or not args:
            return Unknown("not a layer")
        return callee.op.infer(LayerCall(args[0], args[1:], kwargs, stack=stack, apply=apply, weigh=_weigh(stack)))

    return apply


def _weigh(stack: Stack) -> Any:
    def weigh(callee: Any, *args: Any) -> Any:
        if not isinstance(callee, OurLayer) or not args:
            return Unknown("not a layer")
        return callee.op.weights(LayerCall(args[0], args[1:], stack=stack, apply=_apply(stack), weigh=weigh))

    return weigh


def our_value(value: Any) -> Any:
    if isinstance(value, Sub):
        kwargs = {key: our_value(item) for key, item in value.kwargs.items()}
        return OurLayer(LAYERS[value.path].builder(**kwargs), value)
    if isinstance(value, list):
        return [our_value(item) for item in value]
    return value


def ours(path: str, case: Case, stack: Stack) -> Accepted | Refused | Unknown:
    """What our op makes of `case`; a Refused keeps its Mismatch."""
    op = LAYERS[path].builder(**{key: our_value(value) for key, value in case.kwargs.items()})
    for mismatch in op.check(stack):
        if mismatch.where.holds(stack):
            return Refused("constructor", mismatch.message, mismatch)
    call = our_call(case, stack)
    out = op.infer(call)
    if isinstance(out, Mismatch):
        if out.where.holds(stack):
            return Refused("call", out.message, out)
        out = Unknown("passes on this stack") if out.otherwise is None else out.otherwise
    return out if isinstance(out, Unknown) else _accepted(out, op.weights(call))


def _accepted(out: Any, weights: Any) -> Accepted:
    if isinstance(weights, Unknown):
        return Accepted(_predicted(out), weights, weights, weights)
    shapes = [tuple(weight.shape) for weight in weights]
    if any(not isinstance(size, int) for shape in shapes for size in shape):
        return Accepted(_predicted(out), *(Unknown("weight shape"),) * 3)
    return Accepted(_predicted(out), tuple(sorted(shapes)), sum(map(_count, shapes)),
                    sum(_count(tuple(weight.shape)) for weight in weights if weight.trainable))


def _predicted(out: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return [_predicted(item) for item in out]
    if isinstance(out, dict):
        return {key: _predicted(item) for key, item in out.items()}
    if not isinstance(out, Tensor):
        return out
    if isinstance(out.shape, Unknown):
        return (out.shape, out.dtype)
    return (tuple(None if isinstance(size, Symbol) else size for size in out.shape), out.dtype)


# ---------------------------------------------------------------- the verdict


def disagreement(name: str, path: str, case: Case) -> str | None:
    """None when our answer is the library's; else both, readably."""
    if case.only not in (None, name):
        return None
    stack = installed_stack(name)
    mine, theirs = ours(path, case, stack), real(name, path, case)
    if _agree(mine, theirs, case):
        return None
    return f"{path} on {name} {library(name).__version__}\n  case   {case}\n  ours   {mine}\n  {name}  {theirs}"


def _agree(mine: Any, theirs: Any, case: Case) -> bool:
    if isinstance(mine, Unknown):
        return case.unknown
    if isinstance(mine, Refused):
        return isinstance(theirs, Refused) or _agree_later(mine.mismatch, theirs)
    if isinstance(theirs, Refused):
        return False
    return _same(mine.outputs, theirs.outputs, case.unknown) and all(
        (case.unknown and isinstance(a, Unknown)) or a == b for a, b in (
            (mine.weights, theirs.weights), (mine.params, theirs.params), (mine.trainable, theirs.trainable)))


def _agree_later(mismatch: Mismatch | None, theirs: Accepted) -> bool:
    """We refuse, the CPU build accepts: right only for late failures, with the accepted result beside them."""
    if mismatch is None or mismatch.problem not in LATE or mismatch.otherwise is None:
        return False
    if mismatch.problem is Problem.EMPTY_DIM and not _has_empty(theirs.outputs):
        return False
    return _same(_predicted(mismatch.otherwise), theirs.outputs, False)


def _has_empty(outputs: Any) -> bool:
    if isinstance(outputs, tuple) and len(outputs) == 2 and isinstance(outputs[0], tuple):
        return 0 in outputs[0]
    return any(map(_has_empty, outputs)) if isinstance(outputs, list) else False


def _same(mine: Any, theirs: Any, unknown: bool) -> bool:
    if isinstance(mine, Unknown):
        return unknown
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, (list, tuple)):
        return len(mine) == len(theirs) and all(_same(a, b, unknown) for a, b in zip(mine, theirs, strict=True))
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(_same(mine[key], theirs[key], unknown) for key in mine)
    return bool(mine == theirs)
