"""keras.applications: a model function gives the model that real Keras builds, from recorded facts.

What reads the records is imported when a program calls such a function.
"""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import PREFIXES, Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import may_equal

MODELS: dict[str, tuple[str, ...]] = {
    "convnext": tuple(f"ConvNeXt{size}" for size in ("Tiny", "Small", "Base", "Large", "XLarge")),
    "densenet": ("DenseNet121", "DenseNet169", "DenseNet201"),
    "efficientnet": tuple(f"EfficientNetB{n}" for n in range(8)),
    "efficientnet_v2": tuple(f"EfficientNetV2{size}" for size in ("B0", "B1", "B2", "B3", "S", "M", "L")),
    "inception_resnet_v2": ("InceptionResNetV2",),
    "inception_v3": ("InceptionV3",),
    "mobilenet": ("MobileNet",),
    "mobilenet_v2": ("MobileNetV2",),
    "mobilenet_v3": ("MobileNetV3Small", "MobileNetV3Large"),
    "nasnet": ("NASNetMobile", "NASNetLarge"),
    "regnet": tuple(f"RegNet{kind}{size}" for kind in "XY" for size in (
        "002", "004", "006", "008", "016", "032", "040", "064", "080", "120", "160", "320")),
    "resnet": ("ResNet50", "ResNet101", "ResNet152"),
    "resnet_rs": tuple(f"ResNetRS{depth}" for depth in (50, 101, 152, 200, 270, 350, 420)),
    "resnet_v2": ("ResNet50V2", "ResNet101V2", "ResNet152V2"),
    "vgg16": ("VGG16",),
    "vgg19": ("VGG19",),
    "xception": ("Xception",),
}
"""Module of keras.applications -> its models."""
HANDED = ("densenet", "inception_v3", "resnet", "vgg16", "vgg19", "xception")
"""Modules of the package keras_applications 1.0.8 that build the same, layer by layer; the others pad otherwise or
scale otherwise."""
SUBMODULES = frozenset(("backend", "layers", "models", "utils"))


def _handler(module: str, name: str) -> Any:
    def model(c: Call) -> Any:
        from cudnnlint.frameworks.applications.call import model

        return model(c, module, name)

    return model


def _handed(module: str, name: str) -> Any:
    def model(c: Call) -> Any:
        """The package takes the modules of the Keras that it is to use."""
        from cudnnlint.frameworks.applications.call import model

        kwargs = {word: value for word, value in c.kwargs.items() if word not in SUBMODULES}
        if len(kwargs) == len(c.kwargs) or "classifier_activation" in kwargs:
            return Unknown(f"{name} of a Keras that is not known")
        return model(Call(c.machine, c.callee, c.args, kwargs, c.node), module, name)

    return model


def _preprocessor(module: str) -> Any:
    def preprocess_input(c: Call) -> Any:
        from cudnnlint.frameworks.applications.call import preprocessed

        return preprocessed(c, module)

    return preprocess_input


def decoded(c: Call) -> Any:
    """The names of ImageNet's classes are for scores of all of them (keras/src/applications/imagenet_utils.py)."""
    given = plain(c.get(0, "preds"))
    shape = given.shape if isinstance(given, Tensor) and not c.machine.trying else None
    if isinstance(shape, tuple) and (len(shape) != 2 or not may_equal(shape[1], IMAGENET)):
        refuse(c.machine, c.span, Mismatch(
            Problem.FED, f"decode_predictions names the {IMAGENET} classes of ImageNet, this input is {given}",
            help=f"scores of shape [B, {IMAGENET}], of a model with its ImageNet top; of other classes np.argmax() "
                 "gives the number",
            error='ValueError "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, '
                  f'{IMAGENET}))"'), about=(given,), what="decode_predictions", stage="call")
    return Unknown("names and scores of classes")


IMAGENET = 1000


for _module, _names in MODELS.items():
    for _name in _names:
        FRAMEWORK.on(f"keras.applications.{_name}", f"keras.applications.{_module}.{_name}")(_handler(_module, _name))
for _module in HANDED:
    for _name in MODELS[_module]:
        FRAMEWORK.on(f"keras_applications.{_module}.{_name}")(_handed(_module, _name))
for _module in (*MODELS, "imagenet_utils"):
    FRAMEWORK.on(f"keras.applications.{_module}.preprocess_input")(_preprocessor(_module))
    FRAMEWORK.on(f"keras.applications.{_module}.decode_predictions")(decoded)
PREFIXES["keras.applications.resnet50"] = "keras.applications.resnet"
