"""Activations and dropout of PyTorch: what keeps shape and dtype; Softmax, GLU and PReLU look at an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, may_equal
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import Module, count
from cudnnlint.ops.torch._floats import of_integers
from cudnnlint.ops.torch.shapes import axis_of
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class Elementwise(Module):
    """Shape in, shape out; `floats` is what it is called where it computes floats only."""

    floats: str = ""

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return (of_integers(self.floats, x) if self.floats else None) or x.with_()


@record(frozen=True, slots=True)
class Dropout(Module):
    """Shape in, shape out; p is a probability (torch/nn/modules/dropout.py: _DropoutNd)."""

    p: Any = 0.5

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if isinstance(self.p, str | tuple | list):
            kind = type(self.p).__name__
            yield Mismatch(Problem.INVALID_ARGUMENT, f"p is the text {self.p!r}" if kind == "str" else
                           f"p is a {kind}, not a number", argument="p", help="a number",
                           error=f"TypeError \"'<' not supported between instances of '{kind}' and 'int'\"")
        if isinstance(self.p, (int, float)) and not isinstance(self.p, bool) and not 0 <= self.p <= 1:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"p is {self.p}, not a probability", argument="p",
                           help="p must lie between 0 and 1",
                           error=f'ValueError "dropout probability has to be between 0 and 1, but got {self.p}"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return x.with_()


@record(frozen=True, slots=True)
class Softmax(Module):
    """Shape in, shape out, over one axis."""

    dim: Any = None
    name: str = "Softmax"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if isinstance(self.dim, tuple | list):  # which older releases find out as it is called
            kind = type(self.dim).__name__
            yield Mismatch(Problem.INVALID_ARGUMENT, f"dim is a {kind}, not an integer", argument="dim",
                           help="the one axis that the softmax is over", error=f"TypeError \"dim must be an int or "
                           f"None, got <class '{kind}'>\" or \"argument 'dim' (position 1) must be int, not {kind}\"")

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        place = axis_of(self.dim, x.rank, x) if x.rank is not None and self.dim is not None else None
        return place if isinstance(place, Mismatch) else of_integers(self.name, x) or x.with_()


@record(frozen=True, slots=True)
class GLU(Module):
    """The axis `dim` is halved (aten/src/ATen/native/GatedLinearUnit.cpp)."""

    dim: Any = -1

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown) or not x.shape:
            return x.with_(shape=Unknown("input of GLU"))
        place = axis_of(self.dim, len(x.shape), x)
        if not isinstance(place, int):
            return place if isinstance(place, Mismatch) else x.with_(shape=place)
        extent = x.shape[place]
        if isinstance(extent, int) and extent % 2:
            return Mismatch(Problem.INVALID_ARGUMENT, f"GLU halves axis {place}, which is {extent}: {x}",
                            argument="dim", help="an even extent",
                            error=f'RuntimeError "Halving dimension must be even, but dimension {place} is size '
                                  f'{extent}"')
        half = extent // 2 if isinstance(extent, int) else Unknown("half of an open extent")
        return x.with_(shape=(*x.shape[:place], half, *x.shape[place + 1:]))


@record(frozen=True, slots=True)
class PReLU(Module):
    """Shape in, shape out; one weight, or one a channel (torch/nn/modules/activation.py: PReLU)."""

    num_parameters: Any = 1

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown) or len(x.shape) < 2 or self.num_parameters == 1 \
                or may_equal(count(self.num_parameters), x.shape[1]):
            return x.with_()
        return Mismatch(Problem.CHANNELS, f"PReLU has {self.num_parameters} parameters, its input {x.shape[1]} "
                        f"channels: {x}", help=f"PReLU({x.shape[1]})",
                        error='RuntimeError "Mismatch of parameter numbers and input channel size. Found parameter '
                              f'numbers = {self.num_parameters} and channel size = {x.shape[1]}."',
                        facts=(("expected", self.num_parameters), ("actual", x.shape[1])))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        size = count(self.num_parameters)
        return (Weight("weight", (size,)),) if is_known(size) else Unknown("num_parameters")


PLAIN = ("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid")
"""Activations with `inplace` as their one argument."""
BARE = ("Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink", "Softmax2d")
FLOATS = frozenset({"selu", "silu", "mish", "hardswish", "hardsigmoid", "logsigmoid", "leaky_relu", "elu", "gelu",
                    "softplus"})
"""Those that compute floats only, each asked of PyTorch 2.14; the others give floats, or integers, of integers."""
FUNCTIONS = ("relu", "relu6", "selu", "silu", "mish", "hardswish", "hardsigmoid")
DROPOUTS = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")
F = "torch.nn.functional."


def _same(value: Any, name: str = "") -> Outcome:
    return Elementwise(name if name in FLOATS else "").infer(LayerCall(value)) \
        if isinstance(value, (Tensor, Unknown)) else Unknown("a tensor")


def _inplace(name: str) -> Any:
    def activation(inplace: Any = False) -> Elementwise:
        return _elementwise(name)

    return activation


def _elementwise(name: str) -> Elementwise:
    return Elementwise(name if name.lower() in FLOATS else "")


def _register() -> None:
    for name in PLAIN:
        layer(f"torch.nn.{name}")(_inplace(name))
    for name in BARE:
        layer(f"torch.nn.{name}")(_bare(name))
    for name in FUNCTIONS:
        function(F + name, *(("torch.relu",) if name == "relu" else ()))(_called(name))
    for name in ("logsigmoid", "softsign", "tanhshrink"):
        function(F + name)(_called(name))
    for name in DROPOUTS:
        layer(f"torch.nn.{name}")(_dropout())
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
        function(F + name, *(("torch.dropout",) if name == "dropout" else ()))(_called_dropout())
    for name in ("Softmax", "LogSoftmax", "Softmin"):
        layer(f"torch.nn.{name}")(_softmax(name))
    for name in ("softmax", "log_softmax", "softmin"):
        function(F + name)(_called_softmax(name))
    for name in ("softmax", "log_softmax"):
        function(f"torch.{name}")(_compiled_softmax(name))


def _bare(name: str) -> Any:
    def activation() -> Elementwise:
        return _elementwise(name)

    return activation


def _called(name: str) -> Any:
    def activation(input: Any, inplace: Any = False) -> Outcome:
        return _same(input, name)

    return activation


def _dropout() -> Any:
    def dropout(p: Any = 0.5, inplace: Any = False) -> Dropout:
        return Dropout(p)

    return dropout


def _called_dropout() -> Any:
    def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Outcome:
        dropped = isinstance(input, Tensor) and training is not False and isinstance(p, (int, float)) and p > 0
        return (_dropped_integers(input) if dropped else None) or _same(input)

    return dropout


def _dropped_integers(x: Tensor) -> Mismatch | None:
    """aten/src/ATen/native/Dropout.cpp: _dropout_impl; what is not dropped, in evaluation, passes."""
    wrong = of_integers("dropout", x)
    return wrong and replace(wrong, help="drop what an embedding makes of them", error=
                             "RuntimeError \"result type Float can't be cast to the desired output type\", in training")


def _softmax(name: str) -> Any:
    def softmax(dim: Any = None) -> Softmax:
        return Softmax(dim, name)

    return softmax


@function(F + "gumbel_softmax")
def gumbel_softmax(logits: Any, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: Any = -1) -> Outcome:
    """A softmax of logits with noise added (torch/nn/functional.py: gumbel_softmax)."""
    return Elementwise("gumbel_softmax").infer(LayerCall(logits)) if isinstance(logits, Tensor) else Unknown("logits")


def _called_softmax(name: str) -> Any:
    def softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Outcome:
        x = input.with_(dtype=Unknown("dtype")) if dtype is not None and isinstance(input, Tensor) else input
        return Softmax(dim, name).infer(LayerCall(x))

    return softmax


def _compiled_softmax(name: str) -> Any:
    def softmax(input: Any, dim: Any, dtype: Any = None, *, out: Any = None) -> Outcome:
        """The axis has to be given, as to the method of a tensor."""
        return _called_softmax(name)(input, dim, dtype=dtype)

    return softmax


@layer("torch.nn.LeakyReLU")
def leaky_relu(negative_slope: Any = 0.01, inplace: Any = False) -> Elementwise:
    return Elementwise("LeakyReLU")


@layer("torch.nn.ELU", "torch.nn.CELU")
def elu(alpha: Any = 1.0, inplace: Any = False) -> Elementwise:
    return Elementwise("ELU")


@layer("torch.nn.RReLU")
def rrelu(lower: Any = 0.125, upper: Any = 1 / 3, inplace: Any = False) -> Elementwise:
    return Elementwise("RReLU")


@layer("torch.nn.Hardtanh")
def hardtanh(min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False, min_value: Any = None,
             max_value: Any = None) -> Elementwise:
    return Elementwise()


@layer("torch.nn.Threshold")
def threshold(threshold: Any, value: Any, inplace: Any = False) -> Elementwise:
    return Elementwise()


@layer("torch.nn.GELU")
def gelu(approximate: Any = "none") -> Elementwise:
    return Elementwise("GELU")


@layer("torch.nn.Hardshrink", "torch.nn.Softshrink")
def shrink(lambd: Any = 0.5) -> Elementwise:
    return Elementwise("a shrinkage")


@layer("torch.nn.Softplus")
def softplus(beta: Any = 1.0, threshold: Any = 20.0) -> Elementwise:
    return Elementwise("Softplus")


@layer("torch.nn.LocalResponseNorm", "torch.nn.CrossMapLRN2d")
def local_response_norm(size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Elementwise:
    return Elementwise()


@layer("torch.nn.GLU")
def glu(dim: Any = -1) -> GLU:
    return GLU(dim)


@layer("torch.nn.PReLU")
def prelu(num_parameters: Any = 1, init: Any = 0.25, device: Any = None, dtype: Any = None) -> PReLU:
    return PReLU(num_parameters)


@function(F + "leaky_relu")
def called_leaky_relu(input: Any, negative_slope: Any = 0.01, inplace: Any = False) -> Outcome:
    return _same(input, "leaky_relu")


@function(F + "elu", F + "celu")
def called_elu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> Outcome:
    return _same(input, "elu")


@function(F + "gelu")
def called_gelu(input: Any, approximate: Any = "none") -> Outcome:
    return _same(input, "gelu")


@function(F + "softplus")
def called_softplus(input: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Outcome:
    return _same(input, "softplus")


@function(F + "hardtanh")
def called_hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False) -> Outcome:
    return _same(input)


@function(F + "normalize")
def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, out: Any = None) -> Outcome:
    return Softmax(dim, "normalize").infer(LayerCall(input))


@function(F + "glu")
def called_glu(input: Any, dim: Any = -1) -> Outcome:
    return GLU(dim).infer(LayerCall(input))


@function(F + "local_response_norm")
def called_local_response_norm(input: Any, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Outcome:
    return _same(input)


_register()
