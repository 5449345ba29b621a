"""Values kept between bounds."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.operators import numpy_library
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor


def clipped(value: Any, low: Any, high: Any, library: Library, name: str) -> Outcome:
    """Bounds broadcast with the value.

    >>> print(clipped(Tensor((4, 3), "float32"), 0, 1, "tf", "tf.clip_by_value"))
    float32[4, 3]
    """
    made = value
    for op, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            made = binary(op, made, bound, library, name)
            if not isinstance(made, Tensor):
                return made
    return made if isinstance(made, Tensor) else binary("+", made, 0, library, name)


@function("tensorflow.clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Outcome:
    return clipped(t, clip_value_min, clip_value_max, "tf", "tf.clip_by_value")


@function("numpy.clip")
def np_clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None,
            **kwargs: Any) -> Outcome:
    low, high = a_min if min is None else min, a_max if max is None else max
    return filled(out, clipped(a, low, high, numpy_library(a), "np.clip"))


@function(*paths.ops("clip"))
def keras_clip(x: Any, x_min: Any, x_max: Any) -> Outcome:
    return clipped(x, x_min, x_max, "keras", "keras.ops.clip")


@function("keras.backend.clip")
def backend_clip(x: Any, min_value: Any, max_value: Any) -> Outcome:
    """As tf.clip_by_value: the bounds take the dtype of the value, though they be NumPy's (keras/src/legacy/backend.py,
    tf_keras/src/backend.py: clip)."""
    return clipped(x, min_value, max_value, "tf", "keras.backend.clip")
