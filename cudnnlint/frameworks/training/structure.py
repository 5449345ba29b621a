"""Nested structures of tensors as data comes in: tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.interp.machine import assume
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.assumption import Assumptions


def over(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """`leaf` applied to everything that is not a tuple, list or dict."""
    if isinstance(value, list | tuple):
        return type(value)(over(item, leaf) for item in value)
    if isinstance(value, dict):
        return {key: over(item, leaf) for key, item in value.items()}
    return leaf(value)


def resting(value: Any, taken: Assumptions) -> Any:
    """The structure with its tensors resting on `taken` as well."""
    return over(value, lambda item: assume(item, taken) if isinstance(item, Tensor) else item) if taken else value


def only_tensors(value: Any) -> Any:
    """The structure with Unknown for every leaf that is no tensor."""
    return over(value, lambda item: item if item is None or isinstance(item, Tensor | Unknown)
                else Unknown("not an array"))


def unpack(element: Any) -> tuple[Any, Any, Any]:
    """(x, y, sample_weight) of what a dataset or generator gives (keras: unpack_x_y_sample_weight)."""
    if isinstance(element, list):
        element = tuple(element)
    if isinstance(element, Unknown):
        return element, element, Unknown("sample weights or none")
    if not isinstance(element, tuple):
        return element, None, None
    if not 1 <= len(element) <= 3:
        unknown = Unknown(f"{len(element)} parts where x, y and sample_weight are needed")
        return unknown, unknown, unknown
    x, y, weights = (*element, None, None)[:3]
    return x, y, weights


__all__ = ["only_tensors", "over", "resting", "unpack"]
