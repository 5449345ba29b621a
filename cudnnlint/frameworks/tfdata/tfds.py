"""tensorflow_datasets: the structure of what `tfds.load()` gives."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.tfdata.batches import batched
from cudnnlint.frameworks.tfdata.dataset import DatasetV, Given
from cudnnlint.frameworks.tfdata.differing import Varied
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.records import record
from cudnnlint.values import FREE, Step, Tensor, Unknown
from cudnnlint.values.unknown import Features

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
    "quickdraw_bitmap": (28, 28, 1),
    "emnist": (28, 28, 1), "uc_merced": (256, 256, 3), "eurosat": (64, 64, 3), "deep_weeds": (256, 256, 3),
}
"""Name -> image shape; uint8 images with an int64 label (each builder's `features` on tensorflow.org/datasets)."""
CLASSES = {
    "mnist": 10, "fashion_mnist": 10, "kmnist": 10, "cifar10": 10, "cifar100": 100, "svhn_cropped": 10, "stl10": 10,
    "cats_vs_dogs": 2, "horses_or_humans": 2, "rock_paper_scissors": 3, "tf_flowers": 5, "oxford_flowers102": 102,
    "food101": 101, "stanford_dogs": 120, "oxford_iiit_pet": 37, "imagenette": 10, "imagenet2012": 1000, "dtd": 47,
    "cars196": 196, "malaria": 2, "beans": 3, "colorectal_histology": 8, "patch_camelyon": 2, "eurosat": 10,
    "uc_merced": 21, "plant_village": 38, "imdb_reviews": 2, "ag_news_subset": 4, "yelp_polarity_reviews": 2,
    "quickdraw_bitmap": 345, "iris": 3,
}
"""Name -> classes of its label (tensorflow.org/datasets/catalog)."""
DIGITS, CIFAR = {"train": 60000, "test": 10000}, {"train": 50000, "test": 10000}
EXAMPLES: dict[str, dict[str, int]] = {
    "mnist": DIGITS, "fashion_mnist": DIGITS, "kmnist": DIGITS, "cifar10": CIFAR, "cifar100": CIFAR,
    "imdb_reviews": {"train": 25000, "test": 25000, "unsupervised": 50000},
    "svhn_cropped": {"train": 73257, "test": 26032, "extra": 531131}, "tf_flowers": {"train": 3670},
    "cats_vs_dogs": {"train": 23262}, "horses_or_humans": {"train": 1027, "test": 256},
    "rock_paper_scissors": {"train": 2520, "test": 372}, "food101": {"train": 75750, "validation": 25250},
    "oxford_flowers102": {"train": 1020, "validation": 1020, "test": 6149},
    "stanford_dogs": {"train": 12000, "test": 8580}, "oxford_iiit_pet": {"train": 3680, "test": 3669},
    "malaria": {"train": 27558}, "beans": {"train": 1034, "validation": 133, "test": 128},
    "ag_news_subset": {"train": 120000, "test": 7600}, "yelp_polarity_reviews": {"train": 560000, "test": 38000},
    "iris": {"train": 150}, "colorectal_histology": {"train": 5000},
}
"""Name -> examples of its splits (the same)."""
TWO_FEATURES = frozenset({"mnist", "fashion_mnist", "kmnist"})
"""Those with an image and a label and nothing else."""
TEXTS = {"imdb_reviews": "text", "ag_news_subset": "description", "yelp_polarity_reviews": "text"}
"""Those of a text, in their first configuration, and a label: the key of the text."""


@record(frozen=True, slots=True)
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
        return Features("features of a dataset") if supervised is False and base else Unknown("features of a dataset")
    if base in TEXTS and name.partition(":")[0].partition("/")[2] in ("", "plain_text"):
        return (Tensor((), "string", "tf", None, Step(c.span)), Tensor((), "int64", "tf", None, Step(c.span)))
    if base not in IMAGES:
        return Unknown("features of a dataset"), Unknown("label of a dataset")
    maker = Varied(f"{base} has photos of several sizes") if IMAGES[base] == FREE_IMAGE else None
    image = Tensor(IMAGES[base], "uint8", "tf", None, Step(c.span, (), maker))
    label = Tensor((), "int64", "tf", None, Step(c.span))
    return (image, label) if supervised else {"image": image, "label": label}


for _split in ("train", "test", "validation"):
    FRAMEWORK.constant(f"tensorflow_datasets.Split.{_split.upper()}", _split)


@record(frozen=True, slots=True)
class InfoV:
    """What a builder tells of its dataset: `info.features["label"].num_classes`, `info.splits["train"].num_examples`.
    """

    name: str
    part: str = ""
    of: str = ""
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        held = plain(key)
        return InfoV(self.name, self.part, held) if self.part and isinstance(held, str) else Unknown("dataset info")

    def attribute(self, m: Machine, name: str) -> Any:
        if name.startswith("__"):
            return MISSING
        if not self.part and name in ("features", "splits"):
            return InfoV(self.name, name)
        found: Any = None
        if self.part == "splits" and name == "num_examples":
            found = EXAMPLES.get(self.name, {}).get(self.of)
        elif self.of == "label" and name == "num_classes":
            found = CLASSES.get(self.name)
        elif self.of == "image" and name == "shape" and self.name in IMAGES:
            found = tuple(None if size == FREE else size for size in IMAGES[self.name])
        elif self.of == "label" and name == "names" and self.name in CLASSES:
            return ListV([Unknown("the name of a class")] * CLASSES[self.name])
        return Unknown("dataset info") if found is None else found

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


def _info(name: Any) -> Any:
    """Configurations of a dataset may have other classes than its first one."""
    return InfoV(name.partition(":")[0]) if isinstance(name, str) and "/" not in name else Unknown("dataset info")


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
    return (made, _info(given.get(0, "name"))) if given.get(9, "with_info", False) is True else made


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
                                    if isinstance(item, Tensor) else item), iterator=True)  # some releases give one


__all__ = ["FRAMEWORK"]
