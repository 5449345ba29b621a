"""keras.utils.multi_gpu_model: a copy of the model on each GPU, each given its part of every batch."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK, model_of
from cudnnlint.frameworks.training.model_views import TOWERS
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.building import functional
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.dim import is_known


@FRAMEWORK.on("keras.utils.multi_gpu_model", "keras.utils.training_utils.multi_gpu_model",
              "keras.utils.multi_gpu_utils.multi_gpu_model")
def multi_gpu_model(c: Call) -> Any:
    """A model with the inputs and outputs of the one that is given
    (tensorflow/python/keras/utils/multi_gpu_utils.py, until TensorFlow 2.3)."""
    model, gpus = model_of(c.get(0, "model")), plain(c.get(1, "gpus"))
    if model is None or model.inputs is None or model.outputs is None or c.machine.stack.tensorflow >= (2, 4):
        return Unknown("a model on several GPUs")
    made = functional(c.machine, model.inputs, model.outputs, "keras.Model", c.machine.unique_name("model"), c.span)
    count = gpus if is_known(gpus) else None
    if count is None and gpus is not None:
        listed = elements(c.machine, gpus)
        count = None if isinstance(listed, Unknown) else len(listed)
    made.extra[TOWERS] = count if count is not None else Unknown("number of GPUs")
    return made if not assumptions_of(c.get(1, "gpus")) else Unknown("a number of GPUs that is assumed")
