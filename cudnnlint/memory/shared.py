"""What grappler leaves of a step: nothing that nobody needs, and once what is computed twice of the same operands.

tensorflow/core/grappler/optimizers: model_pruner.cc, common_subgraph_elimination.cc
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from cudnnlint.memory.once import once
from cudnnlint.ops.kernels.tape import FORWARD, UPDATE, Kernel, Tape, Value

COMMUTING = frozenset({"add", "mul"})
DETERMINED = COMMUTING | {
    "relu", "relu6", "elu", "selu", "sigmoid", "tanh", "softplus", "softsign", "exp", "log", "sqrt", "rsqrt", "neg",
    "sub", "div", "square", "power", "sqdiff", "mean", "sum", "max", "larger", "softmax", "log_softmax", "cast", "view",
    "pad", "spaced", "mask", "zeros_like"}
"""Operations that are the same where kind, operands and size are."""
FUSED = frozenset({"bias", "relu", "relu6", "elu", "leaky_relu"})


def simplify(tape: Tape, roots: Iterable[Value]) -> None:
    """Keep what the roots and the updates of variables are made of."""
    _fold(tape)
    _fuse(tape)
    once(tape, _needed(tape, roots), _key, DETERMINED, _stops(tape))


def pruned(tape: Tape, roots: Iterable[Value]) -> None:
    """Keep what the roots are made of, once (xla/service/hlo_dce.cc, hlo_cse.cc)."""
    once(tape, _needed(tape, roots))


def _stops(tape: Tape) -> set[int]:
    """What stop_gradient() gives: read as what it was given, now that the gradients are there (model_pruner.cc:
    IsTrivialIdentity), it may be the same as what else is computed of that."""
    return {kernel.output.index for kernel in tape.kernels if kernel.kind == "view" and not kernel.output.trained
            and kernel.phase == FORWARD and kernel.inputs[0].trained and kernel.output.size == kernel.inputs[0].size}


def _fold(tape: Tape) -> None:
    """Products read matrices before they are transposed (arithmetic_optimizer.cc: FoldTransposeIntoMatMul)."""
    folded = {kernel.output.index: kernel.inputs[0] for kernel in tape.kernels if kernel.kind == "folded"}
    for kernel in tape.kernels if folded else ():
        if kernel.kind == "contract":
            kernel.inputs = tuple(folded.get(value.index, value) for value in kernel.inputs)


def _fuse(tape: Tape) -> None:
    """A convolution that nothing is trained through, its bias and its activation are one operation (remapper.cc:
    FindContractionWithBiasAndActivation): what else runs meanwhile comes less far. What is left over is not needed."""
    fixed = [kernel for kernel in tape.kernels if kernel.kind in FUSED and kernel.phase == FORWARD
             and not kernel.output.trained and kernel.inputs[0].made >= 0]
    if not fixed:
        return
    readers, biased = dict[int, int](), set[int]()
    for kernel in tape.kernels:
        for value in kernel.inputs:
            readers[value.index] = readers.get(value.index, 0) + 1
    for kernel in fixed:
        before = tape.kernels[kernel.inputs[0].made]
        if readers[before.output.index] == 1 and (
                before.kind == "convolve" if kernel.kind == "bias" else before.output.index in biased):
            if kernel.kind == "bias":
                biased.add(kernel.output.index)
            kernel.inputs, kernel.kind, kernel.reuse = (*before.inputs, *kernel.inputs[1:]), "convolve", False


def _needed(tape: Tape, roots: Iterable[Value]) -> list[Kernel]:
    """In order. What a kernel reads mostly stands before it: one walk back finds all but what stands behind."""
    kernels = tape.kernels
    found = bytearray(len(kernels))
    behind = [value.made for value in roots if value.made >= 0]
    for place in behind:
        found[place] = 1
    behind.clear()
    for kernel in reversed(kernels):
        place = kernel.output.made
        if found[place] or kernel.phase == UPDATE:
            found[place] = 1
            for value in kernel.inputs if kernel.after is None else (*kernel.inputs, kernel.after):
                made = value.made
                if made > place and not found[made]:
                    behind.append(made)
                if made >= 0:
                    found[made] = 1
    while behind:
        kernel = kernels[behind.pop()]
        for value in kernel.inputs if kernel.after is None else (*kernel.inputs, kernel.after):
            if value.made >= 0 and not found[value.made]:
                found[value.made] = 1
                behind.append(value.made)
    return list(compress(kernels, found))


def _key(kernel: Kernel) -> tuple[object, ...]:
    operands = [value.index for value in kernel.inputs]
    if kernel.kind in COMMUTING:
        operands.sort()
    after = -1 if kernel.after is None else kernel.after.index
    size = kernel.output.size
    return kernel.kind, size.fixed, size.each, size.item, after, *operands
