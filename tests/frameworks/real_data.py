"""tf.data for real: a program is run, and what its `ds` gives is compared with what was inferred."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

from cudnnlint.events import INFINITE, Rejected
from cudnnlint.frameworks.tfdata.dataset import DatasetV
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.values import Tensor, Unknown
from tests.interpret import events_of, names_of, of_kind

HEAD = "import numpy as np\nimport tensorflow as tf\nimport keras\n"
TAIL = """
spec = ds.element_spec
cardinality = ds.cardinality()
try:
    length = len(ds)
except TypeError:
    length = None
"""
MOST = 60


@cache
def tensorflow() -> Any:
    """The library, or None where it is not installed."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    try:
        return importlib.import_module("tensorflow")
    except ImportError:
        return None


def run(text: str) -> tuple[list[Any], dict[str, Any]] | None:
    """The first elements of `ds`, flattened, and the program's names; None if TensorFlow refuses the program."""
    tf = tensorflow()
    names: dict[str, Any] = {}
    try:
        exec(HEAD + text + TAIL, names)
        return [tf.nest.flatten(element) for element in names["ds"].take(MOST)], names
    except (ValueError, TypeError, tf.errors.OpError):
        return None


def differences(text: str) -> Iterator[str]:
    """What was inferred of the program and is not so."""
    refused = [event.mismatch.message for event in of_kind(events_of(HEAD + text), Rejected)]
    real = run(text)
    if real is None:
        return
    yield from (f"TensorFlow takes what is refused: {message}" for message in refused)
    names = names_of(HEAD + text + TAIL)
    ours, (elements, found) = plain(names["ds"]), real
    if not isinstance(ours, DatasetV):
        return
    yield from _count(ours, len(elements))
    yield from _told(names, found)
    leaves = flat(ours.element)
    for element in elements:
        if len(element) != len(leaves):
            if not any(isinstance(leaf, Unknown) for leaf in leaves):
                yield f"{len(leaves)} tensors inferred, there are {len(element)}"
            return
        yield from (f"{have} inferred, it is {is_}" for have, is_ in zip(leaves, element, strict=True)
                    if not fits(have, is_))


def flat(value: Any) -> list[Any]:
    """Leaves in the order of tf.nest."""
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in flat(item)]
    return [leaf for key in sorted(value) for leaf in flat(value[key])] if isinstance(value, dict) else [value]


def _count(ours: DatasetV, seen: int) -> Iterator[str]:
    if ours.cardinality == INFINITE and seen < MOST:
        yield f"endless inferred, there are {seen}"
    if isinstance(ours.cardinality, int) and min(ours.cardinality, MOST) != seen:
        yield f"{ours.cardinality} elements inferred, there are {seen}"


def _told(names: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """What TensorFlow itself says of the dataset."""
    ours = strip(names["cardinality"])
    if isinstance(ours, Tensor) and ours.content is not None and ours.content != int(found["cardinality"]):
        yield f"TensorFlow counts {int(found['cardinality'])} elements, not {ours.content}"
    length = strip(names["length"])
    if (length is None or isinstance(length, int)) and length != found["length"]:
        yield f"len() is {found['length']}, not {length}"
    for spec, real in zip(flat(strip(names["spec"])), tensorflow().nest.flatten(found["spec"]), strict=False):
        if isinstance(spec, ObjectV) and not _specified(spec, real):
            yield f"{strip(spec.args)} inferred, the specification is {real}"


def _specified(ours: ObjectV, real: Any) -> bool:
    shape, dtype = (strip(value) for value in ours.args)
    if not isinstance(real, tensorflow().TensorSpec) or (isinstance(dtype, str) and dtype != real.dtype.name):
        return False
    if not isinstance(shape, tuple):
        return True
    return real.shape.rank == len(shape) and all(
        isinstance(dim, Unknown) or dim == is_ for dim, is_ in zip(shape, real.shape, strict=True))


def fits(inferred: Any, real: Any) -> bool:
    """Whether the tensor has the inferred rank, dtype and every extent that was inferred as a number."""
    if isinstance(inferred, DatasetV):
        return isinstance(real, tensorflow().data.Dataset)
    if not isinstance(inferred, Tensor):
        return True
    if isinstance(inferred.dtype, str) and inferred.dtype != real.dtype.name:
        return False
    if not isinstance(inferred.shape, tuple):
        return True
    return len(inferred.shape) == len(real.shape) and all(
        not isinstance(dim, int) or dim == extent for dim, extent in zip(inferred.shape, real.shape, strict=True))
