"""Tuples that are used as one of their parts: what a function returns beside the model, values beside indices."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.public_names import listed
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.misspelt import mentioned
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.torch.frozen import OWNED
from cudnnlint.values import Mismatch, Problem, Tensor, is_floating

OF_OPTIMIZERS = frozenset({"apply_gradients", "minimize", "get_config", "step", "zero_grad", "state_dict",
                           "load_state_dict", "param_groups", "learning_rate", "build"})
SIGNS = frozenset({"+", "-", "*", "/", "//", "**", "@"})


def tell_of_part(m: Machine, base: Any, node: ast.Attribute) -> bool:
    """`optimizer.apply_gradients(...)` of `optimizer = make()`, which gives the optimizer and its schedule."""
    value, name = plain(base), node.attr
    if type(value) is not tuple or name in dir(tuple) or not is_meant(m) or m.handlers or m.uncalled:
        return False
    place = next((i for i, part in enumerate(value) if _has(plain(part), name)), None)
    if place is None or name in mentioned(m, m.frame.module.source):
        return False
    whole = ast.unparse(node.value)[:40]
    return refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{whole} is a tuple of {len(value)}, which has no attribute {name}",
        help=f"the {_nth(place)} of them has it: {whole}[{place}], or unpack them where they are returned",
        error=f"AttributeError \"'tuple' object has no attribute '{name}'\"",
        facts=(("moment", "when it is read"),)), what=name, assumptions=assumptions_of(base))


def _has(part: Any, name: str) -> bool:
    if isinstance(part, InstanceV):
        library = part.extra
        return isinstance(part.cls.lookup(name), FunctionV) or (isinstance(library, LayerV) and _has(library, name))
    if isinstance(part, ModelV | LayerV):
        module = part.path.startswith("torch.")
        kind = "torch.nn.Module" if module else "keras.Model" if isinstance(part, ModelV) else "keras.layers.Layer"
        return name in listed(kind)[0]
    return isinstance(part, ObjectV) and ".optim" in part.path and "schedule" not in part.path \
        and name in OF_OPTIMIZERS


def _nth(place: int) -> str:
    return ("first", "second", "third")[place] if place < 3 else f"{place + 1}th"


def tell_of_bundle(m: Machine, symbol: str, a: Any, b: Any, node: ast.AST) -> bool:
    """`reward + 0.9 * q(s).max(1)`: max() along an axis gives values and indices, and no tensor of PyTorch adds itself
    to a tuple (Objects/abstract.c: binary_op); a whole number repeats it."""
    held, other = (a, b) if type(a) is tuple else (b, a)
    tensors = [part for part in map(plain, held) if isinstance(part, Tensor)] if type(held) is tuple else []
    if not tensors or len(tensors) != len(held) or any(part.kind != "torch" for part in tensors) \
            or symbol not in SIGNS or not is_certain(m) or not _is_operand(symbol, other):
        return False
    return refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"{symbol} of a tuple of {len(held)} tensors",
        help=_remedy(tensors),
        error="TypeError \"unsupported operand type(s) for\", \"can only concatenate tuple\", \"can't multiply "
              "sequence by non-int\" or \"only integer tensors of a single element can be converted to an index\"",
        facts=(("moment", "when it runs"),)), what=symbol, about=tuple(tensors))


def _remedy(tensors: list[Tensor]) -> str:
    maker = tensors[0].step.maker if tensors[0].step is not None else None
    if isinstance(maker, LayerV):
        return f"{maker.display} gives {len(tensors)} tensors: take the first, [0]"
    return "max(), min(), sort() and topk() along an axis give (values, indices): take [0], or .values" \
        if len(tensors) == 2 else "take one of them"


def tell_of_generators(m: Machine, node: ast.BinOp, left: Any, right: Any) -> None:
    """`a.parameters() + b.parameters()`: each is a generator (torch/nn/modules/module.py: Module.parameters)."""
    sides = [_is_generator(part, value) for part, value in ((node.left, left), (node.right, right))]
    if isinstance(node.op, ast.Add) and any(sides) and is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, "+ of what parameters() gives, a generator",
            help=f"list({ast.unparse(node.left)[:30]}) + list({ast.unparse(node.right)[:30]})" if all(sides) else
            "list(...) of it", facts=(("moment", "when it runs"),),
            error="TypeError \"unsupported operand type(s) for +: 'generator' and 'generator'\" or \"can only "
                  'concatenate list"'), what="+")


def _is_generator(node: ast.expr, value: Any) -> bool:
    """Whether that is a call of parameters() of a module of PyTorch."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "parameters":
        return False
    held = plain(value)
    items = [plain(item) for item in held.items] if isinstance(held, ListV) and not held.unknown else []
    return bool(items) and all(isinstance(item, Tensor) and item.step is not None and item.step.maker == OWNED
                               for item in items)


def _is_operand(symbol: str, other: Any) -> bool:
    if isinstance(other, Tensor):
        return other.kind == "torch" and (symbol != "*" or is_floating(other.dtype) is True)
    return type(other) is float or (type(other) is int and symbol != "*")


__all__ = ["tell_of_bundle", "tell_of_generators", "tell_of_part"]
