"""Layers whose output has the shape of their input: what they share, and the dtype they hand on."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, ClassVar

from cudnnlint.ops.arguments import show
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, single
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Unknown, Where, is_floating
from cudnnlint.values.tensor import DType


class Integers(enum.Enum):
    """What Keras 2 makes of an integer input, which it does not cast for the layer.

    Keras 3 labels every symbolic output with the compute dtype (keras/src/layers/layer.py: compute_output_spec).
    """

    KEPT = "the output has the input's dtype"
    CAST = "the layer casts to its compute dtype"
    REFUSED = "TypeError: an operation takes floats only"


def kept(x: Tensor, call: LayerCall) -> DType:
    """The dtype after a layer that computes nothing.

    Floats arrive in the compute dtype. Keras 3 calls a symbolic integer input float32 all the same.
    """
    floating = is_floating(x.dtype)
    if floating and not str(x.dtype).startswith("complex"):
        return call.policy.compute
    if call.stack.keras >= (3,) and x.kind == "keras":
        return call.policy.compute
    return x.dtype


def refused(x: Tensor, call: LayerCall, name: str) -> Mismatch | None:
    """Keras 2 on an integer or bool input, where the operation takes floats only."""
    if call.stack.keras >= (3,) or is_floating(x.dtype) is not False:
        return None
    return Mismatch(Problem.DTYPE, f"{name} on an input of dtype {x.dtype}, which takes floats only",
                    help='cast the input first: tf.cast(x, "float32")', where=Where(keras="<3"),
                    error=f'TypeError "Value passed to parameter has DataType {x.dtype} not in list of allowed values"',
                    facts=(("dtype", x.dtype),))


class Elementwise(SingleInput):
    """Base: shape in, shape out."""

    __slots__ = ()
    integers: ClassVar[Integers] = Integers.KEPT

    def infer(self, call: LayerCall) -> Outcome:
        if isinstance(call.inputs, (list, tuple)) and len(call.inputs) != 1:
            return Unknown("several inputs")  # without an input_spec Keras does not count them
        x = single(call.inputs)
        return self.output(x, call) if isinstance(x, Tensor) else x

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if self.integers is Integers.KEPT:
            return x.with_(dtype=kept(x, call))
        if self.integers is Integers.REFUSED and (wrong := refused(x, call, type(self).__name__)):
            return wrong
        return x.with_(dtype=computed(x, call) if self.integers is Integers.REFUSED else call.policy.compute)


def computed(x: Tensor, call: LayerCall) -> DType:
    """The dtype after a layer that computes but casts nothing itself; real integers decide by the operation."""
    if is_floating(x.dtype) is False and x.kind != "keras" and call.stack.keras >= (3,):
        return Unknown(f"{x.dtype} input")
    return call.policy.compute


def number(value: Any) -> float | None:
    """A plain int or float, or None.

    >>> number(3), number(True), number("3")
    (3.0, None, None)
    """
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def between(name: str, value: Any, *, least: float = 0.0, most: float = 1.0,
            where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """A number that must lie in [least, most], such as rate."""
    found = number(value)
    if found is not None and not least <= found <= most:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}, not between {least:g} and {most:g}",
                       argument=name, where=where, help=f"{name} must be a number between {least:g} and {most:g}",
                       error=f'ValueError "Invalid value ... received for ... `{name}`"')


def not_negative(name: str, value: Any, *, none: Where | None = EVERYWHERE,
                 where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """A number that must be zero or more; `none` says where None is refused too, None nowhere."""
    found = number(value)
    if (found is not None and found < 0) or (value is None and none is not None):
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}", argument=name,
                       where=(none or EVERYWHERE) if value is None else where,
                       help=f"{name} must be a number of at least 0",
                       error=f'ValueError "cannot be None or ... negative value" or "Received: {name}={show(value)}"')


def one_of(name: str, value: Any, *allowed: str, where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """A string out of a fixed set, such as output_mode."""
    if isinstance(value, str) and value not in allowed:
        names = ", ".join(f'"{item}"' for item in allowed)
        yield Mismatch(Problem.INVALID_ARGUMENT, f'{name} is "{value}", not one of {names}', argument=name, where=where,
                       help=f"{name} must be one of {names}",
                       error=f'ValueError "Unknown value for the `{name}` argument: {value}" or "Unknown value for '
                             f'`{name}`"')
