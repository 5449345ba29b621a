"""A layer inside a layer: how wrappers reach, apply and weigh what they were given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.protocol import LayerCall, LayerOp, Outcome, Policy, Weight
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating

PLAIN = (bool, int, float, str, list, tuple, dict, Tensor)


def op_of(inner: Any) -> LayerOp | None:
    """The op of a builtin layer; None for a model, a function, or a layer class of the user's."""
    if isinstance(inner, Unknown) or getattr(inner, "user", None) is not None:
        return None
    op = inner if isinstance(inner, LayerOp) else getattr(inner, "op", None)
    return op if isinstance(op, LayerOp) else None


def class_of_layers(value: Any) -> str:
    """The name of a class of Keras' layers that is given in place of a layer: `activation=layers.LeakyReLU`."""
    path = getattr(value, "path", "")
    name = path.rpartition(".")[2] if isinstance(path, str) and path.startswith("keras.layers.") else ""
    return name if name[:1].isupper() and not hasattr(value, "op") else ""


def check_layer(wrapper: str, inner: Any, argument: str = "layer") -> Iterator[Mismatch]:
    """A wrapper around what is certainly no layer."""
    if name := class_of_layers(inner):
        yield Mismatch(Problem.UNEXPECTED, f"{argument} of {wrapper} is the class {name}, not an object of it",
                       argument=argument, help=f"{name}(...)",
                       error=f'ValueError "Please initialize `{wrapper}` layer with a `keras.layers.Layer` instance"')
    if inner is None or isinstance(inner, PLAIN):
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{argument} of {wrapper} is {inner}, not a layer", argument=argument,
                       help="pass a layer instance",
                       error=f'ValueError "Please initialize `{wrapper}` layer with a `keras.layers.Layer` instance"')


def apply_inner(inner: Any, x: Any, call: LayerCall, **kwargs: Any) -> Outcome:
    """`inner` on `x`, under its own dtype policy if it has one."""
    op = op_of(inner)
    if op is None:
        return call.apply(inner, x, **kwargs)
    return op.infer(_inner_call(inner, x, call, kwargs))


def weigh_inner(inner: Any, x: Any, call: LayerCall) -> tuple[Weight, ...] | Unknown:
    """Variables of `inner` built on `x`."""
    op = op_of(inner)
    if op is not None:
        return op.weights(_inner_call(inner, x, call, {}))
    found = call.weigh(inner, x)
    return found if isinstance(found, tuple) else Unknown("weights of the wrapped layer")


def _inner_call(inner: Any, x: Any, call: LayerCall, kwargs: dict[str, Any]) -> LayerCall:
    own = getattr(inner, "policy", None)
    policy = own if isinstance(own, Policy) else call.policy
    if isinstance(x, Tensor) and is_floating(x.dtype):
        x = x.with_(dtype=policy.compute)
    return replace(call, inputs=x, args=(), kwargs=kwargs, policy=policy)


def each_tensor(outcome: Outcome, change: Callable[[Tensor], Any]) -> Outcome:
    """`change` on every tensor of an outcome, and of what a Mismatch goes on with."""
    if isinstance(outcome, Tensor):
        return change(outcome)
    if isinstance(outcome, Mismatch):
        if outcome.otherwise is None:
            return outcome
        return replace(outcome, otherwise=each_tensor(outcome.otherwise, change))
    if isinstance(outcome, (list, tuple)):
        return type(outcome)(each_tensor(item, change) for item in outcome)
    if isinstance(outcome, dict):
        return {key: each_tensor(item, change) for key, item in outcome.items()}
    return outcome if isinstance(outcome, Unknown) else Unknown("not a tensor")
