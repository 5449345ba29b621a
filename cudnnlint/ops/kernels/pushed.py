"""Factors of gradients that grappler moves to the way forward, where they are computed ahead and kept.

tensorflow/core/grappler/optimizers/constant_folding.cc: ConstantPushDown makes c * (x * y) of a number and what nobody
else reads (c * x) * y. Operands stand in the order of their names (common_subgraph_elimination.cc: CanonicalizeNode):
x is of the way forward where the model's name comes before "gradient_tape".
"""

from __future__ import annotations

from collections.abc import Collection

from cudnnlint.ops.kernels.tape import BACKWARD, Kernel, Tape

WIDE = 4
"""Bytes of the smallest elements that are reordered: no half precision."""


def push_down(t: Tape, start: int, wanted: Collection[int]) -> None:
    """In the kernels of the way back, from `start` on; `wanted`: values that are read besides."""
    kernels = t.kernels
    scales = [kernel for kernel in kernels[start:] if kernel.kind == "scale" and len(kernel.inputs) == 1
              and kernel.after is None and kernel.inputs[0].made >= start]
    if not any(kernels[kernel.inputs[0].made].kind == "mul" for kernel in scales):
        return
    readers: dict[int, int] = {}
    for kernel in kernels[start:]:
        for value in kernel.inputs:
            readers[value.index] = readers.get(value.index, 0) + 1
    for kernel in scales:
        product = kernel.inputs[0]
        if readers[product.index] == 1 and product.index not in wanted:
            _pushed(kernels[product.made], kernel, start)


def _pushed(product: Kernel, kernel: Kernel, start: int) -> None:
    """The product becomes that of the number and the operand of the way forward, and the scaling the product."""
    if product.kind != "mul" or product.phase != BACKWARD or product.after is not None:
        return
    forward = [value for value in product.inputs if 0 <= value.made < start and value.size.item >= WIDE]
    back = [value for value in product.inputs if value.made >= start]
    if len(forward) != 1 or len(back) != 1:
        return
    product.kind, product.inputs, product.output.size = "scale", (forward[0],), forward[0].size
    kernel.kind, kernel.inputs = "mul", (back[0], product.output)
