"""PyTorch: what takes parameters and is given other tensors: attributes of modules, and optimizers."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import PARAMETER
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.torch.frozen import any_frozen
from cudnnlint.interp.torch.histories import PAUSED, tracks
from cudnnlint.interp.torch.leaves import CREATING, is_leaf
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor

PLAIN = CREATING | {"torch.from_numpy", "torch.cat", "torch.stack", "torch.clone"}
"""Makers of tensors that are no parameters, as are those of operators; a moved one may be what it was."""
COMPUTED = frozenset({"+", "-", "*", "/", "@", "exp", "log", "sigmoid", "tanh", "cat", "stack", "clone", "view",
                      "reshape", "unsqueeze", "squeeze", "transpose", "mean", "sum", "cuda"})
"""What makes another tensor of a leaf, which is none any more."""
FAR = 12
TAKEN_OUT = re.compile(r"\b_parameters\b|\bdelattr|^\s*del \w+\.|weight_norm|spectral_norm|parametriz|prune",
                       re.MULTILINE)
"""What a program says that makes a parameter a plain attribute."""


def tell_of_parameter(m: Machine, module: Any, name: str, value: Tensor, span: Span) -> None:
    """`self.embed.weight = torch.from_numpy(vectors)` (torch/nn/modules/module.py: Module.__setattr__)."""
    maker = value.step.maker if value.step is not None else None
    if not isinstance(maker, str) or not (maker in PLAIN or maker.startswith("operator.")) \
            or not _is_parameter(module, name) or not is_certain(m) \
            or TAKEN_OUT.search(m.frame.module.source.text):
        return
    refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"the parameter {name} is assigned {value}, a tensor that is no parameter",
        help=f"nn.Parameter(...) around it, or {name}.data.copy_(...) under torch.no_grad()",
        error=f"TypeError \"cannot assign 'torch.FloatTensor' as parameter '{name}' (torch.nn.Parameter or None "
              'expected)"'), what="an assignment", about=(value,))


def _is_parameter(module: Any, name: str) -> bool:
    """Whether that attribute of a module certainly is one."""
    if isinstance(module, InstanceV):
        held = plain(module.items.get(name))
        return isinstance(held, Tensor) and held.step is not None and held.step.maker == PARAMETER
    return isinstance(module, LayerV) and module.path.startswith("torch.nn.") and name not in module.extra \
        and isinstance(module.weights, tuple) and any(weight.name == name for weight in module.weights)


def computed_from_leaf(tensor: Tensor, left: int = FAR) -> bool:
    """Whether a tensor was calculated of one that the program made a leaf."""
    step = tensor.step
    if step is None or not left or not isinstance(step.maker, str) or is_leaf(tensor):
        return False
    name = step.maker.rpartition(".")[2]
    if name not in COMPUTED:
        return False
    return any((is_leaf(parent) and not (name == "cuda" and _is_placed(parent)))
               or computed_from_leaf(parent, left - 1) for parent in step.parents)


def _is_placed(leaf: Tensor) -> bool:
    """Whether it was made on a device that it names."""
    arguments = leaf.step.arguments if leaf.step is not None else None
    return not arguments or "device" in arguments[1] or leaf.step is None or leaf.step.maker not in CREATING


def tell_of_computed(m: Machine, name: str, given: Any, span: Span) -> bool:
    """`Adam([image])` of what was calculated (torch/optim/optimizer.py: Optimizer.add_param_group)."""
    found = next((held for item in given if isinstance(held := plain(item), Tensor) and computed_from_leaf(held)), None)
    if found is None or tracks(m) is not True or any_frozen(m) or id(found.step) in m.state.get(PAUSED, ()):
        return False
    return is_certain(m) and refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{name} is given {found}, which was calculated of a tensor that requires gradients",
        help="calculate first, and then .detach().requires_grad_()",
        error='ValueError "can\'t optimize a non-leaf Tensor"'), what=name, about=(found,))


__all__ = ["computed_from_leaf", "tell_of_computed", "tell_of_parameter"]
