"""tf.data for real: a program is run, and what its `ds` gives is compared with what was inferred."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

from cudnnlint.events import INFINITE, tensors
from cudnnlint.frameworks.dataset import DatasetV
from cudnnlint.values import Tensor
from tests.interpret import names_of

HEAD = "import numpy as np\nimport tensorflow as tf\n"
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


def run(text: str) -> tuple[list[Any], int] | None:
    """The first elements of `ds`, flattened, and its cardinality; None if TensorFlow refuses the program."""
    tf, names = tensorflow(), {}
    try:
        exec(HEAD + text, names)
        elements = [tf.nest.flatten(element) for element in names["ds"].take(MOST)]
        return elements, int(names["ds"].cardinality())
    except (ValueError, TypeError, tf.errors.OpError):
        return None


def differences(text: str) -> Iterator[str]:
    """What was inferred of `ds` and is not so."""
    ours = names_of(HEAD + text)["ds"]
    real = run(text)
    assert real is not None, f"TensorFlow refuses {text}"
    assert isinstance(ours, DatasetV), ours
    elements, cardinality = real
    yield from _count(ours, len(elements), cardinality)
    leaves = tensors(ours.element)
    for element in elements:
        if len(element) != len(leaves):
            yield f"{len(leaves)} tensors inferred, there are {len(element)}"
            return
        yield from (f"{have} inferred, it is {is_.dtype.name}{is_.shape}"
                    for have, is_ in zip(leaves, element, strict=True) if not fits(have, is_))


def _count(ours: DatasetV, seen: int, cardinality: int) -> Iterator[str]:
    if ours.cardinality == INFINITE and seen < MOST:
        yield f"endless inferred, there are {seen}"
    if isinstance(ours.cardinality, int):
        if min(ours.cardinality, MOST) != seen:
            yield f"{ours.cardinality} elements inferred, there are {seen}"
        if ours.declared and seen and ours.cardinality != cardinality:
            yield f"TensorFlow counts {cardinality} elements, not {ours.cardinality}"


def fits(inferred: Tensor, real: Any) -> bool:
    """Whether the tensor has the inferred rank, dtype and every extent that was inferred as a number."""
    if isinstance(inferred.dtype, str) and inferred.dtype != real.dtype.name:
        return False
    if not isinstance(inferred.shape, tuple):
        return True
    return len(inferred.shape) == len(real.shape) and all(
        not isinstance(dim, int) or dim == extent for dim, extent in zip(inferred.shape, real.shape, strict=True))
