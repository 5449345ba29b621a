"""tf.nn.sampled_softmax_loss and tf.nn.nce_loss: one loss for each example."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown


def per_example(inputs: Any) -> Outcome:
    """(batch, features) -> (batch,)."""
    x = as_tensor(inputs, "tf")
    return x.with_(shape=x.shape[:1]) if isinstance(x, Tensor) and isinstance(x.shape, tuple) else Unknown("inputs")


@function("tensorflow.nn.sampled_softmax_loss")
def sampled_softmax_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any,
                         num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = True,
                         seed: Any = None, name: Any = "sampled_softmax_loss") -> Outcome:
    return per_example(inputs)


@function("tensorflow.compat.v1.nn.sampled_softmax_loss")
def sampled_softmax_loss_v1(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any,
                            num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = True,
                            partition_strategy: Any = "mod", name: Any = "sampled_softmax_loss",
                            seed: Any = None) -> Outcome:
    return per_example(inputs)


@function("tensorflow.nn.nce_loss")
def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any,
             num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = False,
             name: Any = "nce_loss") -> Outcome:
    return per_example(inputs)


@function("tensorflow.compat.v1.nn.nce_loss")
def nce_loss_v1(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any,
                num_true: Any = 1, sampled_values: Any = None, remove_accidental_hits: Any = False,
                partition_strategy: Any = "mod", name: Any = "nce_loss") -> Outcome:
    return per_example(inputs)
