"""backward() of what is no single number, or of what autograd keeps nothing of."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import WHOLLY, any_frozen, is_wholly_frozen, was_frozen
from cudnnlint.interp.torch.histories import LOADER, NO_GRAD, OFF
from cudnnlint.interp.torch.leaves import CREATING, is_leaf
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.dim import is_known, product

SOURCES = CREATING | {"torch.randint", "torch.from_numpy", "torch.as_tensor", "torch.randperm"}
FARTHEST = 60


def tell_of_refused(c: Call, tensor: Tensor) -> bool:
    m = c.machine
    if m.trying or m.handlers or m.uncalled:
        return False
    count = product(tensor.shape) if isinstance(tensor.shape, tuple) else Unknown("rank")
    if is_known(count) and count != 1 and plain(c.get(0, "gradient")) is None and tensor.shape:
        return refuse(m, c.span, Mismatch(
            Problem.RANK, f"backward() of {tensor}, which is not one number", help="mean() or sum() of it",
            error='RuntimeError "grad can be implicitly created only for scalar outputs"',
            facts=(("expected", 0), ("actual", tensor.rank))), about=(tensor,), what="backward()", inputs=tensor)
    if not any_frozen(m) and not m.uncertain and without(m, tensor):
        asks = m.state.get(WHOLLY) and not without(m, tensor, trained=True)
        return refuse(m, c.span, Mismatch(
            Problem.NO_GRADIENTS, f"backward() of {tensor}, of which autograd keeps no graph",
            help="leave requires_grad of what is trained: freeze the other parts only, or replace the head after that"
            if asks else _of_constants(tensor) or _of_counting(tensor) or "call the model outside of torch.no_grad(), "
            "and lead from it to the loss by tensors that are neither detached nor made anew",
            error='RuntimeError "element 0 of tensors does not require grad and does not have a grad_fn"'),
            about=(tensor,), what="backward()", inputs=tensor)
    return False


def _of_constants(tensor: Tensor) -> str:
    """What to do where no module has a part in it, nor anything that cuts gradients off: all of it is made by functions
    that make tensors; "" where that is not so."""
    todo, left = [tensor], FARTHEST
    while todo and left:
        step, left = todo.pop().step, left - 1
        if step is None or not isinstance(step.maker, str) or step.maker in (NO_GRAD, LOADER, "torch.Tensor.detach"):
            return ""
        if step.maker not in SOURCES:
            todo += [step.body] if isinstance(step.body, Tensor) else step.parents
    return "" if todo else "requires_grad=True of what is trained, or nn.Parameter(...): all here are constants"


def _of_counting(tensor: Tensor) -> str:
    """What to do about an argmax() or a comparison between the model and the loss; "" where there is none."""
    todo, left = [tensor], FARTHEST
    while todo and left:
        one, left = todo.pop(), left - 1
        step = one.step
        if step is None or one.kind != "torch":
            continue
        if is_floating(one.dtype) is False and isinstance(step.maker, str) and any(map(_of_module, step.parents)):
            name = step.maker.rpartition(".")[2]
            what = "a comparison" if one.dtype == "bool" else f"the whole numbers of {name}()"
            return f"no gradient passes {what}: calculate the loss of the scores themselves, or of softmax() of them"
        todo += [step.body] if isinstance(step.body, Tensor) else step.parents
    return ""


def _of_module(tensor: Tensor) -> bool:
    """Whether a module's weights had a part in it."""
    todo, left = [tensor], FARTHEST
    while todo and left:
        step, left = todo.pop().step, left - 1
        if step is None:
            continue
        if isinstance(step.maker, LayerV) and step.maker.weights != ():
            return True
        todo += [step.body] if isinstance(step.body, Tensor) else step.parents
    return False


def without(m: Machine, tensor: Tensor, left: int = FARTHEST, *, trained: bool = False) -> bool:
    """Whether certainly no gradient goes back from it: all that it was made of is known, and asks for none.

    trained  as if no module had been frozen
    """
    step = tensor.step
    if step is None or not left or tensor.kind != "torch" or is_leaf(tensor):
        return False
    maker = step.maker
    if is_floating(tensor.dtype) is False or maker == LOADER or id(step) in m.state.get(OFF, ()):
        return True
    if maker == NO_GRAD:
        return _certain(step.arguments)
    if getattr(maker, "learns", False) and not trained and step.parents and is_wholly_frozen(m, maker):
        return all(without(m, parent, left - 1) for parent in step.parents)
    if isinstance(step.body, Tensor):
        return without(m, step.body, left - 1, trained=trained)
    if isinstance(maker, LayerV):
        weightless = maker.weights == () or (not trained and was_frozen(m, maker, step))
        kept = maker.path.startswith("torch.nn.") and maker.user is None and weightless and _all_known(step.arguments)
        return kept and bool(step.parents) and all(
            without(m, parent, left - 1, trained=trained) for parent in step.parents)
    if not isinstance(maker, str) or not _all_known(step.arguments):
        return False
    if maker in SOURCES:
        return bool(step.arguments) and "**" not in step.arguments[1] \
            and step.arguments[1].get("requires_grad", False) is False
    return maker.startswith(("torch.", "operator.")) and bool(step.parents) and all(
        without(m, parent, left - 1, trained=trained) for parent in step.parents)


def _all_known(value: Any) -> bool:
    """Whether nothing among arguments is unknown: what an unknown model gave may lead gradients back."""
    held = plain(value)
    if isinstance(held, ListV):
        return held.unknown is None and all(map(_all_known, held.items))
    if isinstance(held, tuple | list):
        return all(map(_all_known, held))
    if isinstance(held, dict | DictV):
        return all(map(_all_known, held.values() if isinstance(held, dict) else held.items.values()))
    return not isinstance(held, Unknown)


def _certain(arguments: Any) -> bool:
    """Whether it was certain that no graph was kept."""
    return bool(arguments) and arguments[1].get("certain") is True


__all__ = ["tell_of_refused"]
