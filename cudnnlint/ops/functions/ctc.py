"""Connectionist temporal classification: one loss for each sample, of scores over time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

TRANSPOSED = 'InvalidArgumentError "transpose expects a vector of size 2" or ValueError "Dimension must be 2 but is 3"'
"""Of scores without a time axis."""
OF_THE_OP = 'InvalidArgumentError "inputs is not a 3-Tensor" or ValueError "Shape must be rank 3"'


def per_sample(value: Any, axis: int, library: Library, name: str, argument: str, error: str) -> Outcome:
    """The axis of the samples, of scores (batch, time, classes) in some order. The scores of a symbolic tensor of Keras
    are not looked at before the model runs."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return Tensor((Unknown("batch"),), x.dtype if isinstance(x, Tensor) else x)
    if x.kind != "keras" and (wrong := rank_problem(x, (3,), name, argument)):
        return replace(wrong, error=error)
    return x.with_(shape=(x.shape[axis],) if len(x.shape) == 3 else (Unknown("batch"),))


@function("tensorflow.nn.ctc_loss")
def tf_ctc_loss(labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: Any = True,
                unique: Any = None, blank_index: Any = None, name: Any = None) -> Outcome:
    if not isinstance(logits_time_major, bool):
        return Unknown("logits_time_major")
    return per_sample(logits, 1 if logits_time_major else 0, "tf", "tf.nn.ctc_loss", "logits",
                       "IndexError \"tuple index out of range\" or ValueError")


@function(*paths.ops("ctc_loss", "nn"))
def keras_ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: Any = 0) -> Outcome:
    return per_sample(output, 0, "keras", "keras.ops.ctc_loss", "output", TRANSPOSED)


@function("keras.backend.ctc_batch_cost")
def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Outcome:
    """A column of losses; the lengths are columns too (tf_keras/src/backend.py, keras/src/legacy/backend.py)."""
    name = "keras.backend.ctc_batch_cost"
    for argument, given in (("label_length", label_length), ("input_length", input_length)):
        held = as_tensor(given, "tf")
        last = held.shape[-1] if isinstance(held, Tensor) and isinstance(held.shape, tuple) and held.shape else 1
        if isinstance(last, int) and last != 1:
            return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: the last axis of {argument}, {held}, has {last}, not 1",
                            help=f"a column: tf.expand_dims({argument}, -1)", argument=argument,
                            error='InvalidArgumentError or ValueError "Can not squeeze dim"',
                            facts=(("extents", (last, 1)),))
    made = per_sample(y_pred, 0, "tf", name, "y_pred", TRANSPOSED)
    return made.with_(shape=(*made.shape, 1)) if isinstance(made, Tensor) and isinstance(made.shape, tuple) else made
