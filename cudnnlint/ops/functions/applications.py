"""keras.applications.*.preprocess_input: shape in, shape out."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating

SCALED = ("inception_resnet_v2", "inception_v3", "mobilenet", "mobilenet_v2", "nasnet", "resnet_v2", "xception")
REVERSED = ("resnet", "vgg16", "vgg19")
"""Modules of mode "caffe": tensors are stacked of their channels 2, 1 and 0."""
KEPT = ("convnext", "efficientnet", "efficientnet_v2", "mobilenet_v3", "regnet", "resnet_rs")
"""Modules whose models scale their input themselves: preprocess_input returns what it is given."""
KERAS_2_ONLY = ("regnet", "resnet_rs")


def scaled(x: Any) -> Outcome:
    """keras/src/applications/imagenet_utils.py: preprocess_input; what becomes of integers depends on the library."""
    if not isinstance(x, Tensor):
        return Unknown("preprocess_input of something unknown")
    return x.with_() if is_floating(x.dtype) else x.with_(dtype=Unknown("preprocess_input of integers"))


def by_channel(x: Any, data_format: Any, mode: Any) -> Outcome:
    """What is done to each of three channels, and to an input of more or fewer.

    keras/src/applications/imagenet_utils.py: _preprocess_numpy_input, _preprocess_tensor_input
    """
    made = scaled(x)
    if mode == "tf" or not isinstance(made, Tensor) or not isinstance(made.shape, tuple):
        return made
    if data_format not in (None, "channels_last", "channels_first") or mode not in ("caffe", "torch"):
        return made.with_(shape=Unknown("mode or data_format of preprocess_input"))
    if len(made.shape) < (3 if data_format == "channels_first" else 1):  # a number less the mean of each channel
        spread = mode == "torch" and made.kind != "numpy" and not made.shape
        return made.with_(shape=(3,) if spread else Unknown("preprocess_input of no picture"))
    axis = len(made.shape) - (3 if data_format == "channels_first" else 1)
    count = made.shape[axis]
    if count == 3 or not isinstance(count, int) or (made.kind == "numpy" and count > 3):
        return made
    if made.kind != "numpy" and (count > 3 if mode == "caffe" else count == 1):
        return made.with_(shape=(*made.shape[:axis], 3, *made.shape[axis + 1:]))
    return Mismatch(
        Problem.CHANNELS, f"preprocess_input takes 3 channels, its input has {count}: {x}", argument="x",
        help="make it RGB first: tf.image.grayscale_to_rgb(x), or np.repeat(x, 3, axis=-1)" if count == 1 else "",
        error='IndexError "out of bounds" or InvalidArgumentError or ValueError "out-of-bounds index"',
        facts=(("expected", 3), ("actual", count)))


@function(*(f"keras.applications.{module}.preprocess_input" for module in SCALED))
def preprocess_input(x: Any, data_format: Any = None) -> Outcome:
    return scaled(x)


@function(*(f"keras.applications.{module}.preprocess_input" for module in REVERSED))
def reversing_preprocess_input(x: Any, data_format: Any = None) -> Outcome:
    return by_channel(x, data_format, "caffe")


@function("keras.applications.densenet.preprocess_input")
def normalizing_preprocess_input(x: Any, data_format: Any = None) -> Outcome:
    return by_channel(x, data_format, "torch")


@function(*(f"keras.applications.{module}.preprocess_input" for module in KEPT if module not in KERAS_2_ONLY))
def kept(x: Any, data_format: Any = None) -> Outcome:
    return x if isinstance(x, Tensor) else Unknown("preprocess_input of something unknown")


@function(*(f"keras.applications.{module}.preprocess_input" for module in KERAS_2_ONLY), versions={"": "<3"})
def kept_by_keras_2(x: Any, data_format: Any = None) -> Outcome:
    return x if isinstance(x, Tensor) else Unknown("preprocess_input of something unknown")


@function("keras.applications.imagenet_utils.preprocess_input")
def imagenet_preprocess_input(x: Any, data_format: Any = None, mode: Any = "caffe") -> Outcome:
    return by_channel(x, data_format, mode)
