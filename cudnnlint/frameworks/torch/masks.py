"""Masks that nn.Transformer makes for its attention, asked of the class and of a module."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.registry import Call

CAUSAL = "torch.nn.Transformer.generate_square_subsequent_mask"


@FRAMEWORK.on(CAUSAL)
def causal_mask(c: Call) -> Any:
    """A static method (torch/nn/modules/transformer.py: Transformer.generate_square_subsequent_mask)."""
    return apply_function(c.machine, CAUSAL, c.args, c.kwargs, c.node)
