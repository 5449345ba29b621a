"""What the graph of a step holds, for a quick bound on its memory: each tensor, and what layers compute within."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.makers import maker_of
from cudnnlint.interp.convert import strip
from cudnnlint.values import Tensor
from cudnnlint.values.sizes import bytes_of
from cudnnlint.values.tensor import tensors

LARGEST = 8
"""Bytes of a number of the largest dtype that variables have."""
OVER_TIME = ("RNN", "LSTM", "GRU", "LSTM1D", "LSTM2D", "LSTM3D", "Bidirectional")
STATES = 3
"""More tensors of a layer's state in a step of time than a fifth (MADE) of what it keeps: LSTM's gates and products."""


def hidden(made: Tensor, batch: int) -> int:
    """Bytes of what a layer computes and does not give: what attention multiplies, the states of each time step."""
    layer, step = maker_of(made), made.step
    if layer is None or step is None:
        return 0
    read = [tensor.shape[1] for tensor in step.parents[:2] if isinstance(tensor.shape, tuple) and len(tensor.shape) > 2]
    steps = [extent for extent in read if isinstance(extent, int)]
    if not steps or len(steps) != len(read):
        return 0
    if layer.path.endswith("Attention"):
        heads = layer.arguments.get("num_heads", layer.arguments.get("num_query_heads", 1))
        width = layer.arguments.get("key_dim", layer.arguments.get("head_dim", 0))
        known = isinstance(heads, int) and isinstance(width, int)
        return batch * heads * (steps[0] * steps[-1] + 3 * width * max(steps)) * LARGEST if known else 0
    if layer.path.endswith(OVER_TIME):
        given = step.parents[0].rank or 0
        return STATES * (bytes_of(made, batch) or 0) * (steps[0] if (made.rank or 0) < given else 1)
    return 0


def made_by(outputs: Any, batch: int) -> int:
    """Bytes of every tensor that the outputs come from, and of what is hidden in it; those of a model within as often
    as it is called, those of a layer of the user's included."""
    return _made(outputs, batch, {})


def _made(outputs: Any, batch: int, models: dict[int, int]) -> int:
    """`models`: what is known of those within, by id; a model that is being walked adds nothing to itself."""
    total = 0
    seen: set[int] = set()
    todo = list(tensors(outputs))
    while todo:
        tensor = todo.pop()
        step = tensor.step
        if step is None or id(step) in seen or step.maker is None or tensor.kind == "numpy":
            continue
        seen.add(id(step))
        total += (bytes_of(tensor, batch) or 0) + hidden(tensor, batch)
        todo += step.parents
        if step.body is not None:
            todo += tensors(strip(step.body))
        elif (inner := getattr(step.maker, "outputs", None)) is not None and id(step.arguments) not in seen:
            seen.add(id(step.arguments))
            if id(step.maker) not in models:
                models[id(step.maker)] = 0
                models[id(step.maker)] = _made(strip(inner), batch, models)
            total += models[id(step.maker)]
    return total
