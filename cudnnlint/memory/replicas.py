"""What replicas add to a step: the gradients of all are packed, added up, and unpacked before any weight is updated."""

from __future__ import annotations

from cudnnlint.ops.kernels.tape import Size, Tape, Value

NAME = "all-reduce"


def all_reduced(tape: Tape, grads: dict[int, Value], replicas: int, layer: int) -> dict[int, Value]:
    """Gradients by variable, added up over the replicas: all dense ones in one pack (tensorflow/python/distribute/
    cross_device_ops.py: CollectiveAllReduce._all_reduce, options.bytes_per_pack is 0; cross_device_utils.py:
    batch_all_reduce), which is reduced where it lies (collective_ops.cc: CollectiveReduceV2OpKernel). Those of some
    rows of a table are gathered from all replicas (cross_device_utils.py: all_reduce_indexed_slices)."""
    whole = {variable.index: variable.size for variable, _ in tape.variables}
    dense = {index: grad for index, grad in grads.items() if _same(grad.size, whole.get(index))}
    outer, tape.layer = tape.layer, layer
    found = {index: tape.run("all_gather", (grad,), grad.size.times(replicas))
             for index, grad in grads.items() if index not in dense}
    if dense:
        size = Size(sum(grad.size.fixed * grad.size.item for grad in dense.values()), 0, 1)
        pack = tape.run("pack", tuple(dense.values()), size)
        pack = tape.run("all_reduce", (pack,), size, reuse=True)
        found |= {index: tape.run("split", (pack,), grad.size) for index, grad in dense.items()}
    tape.layer = outer
    return {index: found[index] for index in grads}


def _same(size: Size, other: Size | None) -> bool:
    return other is not None and (size.fixed, size.each) == (other.fixed, other.each)
