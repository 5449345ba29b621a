"""Names of files that models are saved in, which tell Keras 3 the format."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.endings import FORMAT, MODELS, tell_of_ending
from cudnnlint.frameworks.keras.loaded import name_of
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.remade import tell_of_unsaved
from cudnnlint.frameworks.keras.stored import stored
from cudnnlint.frameworks.keras.weights_moved import saved
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where

WEIGHTS = (".weights.h5",)
"""keras/src/saving/saving_api.py: save_weights"""
OF_MODELS = 'ValueError "The filepath provided must end in `.keras`"'
OF_WEIGHTS = 'ValueError "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must end ' \
    'in `.weights.h5`"'
"""keras/src/callbacks/model_checkpoint.py: ModelCheckpoint.__init__"""
OF_FORMAT = 'ValueError "The `save_format` argument is deprecated in Keras 3. Please remove this argument"'
"""keras/src/saving/saving_api.py: save_model, where the name of the file does not tell the format"""


@FRAMEWORK.on("keras.Model.save")
def save(c: Call) -> Any:
    stored(c.machine, c.receiver, path := c.get(0, "filepath"))
    if not c.machine.trying and name_of(plain(path)).endswith(MODELS):
        tell_of_unsaved(c.machine, c.receiver, c.span)
    _tell_of_subclass(c, name_of(plain(path)))
    if "zipped" not in c.kwargs:
        tell_of_ending(c, plain(path), MODELS, "Model.save", "save", OF_FORMAT if plain(c.kwargs.get(FORMAT)) else
               'ValueError "Invalid filepath extension for saving. Please add either a `.keras` extension"')
    return None


def _tell_of_subclass(c: Call, name: str) -> None:
    """tf_keras/src/saving/legacy/save.py: save_model; Keras 3 writes the layers of any model. One without a call() of
    its own is made of inputs and outputs."""
    model = plain(c.receiver)
    if name.endswith((".h5", ".hdf5")) and isinstance(model, InstanceV) and not c.machine.trying \
            and getattr(model.extra, "outputs", None) is None and isinstance(model.cls.lookup("call"), FunctionV):
        refuse(c.machine, c.span, Mismatch(
            Problem.FILE_NAME, f"{model.cls.name} is saved in HDF5, which takes functional and sequential models alone",
            where=Where(keras="<3"), help="save_weights() of it, or a name without .h5 for a SavedModel",
            error='NotImplementedError "Saving the model to HDF5 format requires the model to be a Functional model '
                  'or a Sequential model."'), what="Model.save", stage="save")


@FRAMEWORK.on("keras.Model.save_weights")
def save_weights(c: Call) -> Any:
    path = plain(c.get(0, "filepath"))
    saved(c.machine, c.receiver, path, c.span)
    if "max_shard_size" not in c.kwargs:
        tell_of_ending(c, path, WEIGHTS, "Model.save_weights", "save_weights",
               "TypeError \"Model.save_weights() got an unexpected keyword argument 'save_format'\""
               if FORMAT in c.kwargs else 'ValueError "The filename must end in `.weights.h5`."')
    return None


@FRAMEWORK.on("keras.callbacks.ModelCheckpoint")
def checkpoint(c: Call) -> Any:
    if not c.args and "filepath" not in c.kwargs and STAR not in c.kwargs and is_meant(c.machine) \
            and not (c.machine.handlers or c.machine.uncalled):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, "ModelCheckpoint misses filepath", argument="filepath",
            help='where to save it: "best.keras"'), what="ModelCheckpoint", stage="called")
    only = plain(c.get(4, "save_weights_only", False))
    if only in (True, False):
        endings, error = (WEIGHTS, OF_WEIGHTS) if only else ((".keras", ".h5"), OF_MODELS)
        tell_of_ending(c, plain(c.get(0, "filepath")), endings, "ModelCheckpoint", "constructor", error)
    return ObjectV("keras.callbacks.ModelCheckpoint", tuple(c.args), dict(c.kwargs), c.span)


__all__ = ["checkpoint"]
