"""What grappler leaves of a step: nothing that nobody needs, and once what is computed twice of the same operands.

tensorflow/core/grappler/optimizers: model_pruner.cc, common_subgraph_elimination.cc
"""

from __future__ import annotations

from collections.abc import Iterable

from cudnnlint.memory.once import once
from cudnnlint.ops.kernels.tape import FORWARD, UPDATE, Kernel, Tape, Value

COMMUTING = frozenset({"add", "mul"})
DETERMINED = COMMUTING | {
    "relu", "relu6", "elu", "selu", "sigmoid", "tanh", "softplus", "softsign", "exp", "log", "sqrt", "rsqrt", "neg",
    "sub", "div", "square", "power", "sqdiff", "mean", "sum", "max", "larger", "softmax", "log_softmax", "cast", "view",
    "pad", "spaced", "mask"}
"""Operations that are the same where kind, operands and size are."""
FUSED = frozenset({"bias", "relu", "relu6", "elu", "leaky_relu"})


def simplify(tape: Tape, roots: Iterable[Value]) -> None:
    """Keep what the roots and the updates of variables are made of."""
    _fold(tape)
    _fuse(tape)
    needed = _needed(tape, roots)
    once(tape, [kernel for place, kernel in enumerate(tape.kernels) if place in needed], _key, _stops(tape))


def pruned(tape: Tape, roots: Iterable[Value]) -> None:
    """Keep what the roots are made of, once (xla/service/hlo_dce.cc, hlo_cse.cc)."""
    needed = _needed(tape, roots)
    once(tape, [kernel for place, kernel in enumerate(tape.kernels) if place in needed], lambda kernel: None)


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


def _needed(tape: Tape, roots: Iterable[Value]) -> set[int]:
    todo = [value.made for value in roots if value.made >= 0]
    todo += [place for place, kernel in enumerate(tape.kernels) if kernel.phase == UPDATE]
    needed = set(todo)
    while todo:
        kernel = tape.kernels[todo.pop()]
        for value in kernel.inputs if kernel.after is None else (*kernel.inputs, kernel.after):
            if value.made >= 0 and value.made not in needed:
                needed.add(value.made)
                todo.append(value.made)
    return needed


def _key(kernel: Kernel) -> tuple[object, ...] | None:
    if kernel.kind not in DETERMINED:
        return None
    operands = [value.index for value in kernel.inputs]
    if kernel.kind in COMMUTING:
        operands.sort()
    after = -1 if kernel.after is None else kernel.after.index
    return kernel.kind, kernel.output.size, after, *operands
