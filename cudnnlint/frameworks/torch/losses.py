"""torch.nn.functional's losses: told of like the modules that are named after them."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.compared import compared
from cudnnlint.values import Tensor

CLASSES = {"mse_loss": "MSELoss", "l1_loss": "L1Loss", "smooth_l1_loss": "SmoothL1Loss", "huber_loss": "HuberLoss",
           "cross_entropy": "CrossEntropyLoss", "nll_loss": "NLLLoss", "binary_cross_entropy": "BCELoss",
           "binary_cross_entropy_with_logits": "BCEWithLogitsLoss", "kl_div": "KLDivLoss"}


def _told(path: str, name: str) -> Any:
    def loss(c: Call) -> Any:
        result = apply_function(c.machine, path, c.args, c.kwargs, c.node)
        if isinstance(plain(result), Tensor):
            found: set[Any] = set()
            output, target = strip(c.get(0, "input"), found), strip(c.get(1, "target"), found)
            compared(c.machine, name, output, target, c.span, frozenset(found))
        return result

    return loss


for _name, _class in CLASSES.items():
    FRAMEWORK.on(f"torch.nn.functional.{_name}")(_told(f"torch.nn.functional.{_name}", _class))
