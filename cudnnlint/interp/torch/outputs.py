"""PyTorch: what a function writes into a tensor that it is given, `torch.arange(n, out=x)`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.leaves import written_into
from cudnnlint.values import Tensor, Unknown


def written(m: Machine, c: Call, run: Callable[[Call], Any]) -> Any:
    """What `run` gives without `out`: the name that is given for it holds that from here on, in its own dtype
    (aten/src/ATen/native/Resize.cpp: resize_output)."""
    rest = {name: value for name, value in c.kwargs.items() if name != "out"}
    made, held = run(Call(m, c.callee, c.args, rest, c.node, c.receiver)), plain(c.kwargs["out"])
    if isinstance(held, Tensor):
        made = made.with_(dtype=held.dtype) if isinstance(made, Tensor) else Unknown("what is written into a tensor")
    kept = written_into(held, made) if isinstance(held, Tensor) and isinstance(made, Tensor) else made
    for keyword in getattr(c.node, "keywords", ()):
        if keyword.arg == "out":
            _assign(m, keyword.value, kept)
    return made


def _assign(m: Machine, target: ast.expr, made: Any) -> None:
    if isinstance(target, ast.Tuple):
        parts = plain(made)
        fitting = isinstance(parts, tuple) and len(parts) == len(target.elts)
        for number, part in enumerate(target.elts):
            _assign(m, part, parts[number] if fitting else Unknown("what is written into one of several tensors"))
    elif isinstance(target, ast.Name | ast.Attribute):
        assign(m, target, made)
