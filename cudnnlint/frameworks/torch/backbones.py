"""torchvision.models: how many features each gives its last layers, which programs put others in place of."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from cudnnlint.events import LayerApplied
from cudnnlint.frameworks.torch.containers import Chain, apply_at, told
from cudnnlint.frameworks.torch.grad import untracked
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.unused_heads import NAMES, tell_of_unused
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.functions import AUTOCAST, undtyped
from cudnnlint.interp.keras.application import CHAINED, OF_THE_INPUT, judge
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import told_params
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.torch.backbone import Stage
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known, product
from cudnnlint.values.tensor import tensors

NARROW, WIDE = (64, 128, 256, 512), (256, 512, 1024, 2048)
RESNETS = {"resnet18": NARROW, "resnet34": NARROW, **dict.fromkeys((
    "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "resnext101_32x8d", "resnext101_64x4d", "wide_resnet50_2",
    "wide_resnet101_2"), WIDE)}
"""Channels of the four stages (torchvision/models/resnet.py)."""
VGGS = tuple(f"vgg{depth}{kind}" for depth in (11, 13, 16, 19) for kind in ("", "_bn"))
POOLED = {
    "mobilenet_v2": (1280, 0.2), "efficientnet_b0": (1280, 0.2), "efficientnet_b1": (1280, 0.2),
    "efficientnet_b2": (1408, 0.3), "efficientnet_b3": (1536, 0.3), "efficientnet_b4": (1792, 0.4),
    "efficientnet_b5": (2048, 0.4), "efficientnet_b6": (2304, 0.5), "efficientnet_b7": (2560, 0.5),
    "efficientnet_v2_s": (1280, 0.2), "efficientnet_v2_m": (1280, 0.3), "efficientnet_v2_l": (1280, 0.4)}
"""Features before classifier = Sequential(Dropout, Linear)."""
DENSENETS = {"densenet121": 1024, "densenet161": 2208, "densenet169": 1664, "densenet201": 1920}
"""Features before classifier = Linear (torchvision/models/densenet.py)."""
HEADS = ("fc", "classifier")
CLASSES = {"res": "ResNet", "wid": "ResNet", "vgg": "VGG", "ale": "AlexNet", "den": "DenseNet", "mob": "MobileNetV2",
           "eff": "EfficientNet"}
"""How the names of the functions begin -> the class that they give an object of."""
STAGE = "torch.torchvision"
"""Beginning of the path of a part: like all modules of PyTorch it casts nothing, as layers of Keras do."""
TAKEN = frozenset({"weights", "pretrained", "progress", "num_classes"})
"""Arguments under which they are what is written here."""


class StageV(LayerV):
    """A part of such a model, which programs also run by itself: `models.vgg16().features(images)`."""

    def opened(self, m: Machine) -> Unknown:
        """What is inside is not known, nor what the program makes of it from here on."""
        m.heap.touch(self)
        another = Unknown("a first convolution that may be another")
        if isinstance(self.op, Stage):
            self.become(replace(self.op, entry=another, halved=0, dtype=another))
        return Unknown("parts of a model of torchvision")

    def attribute(self, m: Machine, name: str) -> Any:
        return super().attribute(m, name) if name in KEEPING or name.startswith("__") else self.opened(m)

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        self.opened(m)

    def item(self, m: Machine, key: Any, node: ast.AST) -> Unknown:
        return self.opened(m)

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        self.opened(m)

    def iterated(self, m: Machine) -> Unknown:
        return self.opened(m)

    def length(self, m: Machine) -> Unknown:
        return Unknown("parts of a model of torchvision")


KEEPING = frozenset({"parameters", "named_parameters", "state_dict", "load_state_dict", "requires_grad_", "train",
                     "eval", "training", "to", "cuda", "cpu", "zero_grad", "forward"})
"""What leaves a part as it is."""


class Backbone(Chain):
    """A model whose last part, `head`, is given one row of features for each image."""

    head = ""
    made: frozenset[int] = frozenset()
    """Parts that are torchvision's own."""
    runs: frozenset[str] = frozenset()
    """Names that forward() runs; a module under any other name is held, and run by nobody."""
    learns = True
    """It has weights that ask for gradients, though how many is not known."""

    @property
    def class_name(self) -> str:
        return CLASSES[self.name[:3]]

    @property
    def lacks(self) -> dict[str, str]:
        """What the models of other families call their last part -> what this one does; nothing once
        code that is not followed was handed the model."""
        known = self.head in self.keys and not self.layers.unknown and self.compiled is None
        return {name: self.head for name in HEADS if known and name not in self.keys}

    @property
    def last(self) -> Any:
        """Its last part, which programs give as many outputs as they have classes."""
        return self.layers.items[self.keys.index(self.head)] if self.lacks and not self.layers.unknown else None

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "_modules":
            self.layers.unknown = Unknown("modules that are set by their names")
        return super().attribute(m, name)

    def apply(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        value = args[0] if args else kwargs.get("x", Unknown("no input"))
        inputs = strip(value)
        about = tensors(inputs)
        if self.layers.unknown or "forward" in self.extra or not isinstance(inputs, Tensor):
            return self.layers.unknown or Unknown("what forward() gives")
        self.ran, number = True, m.begin()
        try:
            for key, module in zip(self.keys, self.layers.items, strict=True):
                if key in self.runs:
                    value = self._part(m, module, _rows(value) if key == self.head else value, span)
                elif key in NAMES:
                    tell_of_unused(m, self, key, module)
        finally:
            m.applying.pop()
        result = untracked(m, told(strip(value), Step(span, about, self, as_given(args, kwargs))), span)
        m.say(LayerApplied, span, about=about, layer=self.info(), inputs=inputs, output=result, eager=True,
              training=self.mode, params=told_params(m, self), maker=self, number=number, within=tuple(m.applying))
        return wrap(result)

    def _part(self, m: Machine, module: Any, value: Any, span: Span) -> Any:
        """Of torchvision's own parts nothing is told but what they refuse, at the call."""
        held = plain(module)
        if id(held) not in self.made:
            return apply_at(m, held, value, span)
        if isinstance(held, Chain):
            for inner in held.layers.items:
                value = self._part(m, inner, value, span)
            return held.layers.unknown or value
        given = strip(value)
        if not isinstance(given, Tensor) or not isinstance(held, LayerV):
            return given
        if AUTOCAST in m.state:
            given = undtyped(given)
        outcome, _ = judge(m, held, given, span)
        if isinstance(outcome, Mismatch):
            at = m.state.get(CHAINED) if outcome.problem in OF_THE_INPUT else None
            refuse(m, at or span, outcome, about=(given,), what=self.name, inputs=given)
            return Unknown(f"{self.name} rejects its input")
        return outcome.with_(kind="torch", step=Step(span, (given,), held)) if isinstance(outcome, Tensor) else outcome


def _rows(value: Any) -> Any:
    """torch.flatten(x, 1) of features that were pooled: to one pixel, where no part of the model does it."""
    x = strip(value)
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) != 4:
        return x if isinstance(x, Unknown) else Unknown("features")
    wide = product(x.shape[1:]) if all(map(is_known, x.shape[2:])) else x.shape[1]
    return x.with_(shape=(x.shape[0], wide), step=Step(x.step.span, (x,)) if x.step else None)


def _made(c: Call, name: str, *args: Any) -> Any:
    return plain(c.machine.call(External(f"torch.nn.{name}"), list(args), {}, c.node))


def _staged(c: Call, name: str, entry: int, channels: int, halved: int = 0, *, up: bool = False) -> StageV:
    layer = StageV(f"{STAGE}.{name}", name, c.span, Stage(name, entry, channels, halved, up))
    layer.weights = Unknown(f"variables of {name}")
    return layer


def _backbone(c: Call, name: str, head: str, parts: dict[str, Any]) -> Backbone:
    model = Backbone(c.machine, c.span)
    model.name, model.head = name, head
    for key, part in parts.items():
        model.add(c.machine, key, part)
    inner = [one for part in parts.values() if isinstance(part, Chain) for one in part.layers.items]
    model.made, model.runs = frozenset(map(id, [*parts.values(), *inner])), frozenset(parts)
    c.machine.created += 1
    return model


def _classes(c: Call) -> Any:
    """Classes of a model made by torchvision.models.NAME(...), None where its arguments are not all known."""
    return plain(c.kwargs.get("num_classes", 1000)) if not c.kwargs.keys() - TAKEN and len(c.args) < 2 else None


def _name(c: Call) -> str:
    callee = plain(c.callee)
    return callee.path.rpartition(".")[2] if isinstance(callee, External) else ""


def _open(c: Call) -> Unknown:
    return Unknown(f"torchvision.models.{_name(c)}() with other arguments")


@FRAMEWORK.on(*(f"torchvision.models.{name}" for name in RESNETS))
def resnet(c: Call) -> Any:
    name, classes = _name(c), _classes(c)
    if classes is None or name not in RESNETS:
        return _open(c)
    first, second, third, last = RESNETS[name]
    return _backbone(c, name, "fc", {
        "conv1": _made(c, "Conv2d", 3, 64, 7, 2, 3), "bn1": _made(c, "BatchNorm2d", 64), "relu": _made(c, "ReLU"),
        "maxpool": _made(c, "MaxPool2d", 3, 2, 1), "layer1": _staged(c, "layer1", 64, first, 1),
        "layer2": _staged(c, "layer2", first, second, 2, up=True),
        "layer3": _staged(c, "layer3", second, third, 2, up=True),
        "layer4": _staged(c, "layer4", third, last, 2, up=True),
        "avgpool": _made(c, "AdaptiveAvgPool2d", 1), "fc": _made(c, "Linear", last, classes)})


@FRAMEWORK.on(*(f"torchvision.models.{name}" for name in (*VGGS, "alexnet")))
def vgg(c: Call) -> Any:
    name, classes = _name(c), _classes(c)
    if classes is None:
        return _open(c)
    relu, dropout = _made(c, "ReLU"), _made(c, "Dropout")
    if name == "alexnet":
        features, side, rows = _staged(c, name, 3, 256), 6, [
            dropout, _made(c, "Linear", 9216, 4096), relu, dropout, _made(c, "Linear", 4096, 4096), relu]
    else:
        features, side, rows = _staged(c, name, 3, 512, 32), 7, [
            _made(c, "Linear", 25088, 4096), relu, dropout, _made(c, "Linear", 4096, 4096), relu, dropout]
    classifier = _made(c, "Sequential", *rows, _made(c, "Linear", 4096, classes))
    return _backbone(c, name, "classifier", {
        "features": features, "avgpool": _made(c, "AdaptiveAvgPool2d", side), "classifier": classifier})


@FRAMEWORK.on(*(f"torchvision.models.{name}" for name in (*POOLED, *DENSENETS)))
def pooled(c: Call) -> Any:
    """Those that pool to one pixel on the way to the classifier."""
    name, classes = _name(c), _classes(c)
    if classes is None:
        return _open(c)
    width = DENSENETS[name] if name in DENSENETS else POOLED[name][0]
    last = _made(c, "Linear", width, classes)
    if name in POOLED:
        last = _made(c, "Sequential", _made(c, "Dropout", POOLED[name][1]), last)
    pool = {"avgpool": _made(c, "AdaptiveAvgPool2d", 1)} if name.startswith("efficientnet") else {}
    return _backbone(c, name, "classifier", {"features": _staged(c, name, 3, width), **pool, "classifier": last})
