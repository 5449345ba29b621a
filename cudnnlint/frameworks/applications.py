"""keras.applications: a model function gives the model that real Keras builds, from recorded facts."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.frameworks.applications_build import built
from cudnnlint.frameworks.applications_checks import Request, problems, settled
from cudnnlint.frameworks.applications_graph import recorded
from cudnnlint.frameworks.keras import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.registry import PREFIXES, Call
from cudnnlint.ops.functions.applications import SCALED
from cudnnlint.values import Mismatch, Problem, Stack, Step, Tensor, Unknown, is_integer
from cudnnlint.values.stack import Version, dotted

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
SINCE: dict[str, Version] = {
    "convnext": (2, 13), "efficientnet": (2, 10), "efficientnet_v2": (2, 9), "inception_resnet_v2": (2, 12),
    "mobilenet_v3": (2, 8), "nasnet": (2, 10), "regnet": (2, 9), "resnet_rs": (2, 9),
}
"""The Keras 2 from which on a module's source builds what is on record; 2.6 for the others (compared by release)."""
OLDEST: Version = (2, 6)


def model(c: Call, module: str, name: str) -> Any:
    """One call of a model function."""
    m = c.machine
    since = SINCE.get(module, OLDEST)
    record = recorded(module, name, m.stack)
    if record is None:
        return Unknown(f"keras.applications has no {name} in Keras {dotted(m.stack.keras)}")
    if m.stack.keras < since:
        return Unknown(f"{name} is on record from Keras {dotted(since)} on")
    if m.state.get("image_data_format", "channels_last") != "channels_last":
        return Unknown(f"{name} is on record for channels_last")
    found: set[Any] = set()
    values = bound(c, name, record["signature"], found)
    if isinstance(values, Unknown):
        return values
    request = Request(module, name, values, record, m.stack)
    shape = settled(request)
    wrong = next(problems(request), shape if isinstance(shape, Mismatch) else None)
    if wrong is not None or isinstance(shape, Mismatch):
        m.say(Rejected, c.span, assumptions=frozenset(found), what=name, mismatch=wrong)
        return Unknown(f"{name}() fails")
    return shape if isinstance(shape, Unknown) else built(c, request, shape, frozenset(found))


def bound(c: Call, name: str, signature: list[Any], found: set[Any]) -> dict[str, Any] | Unknown:
    """Arguments by parameter name, defaults filled in; what the function does not take is told."""
    if STAR in c.kwargs:
        return Unknown("arguments that are not known")
    names = [word for word, _ in signature if word != "**" and _exists(word, c.machine.stack)]
    values = {word: default for word, default in signature if word in names}
    given = dict(zip(names, c.args, strict=False))
    unknown = [word for word in c.kwargs if word not in names or word in given]
    open_ended = any(word == "**" for word, _ in signature)
    if unknown and open_ended and set(unknown) <= {"classifier_activation"}:
        unknown = []
    if unknown or len(c.args) > len(names):
        return _misfit(c, name, names, unknown, given, open_ended)
    values.update({word: strip(value, found) for word, value in {**given, **c.kwargs}.items()})
    return values


def _exists(parameter: str, stack: Stack) -> bool:
    """keras 3.4 gave every function a name."""
    return parameter != "name" or not (3,) <= stack.keras < (3, 4)


def _misfit(c: Call, name: str, names: list[str], unknown: list[str], given: dict[str, Any],
            open_ended: bool) -> Unknown:
    if open_ended:  # Keras 2 passes them on: backend=, layers=, utils= are let pass
        return Unknown(f"{name} with other arguments")
    for word in unknown:
        twice = word in given
        text = f"{name} got {word} twice" if twice else f"{name} has no argument {word}"
        c.machine.say(Rejected, c.span, what=name, mismatch=Mismatch(
            Problem.UNKNOWN_ARGUMENT, text, argument=word,
            facts=(("name", word), ("versions", ">=3.4" if word == "name" else ""), ("twice", twice),
                   ("parameters", tuple(names)))))
    return Unknown(f"{name}() fails")


def _handler(module: str, name: str) -> Any:
    return lambda c: model(c, module, name)


def _preprocessor(path: str) -> Any:
    def preprocess_input(c: Call) -> Any:
        """NumPy arrays of integers become floats (keras/src/applications/imagenet_utils.py)."""
        x = strip(c.get(0, "x"))
        if isinstance(x, Tensor) and x.kind == "numpy" and is_integer(x.dtype):
            floatx = c.machine.state.get("floatx", "float32")
            return Tensor(x.shape, floatx, "numpy", None, Step(c.span, (x,)), x.assumptions)
        return apply_function(c.machine, path, c.args, c.kwargs, c.node)

    return preprocess_input


def decoded(c: Call) -> Any:
    return Unknown("names and scores of classes")


for _module, _names in MODELS.items():
    for _name in _names:
        FRAMEWORK.on(f"keras.applications.{_name}", f"keras.applications.{_module}.{_name}")(_handler(_module, _name))
for _module in (*SCALED, "imagenet_utils"):
    _path = f"keras.applications.{_module}.preprocess_input"
    FRAMEWORK.on(_path)(_preprocessor(_path))
for _module in (*MODELS, "imagenet_utils"):
    FRAMEWORK.on(f"keras.applications.{_module}.decode_predictions")(decoded)
PREFIXES["keras.applications.resnet50"] = "keras.applications.resnet"
