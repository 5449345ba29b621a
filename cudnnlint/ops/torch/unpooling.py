"""What undoes a max pooling of PyTorch, given the indices that it returned."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.protocol import LayerCall, Outcome, function, layer
from cudnnlint.ops.torch._core import Module, assumed, parts, rank_problem, shown, spread
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown


@record(frozen=True, slots=True)
class Unpooling(Module):
    """(N, C, *spatial) or (C, *spatial) -> the same with the extents before the pooling, or with those of `output_size`
    (torch/nn/functional.py: _unpool_output_size)."""

    name: str
    rank: int
    kernel_size: Any
    stride: Any = None
    padding: Any = 0

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = (self.rank + 1, self.rank + 2)
        if wrong := rank_problem(x, wanted, self.name, f'RuntimeError "Input to {self.name} should be a'):
            return wrong
        given = dict(zip(("indices", "output_size"), call.args, strict=False)) | dict(call.kwargs)
        if wrong := _other_indices(x, given.get("indices")):
            return wrong
        at = parts(x, self.rank)
        after = self._asked(given.get("output_size"), self._undone(at.spatial))
        if isinstance(after, Mismatch):
            return after
        return assumed(x, self.name, self.rank + 2, at.shape(at.channel, after))

    def _undone(self, spatial: Shape) -> Shape:
        steps = self.kernel_size if self.stride is None or self.stride in ([], ()) else self.stride
        given = (spread(value, self.rank) for value in (self.kernel_size, steps, self.padding))
        made = (lift(lambda n, k, s, p: (n - 1) * s + k - 2 * p, n, *rest)
                for n, *rest in zip(spatial, *given, strict=True))
        return tuple(Unknown("a negative extent") if isinstance(dim, int) and dim < 0 else dim for dim in made)

    def _asked(self, wanted: Any, default: Shape) -> Shape | Mismatch:
        """The last axes of `output_size`, each less than a stride away from the default."""
        if wanted is None:
            return default
        if not isinstance(wanted, (list, tuple)) or len(wanted) not in (self.rank, self.rank + 2):
            return (Unknown("output_size"),) * self.rank
        asked: tuple[Dim, ...] = tuple(dim if isinstance(dim, int) and dim >= 0 else Unknown("output_size")
                                       for dim in wanted[-self.rank:])
        strides = spread(self.kernel_size if self.stride is None else self.stride, self.rank)
        for axis, (dim, usual, step) in enumerate(zip(asked, default, strides, strict=True)):
            if isinstance(dim, int) and isinstance(usual, int) and isinstance(step, int) and abs(dim - usual) >= step:
                return Mismatch(
                    Problem.INVALID_ARGUMENT, f"output_size is {shown(tuple(wanted))}: {dim} does not lie between "
                    f"{usual - step} and {usual + step}", argument="output_size", help="the size before the pooling",
                    error=f'ValueError "invalid output_size "{shown(tuple(wanted))}" (dim {axis} must be between '
                          f'{usual - step} and {usual + step})"')
        return asked


def _other_indices(x: Tensor, indices: Any) -> Mismatch | None:
    """aten/src/ATen/native/MaxUnpooling.cpp: max_unpooling2d_forward_out_cpu"""
    if not isinstance(indices, Tensor) or not isinstance(x.shape, tuple) or not isinstance(indices.shape, tuple):
        return None
    if len(indices.shape) == len(x.shape) and not any(
            type(one) is int and type(other) is int and one != other
            for one, other in zip(indices.shape, x.shape, strict=True)):
        return None
    return Mismatch(
        Problem.MERGE, f"indices {indices} beside {x}: each value needs one", help="the indices of the pooling that "
        "gave this shape", error="RuntimeError \"Expected shape of indices to be same as that of the input tensor\"")


def _register() -> None:
    for rank in (1, 2, 3):
        layer(f"torch.nn.MaxUnpool{rank}d")(_module(rank))
        function(f"torch.nn.functional.max_unpool{rank}d")(_called(rank))


def _module(rank: int) -> Any:
    def max_unpool(kernel_size: Any, stride: Any = None, padding: Any = 0) -> Unpooling:
        return Unpooling(f"MaxUnpool{rank}d", rank, kernel_size, stride, padding)

    return max_unpool


def _called(rank: int) -> Any:
    def max_unpool(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                   output_size: Any = None) -> Outcome:
        op = Unpooling(f"max_unpool{rank}d", rank, kernel_size, stride, padding)
        return op.infer(LayerCall(input, args=(indices, output_size)))

    return max_unpool


_register()
