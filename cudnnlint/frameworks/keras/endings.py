"""How the name of a file must end, which tells Keras 3 its format."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.refusals import is_meant, refuse, told_elsewhere
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where
from cudnnlint.values.unknown import Ending

KERAS_3 = Where(keras=">=3")
MODELS = (".keras", ".h5", ".hdf5")
"""keras/src/saving/saving_api.py: save_model, load_model"""
FORMAT = "save_format"
LOADED = 'ValueError "File format not supported: filepath="'
LOADABLE = {"load_model": MODELS, "load_weights": (*MODELS, ".weights.json")}
ASKED = {"load_model": ".keras or .h5", "load_weights": ".weights.h5, .keras or .h5"}
INSTEAD = {"load_model": "a .keras file; or keras.layers.TFSMLayer(..., call_endpoint=\"serving_default\") of a "
                         "SavedModel",
           "load_weights": "a .weights.h5 file, as save_weights() of Keras 3 writes it"}
"""keras/src/saving/saving_api.py: load_model, load_weights"""
FOLDERS = ("orbax", "checkpoint", "ckpt")
"""Parts of the names of folders that later releases may load, too (saving_api.py: is_orbax_checkpoint); a program that
speaks of Orbax, or writes folders with zipped=False, may name them as it likes."""


def tell_of_ending(c: Call, path: Any, endings: tuple[str, ...], what: str, stage: str, error: str) -> None:
    """Where a model or its weights are saved."""
    if (told := _misses(c, path, endings)) is None:
        return
    facts = (("moment", "when it is made"),) if stage == "constructor" else ()
    refuse(c.machine, c.span, Mismatch(
        Problem.FILE_NAME, f"{what} to {told}, which does not end in {endings[0]}", error=error, where=KERAS_3,
        help=f"a name that ends in {endings[0]}" + ", without save_format" * (FORMAT in c.kwargs)
        + ", or export() for a SavedModel" * (endings is MODELS),
        facts=facts), what=what, stage=stage)


def tell_of_loaded_name(c: Call, path: Any, what: str = "load_model") -> None:
    """`load_model("saved_model/digits")`: a SavedModel is none that Keras 3 loads; `load_weights("weights")`."""
    name, source = str(getattr(path, "end", path)).lower(), c.machine.frame.module.source
    if not is_meant(c.machine) or any(part in name for part in FOLDERS) \
            or any(map(source.says, ("orbax", "Orbax", "zipped"))):
        return
    if (told := _misses(c, path, LOADABLE[what])) is not None:
        refuse(c.machine, c.span, Mismatch(
            Problem.FILE_NAME, f"{what}() of {told}, which does not end in {ASKED[what]}", error=LOADED, where=KERAS_3,
            help=INSTEAD[what]), what=what, stage=what)


def _misses(c: Call, path: Any, endings: tuple[str, ...]) -> str | None:
    """The name as a message has it, of one that has none of these endings."""
    m = c.machine
    end = path.end if type(path) is Ending else path
    if not isinstance(end, str) or end.endswith(endings) or "://" in end or m.trying:
        return None
    if type(path) is Ending and any(ending.endswith(end) for ending in endings):
        return None
    if any(older.keras < (3,) for older in m.stack.before) and told_elsewhere(m, "name of a file", c.span):
        return None  # once, of a program that may be for other versions
    return repr(path) if end is path else f"'...{end}'"


__all__ = ["FORMAT", "MODELS", "tell_of_ending", "tell_of_loaded_name"]
