"""What the tensors of a program's graph are to a step: which are there before it, and what layers are called on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cudnnlint.events.devices import ReplicaShare
from cudnnlint.events.training import LOSS, SAME
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import WEIGHT, LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.kernels.tape import NotSized
from cudnnlint.values import Step, Tensor
from cudnnlint.values.sizes import BYTES
from cudnnlint.values.tensor import tensors

ASIDE = frozenset({"mask", "attention_mask", "query_mask", "value_mask", "key_mask", "training", "initial_state"})
"""Arguments of a layer's call that no gradient goes through, or too little of one."""
FARTHEST = 1000
"""Tensors that are looked back at."""


def is_given(tensor: Tensor) -> bool:
    """Whether a tensor is there before the step: arrays and what was made of them, inputs, a replica's share of a
    batch, constants."""
    step = tensor.step
    if step is None or tensor.kind == "numpy" or isinstance(step.maker, ReplicaShare):
        return True
    if step.maker == SAME:
        return is_given(step.parents[0])
    if step.maker is None:
        return not _is_computed(step)
    return not step.parents and not isinstance(step.maker, str)


def before(tensor: Tensor) -> tuple[Tensor, ...]:
    """What a tensor is made of that a step computes, or that is fed: not the labels of a loss."""
    step = tensor.step
    if step is None or is_given(tensor):
        return ()
    if step.maker != LOSS:
        return step.parents
    return tuple(one for one in step.parents if one.step is not None and _is_computed(one.step))


def _is_computed(step: Step) -> bool:
    """Whether a layer stands among what a tensor comes from: data that were batched come from none."""
    todo, seen = [step], set[int]()
    while todo and len(seen) < FARTHEST:
        one = todo.pop()
        seen.add(id(one))
        if one.maker == WEIGHT or (one.parents and one.maker is not None and not isinstance(one.maker, str)):
            return True
        todo += [each.step for each in one.parents if each.step is not None and id(each.step) not in seen]
    return False


def makers(structure: Any) -> list[Any]:
    """The layers and models of the program that tensors come from, each once: those of labels too."""
    todo, seen, found = [*tensors([*structure])], set[int](), dict[int, Any]()
    while todo and len(seen) < FARTHEST * FARTHEST:
        step = todo.pop().step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        if isinstance(step.maker, ModelV | InstanceV | LayerV):
            found.setdefault(id(step.maker), step.maker)
        todo += step.parents
    return list(found.values())


def fed_beside(losses: Iterable[Any], x: Any) -> list[Tensor] | None:
    """What losses come of that is there before the step and has as many samples as `x`, beside that; None where `x` is
    not found among it."""
    fed = {key(one): one for one in tensors(x)}
    extents = [one.shape[0] for one in fed.values() if isinstance(one.shape, tuple) and one.shape]
    todo, seen, found = [*tensors([*losses])], set[int](), dict[int, Tensor]()
    while todo and len(seen) < FARTHEST * FARTHEST:
        tensor = todo.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        if is_given(tensor):
            found[key(tensor)] = tensor
        elif tensor.step is not None:
            todo += tensor.step.parents
    if not fed or fed.keys().isdisjoint(found):
        return None
    return [one for which, one in found.items() if which not in fed and isinstance(one.shape, tuple)
            and one.shape and one.shape[0] in extents]


def key(tensor: Tensor) -> int:
    """What is one tensor to the step: copies of it with another kind or batch share how it was made."""
    return id(tensor.step) if tensor.step is not None else id(tensor)


def width_of(dtype: Any) -> int:
    return BYTES.get(dtype, 4) if isinstance(dtype, str) else 4


def flag(layer: LayerV) -> Any:
    """Whether the layer is trained: True, False or Unknown."""
    own = layer.extra.get("trainable")
    own = layer.base.get("trainable") if own is None else own
    return True if own is None else own


def inside(outputs: Any, *given: int) -> Iterator[Tensor]:
    """Tensors of a model's graph that have parents, up to those with the keys that are `given`: made anew for each call
    of the model."""
    seen: set[int] = {*given}
    todo = list(tensors(outputs))
    while todo:
        tensor = todo.pop()
        if tensor.step is None or not tensor.step.parents or key(tensor) in seen:
            continue
        seen.add(key(tensor))
        yield tensor
        todo += tensor.step.parents


def operands(step: Step) -> tuple[Tensor, ...]:
    """The tensors that a layer was called on, without masks and states."""
    if step.arguments is None:
        return step.parents
    args, kwargs = step.arguments
    aside = ASIDE - {"initial_state"} if getattr(getattr(step.maker, "op", None), "cell", None) is not None else ASIDE
    named: Mapping[str, Any] = {name: value for name, value in kwargs.items() if name not in aside}
    found = tensors([strip(arg) for arg in (*args, *named.values())])
    return found or step.parents


def said(step: Step, made: Tensor) -> dict[str, Any]:
    """Arguments of a function's call that decide what it runs: an axis is its second one, how it pads its third.
    `index`: which of several results is asked for."""
    args, kwargs = step.arguments if step.arguments is not None else ((), {})
    found = {"rank": made.rank, "shape": made.shape, "index": step.index,
             **{name: strip(plain(value)) for name, value in kwargs.items()}}
    if len(args) > 1 and "axis" not in found:
        found["axis"] = strip(plain(args[1]))
    if len(args) > 2 and isinstance(mode := plain(args[2]), str):
        found.setdefault("mode", mode)
    return found


def picked(structure: Any, index: Iterable[Any]) -> Tensor:
    for part in index:
        try:
            structure = structure[part]
        except (TypeError, LookupError):
            raise NotSized("one of several outputs") from None
    found = structure if isinstance(structure, Tensor) else next(iter(tensors(strip(plain(structure)))), None)
    if found is None:
        raise NotSized("an output that is not known")
    return found
