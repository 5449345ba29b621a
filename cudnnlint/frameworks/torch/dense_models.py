"""torchvision.models.segmentation and .detection: a dict of maps for each image, losses in training, boxes after it."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.containers import Chain
from cudnnlint.frameworks.torch.grad import untracked
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known

SEGMENTERS = ("fcn_resnet50", "fcn_resnet101", "deeplabv3_resnet50", "deeplabv3_resnet101",
              "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large")
DETECTORS = {
    **dict.fromkeys(("fasterrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2", "fasterrcnn_mobilenet_v3_large_fpn",
                     "fasterrcnn_mobilenet_v3_large_320_fpn"), "FasterRCNN"),
    **dict.fromkeys(("maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2"), "MaskRCNN"),
    "keypointrcnn_resnet50_fpn": "KeypointRCNN", "retinanet_resnet50_fpn": "RetinaNet",
    "retinanet_resnet50_fpn_v2": "RetinaNet", "fcos_resnet50_fpn": "FCOS", "ssd300_vgg16": "SSD",
    "ssdlite320_mobilenet_v3_large": "SSD"}
"""Functions -> the class of what they make (torchvision/models/detection/*.py)."""
CLASSES = 21
"""Those of a segmentation model that is not told: of Pascal VOC."""
PARTS = frozenset({"backbone", "classifier", "aux_classifier", "roi_heads", "rpn", "transform", "head",
                   "anchor_generator", "low_classifier", "high_classifier", "cbr", "scale"})


class Dense(Chain):
    """A model whose parts are not followed."""

    made = ""
    classes: Any = Unknown("classes")
    aux: Any = False

    @property
    def display(self) -> str:
        return self.made

    def attribute(self, m: Machine, name: str) -> Any:
        if name not in PARTS:
            return super().attribute(m, name)
        self._opened(m, name)
        return Unknown("parts of a model of torchvision")

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        self._opened(m, name)

    def _opened(self, m: Machine, name: str) -> None:
        """What the program makes of a part is not known; without an aux_classifier there is no second map."""
        m.heap.touch(self)
        self.extra["parts"] = True
        if name == "aux_classifier":
            self.extra["another aux"] = Unknown("an auxiliary map")

    def apply(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        if self.made in DETECTORS.values():
            self._detect(m, args, kwargs, span)
            return Unknown(f"what a {self.made} gives")
        return self._segment(m, args, kwargs, span)

    def _segment(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        """{"out": (N, classes, H, W)}, and "aux" like it (torchvision/models/segmentation/_utils.py)."""
        x = strip(args[0] if args else kwargs.get("x", Unknown("no input")))
        if not isinstance(x, Tensor) or self.compiled is not None:
            return Unknown(f"what a {self.made} gives")
        classes = Unknown("classes of another classifier") if "parts" in self.extra else self.classes
        shape: Any = (x.shape[0], classes, *x.shape[2:]) if isinstance(x.shape, tuple) and len(x.shape) == 4 \
            else Unknown("an image")
        told = untracked(m, Tensor(shape, x.dtype, "torch", None, Step(span, (x,), self)), span)
        aux = self.extra.get("another aux", self.aux)
        maps = {"out": wrap(told)} if aux is not True else {"out": wrap(told), "aux": wrap(told)}
        return DictV(maps, aux if isinstance(aux, Unknown) else None)

    def _detect(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> None:
        targets = args[1] if len(args) > 1 else kwargs.get("targets")
        if self.mode is True and plain(targets) is None and not {"*", "**"} & kwargs.keys() and is_meant(m) \
                and not (m.handlers or m.uncalled):
            refuse(m, span, Mismatch(
                Problem.INVALID_ARGUMENT, f"the targets are missing, which {self.made} takes in training mode",
                argument="targets",
                help="model.eval() before it is asked for boxes, or targets: a dict of boxes and labels for each image",
                error='AssertionError "targets should not be none when in training mode" or ValueError "In training '
                      'mode, targets should be passed"'), what=self.made)


def _dense(c: Call, made: str) -> Dense:
    model = Dense(c.machine, c.span)
    model.made, model.layers.unknown = made, Unknown("parts of a model of torchvision")
    c.machine.created += 1
    return model


def _name(c: Call) -> str:
    callee = plain(c.callee)
    return callee.path.rpartition(".")[2] if isinstance(callee, External) else ""


@FRAMEWORK.on(*(f"torchvision.models.segmentation.{name}" for name in SEGMENTERS))
def segmenter(c: Call) -> Any:
    """NAME(weights=None, progress=True, num_classes=None, aux_loss=None): as before 0.13, pretrained comes first."""
    if c.args or {"*", "**"} & c.kwargs.keys():
        return Unknown("a segmentation model with other arguments")
    name = _name(c)
    model = _dense(c, "LRASPP" if name.startswith("lraspp") else "FCN" if name.startswith("fcn") else "DeepLabV3")
    classes = plain(c.kwargs.get("num_classes"))
    model.classes = CLASSES if classes is None else classes if is_known(classes) else Unknown("num_classes")
    model.aux = _aux(name, [plain(c.kwargs.get(key)) for key in ("weights", "pretrained", "aux_loss")])
    return model


def _aux(name: str, given: list[Any]) -> Any:
    """Whether it gives an auxiliary map: where it is asked to, and with weights (torchvision/models/segmentation/
    fcn.py: fcn_resnet50)."""
    if name.startswith("lraspp") or all(one is None or one is False for one in given):
        return False
    named = [one for one in given if isinstance(one, str | bool | External)]
    return True if any(one is not False for one in named) else Unknown("an auxiliary map")


@FRAMEWORK.on(*(f"torchvision.models.detection.{name}" for name in DETECTORS))
def detector(c: Call) -> Any:
    return _dense(c, DETECTORS.get(_name(c), "FasterRCNN"))


__all__ = ["detector", "segmenter"]
