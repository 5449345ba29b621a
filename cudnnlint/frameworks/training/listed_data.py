"""Lists of numbers and of texts that fit() and its kin are given where they take arrays: `fit(x, labels)` of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.unknown import Elements

KERAS_3 = Where(keras=">=3")
ADVICE = {"texts": "tf.constant([...]) makes a tensor of it"}
DATA = 'ValueError "Unrecognized data type: x="'
SCALARS = 'IndexError "tuple index out of range"'
ON_BATCH = 'ValueError "Only input tensors may be passed as positional arguments" or "y_true and y_pred have ' \
    "different structures\", in Keras 2 AttributeError \"'int' object has no attribute 'shape'\""
MIXED = f'{DATA} or {SCALARS}, in Keras 2 "Failed to find data adapter that can handle input"'


def check_lists(c: Call, method: str, arguments: dict[str, Any]) -> bool:
    """(keras/src/trainers/data_adapters/__init__.py: get_data_adapter, which asks for arrays or lists of arrays;
    tf_keras/src/engine/data_adapter.py: ListsOfScalarsDataAdapter, which takes lists if both are); whether it was
    told."""
    for name, part in _parts(arguments):
        held = plain(part)
        of = kind_of(held)
        if not of or (of == "texts" and name != "x"):  # labels that are texts are told as such
            continue
        mixed = any(isinstance(strip(arguments.get(other)), Tensor) for other in ("x", "y") if other != name)
        on_batch = method.endswith("_on_batch")
        return refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is a list of {of}, not an array",
            help=ADVICE.get(of, "np.array(...) makes an array of it"), where=Where() if mixed or on_batch else KERAS_3,
            error=ON_BATCH if on_batch else MIXED if mixed else f"{DATA} or {SCALARS}"),
            what=f"Model.{method}", stage=method)
    return False


def _parts(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What must be an array, or several, by the name that a message gives it."""
    for name in ("x", "y", "sample_weight"):
        yield name, arguments.get(name)
    held = plain(arguments.get("validation_data"))
    if isinstance(held, tuple) and len(held) in (2, 3):
        yield from zip(("validation_data's x", "validation_data's y"), held, strict=False)


def kind_of(value: Any) -> str:
    """What is in nested lists, "numbers" or "texts" or whatever was in an array; "" where arrays may be."""
    held = plain(value)
    if isinstance(held, Elements):
        return held.of or "the elements of an array"
    if isinstance(held, ListV) and held.unknown:
        return _kind_of_one(held.typical())
    parts = held.items if isinstance(held, ListV) else held if isinstance(held, tuple) else None
    kinds = {_kind_of_one(part) for part in parts or ()}
    return kinds.pop() if len(kinds) == 1 else ""


def _kind_of_one(value: Any) -> str:
    held = plain(value)
    if isinstance(held, str):
        return "texts"
    is_number = isinstance(held, int | float) or (isinstance(held, Unknown) and held.number)
    if is_number or (isinstance(held, Tensor) and held.kind == "numpy" and held.shape == ()):
        return "numbers"
    return kind_of(held)


__all__ = ["check_lists", "kind_of"]
