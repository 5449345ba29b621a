"""What call() is given for the `training` that nobody says."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.values import Unknown

_LOOKED_FOR = "cudnnlint_uses_training"


def left_out(arguments: ast.arguments, direct: bool) -> Any:
    """Its own default where the program applies a layer to values, and that is all there is to it; else who knows: the
    model may be trained."""
    return _default(arguments) if direct else Unknown("training or not")


def _default(arguments: ast.arguments) -> Any:
    positional = (*arguments.posonlyargs, *arguments.args)[-len(arguments.defaults):] if arguments.defaults else ()
    for arg, default in (*zip(positional, arguments.defaults, strict=True),
                         *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
        if arg.arg == "training" and isinstance(default, ast.Constant):
            return default.value
    return Unknown("training or not")


def while_building(node: Any, made: Any) -> Any:
    """The `training` with which a functional model is put together, where what call() gives hangs on it: its default,
    None or False (keras/src/layers/layer.py: Layer.__call__, tf_keras/src/engine/base_layer.py: _set_training_mode).
    Unknown where call() does not ask, or gives the same either way.
    """
    if not _is_open(made) or not _uses(node):
        return Unknown("training or not")
    return _default(node.args)


def _is_open(made: Any) -> bool:
    """Whether part of a result is not known."""
    made = strip(made)
    if isinstance(made, Unknown):
        return True
    return any(isinstance(each.shape, Unknown) or any(isinstance(dim, Unknown) for dim in each.shape)
               for each in tensors(made))


def _uses(node: Any) -> bool:
    """Whether a function reads its `training`; kept on the node."""
    known: bool | None = getattr(node, _LOOKED_FOR, None)
    if known is None:
        known = any(isinstance(each, ast.Name) and each.id == "training" for each in ast.walk(node))
        setattr(node, _LOOKED_FOR, known)
    return known
