"""Fixes as rules put them: what to change in a call, and whether it is safe (see finding.py: Recipe)."""

from __future__ import annotations

from cudnnlint.events import Data, LayerInfo, TrainingStarted
from cudnnlint.finding import Applicability, Argument, Change, Recipe, SetArgument
from cudnnlint.values import Stack


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
