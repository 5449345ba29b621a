"""Models that go through a file: save(), or a ModelCheckpoint in fit(), to load_model() of the same program."""

from __future__ import annotations

import posixpath
from typing import Any

from cudnnlint.frameworks.keras.cloning import NO_CLONE, clone, compiled_anew
from cudnnlint.frameworks.keras.endings import tell_of_loaded_name
from cudnnlint.frameworks.keras.loaded import saved, tell_of_loaded
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.devices import start
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

STORED = "models stored"


def stored(m: Machine, model: Any, path: Any) -> None:
    """A model is in a file now, as it is now; one whose name is not known may be any of them."""
    kept: dict[str, Any] = m.state.setdefault(STORED, {})
    held, name = plain(model), _name(path)
    saved(m, held, plain(path))
    if name is None:
        kept.clear()
    elif not isinstance(held, ModelV) or m.uncertain:
        kept.pop(name, None)
    else:
        kept[name] = held, _state(held), held.compiled


def stored_by(m: Machine, model: Any, callbacks: Any) -> None:
    """By fit(): a ModelCheckpoint writes whole models unless it is told not to, one a name if that has no epoch in it
    (keras/src/callbacks/model_checkpoint.py: ModelCheckpoint._save_model)."""
    held = plain(callbacks)
    given = held.items if isinstance(held, ListV) else held if isinstance(held, tuple) else [held]
    for callback in map(plain, given):
        if isinstance(callback, ObjectV) and callback.path == "keras.callbacks.ModelCheckpoint":
            path = callback.args[0] if callback.args else callback.kwargs.get("filepath")
            only = callback.args[4] if len(callback.args) > 4 else callback.kwargs.get("save_weights_only", False)
            if plain(only) is False and _name(path) is not None:
                stored(m, model, path)


@FRAMEWORK.on("keras.models.load_model", "keras.saving.load_model")
def load_model(c: Call) -> Any:
    """The same layers anew, compiled as the model was (keras/src/saving/saving_api.py: load_model)."""
    start(c.machine, c.span)  # its variables are real ones
    path, m = c.get(0, "filepath"), c.machine
    tell_of_loaded_name(c, plain(path))
    tell_of_loaded(c)
    found = m.state.get(STORED, {}).get(_name(path))
    if found is None or m.uncalled:
        return Unknown("keras.models.load_model()")
    model, state, compiled = found
    if not _unchanged(state, _state(model)):
        return NO_CLONE
    made = clone(m, model, c.span)
    if isinstance(made, ModelV) and plain(c.get(2, "compile", True)) is True:
        made.compiled = None if compiled is None else compiled_anew(compiled)
    return assume(made, assumptions_of(path))


@FRAMEWORK.on("keras.models.save_model", "keras.saving.save_model")
def save_model(c: Call) -> Any:
    stored(c.machine, c.get(0, "model"), c.get(1, "filepath"))
    return None


def _name(path: Any) -> str | None:
    held = plain(path)
    return posixpath.normpath(held) if isinstance(held, str) and "{" not in held else None


def _state(model: ModelV) -> tuple[Any, ...]:
    """What add(), pop() and a new input change."""
    return model.layers.unknown, model.outputs, *model.layers.items


def _unchanged(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(before) == len(now) and all(one is other for one, other in zip(before, now, strict=True))


__all__ = ["stored", "stored_by"]
