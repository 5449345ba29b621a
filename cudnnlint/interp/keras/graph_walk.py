"""The layers of the graph that leads to the outputs of a functional model."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.source import Span
from cudnnlint.values import Tensor, Unknown

ATOMS = frozenset({bool, int, float, str, type(None), Tensor})
"""In which nothing unknown is to be found."""


def graph_layers(outputs: Any, holes: list[Unknown], inputs: Any = None) -> list[Any] | Unknown:
    """Distinct makers that are layers, models or user objects in the graph that leads to `outputs`, inputs first.

    holes   receives what is not known and may be, or come from, further layers
    inputs  of the model: one that another layer gave is an input of its own in a model of what follows
            (keras/src/models/functional.py: clone_graph_nodes)
    """
    within = {id(tensor): tensor for tensor in tensors(inputs) if tensor.step is not None and tensor.step.parents}
    holes += unknowns_in(outputs)
    order: list[Any] = []
    seen_tensors: set[int] = set()
    seen: set[int] = set()
    stack: list[tuple[Tensor, bool]] = [(tensor, False) for tensor in reversed(tensors(outputs))]
    while stack:
        tensor, done = stack.pop()
        step = tensor.step
        if done:
            if (step is not None and step.maker is not None and not isinstance(step.maker, str)
                    and id(step.maker) not in seen):
                seen.add(id(step.maker))
                order.append(step.maker)
            continue
        if id(tensor) in seen_tensors:
            continue
        seen_tensors.add(id(tensor))
        if id(tensor) in within and step is not None:
            order.append(_input_of(step.span))
        elif step is not None:
            if step.maker == JOIN:
                return Unknown("layers differ between paths")
            if step.arguments is not None:
                holes += unknowns_in(step.arguments[0]) or unknowns_in(_inputs_by_name(step.arguments[1]))
            stack.append((tensor, True))
            symbolic = tensor.kind == "keras"  # what a layer gave for a constant is a constant of the graph
            stack.extend((parent, False) for parent in reversed(step.parents)
                         if parent.kind == "keras" or not symbolic or _may_be_symbolic(parent))
    return order


def _may_be_symbolic(tensor: Tensor) -> bool:
    """Whether layers made it of a value that is not known, which may be one of the graph."""
    todo, seen = [tensor], set[int]()
    while todo:
        step = (one := todo.pop()).step
        if step is None or id(one) in seen:
            continue
        seen.add(id(one))
        if step.maker is not None and not isinstance(step.maker, str) and step.arguments is not None \
                and unknowns_in(step.arguments[0]):
            return True
        todo += step.parents
    return False


def _input_of(span: Span) -> LayerV:
    layer = LayerV("keras.layers.InputLayer", "input_layer", span)
    layer.weights = ()
    return layer


def _inputs_by_name(arguments: Any) -> list[Any]:
    return [value for name, value in arguments.items() if name not in ("training", "mask", "axis", "name")]


def unknowns_in(value: Any) -> list[Unknown]:
    """Every Unknown in a structure."""
    held = plain(value)
    if type(held) in ATOMS:
        return []
    if isinstance(held, Unknown):
        return [held]
    parts: Any = held.items if isinstance(held, ListV) else held.items.values() if isinstance(held, DictV) \
        else held.values() if isinstance(held, dict) else held if isinstance(held, list | tuple) else ()
    return [unknown for part in parts for unknown in unknowns_in(part)]
