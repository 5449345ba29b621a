"""Our side of the oracle: the op as an interpreter would apply it."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Any

from cudnnlint import ops
from cudnnlint.ops.protocol import LAYERS, LayerCall, Policy
from cudnnlint.values import BATCH, FREE, Mismatch, Stack, Symbol, Tensor, Unknown, is_floating
from tests.oracle.cases import Accepted, Case, Fn, Made, Refused, Spec, Sub, count, each


@cache
def load_ops() -> None:
    """Import every family, so that LAYERS and FUNCTIONS are full."""
    for module in pkgutil.walk_packages(ops.__path__, "cudnnlint.ops."):
        importlib.import_module(module.name)


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
        if isinstance(callee, Fn):
            return callee.ours(*args, **kwargs)
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
    if isinstance(value, Made):
        return value.ours
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
        return Accepted(predicted(out), weights, weights, weights)
    shapes = [tuple(weight.shape) for weight in weights]
    if any(not isinstance(size, int) for shape in shapes for size in shape):
        return Accepted(predicted(out), *(Unknown("weight shape"),) * 3)
    return Accepted(predicted(out), tuple(sorted(shapes)), sum(map(count, shapes)),
                    sum(count(tuple(weight.shape)) for weight in weights if weight.trainable))


def predicted(out: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return [predicted(item) for item in out]
    if isinstance(out, dict):
        return {key: predicted(item) for key, item in out.items()}
    if not isinstance(out, Tensor):
        return out
    if isinstance(out.shape, Unknown):
        return (out.shape, out.dtype)
    return (tuple(None if isinstance(size, Symbol) else size for size in out.shape), out.dtype)
