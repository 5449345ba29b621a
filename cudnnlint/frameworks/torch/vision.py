"""torchvision.datasets: the images of those of known size, as their transforms leave them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.frameworks.torch.data import TensorsV
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known, lift
from cudnnlint.values.origins import TORCH_LABELS

SETS = {"MNIST": (1, 28, 60000, 10000, 10), "FashionMNIST": (1, 28, 60000, 10000, 10),
        "KMNIST": (1, 28, 60000, 10000, 10), "CIFAR10": (3, 32, 50000, 10000, 10),
        "CIFAR100": (3, 32, 50000, 10000, 100)}
"""Name -> channels, height and width, images for training, for testing, classes (torchvision/datasets/*.py)."""
KEEPING = frozenset({
    "RandomHorizontalFlip", "RandomVerticalFlip", "RandomRotation", "RandomAffine", "RandomErasing", "ColorJitter",
    "GaussianBlur", "RandomGrayscale", "RandomPerspective", "RandomInvert", "RandAugment", "AutoAugment",
    "TrivialAugmentWide", "RandomAdjustSharpness", "RandomAutocontrast", "RandomEqualize", "RandomPosterize",
    "RandomSolarize", "AugMix"})
CROPS = frozenset({"CenterCrop", "RandomCrop", "RandomResizedCrop"})


@record(frozen=True, slots=True)
class Image:
    """An image on its way through transforms: a picture until ToTensor makes `dtype` known."""

    channels: Dim
    height: Dim
    width: Dim
    dtype: str = ""


Transform = Callable[[Image, ObjectV], "Image | Unknown"]


def _argument(made: ObjectV, place: int, name: str, default: Any = None) -> Any:
    return plain(made.args[place] if place < len(made.args) else made.kwargs.get(name, default))


def _pair(value: Any) -> tuple[Dim, Dim] | None:
    parts = value.items if isinstance(value, ListV) else value
    if isinstance(parts, (tuple, list)) and len(parts) == 2:
        first, second = map(plain, parts)
        return (first, second) if is_known(first) and is_known(second) else None
    return None


def _resized(image: Image, made: ObjectV) -> Image | Unknown:
    """A number is for the shorter side."""
    size = _argument(made, 0, "size")
    if (pair := _pair(size)) is not None:
        return replace(image, height=pair[0], width=pair[1])
    square = is_known(image.height) and image.height == image.width and is_known(size)
    longer = Unknown("the longer side of a picture")
    return replace(image, height=size, width=size) if square else replace(image, height=longer, width=longer)


def _cropped(image: Image, made: ObjectV) -> Image | Unknown:
    size = _argument(made, 0, "size")
    pair = (size, size) if is_known(size) else _pair(size)
    return replace(image, height=pair[0], width=pair[1]) if pair is not None else Unknown("a crop")


def _padded(image: Image, made: ObjectV) -> Image | Unknown:
    width = _argument(made, 0, "padding")
    if not is_known(width):
        return Unknown("Pad")
    return replace(image, height=lift(lambda n: n + 2 * width, image.height),
                   width=lift(lambda n: n + 2 * width, image.width))


def _grey(image: Image, made: ObjectV) -> Image | Unknown:
    count = _argument(made, 0, "num_output_channels", 1)
    return replace(image, channels=count) if is_known(count) else Unknown("Grayscale")


def _tensor(image: Image, made: ObjectV) -> Image | Unknown:
    return replace(image, dtype="float32")


STEPS: dict[str, Transform] = {"Resize": _resized, "Pad": _padded, "Grayscale": _grey, "ToTensor": _tensor,
                               **dict.fromkeys(CROPS, _cropped), **dict.fromkeys(KEEPING, lambda image, made: image)}


def transformed(c: Call, image: Image | Unknown, transform: Any) -> Image | Unknown:
    """What a transform, or a list of them, makes of an image."""
    held = plain(transform)
    if isinstance(image, Unknown) or not isinstance(held, ObjectV):
        return Unknown("a transform that is not known")
    home, _, name = held.path.rpartition(".")
    if home not in ("torchvision.transforms", "torchvision.transforms.transforms"):
        return Unknown(f"{held.path}()")
    if name == "Compose":
        steps = elements(c.machine, _argument(held, 0, "transforms"))
        for step in [steps] if isinstance(steps, Unknown) else steps:
            image = transformed(c, image, step)
        return image
    if name == "Normalize":
        return _normalised(c, image, held)
    step = STEPS.get(name)
    return step(image, held) if step is not None else Unknown(f"{name}()")


def _normalised(c: Call, image: Image, made: ObjectV) -> Image | Unknown:
    """In place, so that three means for one channel fail (torchvision/transforms/_functional_tensor.py: normalize)."""
    mean = elements(c.machine, _argument(made, 0, "mean"))
    count = Unknown("mean") if isinstance(mean, Unknown) else len(mean)
    if is_known(count) and is_known(image.channels) and count not in (1, image.channels):
        told = f"[{image.channels}, {image.height}, {image.width}]"
        c.machine.say(Rejected, made.span, what="Normalize", inputs=None, mismatch=Mismatch(
            Problem.CHANNELS, f"Normalize has {count} means, the images have {image.channels} "
            f"channel{'' if image.channels == 1 else 's'}",
            help=f"give {image.channels}, as in Normalize((0.5,), (0.5,))" if image.channels == 1 else
            f"give {image.channels} means and deviations",
            error=f'RuntimeError "output with shape {told} doesn\'t match the broadcast shape [{count}, '
                  f'{image.height}, {image.width}]"', facts=(("expected", image.channels), ("actual", count))))
        return Unknown("Normalize rejects its input")
    return image


def element_of(c: Call, image: Image, classes: int | None) -> Any:
    """(image, label) as the dataset gives them, or Unknown."""
    given = plain(c.kwargs.get("transform"))
    made = transformed(c, image, given) if given is not None else Unknown("pictures without ToTensor()")
    if isinstance(made, Unknown) or not made.dtype:
        return Unknown("images that are not known")
    tensor = Tensor((made.channels, made.height, made.width), made.dtype, "torch", None, Step(c.span))
    if plain(c.kwargs.get("target_transform")) is not None:
        return (tensor, Unknown("a target transform"))
    step = Step(c.span, (), TORCH_LABELS, ((classes,), {})) if classes is not None else Step(c.span)
    return (tensor, Tensor((), "int64", "torch", None, step))


@FRAMEWORK.on(*(f"torchvision.datasets.{name}" for name in SETS))
def known_set(c: Call) -> Any:
    """MNIST(root, train=True, transform=...)."""
    callee = plain(c.callee)
    name = callee.path.rpartition(".")[2] if isinstance(callee, External) else "MNIST"
    channels, side, training, testing, classes = SETS[name]
    if len(c.args) > 2:
        c.kwargs.setdefault("transform", c.args[2])
    train = plain(c.get(1, "train", True))
    rows: Any = training if train is True else testing if train is False else Unknown("train or test")
    return TensorsV(element_of(c, Image(channels, side, side), classes), rows, c.span, f"torchvision.datasets.{name}")


@FRAMEWORK.on("torchvision.datasets.ImageFolder")
def image_folder(c: Call) -> Any:
    """Pictures of any size in colour, until a transform brings them to one."""
    if len(c.args) > 1:
        c.kwargs.setdefault("transform", c.args[1])
    own = plain(c.kwargs.get("loader")) is not None
    channels: Dim = Unknown("a loader of the program's own") if own else 3
    size = Unknown("size of a picture")
    return TensorsV(element_of(c, Image(channels, size, size), None), Unknown("pictures in a folder"), c.span,
                    "torchvision.datasets.ImageFolder")
