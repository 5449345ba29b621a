"""What functions and modules of PyTorch refuse that compute floats only: integers and bools."""

from __future__ import annotations

from cudnnlint.ops.torch._core import NAMES
from cudnnlint.values import Mismatch, Problem, Tensor, is_integer

SHOWN = {"uint8": "Byte", "int8": "Char", **{name: NAMES[name].capitalize() for name in ("int16", "int32", "int64",
                                                                                        "bool")}}
"""What kernels call the dtype in their refusals (aten/src/ATen/Dispatch.h: AT_DISPATCH_SWITCH)."""


OTHERWISE = {"gumbel_softmax": "Exponential distribution is a continuous probability distribution",
             "normalize": "Expected a floating point or complex tensor as input"}
"""What is said by what comes before there is a kernel to look for."""


def of_integers(name: str, x: Tensor) -> Mismatch | None:
    """`F.softmax(labels, dim=1)`: there is no kernel for it, on the CPU or a GPU."""
    if x.kind != "torch" or not isinstance(x.dtype, str) or not (is_integer(x.dtype) is True or x.dtype == "bool"):
        return None
    told = OTHERWISE.get(name, f"not implemented for '{SHOWN.get(x.dtype, x.dtype)}'")
    return Mismatch(Problem.DTYPE, f"{name} computes floats, got {x}", help="x.float() first",
                    error=f'NotImplementedError or RuntimeError "{told}"', facts=(("dtype", x.dtype),))
