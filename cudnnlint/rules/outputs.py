"""The outputs of a model and what is given for each of them: labels and losses, in their order or by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LossInfo
from cudnnlint.values import Tensor


def triples(labels: Any, outputs: Any, losses: Any) -> Iterator[tuple[Tensor, Tensor, LossInfo]]:
    """Labels, outputs and losses that belong together, through tuples, lists and dicts."""
    labels, losses = in_order(labels, outputs), in_order(losses, outputs)
    if isinstance(outputs, Tensor):
        labels, losses = alone(labels), alone(losses)
    if isinstance(labels, Tensor) and isinstance(outputs, Tensor) and isinstance(losses, LossInfo):
        yield labels, outputs, losses
    elif isinstance(labels, (list, tuple)) and isinstance(outputs, (list, tuple)) and len(labels) == len(outputs):
        each = losses if isinstance(losses, list) else [losses] * len(labels)
        for parts in zip(labels, outputs, each, strict=False):
            yield from triples(*parts)
    elif isinstance(labels, dict) and isinstance(outputs, dict) and labels.keys() == outputs.keys():
        for key in labels:
            yield from triples(labels[key], outputs[key], losses.get(key) if isinstance(losses, dict) else losses)


def alone(given: Any) -> Any:
    """What a list or a dict of one gives the only output: structures are flattened before they are compared
    (keras/src/trainers/compile_utils.py: CompileLoss.call)."""
    if not isinstance(given, list | tuple | dict) or len(given) != 1:
        return given
    return next(iter(given.values())) if isinstance(given, dict) else given[0]


def in_order(given: Any, outputs: Any) -> Any:
    """What a dict gives each of several outputs, which are named by their layers (keras/src/models/functional.py:
    Functional.output_names); None for one that it leaves out."""
    if not isinstance(given, dict) or not isinstance(outputs, list | tuple):
        return given
    names = [_name(output) for output in outputs]
    return [given.get(name) for name in names] if len(set(names)) == len(names) else given


def _name(output: Any) -> str | None:
    """Of the layer or model that gave it."""
    maker = output.step.maker if isinstance(output, Tensor) and output.step is not None else None
    name = getattr(maker, "name", None)
    return name if isinstance(name, str) else None
