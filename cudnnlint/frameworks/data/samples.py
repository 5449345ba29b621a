"""scikit-learn: the samples that its generators draw and the data sets that come with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.values import Dim, Shape, Step, Tensor, Unknown

ROOM = "sklearn.datasets"
STORED: dict[str, tuple[tuple[int, ...], str]] = {
    "load_iris": ((150, 4), "int64"), "load_wine": ((178, 13), "int64"), "load_breast_cancer": ((569, 30), "int64"),
    "load_digits": ((1797, 64), "int64"), "load_diabetes": ((442, 10), "float64"),
    "fetch_california_housing": ((20640, 8), "float64")}
"""What each holds, and the dtype of its targets (sklearn/datasets/_base.py, _california_housing.py)."""
BY_NAME = 99
"""The position of an argument that has none."""
PICTURE = (427, 640, 3)
"""Of a temple and of a flower (sklearn/datasets/images)."""
PICTURES = ("china.jpg", "flower.jpg")
FACES = 400
"""Of 64 x 64 numbers, of 40 people (sklearn/datasets/_olivetti_faces.py)."""
OPENML = {"mnist_784": (70_000, 784), "fashion-mnist": (70_000, 784), "cifar_10": (60_000, 3_072)}
"""Rows and columns as openml.org states them."""


def _pair(given: Given, x: Shape | Unknown, y: Shape | Unknown, dtype: str) -> tuple[Any, Any]:
    """X as float64 and y, made by this call."""
    path = plain(given.call.callee).path
    arguments = (tuple(given.args), dict(given.kwargs))
    made = [Tensor(shape, found, "numpy", None, Step(given.call.span, (), path, arguments, (i,)))
            for i, (shape, found) in enumerate(((x, "float64"), (y, dtype)))]
    return assume(made[0], given.taken), assume(made[1], given.taken)


def _count(value: Any, why: str) -> Dim:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else Unknown(why)


def _rows(value: Any) -> Dim:
    """A number of samples, or those of each class."""
    if isinstance(value, list | tuple):
        counts = [count for each in value if isinstance(count := _count(each, "samples"), int)]
        return sum(counts) if counts and len(counts) == len(value) else Unknown("samples")
    return _count(value, "samples")


@FRAMEWORK.on(f"{ROOM}.make_moons", f"{ROOM}.make_circles")
def moons(c: Call) -> Any:
    """Points in a plane, of two classes (sklearn/datasets/_samples_generator.py: make_moons, make_circles)."""
    given = Given(c, method=False)
    rows = _rows(given.get(0, "n_samples", 100))
    return _pair(given, (rows, 2), (rows,), "int64")


@FRAMEWORK.on(f"{ROOM}.make_swiss_roll", f"{ROOM}.make_s_curve")
def rolled(c: Call) -> Any:
    """Points in space and their places along the curve."""
    given = Given(c, method=False)
    rows = _rows(given.get(0, "n_samples", 100))
    return _pair(given, (rows, 3), (rows,), "float64")


@FRAMEWORK.on(f"{ROOM}.make_blobs")
def blobs(c: Call) -> Any:
    """As many features as the centers have, where they are given (_samples_generator.py: make_blobs)."""
    given = Given(c, method=False)
    centers = given.get(2, "centers")
    at = as_tensor(centers, "numpy") if centers is not None and not isinstance(centers, int) else None
    width: Dim = _count(given.get(1, "n_features", 2), "n_features")
    if at is not None:
        width = at.shape[1] if isinstance(at, Tensor) and isinstance(at.shape, tuple) and len(at.shape) == 2 \
            else Unknown("centers")
    if given.get(7, "return_centers", False) is not False:
        return Unknown("blobs and their centers")
    rows = _rows(given.get(0, "n_samples", 100))
    return _pair(given, (rows, width), (rows,), "int64")


@FRAMEWORK.on(f"{ROOM}.make_classification")
def classification(c: Call) -> Any:
    """(n_samples, n_features) and one class number each (_samples_generator.py: make_classification)."""
    given = Given(c, method=False)
    rows = _count(given.get(0, "n_samples", 100), "samples")
    if given.get(20, "return_X_y", True) is not True:
        return Unknown("a Bunch of samples")
    return _pair(given, (rows, _count(given.get(1, "n_features", 20), "n_features")), (rows,), "int64")


@FRAMEWORK.on(f"{ROOM}.make_regression")
def regression(c: Call) -> Any:
    """One target is no axis of its own (_samples_generator.py: make_regression)."""
    given = Given(c, method=False)
    rows = _count(given.get(0, "n_samples", 100), "samples")
    targets = _count(given.get(3, "n_targets", 1), "n_targets")
    if given.get(9, "coef", False) is not False:
        return Unknown("samples and coefficients")
    y: Shape | Unknown = (rows, targets) if isinstance(targets, int) else Unknown("targets")
    y = (rows,) if targets == 1 else y
    return _pair(given, (rows, _count(given.get(1, "n_features", 100), "n_features")), y, "float64")


def _stored(name: str, shape: tuple[int, ...], dtype: str) -> Callable[[Call], Any]:
    """What loads a data set: arrays, or a Bunch of them and of what describes them."""
    def load(c: Call) -> Any:
        given = Given(c, method=False)
        alone = given.get(0, "return_X_y", False) if not c.args else None
        if {"as_frame", "n_class", "**"} & set(c.kwargs) or not isinstance(alone, bool):
            return Unknown(f"{name}() with arguments")
        x, y = _pair(given, shape, shape[:1], dtype)
        if alone:
            return x, y
        images = {"images": _pair(given, (*shape[:1], 8, 8), (), dtype)[0]} if name == "load_digits" else {}
        return NamespaceV({"data": x, "target": y, **images}, Unknown(f"other parts of {name}()"))
    return load


@FRAMEWORK.on(f"{ROOM}.load_sample_images")
def pictures(c: Call) -> Any:
    """Both as bytes, in a list (sklearn/datasets/_base.py: load_sample_images)."""
    held = ListV([_picture(c, index) for index in range(len(PICTURES))])
    return NamespaceV({"images": held, "filenames": ListV(list(PICTURES))}, Unknown("other parts of sample images"))


@FRAMEWORK.on(f"{ROOM}.load_sample_image")
def picture(c: Call) -> Any:
    return _picture(c, 0) if plain(c.get(0, "image_name", None)) in PICTURES else Unknown("a picture")


def _picture(c: Call, index: int) -> Tensor:
    return Tensor(PICTURE, "uint8", "numpy", None, Step(c.span, (), plain(c.callee).path, ((), {}), (index,)))


@FRAMEWORK.on(f"{ROOM}.fetch_olivetti_faces")
def faces(c: Call) -> Any:
    given = Given(c, method=False)
    step = Step(c.span, (), plain(c.callee).path, ((), {}))
    data = Tensor((FACES, 64 * 64), "float32", "numpy", None, step)
    target = Tensor((FACES,), "int64", "numpy", None, step)
    match given.get(BY_NAME, "return_X_y", False):
        case True:
            return data, target
        case False:
            images = Tensor((FACES, 64, 64), "float32", "numpy", None, step)
            return NamespaceV({"data": data, "images": images, "target": target}, Unknown("other parts of the faces"))
    return Unknown("faces")


@FRAMEWORK.on(f"{ROOM}.fetch_openml")
def openml(c: Call) -> Any:
    """Arrays where `as_frame=False` asks for them, of numbers whose dtype the parser decides, and of texts that name
    the classes (sklearn/datasets/_openml.py: fetch_openml)."""
    given = Given(c, method=False)
    name = given.get(0, "name", None)
    shape = OPENML.get(name.lower()) if isinstance(name, str) else None
    if shape is None or given.get(BY_NAME, "as_frame", "auto") is not False or {"target_column", "**"} & set(c.kwargs):
        return Unknown("a data set of openml.org")
    step = Step(c.span, (), plain(c.callee).path, ((), {}))
    data = Tensor(shape, Unknown("the dtype that the parser gives"), "numpy", None, step)
    target = Tensor(shape[:1], Unknown("texts that name classes"), "numpy", None, step)
    if given.get(BY_NAME, "return_X_y", False) is True:
        return data, target
    return NamespaceV({"data": data, "target": target}, Unknown("other parts of a data set"))


for _name, (_shape, _dtype) in STORED.items():
    FRAMEWORK.on(f"{ROOM}.{_name}")(_stored(_name, _shape, _dtype))
