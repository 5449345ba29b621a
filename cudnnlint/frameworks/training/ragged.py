"""Arrays of lists of different lengths, of which a training call cannot make tensors."""

from __future__ import annotations

from cudnnlint.events import Data, tensors
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import RAGGED
from cudnnlint.values import Mismatch, Problem, Unknown


def check_objects(c: Call, method: str, data: Data) -> None:
    """Tell of the first; an array of texts is converted (keras/src/trainers/data_adapters/array_slicing.py:
    convert_to_sliceable)."""
    for given in tensors([data.x, data.y]) if data.kind == "arrays" else ():
        if given.kind == "numpy" and given.dtype == "object" and isinstance(given.shape, Unknown) \
                and given.shape.why == RAGGED:
            refuse(c.machine, c.span, Mismatch(
                Problem.DTYPE, f"{method}() is given an array of lists of different lengths, dtype object",
                help="keras.utils.pad_sequences() makes one array of them",
                error='ValueError "Invalid dtype: object" or "Failed to convert a NumPy array to a Tensor '
                      '(Unsupported object type"'), about=(given,), what=f"Model.{method}", stage=method)
            return


__all__ = ["check_objects"]
