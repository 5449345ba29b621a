"""Spellings of sum, mean, max, argmax and their kin."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype, promote_numpy
from cudnnlint.ops.functions.operators import numpy_library
from cudnnlint.ops.functions.order import place_of_extreme
from cudnnlint.ops.functions.reduce import (
    Rule,
    averaged,
    boolean,
    float_rule,
    index,
    one_axis,
    reduced,
    same,
    spread,
    summed,
)
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Tensor, Unknown

NO_VALUE = None  # numpy's marker for an argument that was not given

def unbooled(dtype: DType, library: Library) -> DType:
    """keras.backend.mean is tf.reduce_mean, but of floats for bools (keras/src/legacy/backend.py: mean)."""
    return "float32" if dtype == "bool" else dtype


TENSORFLOW = {"sum": "+", "mean": "", "max": "maximum", "min": "minimum", "prod": "*", "logsumexp": ""}
TENSORFLOW_MATH = ("std", "variance", "euclidean_norm")
KERAS: dict[str, tuple[Rule, str]] = {
    "sum": (summed, "+"), "mean": (averaged, ""), "amax": (same, "maximum"), "amin": (same, "minimum"),
    "std": (spread, ""), "var": (averaged, ""), "any": (boolean, ""), "all": (boolean, ""), "argmax": (index, ""),
    "argmin": (index, ""), "median": (averaged, ""), "nanmax": (same, ""), "nanmin": (same, ""),
    "nanmean": (averaged, ""), "nansum": (summed, ""), "nanprod": (summed, ""), "nanstd": (spread, ""),
    "nanvar": (spread, ""), "ptp": (same, ""), "nanmedian": (averaged, ""),
}
BACKEND: dict[str, tuple[Rule, str]] = {
    "sum": (same, "+"), "mean": (unbooled, ""), "max": (same, "maximum"), "min": (same, "minimum"),
    "prod": (same, "*"), "std": (spread, ""), "var": (spread, ""), "any": (boolean, ""), "all": (boolean, ""),
}


def _tensorflow(called: str, rule: Rule, fold: str) -> paths.Builder:
    label = f"tf.reduce_{called}"

    def build(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Outcome:
        return reduced(input_tensor, axis, keepdims, rule, "tf", label, fold)

    return build


def _keras(called: str, rule: Rule, fold: str) -> paths.Builder:
    label = f"keras.ops.{called}"

    def build(x: Any, axis: Any = None, keepdims: Any = False) -> Outcome:
        return reduced(x, axis, keepdims, rule, "keras", label, fold)

    return build


def _numpy_extreme(called: str, fold: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
              where: Any = NO_VALUE) -> Outcome:
        found = fold if initial is None and where is None else ""
        return filled(out, reduced(a, axis, keepdims, same, numpy_library(a), f"np.{called}", found))

    return build


def _numpy_sum(called: str, fold: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
              initial: Any = NO_VALUE, where: Any = NO_VALUE) -> Outcome:
        wanted = None if dtype is None else as_dtype(dtype, "", "numpy")
        found = fold if initial is None and where is None else ""
        return filled(out, reduced(a, axis, keepdims, summed, numpy_library(a), f"np.{called}", found, wanted))

    return build


def _numpy_mean(called: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *,
              where: Any = NO_VALUE) -> Outcome:
        wanted = None if dtype is None else as_dtype(dtype, "", "numpy")
        return filled(out, reduced(a, axis, keepdims, averaged, numpy_library(a), f"np.{called}", dtype=wanted))

    return build


def _numpy_std(called: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = NO_VALUE,
              *, where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE) -> Outcome:
        wanted = None if dtype is None else as_dtype(dtype, "", "numpy")
        return filled(out, reduced(a, axis, keepdims, spread, numpy_library(a), f"np.{called}", dtype=wanted))

    return build


def _numpy_any(called: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE) -> Outcome:
        return filled(out, reduced(a, axis, keepdims, boolean, numpy_library(a), f"np.{called}"))

    return build


def _numpy_argmax(called: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Outcome:
        made = reduced(a, one_axis(axis), keepdims, index, numpy_library(a), f"np.{called}")
        return filled(out, _at(called, a, made))

    return build


def _at(called: str, a: Any, made: Outcome) -> Outcome:
    """The place of the greatest, or least, of elements that are known."""
    place = place_of_extreme(as_tensor(a, numpy_library(a)), called == "argmax") \
        if isinstance(made, Tensor) and made.shape == () else None
    return made.with_(content=place) if place is not None and isinstance(made, Tensor) else made


def _tf_argmax(called: str) -> paths.Builder:
    def build(input: Any, axis: Any = None, output_type: Any = "int64", name: Any = None) -> Outcome:
        """Without an axis: the first one."""
        place = 0 if axis is None else one_axis(axis)
        made = reduced(input, place, False, index, "tf", f"tf.{called}", dtype=as_dtype(output_type, "int64"))
        return _at(called, input, made)

    return build


def _backend_argmax(called: str) -> paths.Builder:
    def build(x: Any, axis: Any = -1) -> Outcome:
        place = 0 if axis is None else one_axis(axis)
        return reduced(x, place, False, index, "tf", f"keras.backend.{called}")

    return build


def _register() -> None:
    for name, fold in TENSORFLOW.items():
        paths.spell(_tensorflow(name, same, fold), *paths.math(f"reduce_{name}"))
    for name in ("any", "all"):
        paths.spell(_tensorflow(name, boolean, ""), *paths.math(f"reduce_{name}"))
        paths.spell(_numpy_any(name), f"numpy.{name}")
    for name in TENSORFLOW_MATH:
        paths.spell(_tensorflow(name, same, ""), f"tensorflow.math.reduce_{name}")
    for name, (rule, fold) in KERAS.items():
        since = {"keepdims": ">=3.3"} if name in ("argmax", "argmin") else None
        paths.spell(_keras(name, rule, fold), *paths.ops(name), versions=since)
    for name, (rule, fold) in BACKEND.items():
        paths.spell(_keras(name, rule, fold), f"keras.backend.{name}")
    for name in ("max", "amax", "nanmax"):
        paths.spell(_numpy_extreme(name, "maximum"), f"numpy.{name}")
    for name in ("min", "amin", "nanmin"):
        paths.spell(_numpy_extreme(name, "minimum"), f"numpy.{name}")
    for name, fold in (("sum", "+"), ("prod", "*"), ("nansum", "+"), ("nanprod", "*"), ("product", "*")):
        paths.spell(_numpy_sum(name, fold), f"numpy.{name}")
    for name in ("mean", "nanmean"):
        paths.spell(_numpy_mean(name), f"numpy.{name}")
    for name in ("std", "var", "nanstd", "nanvar"):
        paths.spell(_numpy_std(name), f"numpy.{name}")
    for name in ("argmax", "argmin"):
        paths.spell(_numpy_argmax(name), f"numpy.{name}")
        paths.spell(_tf_argmax(name), *paths.math(name))
        paths.spell(_backend_argmax(name), f"keras.backend.{name}")
    for name in ("nanargmax", "nanargmin"):
        paths.spell(_numpy_argmax(name), f"numpy.{name}")


_register()


@function("keras.ops.logsumexp")
def keras_logsumexp(x: Any, axis: Any = None, keepdims: Any = False) -> Outcome:
    return reduced(x, axis, keepdims, float_rule, "keras", "keras.ops.logsumexp")


@function(*paths.ops("max"))
def keras_max(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None) -> Outcome:
    return reduced(x, axis, keepdims, same, "keras", "keras.ops.max", "maximum" if initial is None else "")


@function(*paths.ops("min"))
def keras_min(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None) -> Outcome:
    return reduced(x, axis, keepdims, same, "keras", "keras.ops.min", "minimum" if initial is None else "")


@function(*paths.ops("prod"))
def keras_prod(x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Outcome:
    wanted = None if dtype is None else as_dtype(dtype, "", "keras")
    return reduced(x, axis, keepdims, summed, "keras", "keras.ops.prod", "*", wanted)


@function(*paths.ops("count_nonzero"))
def keras_count_nonzero(x: Any, axis: Any = None) -> Outcome:
    return reduced(x, axis, False, index, "keras", "keras.ops.count_nonzero")


@function("tensorflow.math.count_nonzero")
def tf_count_nonzero(input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = "int64",
                     name: Any = None) -> Outcome:
    return reduced(input, axis, keepdims, index, "tf", "tf.math.count_nonzero", dtype=as_dtype(dtype, "int64"))


@function("numpy.count_nonzero")
def np_count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Outcome:
    return reduced(a, axis, keepdims, index, "numpy", "np.count_nonzero")


@function("numpy.ptp")
def np_ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> Outcome:
    return filled(out, reduced(a, axis, keepdims, same, "numpy", "np.ptp"))


@function("numpy.nanmedian")
def np_nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
                 keepdims: Any = NO_VALUE) -> Outcome:
    return filled(out, reduced(a, axis, keepdims, averaged, "numpy", "np.nanmedian"))


@function("numpy.median")
def np_median(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
              keepdims: Any = False) -> Outcome:
    return filled(out, reduced(a, axis, keepdims, averaged, "numpy", "np.median"))


@function("numpy.average")
def np_average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *,
               keepdims: Any = NO_VALUE) -> Outcome:
    if returned is not False:
        return Unknown("returned")
    made = reduced(a, axis, keepdims, averaged, "numpy", "np.average")
    if weights is None or not isinstance(made, Tensor):
        return made
    held = as_tensor(weights, "numpy")
    return made.with_(dtype=promote_numpy(made.dtype, held.dtype) if isinstance(held, Tensor) else held)


@function(*paths.ops("average"))
def keras_average(x: Any, axis: Any = None, weights: Any = None) -> Outcome:
    made = reduced(x, axis, False, averaged, "keras", "keras.ops.average")
    return made.with_(dtype=Unknown("weights")) if weights is not None and isinstance(made, Tensor) else made
