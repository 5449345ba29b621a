"""Helpers of Keras' own layers and applications that people import for theirs: windows, paddings, input shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import DictV, Raised, RaisedAs
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.dim import Symbol

LENGTHS: dict[str, tuple[str, ...]] = {
    "conv_output_length": ("input_length", "filter_size", "padding", "stride", "dilation"),
    "conv_input_length": ("output_length", "filter_size", "padding", "stride"),
    "deconv_output_length": ("input_length", "filter_size", "padding", "output_padding", "stride", "dilation"),
    "deconv_length": ("dim_size", "stride_size", "kernel_size", "padding", "output_padding")}
"""tf_keras/src/utils/conv_utils.py, and its deconv_length before Keras 2.2.3: their parameters."""
NORMALIZED = {"normalize_padding": "padding", "normalize_data_format": "data_format"}
OBTAIN = ("input_shape", "default_size", "min_size", "data_format", "require_flatten", "weights")
SUBMODULES = ("backend", "layers", "models", "utils")
DEFAULTS = {"dilation": 1, "output_padding": None, "stride": 0, "weights": None}


def utilities(name: str) -> tuple[str, ...]:
    rooms = ("keras.utils.conv_utils", "keras.utils", "keras.backend.common", "keras.backend",
             "tensorflow.python.layers.utils")
    return tuple(f"{room}.{name}" for room in rooms)


def _given(c: Call, names: tuple[str, ...], found: set[Any]) -> dict[str, Any]:
    return {name: strip(c.get(place, name, DEFAULTS.get(name, Unknown(name))), found)
            for place, name in enumerate(names)}


@FRAMEWORK.on(*utilities("normalize_tuple"), "keras.utils.argument_validation.standardize_tuple")
def normalize_tuple(c: Call) -> Any:
    found: set[Any] = set()
    value, count = (strip(c.get(place, name), found) for place, name in enumerate(("value", "n")))
    if isinstance(count, int) and isinstance(value, int | list | tuple):
        if isinstance(value, int) and count > c.machine.limits.items:
            return Unknown("a long tuple")
        parts = (value,) * count if isinstance(value, int) else tuple(value)
        if len(parts) != count:
            raise Raised
        return assume(parts, frozenset(found))
    return value if isinstance(value, Unknown) else Unknown("normalize_tuple() of an unknown value")


def _lowered(name: str) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        found: set[Any] = set()
        value = strip(c.get(0, "value"), found)
        if value is None and name == "normalize_data_format":
            value = c.machine.state.get("image_data_format", "channels_last")
        return assume(value.lower() if isinstance(value, str) else wrap(value), frozenset(found))

    return run


def _length(name: str) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        found: set[Any] = set()
        given = _given(c, LENGTHS[name], found)
        if given[LENGTHS[name][0]] is None:
            return None
        sizes = [value for key, value in given.items() if key != "padding" and value is not None]
        if not all(isinstance(value, int) for value in sizes) or given["padding"] not in ("same", "valid", "full",
                                                                                        "causal"):
            return Unknown(f"{name}() of what is not known")
        return assume(FORMULAS[name](**given), frozenset(found))

    return run


def conv_output_length(input_length: int, filter_size: int, padding: str, stride: int, dilation: int) -> Any:
    """
    >>> conv_output_length(28, 3, "valid", 2, 1), conv_output_length(28, 3, "same", 2, 1)
    (13, 14)
    """
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    change = {"valid": 1 - reach, "full": reach - 1}.get(padding, 0)
    return (input_length + change + stride - 1) // stride if stride else Unknown("a stride of 0")


def conv_input_length(output_length: int, filter_size: int, padding: str, stride: int) -> int:
    pad = {"same": filter_size // 2, "full": filter_size - 1}.get(padding, 0)
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length: int, filter_size: int, padding: str, output_padding: int | None, stride: int,
                         dilation: int) -> int:
    """
    >>> deconv_output_length(14, 3, "same", None, 2, 1), deconv_output_length(14, 3, "valid", None, 2, 1)
    (28, 29)
    """
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is None:
        change = {"valid": max(reach - stride, 0), "full": 2 - stride - reach}.get(padding, 0)
        return input_length * stride + change
    pad = {"same": reach // 2, "full": reach - 1}.get(padding, 0)
    return (input_length - 1) * stride + reach - 2 * pad + output_padding


def deconv_length(dim_size: int, stride_size: int, kernel_size: int, padding: str, output_padding: Any) -> int:
    held = output_padding if isinstance(output_padding, int) else None
    return deconv_output_length(dim_size, kernel_size, padding, held, stride_size, 1)


FORMULAS: dict[str, Callable[..., Any]] = {
    "conv_output_length": conv_output_length, "conv_input_length": conv_input_length,
    "deconv_output_length": deconv_output_length, "deconv_length": deconv_length}
for _name in LENGTHS:
    FRAMEWORK.on(*utilities(_name))(_length(_name))
for _name in NORMALIZED:
    FRAMEWORK.on(*utilities(_name))(_lowered(_name))
FRAMEWORK.on("keras.backend.standardize_data_format", "keras.backend.config.standardize_data_format")(
    _lowered("normalize_data_format"))
FRAMEWORK.on("keras.utils.argument_validation.standardize_padding")(_lowered("normalize_padding"))


@FRAMEWORK.on("keras.applications.imagenet_utils.correct_pad", "keras.applications.efficientnet.correct_pad",
              "keras_applications.correct_pad")
def correct_pad(c: Call) -> Any:
    """Margins before a convolution with strides (keras/src/applications/imagenet_utils.py: correct_pad); that of
    keras_applications takes the backend first."""
    found: set[Any] = set()
    named = [c.kwargs[name] for name in ("inputs", "kernel_size") if name in c.kwargs]
    inputs, kernel = ([None, None] + [strip(value, found) for value in (*c.args, *named)])[-2:]
    sizes = _sides(inputs, c.machine.state.get("image_data_format", "channels_last") == "channels_first")
    reach = (kernel, kernel) if isinstance(kernel, int) else kernel
    if sizes is None or not isinstance(reach, tuple | list) or not all(isinstance(size, int) for size in reach):
        return Unknown("the margins of a convolution")
    odd = [1 if size is None else 1 - size % 2 for size in sizes]
    margins = tuple((size // 2 - less, size // 2) for size, less in zip(reach, odd, strict=False))
    return assume(margins, frozenset(found))


def _sides(inputs: Any, first: bool) -> tuple[int | None, int | None] | None:
    """Height and width of images, None where they are free; None if they are not known."""
    shape = inputs.shape if isinstance(inputs, Tensor) else None
    if not isinstance(shape, tuple) or len(shape) != 4:
        return None
    height, width = shape[2:] if first else shape[1:3]
    if isinstance(height, int) and isinstance(width, int):
        return height, width
    return (None, None) if isinstance(height, Symbol) and isinstance(width, Symbol) else None


@FRAMEWORK.on("keras.applications.imagenet_utils.obtain_input_shape",
              "keras.applications.imagenet_utils._obtain_input_shape",
              "keras_applications.imagenet_utils._obtain_input_shape")
def obtain_input_shape(c: Call) -> Any:
    """tf_keras/src/applications/imagenet_utils.py: obtain_input_shape, for what it does not refuse."""
    found: set[Any] = set()
    given = _given(c, OBTAIN, found)
    shape, top = given["input_shape"], given["require_flatten"]
    c.machine.doubts += not _accepted(shape, given["min_size"], top, given["weights"])
    if isinstance(shape, Unknown) or not isinstance(top, bool) or isinstance(given["weights"], Unknown):
        return Unknown("the input shape of an application")
    first = given["data_format"] == "channels_first"
    if shape and not (top and given["weights"] == "imagenet"):
        return assume(wrap(shape), frozenset(found))
    size = given["default_size"] if top else None
    return assume((3, size, size) if first else (size, size, 3), frozenset(found))


def _accepted(shape: Any, least: Any, top: Any, weights: Any) -> bool:
    """Whether obtain_input_shape() surely raises nothing."""
    if not isinstance(top, bool) or not (shape is None or isinstance(shape, tuple)) or isinstance(weights, Unknown):
        return False
    if not shape or not isinstance(least, int):
        return not shape
    return weights is None and len(shape) == 3 and not (top and None in shape) \
        and all(size is None or (isinstance(size, int) and size >= least) for size in shape[:2])


@FRAMEWORK.on("keras_applications.get_submodules_from_kwargs")
def get_submodules_from_kwargs(c: Call) -> Any:
    """The modules that were handed over (keras_applications/__init__.py, 1.0.8): one that was not is whatever
    set_keras_submodules() left."""
    given = plain(c.get(0, "kwargs"))
    if not isinstance(given, DictV):
        return Unknown("the modules of a Keras that is not known")
    if not given.items.keys() <= set(SUBMODULES):
        raise RaisedAs(TypeError)
    held = {} if given.open is not None else given.items
    return tuple(held.get(name, Unknown(f"the {name} of a Keras that is not known")) for name in SUBMODULES)
