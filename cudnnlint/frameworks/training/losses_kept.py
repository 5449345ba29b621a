"""Losses of the program's own as a step computes them, for what it keeps: followed on a batch of any size."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

from cudnnlint.events.training import SAME
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, PartialV
from cudnnlint.source import Span
from cudnnlint.values import Shape, Step, Tensor, Unknown
from cudnnlint.values.dim import BATCH, PROXY
from cudnnlint.values.tensor import tensors

OWN = FunctionV | PartialV | BoundV | InstanceV


def is_own(loss: Any) -> bool:
    """Whether it is a loss that the program wrote: a function, or an object of a class."""
    held = plain(loss)
    return isinstance(held, OWN) and not isinstance(getattr(held, "extra", None), LayerV | ModelV)


def losses_of(m: Machine, compiled: Any, y: Any, outputs: Any, node: ast.AST, span: Span) -> dict[int, Any]:
    """Place of an output -> what the program's own loss gives for it."""
    given, made = tensors(strip(outputs)), dict[int, Any]()
    labels = tensors(strip(y))
    for place, (loss, output) in enumerate(zip(_one_each(plain(compiled), len(given)), given, strict=False)):
        if not is_own(loss):
            continue
        label = labels[place] if len(labels) == len(given) else None
        made[place] = quietly(m, lambda loss=loss, output=output, label=label: m.call(  # type: ignore[misc]
            loss, [wrap(_label(label, output)), wrap(same(output, span))], {}, node))
    return {place: one for place, one in made.items() if isinstance(one, Tensor)}


def computed_loss(m: Machine, model: Any, data: tuple[Any, Any], outputs: Any, node: ast.AST, span: Span) -> Any:
    """What a compute_loss() of the program's own gives, that fit() calls (keras/src/backend/tensorflow/trainer.py:
    TensorFlowTrainer.train_step); None where there is none."""
    held = plain(model)
    method = held.cls.lookup("compute_loss") if isinstance(held, InstanceV) else None
    if not isinstance(method, FunctionV) or m.stack.keras < (3,):
        return None
    rows = {one.shape[0] for one in tensors(data[0]) if isinstance(one.shape, tuple) and one.shape}
    x, y = (over(strip(part), _fed) for part in data)
    named = {"x": wrap(x), "y": wrap(y), "y_pred": wrap(over(strip(outputs), lambda one: same(one, span, rows)))}
    made = quietly(m, lambda: m.call(BoundV(method, held), [], {**named, "sample_weight": None}, node))
    return made if isinstance(made, Tensor) else None


def called_again(m: Machine, model: Any, x: Any, training: bool, node: ast.AST) -> Any:
    """What a model gives for a batch of any size; None where that is not known."""
    made = quietly(m, lambda: m.call(plain(model), [wrap(over(strip(x), _fed))], {}, node), training)
    return made if tensors(made) else None


def quietly(m: Machine, run: Callable[[], Any], training: bool = True) -> Any:
    """What it gives; nothing is told, and what it changes is undone: what is to be told of it is told later."""
    emit, m.emit = m.emit, lambda event: None
    phase, told, m.phase, m.training = m.phase, m.training, "call", training
    called, m.called = m.called, set(m.called)
    state, m.state = m.state, {key: set(value) if isinstance(value, set) else value for key, value in m.state.items()}
    m.heap.open()
    try:
        return strip(run())
    except (Raised, OutOfBounds):
        return Unknown("a loss that is not followed")
    finally:
        m.heap.undo()
        m.emit, m.phase, m.training = emit, phase, told
        m.called, m.state = called, state


def same(output: Any, span: Span, rows: Collection[Any] = ()) -> Any:
    """What the model gave as a step has it: with a number of samples, and the same to what it runs. `rows`: how many
    what it was given has, which is told apart from all other extents."""
    if not isinstance(output, Tensor):
        return output
    shape = _numbered(output.shape, rows)
    return Tensor(shape, output.dtype, "tf", None, Step(span, (output,), SAME), output.assumptions)


def _numbered(shape: Any, rows: Collection[Any] = ()) -> Any:
    """A batch that is not known counts as a number that no other extent of the program is a multiple of."""
    if not isinstance(shape, tuple) or not shape or (shape[0] != BATCH and shape[0] not in rows):
        return shape
    return (PROXY, *shape[1:])


def _fed(item: Any) -> Any:
    """What fit() is given: of the batch, whatever its size."""
    if not isinstance(item, Tensor):
        return item
    shape: Any = item.shape
    if isinstance(shape, tuple) and shape and not isinstance(shape[0], Unknown):
        shape = (PROXY, *shape[1:])
    return Tensor(shape, item.dtype, "tf")


def _label(label: Tensor | None, output: Tensor) -> Tensor:
    """Of the rank and the dtype of the predictions (keras/src/losses/loss.py: Loss.__call__,
    squeeze_or_expand_to_same_rank); like them where the labels are not known."""
    shape: Shape | Unknown = _numbered(output.shape)
    if label is None or not isinstance(label.shape, tuple) or not isinstance(shape, tuple) or not shape:
        return Tensor(shape, output.dtype, "tf")
    rest = label.shape[1:]
    if len(label.shape) + 1 == len(shape) and shape[-1] == 1:
        rest = (*rest, 1)
    return Tensor((shape[0], *rest), output.dtype, "tf")


def _one_each(losses: Any, outputs: int) -> list[Any]:
    if isinstance(losses, ListV):
        return list(losses.items)
    if isinstance(losses, DictV):
        return list(losses.items.values())
    return list(losses) if isinstance(losses, tuple) else [losses] * outputs


__all__ = ["called_again", "computed_loss", "is_own", "losses_of", "quietly", "same"]
