"""tf.TensorArray: what is written to it, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.join import join
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.values import Dim, Shape, Step, Tensor, Unknown


class TensorArrayV(ObjectV):
    """`element`: what each is like that was written so far, None before. `size`: how many there are."""

    element: Any = None
    size: Dim = Unknown("how many a TensorArray has")

    def join_with(self, other: Any) -> Any:
        if not isinstance(other, TensorArrayV) or self.dtype() != other.dtype():
            return super().join_with(other)
        known = [array.element for array in (self, other) if array.element is not None]
        element = join(known) if known else None
        if self.size == other.size and _is_like(self.element, element):
            return self
        return self.holding(element, self.size if self.size == other.size else Unknown("how many a TensorArray has"))

    def holding(self, element: Any, size: Dim) -> TensorArrayV:
        made = TensorArrayV(self.path, self.args, self.kwargs, self.span)
        made.element, made.size = element, size
        return made

    def dtype(self) -> Any:
        return as_dtype(strip(self.args[0] if self.args else self.kwargs.get("dtype")), Unknown("dtype"))


def _is_like(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype
    return a is b or (isinstance(a, Unknown) and isinstance(b, Unknown))


@FRAMEWORK.on("tensorflow.TensorArray")
def array(c: Call) -> Any:
    """In a graph only a size that is a constant is known as such
    (tensorflow/python/ops/tensor_array_ops.py: _GraphTensorArrayV2.stack)."""
    made = TensorArrayV("tensorflow.TensorArray", tuple(c.args), dict(c.kwargs), c.span)
    given = strip(c.get(1, "size"))
    in_graph = c.machine.symbolic or c.machine.tracing
    if given is not None and plain(c.get(2, "dynamic_size", False)) is False \
            and (isinstance(given, int) or not in_graph):
        made.size = as_dim(given)
    return made


@FRAMEWORK.on("tensorflow.TensorArray.write")
def written(c: Call) -> Any:
    held = plain(c.receiver)
    if not isinstance(held, TensorArrayV):
        return c.receiver
    value = as_tensor(strip(c.get(1, "value")), "tf")
    if isinstance(value, Tensor):
        value = Tensor(value.shape, value.dtype, "tf")
    return held.holding(value if held.element is None else join([held.element, value]), held.size)


@FRAMEWORK.on("tensorflow.TensorArray.unstack")
def unstacked(c: Call) -> Any:
    held, value = plain(c.receiver), as_tensor(strip(c.get(0, "value")), "tf")
    if not isinstance(held, TensorArrayV):
        return c.receiver
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple) or not value.shape:
        return held.holding(Unknown("what is written to a TensorArray"), Unknown("how many are written to it"))
    return held.holding(Tensor(value.shape[1:], value.dtype, "tf"), value.shape[0])


@FRAMEWORK.on("tensorflow.TensorArray.identity")
def same(c: Call) -> Any:
    return c.receiver


@FRAMEWORK.on("tensorflow.TensorArray.scatter", "tensorflow.TensorArray.split")
def spread(c: Call) -> Any:
    held = plain(c.receiver)
    if not isinstance(held, TensorArrayV):
        return c.receiver
    return held.holding(Unknown("what is written to a TensorArray"), Unknown("how many are written to it"))


@FRAMEWORK.on("tensorflow.TensorArray.stack")
def stack(c: Call) -> Any:
    return _made(c, lambda shape, size: (size, *shape))


@FRAMEWORK.on("tensorflow.TensorArray.read")
def read(c: Call) -> Any:
    return _made(c, lambda shape, size: shape)


@FRAMEWORK.on("tensorflow.TensorArray.gather")
def gather(c: Call) -> Any:
    return _made(c, lambda shape, size: (Unknown("how many are picked"), *shape))


@FRAMEWORK.on("tensorflow.TensorArray.concat")
def concat(c: Call) -> Any:
    return _made(c, lambda shape, size: (Unknown("how many rows a TensorArray has"), *shape[1:]))


def _made(c: Call, join_up: Callable[[Shape, Dim], Shape]) -> Any:
    held = plain(c.receiver)
    if not isinstance(held, TensorArrayV):
        return Unknown("what a TensorArray has")
    one = held.element
    known = isinstance(one, Tensor) and isinstance(one.shape, tuple)
    shape = join_up(one.shape, held.size) if known else Unknown("what a TensorArray has")
    return Tensor(shape, held.dtype(), "tf", None, Step(c.span))
