"""Fixes as rules put them: what to change in a call, and whether it is safe (see finding.py: Recipe)."""

from __future__ import annotations

from cudnnlint.events import Data, LayerApplied, LayerInfo, TrainingStarted
from cudnnlint.finding import Applicability, Argument, Change, GuardCall, Recipe, SetArgument, WrapArgument
from cudnnlint.source import Span
from cudnnlint.values import Stack, Tensor


def safe(title: str, *changes: Change) -> Recipe:
    """It computes the same, or what it changes certainly fails and can mean nothing else."""
    return Recipe(title, applicability=Applicability.SAFE, changes=changes)


def unsafe(title: str, *changes: Change) -> Recipe:
    """It changes what a program computes, or is one of several remedies."""
    return Recipe(title, applicability=Applicability.UNSAFE, changes=changes)


def safe_if_told(stack: Stack, title: str, *changes: Change) -> Recipe:
    """Safe where the project says its versions: older ones, which may be meant, do not take what it writes."""
    return (unsafe if stack.source.startswith("assumed") else safe)(title, *changes)


def argument(layer: LayerInfo, name: str) -> Argument:
    """An argument of a layer's constructor; those given by position are the first that are bound."""
    place = list(layer.arguments).index(name) if name in layer.arguments else layer.positional
    return Argument(layer.span, name, place if place < layer.positional else None, layer.positional)


def giving(layer: LayerInfo, name: str, value: str) -> SetArgument:
    """Write an argument of a layer's constructor."""
    return SetArgument(argument(layer, name), value)


def last_of(event: TrainingStarted) -> int | None:
    """Rows of the last batch of a dataset that is gone through whole, where they are fewer than those of the others."""
    limited = any(event.arguments.get(name) is not None for name in ("steps_per_epoch", "steps"))
    return event.data.last if isinstance(event.data.last, int) and not limited else None


def without_rest(data: Data) -> Recipe | None:
    """The last batch is dropped where batch() is called."""
    if data.batching is None:
        return None
    return unsafe("drop_remainder=True", SetArgument(Argument(data.batching, "drop_remainder", 1), "True"))


def guarded(event: LayerApplied) -> Recipe | None:
    """A layer is called on rows only, where what it gives besides is known."""
    made = event.output
    if event.span == event.layer.span or not isinstance(made, Tensor) or not isinstance(made.shape, tuple) \
            or not made.shape or not all(isinstance(dim, int) for dim in made.shape[1:]) \
            or not isinstance(made.dtype, str):
        return None
    dims = ", ".join(map(str, (0, *made.shape[1:])))
    empty = f"tf.zeros(({dims}{',' if len(made.shape) == 1 else ''})"
    empty += ")" if made.dtype == "float32" else f', "{made.dtype}")'
    return unsafe("call it on rows only", GuardCall(event.span, empty))


def as_floats(at: Span, kind: str) -> Recipe:
    """The first argument of a call is made float32."""
    there = Argument(at, "", 0)
    if kind == "torch":
        return unsafe("cast to float", WrapArgument(there, "{}.float()"))
    if kind == "numpy":
        return unsafe("cast to float32", WrapArgument(there, '{}.astype("float32")'))
    return unsafe("cast to float32", WrapArgument(there, "tf.cast({}, tf.float32)", needs="tf"))
