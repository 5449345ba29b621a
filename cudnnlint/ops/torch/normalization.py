"""Normalisation of PyTorch: BatchNorm, InstanceNorm, GroupNorm, LayerNorm, RMSNorm, LocalResponseNorm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, may_equal
from cudnnlint.ops.functions._core import extents, flag
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import Module, count, negative, not_whole, rank_problem, size, torch_size
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Tensor, Unknown


def affine_weights(shape: Shape, affine: Any, bias: Any = True) -> tuple[Weight, ...] | Unknown:
    """weight and bias, if there are any."""
    for switch in (affine, bias):
        if isinstance(switch, Unknown):
            return switch
    if not affine:
        return ()
    return (Weight("weight", shape), Weight("bias", shape)) if bias else (Weight("weight", shape),)


@record(frozen=True, slots=True)
class BatchNorm(Module):
    """Shape in, shape out; one weight and bias a channel (torch/nn/modules/batchnorm.py: _BatchNorm)."""

    name: str
    ranks: tuple[int, ...]
    num_features: Any
    eps: Any = 1e-5
    affine: Any = True
    track_running_stats: Any = True
    bias: Any = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if self.affine is True and isinstance(self.num_features, float | str) and (
                wrong := negative("num_features", self.num_features)):
            yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = " or ".join(f"{rank}D" for rank in self.ranks)
        if self.ranks and (wrong := rank_problem(x, self.ranks, self.name,
                                                 f'ValueError "expected {wanted} input (got {x.rank}D input)"')):
            return wrong
        if isinstance(x.shape, Unknown):
            if len(self.ranks) != 1:
                return x
            return x.with_(shape=(x.shape, count(self.num_features), *(x.shape,) * (self.ranks[0] - 2)))
        if len(x.shape) < 2:
            return x
        if self.num_features is None or may_equal(count(self.num_features), x.shape[1]):
            return x.with_()
        checked = flag(self.affine) or flag(self.track_running_stats)
        if not checked:
            return x.with_()
        return Mismatch(Problem.CHANNELS, f"{self.name} has {self.num_features} features, its input {x.shape[1]} "
                        f"channels: {x}", help=f"{self.name}({x.shape[1]})",
                        error=f'RuntimeError "running_mean should contain {x.shape[1]} elements not '
                              f'{self.num_features}"', facts=(("expected", self.num_features), ("actual", x.shape[1])))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return Unknown("a lazy module") if self.num_features is None else affine_weights(
            (count(self.num_features),), self.affine, self.bias)


@record(frozen=True, slots=True)
class InstanceNorm(Module):
    """Shape in, shape out, also without a batch (torch/nn/modules/instancenorm.py: _InstanceNorm)."""

    name: str
    rank: int
    num_features: Any
    affine: Any = False
    bias: Any = True
    tracks: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if self.affine is True and isinstance(self.num_features, float | str) and (
                wrong := negative("num_features", self.num_features)):
            yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = (self.rank + 1, self.rank + 2)
        error = f'ValueError "expected {wanted[0]}D or {wanted[1]}D input (got {x.rank}D input)"'
        if wrong := rank_problem(x, wanted, self.name, error):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_()
        if all(extent == 1 for extent in x.shape[len(x.shape) - self.rank:]) and self.tracks is False:
            return Mismatch(Problem.INVALID_ARGUMENT, f"{self.name} of 1 value per channel: {x}",
                            help="more than one spatial element, or another normalisation",
                            error='ValueError "Expected more than 1 spatial element when training, got input size '
                                  f'{torch_size(x.shape if len(x.shape) > self.rank + 1 else (1, *x.shape))}"')
        if flag(self.affine) is not True:
            return x.with_()
        axis = len(x.shape) - self.rank - 1
        if may_equal(count(self.num_features), x.shape[axis]):
            return x.with_()
        return Mismatch(Problem.CHANNELS, f"{self.name} has {self.num_features} features, its input {x.shape[axis]} "
                        f"channels: {x}", help=f"{self.name}({x.shape[axis]})",
                        error=f"ValueError \"expected input's size at dim={axis} to match num_features "
                              f'({self.num_features}), but got: {x.shape[axis]}."',
                        facts=(("expected", self.num_features), ("actual", x.shape[axis])))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return affine_weights((count(self.num_features),), self.affine, self.bias)


@record(frozen=True, slots=True)
class GroupNorm(Module):
    """Shape in, shape out; num_groups divides num_channels (torch/nn/modules/normalization.py: GroupNorm)."""

    num_groups: Any
    num_channels: Any
    affine: Any = True
    bias: Any = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if self.affine is True and isinstance(self.num_channels, float) and (
                wrong := negative("num_channels", self.num_channels)):
            yield wrong
        for name in ("num_groups", "num_channels"):
            if isinstance(given := getattr(self, name), tuple | list) and (wrong := negative(name, given)):
                yield wrong
                return
        if is_known(self.num_groups) and is_known(self.num_channels) and self.num_groups > 0 \
                and self.num_channels % self.num_groups:
            yield Mismatch(Problem.GROUPS, f"num_channels {self.num_channels} is not divisible by num_groups "
                           f"{self.num_groups}", help="num_groups must divide num_channels", argument="num_groups",
                           error=f'ValueError "num_channels ({self.num_channels}) must be divisible by num_groups '
                                 f'({self.num_groups})" or "num_channels must be divisible by num_groups"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := not_whole("num_groups", self.num_groups):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_()
        if len(x.shape) < 2:
            return Mismatch(Problem.RANK, f"GroupNorm needs at least 2 axes, its input has {len(x.shape)}: {x}",
                            error=f'RuntimeError "Expected at least 2 dimensions for input tensor but received '
                                  f'{len(x.shape)}"', facts=(("expected", 2), ("actual", len(x.shape))))
        if flag(self.affine) is not True:
            return self._ungrouped(x) or x.with_()
        if may_equal(count(self.num_channels), x.shape[1]):
            return x.with_()
        return Mismatch(Problem.CHANNELS, f"GroupNorm has {self.num_channels} channels, its input {x.shape[1]}: {x}",
                        help=f"GroupNorm({self.num_groups}, {x.shape[1]})",
                        error='RuntimeError "Expected weight to be a vector of size equal to the number of channels in '
                              f'input, but got weight of shape [{self.num_channels}] and input of shape '
                              f'{size(x.shape)}"', facts=(("expected", self.num_channels), ("actual", x.shape[1])))

    def _ungrouped(self, x: Tensor) -> Mismatch | None:
        assert isinstance(x.shape, tuple)
        groups, channels = self.num_groups, x.shape[1]
        if flag(self.affine) is None or not is_known(groups) or groups <= 0 or not isinstance(channels, int) \
                or channels % groups == 0:
            return None
        return Mismatch(Problem.GROUPS, f"{channels} channels are not divisible by num_groups {groups}",
                        argument="num_groups", help="num_groups must divide the channels",
                        error='RuntimeError "Expected number of channels in input to be divisible by num_groups"')

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return affine_weights((count(self.num_channels),), self.affine, self.bias)


@record(frozen=True, slots=True)
class LayerNorm(Module):
    """Shape in, shape out; the last axes are `normalized_shape` (aten/src/ATen/native/layer_norm.h)."""

    name: str
    normalized_shape: Any
    affine: Any = True
    bias: Any = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if wrong := not_whole("normalized_shape", self.normalized_shape):
            yield replace(wrong, error="TypeError \"'float' object is not iterable\" or \"must be tuple of ints, but "
                                       'found element of type float"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = self._shape()
        if isinstance(x.shape, Unknown) or isinstance(wanted, Unknown):
            return x.with_()
        last = x.shape[len(x.shape) - len(wanted):] if len(wanted) <= len(x.shape) else None
        if last is not None and all(map(may_equal, wanted, last)):
            return x.with_()
        error = (f'RuntimeError "Given normalized_shape={size(wanted)}, expected input with shape '
                 f'{size(wanted).replace("[", "[*, ")}, but got input of size{size(x.shape)}"')
        return Mismatch(Problem.CHANNELS, f"{self.name} normalises the last axes {size(wanted)}, its input is {x}",
                        error=error, facts=(("expected", wanted), ("actual", last)),
                        help=f"{self.name}({x.shape[-1]})" if len(wanted) == 1 and x.shape else "")

    def _shape(self) -> tuple[Dim, ...] | Unknown:
        return extents(self.normalized_shape)

    def variables(self) -> tuple[Weight, ...] | Unknown:
        shape = self._shape()
        return shape if isinstance(shape, Unknown) else affine_weights(shape, self.affine, self.bias)


def _register() -> None:
    for rank, ranks in ((1, (2, 3)), (2, (4,)), (3, (5,))):
        layer(f"torch.nn.BatchNorm{rank}d")(_batch(f"BatchNorm{rank}d", ranks))
        layer(f"torch.nn.LazyBatchNorm{rank}d")(_lazy_batch(f"LazyBatchNorm{rank}d", ranks))
        layer(f"torch.nn.InstanceNorm{rank}d")(_instance(rank))


def _batch(name: str, ranks: tuple[int, ...]) -> Any:
    def batch_norm(num_features: Any, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = True,
                   track_running_stats: Any = True, device: Any = None, dtype: Any = None, *,
                   bias: Any = True) -> BatchNorm:
        features = Unknown("None") if num_features is None else num_features
        return BatchNorm(name, ranks, features, eps, affine, track_running_stats, bias)

    return batch_norm


def _lazy_batch(name: str, ranks: tuple[int, ...]) -> Any:
    def lazy_batch_norm(eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = True, track_running_stats: Any = True,
                        device: Any = None, dtype: Any = None, *, bias: Any = True) -> BatchNorm:
        return BatchNorm(name, ranks, None, eps, affine, track_running_stats, bias)

    return lazy_batch_norm


def _instance(rank: int) -> Any:
    def instance_norm(num_features: Any, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = False,
                      track_running_stats: Any = False, device: Any = None, dtype: Any = None, *,
                      bias: Any = True) -> InstanceNorm:
        return InstanceNorm(f"InstanceNorm{rank}d", rank, num_features, affine, bias, track_running_stats)

    return instance_norm


@layer("torch.nn.SyncBatchNorm")
def sync_batch_norm(num_features: Any, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = True,
                    track_running_stats: Any = True, process_group: Any = None, device: Any = None, dtype: Any = None,
                    *, bias: Any = True) -> BatchNorm:
    return BatchNorm("SyncBatchNorm", (), num_features, eps, affine, track_running_stats, bias)


@layer("torch.nn.GroupNorm")
def group_norm(num_groups: Any, num_channels: Any, eps: Any = 1e-5, affine: Any = True, device: Any = None,
               dtype: Any = None, *, bias: Any = True) -> GroupNorm:
    return GroupNorm(num_groups, num_channels, affine, bias)


@layer("torch.nn.LayerNorm")
def layer_norm(normalized_shape: Any, eps: Any = 1e-5, elementwise_affine: Any = True, bias: Any = True,
               device: Any = None, dtype: Any = None) -> LayerNorm:
    return LayerNorm("LayerNorm", normalized_shape, elementwise_affine, bias)


@layer("torch.nn.RMSNorm")
def rms_norm(normalized_shape: Any, eps: Any = None, elementwise_affine: Any = True, device: Any = None,
             dtype: Any = None) -> LayerNorm:
    return LayerNorm("RMSNorm", normalized_shape, elementwise_affine, False)


@function("torch.nn.functional.batch_norm")
def called_batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
                      training: Any = False, momentum: Any = 0.1, eps: Any = 1e-5) -> Outcome:
    if not isinstance(input, Tensor):
        return input if isinstance(input, Unknown) else Unknown("input")
    made = input.with_()
    if isinstance(eps, (int, float)) and eps < 0:
        return Mismatch(Problem.EPSILON, f"eps is {eps}", argument="eps", otherwise=made, facts=(("epsilon", eps),))
    return made


@function("torch.nn.functional.layer_norm")
def called_layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None,
                      eps: Any = 1e-5) -> Outcome:
    return LayerNorm("layer_norm", normalized_shape).infer(LayerCall(input))


@function("torch.nn.functional.rms_norm", "torch.rms_norm")
def called_rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Outcome:
    return LayerNorm("rms_norm", normalized_shape).infer(LayerCall(input))


@function("torch.nn.functional.instance_norm")
def called_instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
                         bias: Any = None, use_input_stats: Any = True, momentum: Any = 0.1,
                         eps: Any = 1e-5) -> Outcome:
    return input.with_() if isinstance(input, Tensor) else Unknown("input")


@function("torch.nn.functional.group_norm")
def called_group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Outcome:
    return input.with_() if isinstance(input, Tensor) else Unknown("input")


_register()
