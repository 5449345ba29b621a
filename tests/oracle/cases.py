"""What one comparison is about, and what either side answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cudnnlint.values import Mismatch, Unknown, Where
from cudnnlint.values.stack import EVERYWHERE


@dataclass(frozen=True)
class Spec:
    """One symbolic input."""

    shape: tuple[int | None, ...]
    dtype: str = "float32"


@dataclass(frozen=True)
class Sub:
    """A layer passed to another layer's constructor."""

    path: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fn:
    """A function passed to a layer: what the library is given, and what it does to abstract values."""

    real: Any
    ours: Any


@dataclass(frozen=True)
class Made:
    """An argument that is no plain value: what makes it of the library's, and what stands for it."""

    real: Any
    ours: Any


@dataclass(frozen=True)
class Case:
    """One configuration.

    call     keyword arguments of the call; policy a dtype policy; only: "keras" or "tf_keras", where it applies
    extra    arguments every layer takes (name, trainable, ...), which only the real layer is given
    unknown  our answer, or parts of it, may be Unknown; a Where: on those versions
    sharper  we may know an extent that the library leaves None
    where    the versions that it is compared on
    """

    kwargs: Mapping[str, Any]
    inputs: Any
    call: Mapping[str, Any] = field(default_factory=dict)
    policy: str | None = None
    unknown: bool | Where = False
    only: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    sharper: bool = False
    where: Where = EVERYWHERE


@dataclass(frozen=True)
class Accepted:
    """outputs is a structure of (shape, dtype); weights the sorted shapes; trainable counts the elements."""

    outputs: Any
    weights: tuple[tuple[int, ...], ...] | Unknown
    params: int | Unknown
    trainable: int | Unknown


@dataclass(frozen=True)
class Refused:
    stage: str
    error: str
    mismatch: Mismatch | None = None


def as_case(drawn: Any) -> Case:
    return drawn if isinstance(drawn, Case) else Case(*drawn)


def each(structure: Any, leaf: Any) -> Any:
    """Map `leaf` over a list/dict structure of shapes or Specs."""
    if isinstance(structure, list):
        return [each(item, leaf) for item in structure]
    if isinstance(structure, dict):
        return {key: each(item, leaf) for key, item in structure.items()}
    if isinstance(structure, Spec):
        return leaf(structure)
    if isinstance(structure, tuple):
        return leaf(Spec(structure))
    return structure


def count(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total
