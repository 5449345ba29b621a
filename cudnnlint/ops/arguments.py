"""Constructor arguments that are wrong whatever the input: counts, extents, padding and data_format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arith import is_known
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Stack, Where
from cudnnlint.values.numpy_int import NumpyInt

NOT_DEFINED = 'ValueError "Shapes used to initialize variables must be fully-defined"'
"""Of a layer whose weights need an extent that is None (keras/src/backend/common/variables.py, since Keras 3)."""


def show(value: Any) -> str:
    """An argument as the user wrote it; objects that have no text of their own are left out.

    >>> show(5), show([5, 3]), show("same"), show([object(), 3])
    ('5', '(5, 3)', '"same"', '(..., 3)')
    """
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(show, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show(key)}: {show(held)}" for key, held in value.items()) + "}"
    if not any("__repr__" in vars(cls) or "__str__" in vars(cls) for cls in type(value).__mro__[:-1]):
        return "..."
    return f'"{value}"' if isinstance(value, str) else str(value)


def check_extents(name: str, value: Any, count: int, *, least: int = 1,
                  where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """`count` integers, or one for all, none below `least` (argument_validation.py: standardize_tuple)."""
    if type(value) is int and value >= least:
        return
    wanted = "an integer" if count == 1 else f"an integer or {count} integers"
    error = f'ValueError "The `{name}` argument must be a tuple of {count} integers"' + (
        ' or "cannot contains 0"' if name == "strides" else "")
    if isinstance(value, (tuple, list)):
        wrong = len(value) != count or any(item is None or isinstance(item, (str, dict)) for item in value)
    else:
        wrong = value is None or isinstance(value, (float, str, dict))
    if isinstance(value, NumpyInt) and count > 1:  # the tuple of it is no tuple of ints to the library
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is the NumPy integer {value}, not an int", error=error,
                       argument=name, help="make it one with int()", otherwise=True)
    elif wrong:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}, not {wanted}", error=error, argument=name,
                       help=f"give {wanted}")
    elif isinstance(value, (tuple, list)) and name == "kernel_size" and any(type(item) is float for item in value):
        # each is an extent of the kernel: neither standardize_shape of Keras 3 nor a TensorShape takes a fraction
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}, not {wanted}", argument=name,
                       help="use // where / divides two integers", otherwise=True,
                       error='ValueError "Cannot convert" or TypeError "Dimension value must be integer"')
    elif any(is_known(item) and item < least for item in _items(value)):
        word = "negative" if least == 0 else "not positive"
        yield Mismatch(Problem.NON_POSITIVE, f"{name} {show(value)} is {word}", error=error, argument=name, where=where,
                       help=f"{name} must be at least {least}")


def check_positive(name: str, value: Any, *, where: Where = EVERYWHERE, zero: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """A count such as filters; `zero` is where 0 is refused as well."""
    if value is None:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is None", error="ValueError", argument=name,
                       help=f"{name} must be a positive integer")
    elif isinstance(value, float):
        # Keras 2 takes int(filters); keras/src/backend/common/variables.py: standardize_shape refuses
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {value}, not an integer", argument=name,
                       where=Where(keras=">=3"), help="use // where / divides two integers",
                       error=f"ValueError \"Cannot convert to a shape. Found invalid dimension '{value}'\"")
    elif is_known(value) and value <= 0:
        rounded = ": max(1, ...) around what a division or a multiplier may bring to 0" if value == 0 else ""
        yield Mismatch(Problem.NON_POSITIVE, f"{name} is {value}", help=f"{name} must be a positive integer{rounded}",
                       error=f'ValueError "Invalid value for argument `{name}`. Expected a strictly positive value. '
                             f'Received {name}={value}"', argument=name, where=zero if value == 0 else where)


def check_padding(value: Any, *allowed: str, where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """One of the names that the layer knows; upper case is as good, and numbers for each side pass (keras/src/backend/
    config.py: standardize_padding)."""
    if value is None or isinstance(value, (int, float, dict)):
        error = "AttributeError \"object has no attribute 'lower'\""
    elif isinstance(value, str) and value.lower() not in allowed:
        error = 'ValueError "The `padding` argument must be a list/tuple or one of"'
    else:
        return
    names = " or ".join(f'"{name}"' for name in allowed)
    yield Mismatch(Problem.INVALID_ARGUMENT, f"padding is {show(value)}, not {names}", argument="padding",
                   help=f"padding must be {names}", error=error, where=where)


def padded_by_sides(value: Any, stack: Stack, *, depthwise: bool = False) -> Mismatch | None:
    """Numbers for each side, which Keras 3 refuses when it computes an output (keras/src/ops/operation_utils.py:
    compute_conv_output_shape). Keras 2 hands them on to tf.nn.conv2d, but for its depthwise and separable layers
    (tf_keras/src/backend.py: _preprocess_padding)."""
    if not isinstance(value, (tuple, list)) or (stack.keras < (3,) and not depthwise):
        return None
    error = "ValueError \"`padding` must be either\" or AttributeError \"has no attribute 'lower'\""
    if stack.keras < (3,):
        error = "ValueError \"Invalid padding\" or AttributeError \"has no attribute 'upper'\""
    return Mismatch(Problem.INVALID_ARGUMENT, f'padding is {show(value)}, not "valid" or "same"', argument="padding",
                    help="a ZeroPadding layer before this one pads each side by a number", error=error,
                    where=EVERYWHERE if depthwise else Where(keras=">=3"))


def check_data_format(value: Any) -> Iterator[Mismatch]:
    if isinstance(value, str) and value.lower() not in ("channels_first", "channels_last"):
        yield Mismatch(Problem.INVALID_ARGUMENT, f'data_format is "{value}"', argument="data_format",
                       help='data_format must be "channels_last" or "channels_first"',
                       error='ValueError "The `data_format` argument must be one of"')


def largest(value: Any) -> int:
    """The largest known number of an argument; 1 if there is none."""
    return max((item for item in _items(value) if is_known(item)), default=1)


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
