"""Arrays of which a training call cannot make tensors: of lists of different lengths, and of texts."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Data, tensors
from cudnnlint.frameworks.data.datasets import SEQUENCES
from cudnnlint.frameworks.pandas.columns import is_mixed
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import RAGGED
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Unknown, Where


def tell_of_objects(c: Call, method: str, data: Data, wanted: tuple[Tensor, ...]) -> bool:
    """Tell of the first; whether there is one. `wanted`: what the model declares to take.

    Keras 3 refuses arrays of texts whatever they are for (keras/src/backend/common/variables.py: standardize_dtype; run
    with 3.12 and 3.15), Keras 2 casts them to the number that an input or a loss is of (run with tf_keras 2.21).
    """
    if data.kind == "arrays" and method in ("fit", "evaluate") and _is_list_of_texts(plain(c.get(1, "y"))):
        return refuse(c.machine, c.span, Mismatch(
            Problem.DTYPE, f"{method}() is given labels that are a list of texts",
            help="number the classes, np.unique(y, return_inverse=True)[1]",
            error='ValueError "Unrecognized data type" or "Failed to find data adapter that can handle input"'),
            about=(), what=f"Model.{method}", stage=method)
    for given in tensors([data.x, data.y]) if data.kind == "arrays" else ():
        if given.kind != "numpy":
            continue
        if _is_ragged(given):
            return refuse(c.machine, c.span, Mismatch(
                Problem.DTYPE, f"{method}() is given an array of lists of different lengths, dtype object",
                help="keras.utils.pad_sequences() makes one array of them",
                error='ValueError "Invalid dtype: object" or "Failed to convert a NumPy array to a Tensor '
                      '(Unsupported object type"'), about=(given,), what=f"Model.{method}", stage=method)
        keras_3, label = c.machine.stack.keras >= (3,), any(given is y for y in tensors(data.y))
        by_dtype = keras_3 and not method.endswith("_on_batch")  # which converts what it is given as it is
        told = by_dtype or (keras_3 and _takes_numbers(wanted))
        if is_mixed(given):
            return refuse(c.machine, c.span, Mismatch(
                Problem.DTYPE, f"{method}() is given a table with columns of texts or dates: {given}",
                help="numbers in their place: pd.get_dummies(), .dt.dayofyear, or a layer that takes texts",
                error='ValueError "could not convert string to float" or "Invalid dtype: object" or TypeError "Cannot '
                      'cast DatetimeArray"' if keras_3 else
                'ValueError "Failed to convert a NumPy array to a Tensor (Unsupported object type"'),
                about=(given,), what=f"Model.{method}", stage=method)
        if given.dtype == "object" and ((told and (given.rank or 0) > 1) or _holds_numbers(given.content)):
            return refuse(c.machine, c.span, Mismatch(
                Problem.DTYPE, f"{method}() is given an array of Python objects: {given}",
                help='numbers of one type, x.astype("float32"); lists of different lengths are padded first',
                error='ValueError "Invalid dtype: object"' if by_dtype else
                'ValueError "Failed to convert a NumPy array to a Tensor (Unsupported object type"',
                where=EVERYWHERE if _holds_numbers(given.content) else Where(keras=">=3")),
                about=(given,), what=f"Model.{method}", stage=method)
        if given.dtype == "string" and (keras_3 or label or _takes_numbers(wanted)):
            whose = "labels that are texts" if label else "an array of texts"
            return refuse(c.machine, c.span, Mismatch(
                Problem.DTYPE, f"{method}() is given {whose}: {given}",
                help="number the classes, np.unique(y, return_inverse=True)[1]" if label else
                "numbers, .astype(\"float32\")" if _takes_numbers(wanted) else
                'numbers, .astype("float32"); texts, for a layer that takes them, as tf.constant(x) or a dataset',
                error='ValueError "Invalid dtype: str"' if keras_3 else
                'UnimplementedError "Cast string to ... is not supported"',
                where=EVERYWHERE if label or _takes_numbers(wanted) else Where(keras=">=3")),
                about=(given,), what=f"Model.{method}", stage=method)
    return False


def _is_list_of_texts(held: Any) -> bool:
    """Neither Keras takes one (keras/src/trainers/data_adapters/__init__.py: get_data_adapter;
    tf_keras/src/engine/data_adapter.py: select_data_adapter)."""
    return isinstance(held, ListV) and not held.unknown and bool(held.items) and all(
        isinstance(plain(item), str) for item in held.items)


def _holds_numbers(content: Any) -> bool:
    """Whether all elements are known, and numbers."""
    if isinstance(content, tuple | list):
        return bool(content) and all(map(_holds_numbers, content))
    return isinstance(content, int | float)


def _takes_numbers(wanted: tuple[Tensor, ...]) -> bool:
    return bool(wanted) and all(isinstance(x.dtype, str) and x.dtype != "string" for x in wanted)


def _is_ragged(given: Tensor) -> bool:
    if isinstance(given.dtype, Unknown):
        return given.rank == 1 and given.dtype.why == SEQUENCES.why
    return given.dtype == "object" and isinstance(given.shape, Unknown) and given.shape.why == RAGGED


__all__ = ["tell_of_objects"]
