"""Places and values on grids in PyTorch: meshgrid, affine_grid, grid_sample."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions._core import given, numbers
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import size as shown_size
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown


@function("torch.meshgrid")
def meshgrid(a: Any, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None, g: Any = None,
             *more: Any, indexing: Any = "ij") -> Outcome:
    """One tensor for each of vectors or scalars, all of one shape, an axis for each; "xy" swaps the first two
    (aten/src/ATen/native/TensorShape.cpp: meshgrid)."""
    along = given(a, b, c, d, e, f)
    if len(along) == 1 and isinstance(along[0], (list, tuple)):
        along = tuple(along[0])
    if not along or g is not None or not all(isinstance(one, Tensor) for one in along) or indexing not in ("ij", "xy"):
        return Unknown("meshgrid()")
    for one in along:
        if one.rank is not None and one.rank > 1:
            return Mismatch(Problem.RANK, f"meshgrid takes vectors, one of its inputs has {one.rank} axes: {one}",
                            error='RuntimeError "torch.meshgrid: Expected 0D or 1D tensor in the tensor list"',
                            facts=(("expected", 1), ("actual", one.rank)))
    extents: list[Dim] = [one.shape if isinstance(one.shape, Unknown) else (*one.shape, 1)[0] for one in along]
    if indexing == "xy":
        extents[:2] = extents[1::-1]
    return tuple(one.with_(shape=tuple(extents)) for one in along)


@function("torch.nn.functional.affine_grid")
def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Outcome:
    """(N, 2, 3) and (N, C, H, W) -> (N, H, W, 2); (N, 3, 4) and (N, C, D, H, W) -> (N, D, H, W, 3)
    (torch/nn/functional.py: affine_grid)."""
    asked = numbers(size)
    if not isinstance(theta, Tensor) or isinstance(asked, Unknown) or len(asked) not in (4, 5):
        return Unknown("affine_grid()")
    places = len(asked) - 2
    if theta.rank is not None and theta.rank != 3:
        return Mismatch(Problem.RANK, f"affine_grid takes matrices (N, {places}, {places + 1}), not {theta}",
                        error=f'ValueError "Expected a batch of {places}D affine matrices of shape '
                              f'Nx{places}x{places + 1} for size ..."', facts=(("expected", 3), ("actual", theta.rank)))
    return theta.with_(shape=(asked[0], *asked[2:], places))


@function("torch.nn.functional.grid_sample")
def grid_sample(input: Any, grid: Any, mode: Any = "bilinear", padding_mode: Any = "zeros",
                align_corners: Any = None) -> Outcome:
    """(N, C, H, W) at (N, h, w, 2) -> (N, C, h, w), and so of three axes
    (aten/src/ATen/native/GridSamplerUtils.h: check_grid_sampler_common)."""
    if not isinstance(input, Tensor) or not isinstance(grid, Tensor):
        return Unknown("grid_sample()")
    if not isinstance(input.shape, tuple) or not isinstance(grid.shape, tuple) or len(input.shape) not in (4, 5):
        return input.with_(shape=Unknown("a grid"))
    sizes = f"input with sizes {shown_size(input.shape)} and grid with sizes {shown_size(grid.shape)}"
    rank, places = len(input.shape), len(input.shape) - 2
    if len(grid.shape) != rank:
        return Mismatch(Problem.RANK, f"grid_sample: the grid of {input} needs {rank} axes, it has {len(grid.shape)}: "
                                      f"{grid}", facts=(("expected", rank), ("actual", len(grid.shape))),
                        error=f'RuntimeError "grid_sampler(): expected {rank}D input and grid with same number of '
                              f'dimensions, but got {sizes}"')
    if not may_equal(input.shape[0], grid.shape[0]):
        return Mismatch(Problem.BROADCAST, f"grid_sample: batches of {input.shape[0]} and {grid.shape[0]}: {input} and "
                                           f"{grid}", facts=(("shapes", (input.shape, grid.shape)),),
                        help="one grid for each sample: grid.expand(x.shape[0], ...)",
                        error='RuntimeError "grid_sampler(): expected grid and input to have same batch size, but got '
                              f'{sizes}"')
    if not may_equal(grid.shape[-1], places):
        return Mismatch(Problem.CHANNELS, f"grid_sample: the last axis of the grid is {grid.shape[-1]}, not {places}: "
                                          f"{grid}", facts=(("expected", places), ("actual", grid.shape[-1])),
                        help="coordinates run along the last axis",
                        error=f'RuntimeError "grid_sampler(): expected grid to have size {places} in last dimension, '
                              f'but got grid with sizes {shown_size(grid.shape)}"')
    return input.with_(shape=(*input.shape[:2], *grid.shape[1:-1]))
