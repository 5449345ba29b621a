"""Lookup tables of PyTorch that are made of the weights at hand."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.torch._weights import foreign
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

OTHERS = ("freeze", "embeddings")


@FRAMEWORK.on("torch.nn.Embedding.from_pretrained")
def from_pretrained(c: Call) -> Any:
    """A table of the rows and columns of the tensor, which is not trained unless it is asked for
    (torch/nn/modules/sparse.py: Embedding.from_pretrained)."""
    given, m = plain(c.get(0, "embeddings")), c.machine
    if (kind := foreign(strip(given))) and is_meant(m):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"Embedding.from_pretrained is given {kind}, not a tensor", argument="embeddings",
            help="torch.tensor(..., dtype=torch.float32) makes a tensor of it",
            error="AttributeError \"object has no attribute 'dim'\""), what="Embedding", stage="called")
    if not isinstance(given, Tensor):
        return Unknown("a table of unknown weights")
    rows, width = given.shape if isinstance(given.shape, tuple) and len(given.shape) == 2 else (
        Unknown("rows of the weights"), Unknown("columns of the weights"))
    named = {name: value for name, value in c.kwargs.items() if name not in OTHERS}
    named.setdefault("dtype", given.dtype)
    made = m.call(External("torch.nn.Embedding"), [rows, width, *c.args[2:]], named, c.node)
    if plain(c.get(1, "freeze", True)) is True and isinstance(plain(made), LayerV):
        m.call(get_attribute(m, made, "requires_grad_", c.node), [False], {}, c.node)
    return made
