"""tensorflow_datasets: the structure of what `tfds.load()` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from cudnnlint.frameworks.dataset import DatasetV, Given
from cudnnlint.frameworks.differing import Varied
from cudnnlint.frameworks.structure import over
from cudnnlint.frameworks.tfdata_batches import batched
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import FREE, Step, Tensor, Unknown

FRAMEWORK = Framework("tensorflow_datasets", roots=("tensorflow_datasets",))
FREE_IMAGE = (FREE, FREE, 3)
IMAGES: dict[str, tuple[Any, ...]] = {
    "mnist": (28, 28, 1), "fashion_mnist": (28, 28, 1), "kmnist": (28, 28, 1), "cifar10": (32, 32, 3),
    "cifar100": (32, 32, 3), "cats_vs_dogs": FREE_IMAGE, "tf_flowers": FREE_IMAGE, "horses_or_humans": (300, 300, 3),
    "rock_paper_scissors": (300, 300, 3), "oxford_flowers102": FREE_IMAGE, "food101": FREE_IMAGE,
    "stanford_dogs": FREE_IMAGE, "imagenette": FREE_IMAGE, "svhn_cropped": (32, 32, 3),
    "oxford_iiit_pet": FREE_IMAGE, "caltech101": FREE_IMAGE, "imagenet2012": FREE_IMAGE, "dtd": FREE_IMAGE,
    "cars196": FREE_IMAGE, "malaria": FREE_IMAGE, "cassava": FREE_IMAGE, "plant_village": FREE_IMAGE,
    "beans": (500, 500, 3), "colorectal_histology": (150, 150, 3), "patch_camelyon": (96, 96, 3), "stl10": (96, 96, 3),
    "emnist": (28, 28, 1), "uc_merced": (256, 256, 3), "eurosat": (64, 64, 3), "deep_weeds": (256, 256, 3),
}
"""Name -> image shape; uint8 images with an int64 label (each builder's `features` on tensorflow.org/datasets)."""
TWO_FEATURES = frozenset({"mnist", "fashion_mnist", "kmnist"})
"""Those with an image and a label and nothing else."""


@dataclass(frozen=True, slots=True)
class SplitsV:
    """All splits by name; they differ in size only."""

    one: DatasetV
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.one

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


def _element(name: Any, supervised: Any, c: Call) -> Any:
    """(image, label) when `as_supervised`, else a dict whose other keys are not followed."""
    base = name.partition("/")[0].partition(":")[0] if isinstance(name, str) else ""
    if isinstance(supervised, Unknown) or not (supervised or base in TWO_FEATURES):
        return Unknown("features of a dataset")
    if base not in IMAGES:
        return Unknown("features of a dataset"), Unknown("label of a dataset")
    maker = Varied(f"{base} has photos of several sizes") if IMAGES[base] == FREE_IMAGE else None
    image = Tensor(IMAGES[base], "uint8", "tf", None, Step(c.span, (), maker))
    label = Tensor((), "int64", "tf", None, Step(c.span))
    return (image, label) if supervised else {"image": image, "label": label}


@FRAMEWORK.on("tensorflow_datasets.load")
def load(c: Call) -> Any:
    """A dataset for each split that is asked for, with the info when asked for it too."""
    given = Given(c, method=False)
    split = given.get(1, "split")
    ds = DatasetV(_element(given.get(0, "name"), given.get(6, "as_supervised", False), c), span=c.span)
    size = given.number(3, "batch_size")
    made: Any
    if size == -1:
        made = Unknown("whole splits at once")
    else:
        made = _by_split(ds if size is None else batched(given, ds, size, drop=False), split)
    return (made, Unknown("dataset info")) if given.get(9, "with_info", False) is True else made


def _by_split(ds: DatasetV, split: Any) -> Any:
    if isinstance(split, list):
        return ListV([ds] * len(split))
    if isinstance(split, tuple):
        return (ds,) * len(split)
    if split is None:
        return SplitsV(ds)
    return ds if isinstance(split, str) else Unknown("splits that are not known")


@FRAMEWORK.on("tensorflow_datasets.as_numpy")
def as_numpy(c: Call) -> Any:
    """Arrays instead of tensors; datasets are iterated the same."""
    value = plain(c.get(0, "dataset"))
    if not isinstance(value, DatasetV):
        return Unknown("arrays of a dataset")
    return value.with_(element=over(value.element, lambda item: item.with_(kind="numpy")
                                    if isinstance(item, Tensor) else item))


__all__ = ["FRAMEWORK"]
