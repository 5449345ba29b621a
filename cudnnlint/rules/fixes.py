"""Fixes as rules put them: what to change in a call, and whether it is safe (see finding.py: Recipe)."""

from __future__ import annotations

from cudnnlint.events import Data, LayerApplied, LayerInfo, Rejected, TrainingStarted
from cudnnlint.finding import (
    Applicability,
    Argument,
    Change,
    GuardCall,
    PrecedeLayer,
    Recipe,
    SetArgument,
    WrapArgument,
    WrapCall,
)
from cudnnlint.rules.ancestry import LONGEST
from cudnnlint.rules.endings import LOADER, RESHAPING
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
    last = event.data.last
    return last if isinstance(last, int) and not limited and event.data.kind != "sequence" else None


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


def as_floats(at: Span, x: Tensor, stack: Stack, name: str = "") -> Recipe:
    """The first argument of a call, `name`, is made float32; of a symbolic one Keras 3 takes no function of tf."""
    there = Argument(at, name, 0)
    if x.kind == "torch":
        return unsafe("cast to float", WrapArgument(there, "{}.float()"))
    if x.kind == "numpy":
        return unsafe("cast to float32", WrapArgument(there, '{}.astype("float32")'))
    if x.kind == "keras":
        layer = "Rescaling(1 / 255)" if x.dtype == "uint8" else "Rescaling(1.0)"
        return unsafe(f"{layer} before it", PrecedeLayer(there, layer))
    return unsafe("cast to float32", WrapArgument(
        there, "tf.cast({}, tf.float32)", needs="tf",
        others=(('keras.ops.cast({}, "float32")', "keras"),) if stack.keras >= (3,) else ()))


MADE = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor", "torch.randint"})
PASSING = RESHAPING | {LOADER, "operator.getitem"}
"""What keeps a dtype."""


def cast_where_made(tensor: Tensor, method: str) -> Recipe | None:
    """A tensor of PyTorch gets its dtype where an array or numbers become one."""
    for _ in range(LONGEST):
        step = tensor.step
        if step is None:
            return None
        if isinstance(step.maker, str) and step.maker in MADE:
            return unsafe(f".{method}() where it is made", WrapCall(step.span, f"{{}}.{method}()"))
        if not step.parents or step.maker not in (None, *PASSING):
            return None
        tensor = step.parents[0]
    return None


def loader_of(tensor: Tensor) -> Span | None:
    """The DataLoader that a tensor comes from, by the first input of each step."""
    for _ in range(LONGEST):
        step = tensor.step
        if step is None or step.maker == LOADER:
            return step.span if step is not None else None
        inner = step.body if isinstance(step.body, Tensor) else step.parents[0] if step.parents else None
        if inner is None:
            return None
        tensor = inner
    return None


def as_weights(event: Rejected) -> Recipe | None:
    """What a module of PyTorch with float32 weights is given becomes float32."""
    x = event.inputs[0] if isinstance(event.inputs, list) and event.inputs else event.inputs
    if event.mismatch.help != "x.float()" or not isinstance(x, Tensor):
        return None
    # what a Sequential, which is called, hands on within itself
    inside = x.step is not None and getattr(x.step.maker, "span", None) == x.step.span
    direct = event.layer is None or (event.span != event.layer.span and not inside)
    return cast_where_made(x, "float") or (as_floats(event.span, x, event.stack) if direct else None)
