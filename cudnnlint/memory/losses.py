"""The loss of a model's outputs as the operations that it runs (keras/src/backend/tensorflow/nn.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from cudnnlint.events import LossInfo
from cudnnlint.ops.kernels.maths import add, cast, multiply, reduce, subtract, unary, zeros_like
from cudnnlint.ops.kernels.tape import Size, Tape, Value

SCALAR = Size(1)
ENTROPIES = ("sparse_categorical_crossentropy", "categorical_crossentropy")
COUNTED, ROWS = 8, 3
"""Operations from the losses of a batch to their gradient: its shape, how many there are, the share of each
(keras/src/losses/loss.py: reduce_values); and those of the gradient of each row's mean, of a row of one number too."""
DIFFERENCES = ("mean_squared_error", "mse", "mean_absolute_error", "mae")


def crossed(outputs: list[Value], losses: Any) -> set[int]:
    """Of these those whose loss compares them with the numbers of classes."""
    given = list(losses.values()) if isinstance(losses, dict) else losses
    each = given if isinstance(given, list) else [given] * len(outputs)
    return {output.index for output, info in zip(outputs, each, strict=False)
            if isinstance(info, LossInfo) and info.name == ENTROPIES[0]}


def loss_of(t: Tape, outputs: list[Value], losses: Any, widths: Sequence[Any], size: Size | None = None,
            own: Mapping[int, Value] = MappingProxyType({}), labels: Sequence[Value] = ()) -> Value:
    """The sum of the losses of all outputs, whose last axes are so long; of a `size` where it is not one number. `own`:
    those that the program computes itself, by the place of the output. `labels`: where the step computes them."""
    if isinstance(losses, dict):
        losses = list(losses.values())
    given = losses if isinstance(losses, list) else [losses] * len(outputs)
    total: Value | None = None
    for place, output in enumerate(outputs):
        if place in own:
            one = own[place] if own[place].size == SCALAR else reduce(t, own[place], SCALAR, "mean")
            total = one if total is None else add(t, total, one)
            continue
        info = given[place] if place < len(given) else None
        label = next((one for one in labels if one.size.each == output.size.each and one is not output), None)
        made = _elementwise(t, cast(t, output, max(4, output.size.item)), info, label)
        rows = made.size.each and isinstance(width := widths[place], int) and width > 1
        if rows:  # of each row, then of all
            made = reduce(t, made, replace(made.size, each=made.size.each // width), "mean")
        if size is None or size == SCALAR or made.size != size:
            made = reduce(t, made, size or SCALAR, "mean")
            t.totals[made.index] = COUNTED + (not rows) * ROWS
        total = made if total is None else add(t, total, made)
    return total if total is not None else t.value(SCALAR)


def _elementwise(t: Tape, y: Value, info: Any, label: Value | None) -> Value:
    name = info.name if isinstance(info, LossInfo) else ""
    if name in ENTROPIES:
        return _entropy(t, _logits(t, y, "softmax", info), (label,) if label is not None else ())
    if name == "binary_crossentropy":
        return _binary(t, _logits(t, y, "sigmoid", info), label)
    difference = subtract(t, y, label or t.value(y.size))
    if name in DIFFERENCES:
        return t.run("square_error", (difference,), y.size) if "square" in name or name == "mse" else \
            unary(t, "abs", difference)
    if not name:
        t.unknown["what the loss keeps"] = None
    return t.run("kept", (difference,), y.size)


def _logits(t: Tape, y: Value, kind: str, info: Any) -> Value:
    """What the last activation was computed from, where the loss finds it (_get_logits)."""
    if info.from_logits is True or y.made < 0:
        return y
    kernel = t.kernels[y.made]
    if kernel.kind == kind:
        return kernel.inputs[0]
    return unary(t, "log", t.run("larger", (y, t.value(SCALAR)), y.size, reuse=True))


def _entropy(t: Tape, logits: Value, label: tuple[Value, ...]) -> Value:
    """The kernel gives the loss and the gradient of the logits at once, and writes the latter over the logits
    (tensorflow/core/kernels/sparse_xent_op.cc, xent_op.cc: forward_input_or_allocate_output)."""
    return t.run("aside", (t.run("entropy", (logits, *label), logits.size, reuse=True),), SCALAR)


def _binary(t: Tape, x: Value, label: Value | None) -> Value:
    """tensorflow/python/ops/nn_impl.py: sigmoid_cross_entropy_with_logits, which chooses between logits and zeros.
    Where the graph knows the batch, the zeros are a constant."""
    zeros = (zeros_like(t, x),) if t.open else ()
    kind = "choose" if t.open else "select"
    if not zeros:
        t.folded.append(x.size)
    above = t.run("compare", (x, *zeros), x.size.of(1))
    above.trained = False
    less = t.run(kind, (above, unary(t, "neg", x), x), x.size, reuse=True)
    part = subtract(t, t.run(kind, (above, x, *zeros), x.size, reuse=True), multiply(t, x, label or t.value(x.size)))
    return add(t, part, unary(t, "log1p", unary(t, "exp", less)))
