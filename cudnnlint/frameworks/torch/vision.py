"""torchvision.datasets: the images of those of known size, as their transforms leave them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.data.images import ImageV
from cudnnlint.frameworks.data.stored import from_file
from cudnnlint.frameworks.tfdata.differing import SIZES
from cudnnlint.frameworks.torch.data import TensorsV
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.transforms import transformed
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.registry import Call
from cudnnlint.values import Dim, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.origins import TORCH_LABELS

SETS = {"MNIST": (1, 28, 60000, 10000, 10), "FashionMNIST": (1, 28, 60000, 10000, 10),
        "KMNIST": (1, 28, 60000, 10000, 10), "CIFAR10": (3, 32, 50000, 10000, 10),
        "CIFAR100": (3, 32, 50000, 10000, 100)}
"""Name -> channels, height and width, images for training, for testing, classes (torchvision/datasets/*.py)."""
SPLITS = {"SVHN": (3, 32, 10, {"train": 73257, "test": 26032, "extra": 531131}),
          "STL10": (3, 96, 10, {"train": 5000, "test": 8000})}
"""Name -> channels, height and width, classes, images by `split`."""
RELABELLED = re.compile(r"\.(?:\w+_)?(?:targets|labels)\[[^\n=]*\] *=(?!=)")


def _dataset(c: Call, image: ImageV, classes: int | None, rows: Any, path: str) -> TensorsV:
    """What its transform refuses is not told before a row is asked for: another may take its place."""
    told: list[Any] = []
    emit, c.machine.emit = c.machine.emit, told.append
    try:
        element = element_of(c, image, classes)
    finally:
        c.machine.emit = emit
    return TensorsV(element, rows, c.span, f"torchvision.datasets.{path}", told=tuple(told))


def element_of(c: Call, image: ImageV, classes: int | None) -> Any:
    """(image, label) as the dataset gives them; `data.targets[i] = 5` somewhere in the file makes others of them."""
    given = plain(c.kwargs.get("transform"))
    made = image if given is None else transformed(c, image, given)
    if plain(c.kwargs.get("target_transform")) is not None:
        return (made, Unknown("a target transform"))
    known = classes is not None and not RELABELLED.search(c.machine.frame.module.source.text)
    step = Step(c.span, (), TORCH_LABELS, ((classes,), {})) if known else Step(c.span)
    return (made, Tensor((), "int64", "torch", None, step))


def _given(c: Call, place: int, name: str) -> None:
    """An argument by position as it were given by name."""
    if len(c.args) > place:
        c.kwargs.setdefault(name, c.args[place])


@FRAMEWORK.on(*(f"torchvision.datasets.{name}" for name in SETS))
def known_set(c: Call) -> Any:
    """MNIST(root, train=True, transform=...)."""
    callee = plain(c.callee)
    name = callee.path.rpartition(".")[2] if isinstance(callee, External) else "MNIST"
    channels, side, training, testing, classes = SETS[name]
    _given(c, 2, "transform")
    train = plain(c.get(1, "train", True))
    rows: Any = training if train is True else testing if train is False else Unknown("train or test")
    return _dataset(c, ImageV(side, side, channels, c.span), classes, rows, name)


@FRAMEWORK.on(*(f"torchvision.datasets.{name}" for name in SPLITS))
def set_of_splits(c: Call) -> Any:
    """SVHN(root, split="train", transform=...), STL10(root, split="train", folds=None, transform=...)."""
    callee = plain(c.callee)
    name = callee.path.rpartition(".")[2] if isinstance(callee, External) else "SVHN"
    channels, side, classes, counts = SPLITS[name]
    _given(c, 2 if name == "SVHN" else 3, "transform")
    split = plain(c.get(1, "split", "train"))
    rows: Any = counts.get(split, Unknown("images of a split")) if isinstance(split, str) else Unknown("split")
    return _dataset(c, ImageV(side, side, channels, c.span), classes, rows, name)


@FRAMEWORK.on("torchvision.datasets.FakeData")
def fake_data(c: Call) -> Any:
    """FakeData(size=1000, image_size=(3, 224, 224), num_classes=10, transform=None): pictures made by chance."""
    _given(c, 3, "transform")
    shape = elements(c.machine, c.get(1, "image_size", (3, 224, 224)))
    dims = (Unknown("image_size"),) * 3 if isinstance(shape, Unknown) or len(shape) != 3 else map(plain, shape)
    depth, height, width = (dim if is_known(dim) else Unknown("image_size") for dim in dims)
    classes, rows = plain(c.get(2, "num_classes", 10)), plain(c.get(0, "size", 1000))
    return _dataset(c, ImageV(height, width, depth, c.span), classes if is_known(classes) else None,
                    rows if is_known(rows) else Unknown("size"), "FakeData")


@FRAMEWORK.on("torchvision.datasets.ImageFolder")
def image_folder(c: Call) -> Any:
    """Pictures of any size in colour, until a transform brings them to one."""
    _given(c, 1, "transform")
    own = plain(c.kwargs.get("loader")) is not None
    channels: Dim = Unknown("a loader of the program's own") if own else 3
    size, rows = from_file("ImageFolder"), Unknown("pictures in a folder")
    made = _dataset(c, ImageV(size, size, channels, c.span), None, rows, "ImageFolder")
    emit, c.machine.emit = c.machine.emit, lambda event: None
    try:
        photos = tuple(element_of(c, ImageV(*sides, channels, c.span), None) for sides in SIZES)
    finally:
        c.machine.emit = emit
    return replace(made, photos=(photos[0], photos[1]))
