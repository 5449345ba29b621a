"""keras.applications.*.preprocess_input: shape in, shape out."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown, is_floating

SCALED = ("densenet", "inception_resnet_v2", "inception_v3", "mobilenet", "mobilenet_v2", "nasnet", "resnet",
          "resnet_v2", "vgg16", "vgg19", "xception")
KEPT = ("convnext", "efficientnet", "efficientnet_v2", "mobilenet_v3", "regnet", "resnet_rs")
"""Modules whose models scale their input themselves: preprocess_input returns what it is given."""
KERAS_2_ONLY = ("regnet", "resnet_rs")


def scaled(x: Any) -> Outcome:
    """keras/src/applications/imagenet_utils.py: preprocess_input; what becomes of integers depends on the library."""
    if not isinstance(x, Tensor):
        return Unknown("preprocess_input of something unknown")
    return x.with_() if is_floating(x.dtype) else x.with_(dtype=Unknown("preprocess_input of integers"))


@function(*(f"keras.applications.{module}.preprocess_input" for module in SCALED))
def preprocess_input(x: Any, data_format: Any = None) -> Outcome:
    return scaled(x)


@function(*(f"keras.applications.{module}.preprocess_input" for module in KEPT if module not in KERAS_2_ONLY))
def kept(x: Any, data_format: Any = None) -> Outcome:
    return x if isinstance(x, Tensor) else Unknown("preprocess_input of something unknown")


@function(*(f"keras.applications.{module}.preprocess_input" for module in KERAS_2_ONLY), versions={"": "<3"})
def kept_by_keras_2(x: Any, data_format: Any = None) -> Outcome:
    return x if isinstance(x, Tensor) else Unknown("preprocess_input of something unknown")


@function("keras.applications.imagenet_utils.preprocess_input")
def imagenet_preprocess_input(x: Any, data_format: Any = None, mode: Any = "caffe") -> Outcome:
    return scaled(x)
