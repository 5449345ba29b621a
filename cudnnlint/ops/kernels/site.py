"""One application of a layer in a training step: what its op is given to record what it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from cudnnlint.ops.kernels.maths import bias, cast
from cudnnlint.ops.kernels.tape import NotSized, Size, Tape, Value
from cudnnlint.ops.protocol import Policy
from cudnnlint.records import record
from cudnnlint.values import Stack, Tensor, Unknown
from cudnnlint.values.sizes import BYTES
from cudnnlint.values.tensor import tensors


def _cannot_call(callee: Any, *inputs: Value) -> Any:
    raise NotSized("a nested call")


@record(frozen=True, slots=True)
class Site:
    """`inputs` are what the layer is called on, as `tensors` and as recorded `values` of the compute dtype.

    weights   its variables by name; `made` lists them in order, for layers made of others
    outputs   structure of Tensors that it gives
    call      records a wrapped layer or function: call(callee, *values) -> Value
    kind      the layer's class, "Dropout"
    trains    whether the layer itself is trained, which BatchNormalization asks; training whether anything is
    masked    whether it is called with a mask
    """

    tape: Tape
    values: tuple[Value, ...]
    tensors: tuple[Tensor, ...]
    outputs: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Value] = field(default_factory=dict)
    made: tuple[tuple[str, Value], ...] = ()
    policy: Policy = Policy()
    stack: Stack = Stack()
    call: Callable[..., Any] = _cannot_call
    trains: bool = True
    training: bool = True
    kind: str = ""
    masked: bool = False

    @property
    def x(self) -> Value:
        """The one input."""
        if len(self.values) != 1:
            raise NotSized("inputs that are not one tensor")
        return self.values[0]

    @property
    def item(self) -> int:
        """Bytes of an element that the layer computes."""
        return BYTES.get(self.policy.compute, 4)

    def size(self) -> Size:
        """Of the one output."""
        found = tensors(self.outputs)
        if not found:
            raise NotSized("an output that is not known")
        return self.tape.size_of(found[0])

    def weight(self, name: str) -> Value:
        """A variable as the layer computes with it: under a mixed policy a copy is cast for each use."""
        return cast(self.tape, self.weights[name], self.item)

    def maybe(self, name: str) -> Value | None:
        return self.weight(name) if name in self.weights else None

    def given(self, name: str, default: Any = None) -> Any:
        """A constructor argument; NotSized where it is not known."""
        value = self.arguments.get(name, default)
        if isinstance(value, Unknown):
            raise NotSized(f"{name} that is not known")
        return value

    def shape(self, place: int = 0) -> tuple[Any, ...]:
        shape = self.tensors[place].shape
        if isinstance(shape, Unknown):
            raise NotSized(shape.why or "an input of unknown shape")
        return shape

    def variables(self, *names: str) -> tuple[Value, ...]:
        """Those that the layer has, as they are."""
        return tuple(self.weights[name] for name in names if name in self.weights)

    def constant(self, name: str) -> Value:
        return self.weights[name]

    def rows(self, axis: Any) -> Size:
        """What is left of the input when it is reduced along `axis`."""
        shape, given = self.shape(), axis if isinstance(axis, (list, tuple)) else (axis,)
        if not all(isinstance(one, int) for one in given):
            raise NotSized("an axis that is not known")
        gone = {one % len(shape) for one in given}
        return self.tape.size([1 if place in gone else dim for place, dim in enumerate(shape)], max(4, self.item))

    def padded(self, extent: Any, dilation: Any) -> tuple[Any, ...]:
        """The shape of a causal convolution's input, padded in front."""
        batch, time, *rest = self.shape()
        numbers = [one[0] if isinstance(one, (list, tuple)) else one for one in (extent, dilation)]
        if not all(isinstance(one, int) for one in (time, *numbers)):
            raise NotSized("an open extent")
        return (batch, time + (numbers[0] - 1) * numbers[1], *rest)

    def widened(self, kernel: Value) -> Size:
        """Between the two convolutions of a separable one: as many channels as the second one's kernel takes."""
        shape, out = self.shape(), tensors(self.outputs)[0].shape
        first = str(self.arguments.get("data_format")).lower() == "channels_first"
        if isinstance(out, Unknown) or not isinstance(filters := out[1 if first else -1], int):
            raise NotSized("an open extent")
        inner = kernel.size.fixed // max(filters, 1)
        spatial = out[2:] if first else out[1:-1]
        return self.tape.size((shape[0], *spatial, inner), self.item)


def biased(at: Site, x: Value) -> Value:
    b = at.maybe("bias")
    return bias(at.tape, x, b) if b is not None else x
