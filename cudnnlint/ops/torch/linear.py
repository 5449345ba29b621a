"""Fully connected and reshaping modules of PyTorch: Linear, Bilinear, Identity, Flatten, Unflatten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, may_equal, product
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import NAMES, Module, count, dtype_of, late, negative, not_whole
from cudnnlint.ops.torch.shapes import flattened, unflattened
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class Linear(Module):
    """(..., in_features) -> (..., out_features); weight (out, in), bias (out,) (torch/nn/modules/linear.py).

    in_features  None: a lazy module, made for what comes
    """

    in_features: Any
    out_features: Any
    bias: Any = True
    dtype: Any = "float32"
    name: str = "Linear"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("in_features", "out_features"):
            if wrong := late(negative(name, getattr(self, name)), self.in_features is None):
                yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=dtype)
        if not x.shape:
            return Mismatch(Problem.RANK, f"{self.name} needs at least 1 axis, its input has none: {x}",
                            error='RuntimeError "both arguments to linear need to be at least 1D, but they are 0D and '
                                  '2D"', facts=(("expected", 1), ("actual", 0)))
        if self.in_features is not None and not may_equal(count(self.in_features), x.shape[-1]):
            return self._clash(x)
        if wrong := self._wrong_dtype(x):
            return wrong
        return x.with_(shape=(*x.shape[:-1], count(self.out_features)), dtype=dtype)

    def _clash(self, x: Tensor) -> Mismatch:
        assert isinstance(x.shape, tuple)
        rows = product(x.shape[:-1])
        told = f"{rows if is_known(rows) else '...'}x{x.shape[-1]} and {self.in_features}x{self.out_features}"
        hint = f"in_features={x.shape[-1]}"
        if len(x.shape) > 2 and may_equal(product(x.shape[1:]), count(self.in_features)) \
                and is_known(product(x.shape[1:])):
            hint = "torch.flatten(x, 1) before it"
        return Mismatch(Problem.CHANNELS, f"{self.name} takes {self.in_features} features, its input has "
                        f"{x.shape[-1]}: {x}", help=hint,
                        error=f'RuntimeError "mat1 and mat2 shapes cannot be multiplied ({told})"',
                        facts=(("expected", self.in_features), ("actual", x.shape[-1])))

    def _wrong_dtype(self, x: Tensor) -> Mismatch | None:
        if not isinstance(x.dtype, str) or not isinstance(self.dtype, str) or x.dtype == self.dtype \
                or not {x.dtype, self.dtype} <= NAMES.keys():
            return None
        floating = x.dtype.startswith(("float", "bfloat"))
        return Mismatch(Problem.DTYPE if floating else Problem.INTEGER_INPUT,
                        f"input of dtype {x.dtype}, weights of dtype {self.dtype}", facts=(("dtype", x.dtype),),
                        help="x.float()" if self.dtype == "float32" else f"x.to(torch.{self.dtype})",
                        error='RuntimeError "mat1 and mat2 must have the same dtype"')

    def variables(self) -> tuple[Weight, ...] | Unknown:
        if self.in_features is None:
            return Unknown("a lazy module")
        if isinstance(self.bias, Unknown):
            return self.bias
        out = count(self.out_features)
        weight = Weight("weight", (out, count(self.in_features)))
        return (weight, Weight("bias", (out,))) if self.bias else (weight,)


@record(frozen=True, slots=True)
class Bilinear(Module):
    """(..., in1), (..., in2) -> (..., out); weight (out, in1, in2)."""

    in1_features: Any
    in2_features: Any
    out_features: Any
    bias: Any = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("in1_features", "in2_features", "out_features"):
            if wrong := negative(name, getattr(self, name)):
                yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown) or not x.shape:
            return x.with_(shape=Unknown("input of Bilinear"))
        return x.with_(shape=(*x.shape[:-1], count(self.out_features)))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        if isinstance(self.bias, Unknown):
            return self.bias
        out = count(self.out_features)
        weight = Weight("weight", (out, count(self.in1_features), count(self.in2_features)))
        return (weight, Weight("bias", (out,))) if self.bias else (weight,)


@record(frozen=True, slots=True)
class Same(Module):
    """A module that gives its input back."""

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        return x if isinstance(x, (Tensor, Unknown)) else Unknown("not a tensor")


@record(frozen=True, slots=True)
class Flatten(Module):
    """Axes start_dim to end_dim as one (torch/nn/modules/flatten.py)."""

    start_dim: Any = 1
    end_dim: Any = -1

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return not_whole("start_dim", self.start_dim) or not_whole("end_dim", self.end_dim) \
            or flattened(x, self.start_dim, self.end_dim)


@record(frozen=True, slots=True)
class Unflatten(Module):
    """One axis as several."""

    dim: Any
    sizes: Any

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if wrong := not_whole("unflattened_size", self.sizes):
            yield replace(wrong, error='TypeError "unflattened_size must be tuple of ints, but found element of type '
                                       'float"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return not_whole("dim", self.dim) or unflattened(x, self.dim, self.sizes)


@layer("torch.nn.Linear", "torch.nn.modules.linear.NonDynamicallyQuantizableLinear")
def linear(in_features: Any, out_features: Any, bias: Any = True, device: Any = None, dtype: Any = None) -> Linear:
    return Linear(Unknown("None") if in_features is None else in_features, out_features, bias, dtype_of(dtype))


@layer("torch.nn.LazyLinear")
def lazy_linear(out_features: Any, bias: Any = True, device: Any = None, dtype: Any = None) -> Linear:
    return Linear(None, out_features, bias, dtype_of(dtype), "LazyLinear")


@layer("torch.nn.Bilinear")
def bilinear(in1_features: Any, in2_features: Any, out_features: Any, bias: Any = True, device: Any = None,
             dtype: Any = None) -> Bilinear:
    return Bilinear(in1_features, in2_features, out_features, bias)


@layer("torch.nn.Identity")
def identity(*args: Any, **kwargs: Any) -> Same:
    return Same()


@layer("torch.nn.Flatten")
def flatten(start_dim: Any = 1, end_dim: Any = -1) -> Flatten:
    return Flatten(start_dim, end_dim)


@layer("torch.nn.Unflatten")
def unflatten(dim: Any, unflattened_size: Any) -> Unflatten:
    return Unflatten(dim, unflattened_size)


@function("torch.nn.functional.linear")
def called_linear(input: Any, weight: Any, bias: Any = None) -> Outcome:
    if not isinstance(input, Tensor) or not isinstance(weight, Tensor) or weight.rank != 2:
        return Unknown("input or weight")
    assert isinstance(weight.shape, tuple)
    return Linear(weight.shape[1], weight.shape[0], bias is not None, weight.dtype, "linear").infer(LayerCall(input))
