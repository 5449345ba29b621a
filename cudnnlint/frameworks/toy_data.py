"""scikit-learn's small data sets and its generators of samples: the shapes that their documentation states."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.dataset import Given
from cudnnlint.frameworks.numpy import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.machine import assume
from cudnnlint.interp.registry import Call
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known

ROOM = "sklearn.datasets"
STORED = {"load_iris": (150, 4, "int64"), "load_wine": (178, 13, "int64"), "load_breast_cancer": (569, 30, "int64"),
          "load_diabetes": (442, 10, "float64"), "load_digits": (1797, 64, "int64"),
          "fetch_california_housing": (20640, 8, "float64")}
"""Rows, features and the target's dtype (sklearn/datasets/descr/*.rst; sklearn/datasets/_base.py)."""


@FRAMEWORK.on(*(f"{ROOM}.{name}" for name in STORED))
def stored(c: Call) -> Any:
    """A Bunch of data and target, or both as arrays (sklearn/datasets/_base.py: load_iris)."""
    given = Given(c, method=False)
    name = str(c.callee.path).rpartition(".")[2]
    rows, features, dtype = STORED[name]
    if given.kwargs.get("as_frame", False) is not False or "n_class" in given.kwargs or given.args:
        return Unknown(f"{name}() as a frame, or a part of it")
    x, y = _array(c, (rows, features), "float64"), _array(c, (rows,), dtype)
    both = given.kwargs.get("return_X_y", False)
    if both is not False:
        return (x, y) if both is True else Unknown(name)
    more = {"images": _array(c, (rows, 8, 8), "float64")} if name == "load_digits" else {}
    others = dict.fromkeys(("feature_names", "target_names", "DESCR", "frame", "filename", "data_module",
                            "data_filename", "target_filename"), Unknown(f"what else {name}() gives"))
    return AttrDictV({"data": x, "target": y, **more, **others})


def _array(c: Call, shape: tuple[Dim, ...], dtype: str, given: Given | None = None) -> Any:
    made = Tensor(shape, dtype, "numpy", None, Step(c.span, (), str(c.callee.path), ((), {})))
    return made if given is None else assume(made, given.taken)


@FRAMEWORK.on(*(f"{ROOM}.make_{name}" for name in ("classification", "regression", "blobs", "moons", "circles")))
def generated(c: Call) -> Any:
    """`n_samples` rows (sklearn/datasets/_samples_generator.py)."""
    given = Given(c, method=False)
    name = str(c.callee.path).rpartition("_")[2]
    rows = given.get(0, "n_samples", 100)
    features = 2 if name in ("moons", "circles") else \
        given.get(1, "n_features", {"classification": 20, "regression": 100, "blobs": 2}[name])
    targets = given.kwargs.get("n_targets", 1)
    more = given.kwargs.keys() & {"coef", "return_centers", "return_X_y", "**"}
    if name == "blobs" and not isinstance(given.get(2, "centers", 3), int):
        features = Unknown("as many as the centers have")
    if not is_known(rows) or not is_known(features) or targets != 1 or more or len(given.args) > 3:
        return Unknown(f"make_{name}()")
    dtype = "float64" if name == "regression" else "int64"
    return _array(c, (rows, features), "float64", given), _array(c, (rows,), dtype, given)
