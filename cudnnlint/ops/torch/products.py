"""Products of PyTorch that contract axes: matmul, mm, bmm, addmm, tensordot, einsum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions._core import given
from cudnnlint.ops.functions.einsum import einsum as any_einsum
from cudnnlint.ops.functions.matmul import matmul as any_matmul
from cudnnlint.ops.functions.matmul import outer as any_outer
from cudnnlint.ops.functions.matmul import tensordot as any_tensordot
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import NAMES
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


def _text(x: Tensor) -> str:
    return "x".join(str(dim) if isinstance(dim, int) else "..." for dim in x.shape) if isinstance(x.shape, tuple) \
        else "..."


def _of_two_dtypes(operands: tuple[Any, ...], name: str) -> Mismatch | None:
    """Factors are not promoted (aten/src/ATen/native/LinearAlgebra.cpp: addmm_impl_cpu_, dot_check, bmm)."""
    if not operands:
        return None
    first = operands[0]
    other = next((one for one in operands if one.dtype != first.dtype), first)
    if {first.kind, other.kind} != {"torch"} or not isinstance(first.dtype, str) or not isinstance(other.dtype, str) \
            or first.dtype == other.dtype or not {first.dtype, other.dtype} <= NAMES.keys():
        return None
    wide = {first.dtype, other.dtype} == {"float32", "float64"}
    return Mismatch(Problem.DTYPE, f"{name} of {first} and {other}: dtypes must be equal",
                    help=f"{'float()' if wide else f'to({first.dtype})'} of the {'float64' if wide else 'other'} one",
                    error='RuntimeError "expected m1 and m2 to have the same dtype, but got" or "expected scalar type '
                          f'{SHORT.get(first.dtype, first.dtype)} but found {SHORT.get(other.dtype, other.dtype)}" or '
                          '"expected both vectors to have same dtype"')


SHORT = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
         "int32": "Int"}


@function("torch.matmul", "torch.Tensor.__matmul__")
def matmul(input: Any, other: Any) -> Outcome:
    """(..., n, k) x (..., k, m) -> (..., n, m), also of vectors (aten/src/ATen/native/LinearAlgebra.cpp: matmul)."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        return input if isinstance(input, Unknown) else Unknown("a factor")
    if input.shape == () or other.shape == ():
        return Unknown("matmul of a scalar")
    if (wrong := _of_two_dtypes((input, other), "matmul")) is not None:
        return wrong
    made = any_matmul(input, other, "torch", "matmul")
    if not isinstance(made, Mismatch) or made.problem is not Problem.CHANNELS:
        return made
    if input.rank == 2 and other.rank == 2:
        return replace(made, error=f'RuntimeError "mat1 and mat2 shapes cannot be multiplied ({_text(input)} and '
                                   f'{_text(other)})"')
    return replace(made, error='RuntimeError "Expected size for first two dimensions of batch2 tensor to be: ..." or '
                               '"size mismatch"')


@function("torch.mm")
def mm(input: Any, mat2: Any) -> Outcome:
    return _ranked(input, mat2, 2, "mm", "mat2 must be a matrix")


@function("torch.spmm", "torch.smm", "torch.sparse.mm")
def spmm(input: Any, mat2: Any, reduce: Any = None) -> Outcome:
    """The first may be sparse, or not known: as many columns as the second (aten/src/ATen/native/sparse)."""
    if not isinstance(input, Tensor) and isinstance(mat2, Tensor) and mat2.rank == 2 and isinstance(mat2.shape, tuple):
        return mat2.with_(shape=(Unknown("rows of a sparse matrix"), mat2.shape[1]))
    made = _ranked(input, mat2, 2, "spmm", "mat2 must be a matrix")
    if not isinstance(made, Mismatch) or made.problem is Problem.DTYPE:
        return made
    of_sparse = 'IndexError "Dimension out of range"' if made.problem is Problem.RANK else \
        'RuntimeError "addmm: Argument #3 (dense): Expected dim 0 size ..."'
    return replace(made, error=f"{made.error} or {of_sparse}")


@function("torch.bmm")
def bmm(input: Any, mat2: Any) -> Outcome:
    """(b, n, k) x (b, k, m) -> (b, n, m): no broadcasting."""
    made = _ranked(input, mat2, 3, "bmm", "batch1 must be a 3D tensor")
    if not isinstance(made, Tensor) or not isinstance(input.shape, tuple) or not isinstance(mat2.shape, tuple) \
            or may_equal(input.shape[0], mat2.shape[0]):
        return made
    a, b = input.shape, mat2.shape
    return Mismatch(Problem.BROADCAST, f"bmm: batches of {a[0]} and {b[0]}: {input} and {mat2}",
                    error=f'RuntimeError "Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, '
                          f'{a[2]}] but got: [{b[0]}, {b[1]}]."', facts=(("shapes", (a, b)),))


@function("torch.dot", "torch.vdot")
def dot(input: Any, tensor: Any, *, out: Any = None) -> Outcome:
    """Two vectors of one length -> a number (aten/src/ATen/native/Blas.cpp: dot_check)."""
    if not isinstance(input, Tensor) or not isinstance(tensor, Tensor):
        return Unknown("dot() of what is not known")
    if (wrong := _of_two_dtypes((input, tensor), "dot")) is not None:
        return wrong
    ranks = input.rank, tensor.rank
    other = next((one for one in (input, tensor) if one.rank not in (1, None)), None)
    if other is not None:
        return Mismatch(Problem.RANK, f"dot takes two vectors, and is given {input} and {tensor}",
                        help="x @ y multiplies matrices, (x * y).sum(-1) row by row", error='RuntimeError "1D tensors '
                        'expected, but got"', facts=(("expected", 1), ("actual", other.rank)))
    if ranks == (1, 1) and isinstance(input.shape, tuple) and isinstance(tensor.shape, tuple) \
            and not may_equal(input.shape[0], tensor.shape[0]):
        return Mismatch(Problem.CHANNELS, f"dot: {input} and {tensor} differ in length",
                        error='RuntimeError "inconsistent tensor size, expected tensor"')
    return input.with_(shape=())


@function("torch.addmm")
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Outcome:
    """`input` is broadcast to the product and widens nothing (aten/src/ATen/native/LinearAlgebra.cpp: addmm)."""
    return mm(mat1, mat2)


@function("torch.baddbmm")
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Outcome:
    return bmm(batch1, batch2)


@function("torch.outer", "torch.ger")
def outer(input: Any, vec2: Any, *, out: Any = None) -> Outcome:
    """Vectors of n and m -> (n, m)."""
    vectors = isinstance(input, Tensor) and isinstance(vec2, Tensor) and input.rank == vec2.rank == 1
    return any_outer(input, vec2, "torch", "outer") if vectors else Unknown("outer()")


@function("torch.tensordot")
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Outcome:
    """The axes `dims` of both go: the last ones of a and the first of b, or those of two lists (torch/functional.py);
    an extent of 1 is summed on its own."""
    made = any_tensordot(a, b, dims, "torch", "tensordot")
    return Unknown("tensordot()") if isinstance(made, Mismatch) else made


def _ranked(a: Any, b: Any, rank: int, name: str, error: str) -> Outcome:
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return a if isinstance(a, Unknown) else Unknown("a factor")
    for x in (a, b):
        if x.rank is not None and x.rank != rank:
            return Mismatch(Problem.RANK, f"{name} needs {rank} axes, an input has {x.rank}: {x}",
                            error=f'RuntimeError "{error}"', facts=(("expected", rank), ("actual", x.rank)))
    return matmul(a, b)


@function("torch.einsum")
def einsum(equation: Any, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None) -> Outcome:
    operands = given(a, b, c, d, e)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not all(isinstance(one, Tensor) for one in operands):
        return Unknown("an operand")
    if (wrong := _of_two_dtypes(operands, "einsum")) is not None:
        return wrong
    made = any_einsum(equation, operands, "torch", "einsum")
    if not isinstance(made, Mismatch) or made.problem is Problem.INVALID_ARGUMENT:
        return made
    return replace(made, error='RuntimeError "which does not broadcast with previously seen size"'
                   if made.problem is Problem.CHANNELS else
                   'RuntimeError "does not match the number of dimensions"')
