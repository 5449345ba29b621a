"""Calls of backward(): what they go through, and what of it an earlier one went through before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LayerInfo
from cudnnlint.frameworks.torch.optimizers import STEPPED, WALKED
from cudnnlint.frameworks.torch.updated import tell_of_outdated
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.loops import turns
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import any_frozen, frozen
from cudnnlint.interp.torch.histories import FAR, PAUSED, tracks
from cudnnlint.interp.torch.leaves import CHANGED, Changed, is_leaf
from cudnnlint.interp.torch.parameters import computed_from_leaf
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, is_floating

MOST = 5000
"""Steps that are remembered."""
FEW = 10
"""Turns of a loop whose graphs fill no memory."""
DIFFERENTIABLE = frozenset({
    *(f"operator.{symbol}" for symbol in ("+", "-", "*", "/", "@", "**", "getitem", "neg")),
    *(f"torch.{name}" for name in (
        "Tensor.view", "Tensor.to", "Tensor.expand", "Tensor.contiguous", "Tensor.repeat", "cat", "concat", "stack",
        "reshape", "permute", "transpose", "t", "squeeze", "unsqueeze", "flatten", "chunk", "split", "select", "narrow",
        "mean", "sum", "matmul", "bmm", "mm", "einsum", "add", "sub", "mul", "div", "exp", "log", "sqrt", "pow", "abs",
        "tanh", "sigmoid", "relu", "softmax", "log_softmax", "clone", "norm", "clamp", "logsumexp", "cumsum", "prod",
        "min", "max", "minimum", "maximum", "gather", "index_select", "masked_fill", "masked_select", "where", "square",
        "rsqrt", "reciprocal", "log1p", "expm1", "sin", "cos", "std", "var", "baddbmm", "addmm", "mv", "dot", "outer",
        "roll", "flip", "tril", "triu", "movedim", "diagonal", "repeat_interleave", "unbind")),
    *(f"torch.nn.functional.{name}" for name in (
        "relu", "leaky_relu", "elu", "gelu", "silu", "tanh", "sigmoid", "softmax", "log_softmax", "softplus", "dropout",
        "normalize", "pad", "interpolate", "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss",
        "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "avg_pool2d", "max_pool2d",
        "adaptive_avg_pool2d", "linear", "conv1d", "conv2d")),
    *(f"torch.nn.utils.rnn.{name}" for name in (
        "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence")),
    "item assignment",
})
"""Functions that gradients go back through (torch/csrc/autograd: derivatives.yaml)."""

SAVING = frozenset({"*", "/", "@", "**", "exp", "log", "sqrt", "pow", "square", "abs", "sigmoid", "tanh", "relu",
                    "softmax", "log_softmax", "matmul", "mm", "bmm", "mul", "div", "max", "min", "norm", "mse_loss"})
"""Those of them that keep an operand or their result, also beside a number: backward() of each was run twice."""
SHOWN = {f"operator.{sign}": f"an operator {sign}" for sign in ("*", "/", "@", "**")}


@record(frozen=True, slots=True)
class Walked:
    """A step that backward() went through: where, in which turns of the loops under way, and after how many steps of
    each optimizer."""

    step: Step
    span: Span
    turns: dict[int, int]
    kept: bool
    stepped: dict[int, int]


def learning(m: Machine, tensor: Tensor) -> Iterator[Step]:
    """The applications of modules with weights that gradients of the tensor go back through."""
    for step in walked(m, tensor):
        maker = step.maker
        if isinstance(maker, LayerV) and not isinstance(step.body, Tensor) and isinstance(maker.weights, tuple) \
                and any(weight.trainable for weight in maker.weights) and not frozen(m, maker):
            yield step


def saving(m: Machine, tensor: Tensor) -> Iterator[Step]:
    """The operations on the program's own leaves that keep what they need for the gradients, and lose it with them."""
    for step in walked(m, tensor):
        if isinstance(step.maker, str) and step.maker.rpartition(".")[2] in SAVING \
                and any(is_leaf(parent) or computed_from_leaf(parent) for parent in step.parents):
            yield step


def walked(m: Machine, tensor: Tensor) -> Iterator[Step]:
    """All steps that gradients of the tensor go back through."""
    todo, seen = [tensor], set[int](m.state.get(PAUSED, ()))
    known = len(seen)
    while todo and len(seen) < known + FAR:
        one = todo.pop()
        step = one.step
        if step is None or id(step) in seen or one.kind != "torch" or is_floating(one.dtype) is not True:
            continue
        seen.add(id(step))
        yield step
        if isinstance(step.body, Tensor):
            todo.append(step.body)
        elif isinstance(step.maker, LayerV) or step.maker in DIFFERENTIABLE:
            todo += step.parents


def backward(c: Call) -> None:
    """`loss.backward()`: frees the graph behind it, unless it is told to keep it."""
    m, tensor = c.machine, plain(c.receiver)
    told = plain(c.get(1, "retain_graph", c.kwargs.get("retain_variables")))  # its name before PyTorch 0.2
    kept = plain(c.get(2, "create_graph", False)) if told is None else told
    certain = m.uncertain == (m.loops[-1].uncertain if m.loops else 0)
    if not isinstance(tensor, Tensor) or not certain or tracks(m) is not True or any_frozen(m) \
            or not isinstance(kept, bool) or "inputs" in c.kwargs:
        return
    _tell_of_changed(m, tensor)
    steps = list(learning(m, tensor)) or list(saving(m, tensor))
    known: dict[int, Walked] = m.state.setdefault(WALKED, {})
    at = {id(loop): loop.turn for loop in m.loops}
    again = [known[key] for key in map(_application, steps) if key in known]
    if freed := next((each for each in again if not each.kept), None):
        _tell(m, c.span, tensor, freed, at, once=not _applied_anew(freed, steps, known) and _is_above(m, freed))
    elif kept and (grown := next(
            (each for each in again if _carried(each, steps, known, at) and (not _few_turns(m) or _changed(m, each))),
            None)):
        _tell(m, c.span, tensor, grown, at)
    else:
        tell_of_outdated(m, c.span, tensor, steps)
    if len(known) < MOST:
        stepped = m.state.get(STEPPED, {})
        known.update({_application(step): Walked(step, c.span, at, kept, stepped) for step in steps})


def _application(step: Step) -> int:
    """What tells the call of a module, which has one graph whatever of its results is gone through: `output, hidden =
    rnn(x, hidden)`."""
    return id(step.parents) if step.parents and step.index else id(step)


def _changed(m: Machine, before: Walked) -> bool:
    """Whether the one optimizer that there is changed its weights since: backward() needs them as they were."""
    stepped: dict[int, int] = m.state.get(STEPPED, {})
    return len(stepped) == 1 and stepped != before.stepped


def _tell_of_changed(m: Machine, tensor: Tensor) -> None:
    """What was changed in place since, of what gradients are calculated from."""
    changed: dict[int, Changed] = m.state.get(CHANGED, {})
    for step in walked(m, tensor) if changed else ():
        if (one := changed.pop(id(step), None)) is not None and any(
                _of_leaf(m, parent) or any(True for _ in learning(m, parent)) for parent in step.parents):
            m.emit(one.event)


def _of_leaf(m: Machine, tensor: Tensor) -> bool:
    """Whether gradients of it go back to a leaf that the program made."""
    return is_leaf(tensor) or any(is_leaf(parent) for step in walked(m, tensor) for parent in step.parents)


def _carried(before: Walked, steps: list[Step], known: dict[int, Walked], turns: dict[int, int]) -> bool:
    """Whether a turn before made it, at a place that this turn passed too: one more is kept each time."""
    return _other_turn(before, turns) and _applied_anew(before, steps, known)


def _applied_anew(before: Walked, steps: list[Step], known: dict[int, Walked]) -> bool:
    """Whether what it went through was applied once more since, at the same place."""
    return any(_application(step) not in known and step.maker is before.step.maker and step.span == before.step.span
               for step in steps)


def _is_above(m: Machine, before: Walked) -> bool:
    """Whether it stands above all loops under way."""
    at = before.step.span
    return bool(m.loops) and all(at.path == loop.span.path and at.line < loop.span.line for loop in m.loops)


def _few_turns(m: Machine) -> bool:
    """Whether the loop ends before what it keeps would matter."""
    total: Any = turns.total(m, m.loops[-1]) if m.loops else None
    return isinstance(total, int) and total < FEW


def _other_turn(before: Walked, turns: dict[int, int]) -> bool:
    return any(turn != turns[loop] for loop, turn in before.turns.items() if loop in turns)


def _tell(m: Machine, span: Span, tensor: Tensor, before: Walked, turns: dict[int, int], *,
          once: bool = False) -> None:
    from cudnnlint.events.losses import BackwardRepeated

    maker: Any = before.step.maker
    layer = LayerInfo(path=maker, name=SHOWN.get(maker, f"{maker.rpartition('.')[2]}()"), span=before.step.span) \
        if isinstance(maker, str) else maker.info()
    m.say(BackwardRepeated, span, about=tensor, layer=layer, applied=before.step.span, before=before.span,
          kept=before.kept, carried=_other_turn(before, turns), once=once)
