"""Models of Keras 3 that are called on tensors and arrays together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where

if TYPE_CHECKING:
    from cudnnlint.interp.keras.models import ModelV

KERAS_3 = Where(keras=">=3")


def tell_of_mixed(c: Call, model: ModelV) -> None:
    """`generator([noise, labels])` of a tensor and a NumPy array: a functional model leaves what it is given as it is
    (keras/src/models/functional.py: _convert_input_args), and what is nested is tensors or it is not
    (keras/src/layers/layer.py: CallSpec.__init__). predict() and fit() make tensors of all.
    """
    if model.kind != "functional" or not KERAS_3.holds(c.machine.stack) or not is_certain(c.machine):
        return
    found: set[Any] = set()
    parts = tensors(given := strip(c.args[0], found))
    arrays = [part for part in parts if part.kind == "numpy" and isinstance(part.shape, tuple)]
    others = [part for part in parts if part.kind in ("tf", "keras") and part.step is not None]
    if arrays and others:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{model.display} is called on tensors and on a NumPy array, {arrays[0]}, together",
            help="tf.convert_to_tensor() of the array, or predict(), which takes both", where=KERAS_3,
            error='ValueError "In a nested call() argument, you cannot mix tensors and non-tensors"'),
            what=model.display, assumptions=frozenset(found), inputs=given)
