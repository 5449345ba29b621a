"""In which order grappler leaves the operations of a step, which is that in which an executor finds them ready.

The graph is walked from what it must compute, by the names of the operations, the last one first, and from each
operation to its last input first (tensorflow/core/grappler/utils/transitive_fanin.cc: ComputeTransitiveFanin, called by
model_pruner.cc); what was reached first stands last. Sorting by what each operation waits for keeps that order among
those that become ready together (topological_sort.cc). The names are those of the updates of variables, which are
numbered: "AssignSubVariableOp_9" comes after "AssignSubVariableOp_10". What remapper.cc changes afterwards by walking
forwards (mutable_graph_view.cc: SortTopologically) hangs on the order of all constants and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from cudnnlint.ops.kernels.maths import SHAPE
from cudnnlint.ops.kernels.tape import Kernel, Value

FIRST: Mapping[str, tuple[int, int, int]] = {
    "adam": (4, 3, 0), "amsgrad": (4, 3, 0), "momentum": (3, 2, 0), "nesterov": (4, 2, 0), "adamax": (4, 2, 0),
    "rmsprop_momentum": (2, 1, 0), "muon": (21, 1, 2),
}
"""Of the operations of an optimizer that read what a variable's gradient changed, those whose name comes last: number k
of n variables has an operation with the number a * k + b + c * n: "adam/Mul_7/ReadVariableOp" reads the first slot of
the second variable (keras/src/optimizers/*.py: update_step). k itself where an optimizer is not told of."""
DECAYED: Mapping[str, int] = {"sgd": 1, "momentum": 2, "adam": 2}
"""What weight decay adds to c: it counts n operations more before the updates."""


Ends = Sequence[tuple[tuple[Any, ...], Sequence[Value]]]
Places = int | tuple[int, ...]
"""Numbers of kernels or values; mostly there is one, and it stands by itself: to make so many tuples takes longer."""


def edges(kernels: Sequence[Kernel], shapes: bool = True) -> tuple[list[Places], list[Places]]:
    """Of each kernel the indexes of its operands, and the kernels that it runs after: those that make its operands, and
    what it waits for; without `shapes` as if the graph knew the batch."""
    reads, before = list[Places](), list[Places]()
    for kernel in kernels:
        inputs = kernel.inputs
        if len(inputs) == 1:
            value = inputs[0]
            reads.append(value.index)
            found: Places = value.made if value.made >= 0 else ()
        else:
            reads.append(tuple([value.index for value in inputs]))
            found = tuple([value.made for value in inputs if value.made >= 0])
        if kernel.after is not None and kernel.after.made >= 0 and (
                shapes or kernels[kernel.after.made].kind != SHAPE):
            found = (found, kernel.after.made) if isinstance(found, int) else (*found, kernel.after.made)
        before.append(found)
    return reads, before


def ranked(before: Sequence[Places], ends: Ends) -> list[int]:
    """For each kernel its rank: of those that become ready together, the lowest runs first. `before`: the kernels that
    each runs after, in the order in which it reads them; `ends`: of each optimizer, by which they are sorted, what the
    updates of variables end in, in the order in which they are walked from."""
    rank = [0] * len(before)
    found = 0
    starts = (value.made for _, values in sorted(ends, key=itemgetter(0), reverse=True) for value in values)
    for start in (*starts, *range(len(before) - 1, -1, -1)):
        todo = [start] if start >= 0 and not rank[start] else []
        while todo:
            place: Any = todo.pop()
            while place.__class__ is int and not rank[place]:
                found -= 1
                rank[place] = found
                place = before[place]
            if place.__class__ is not int:
                todo += place
    return rank


def last_names_first(count: int, update: str, decays: bool = False) -> list[int]:
    """The variables of an optimizer, by the names of their updates."""
    factor, start, more = FIRST.get(update, (1, 0, 0))
    start += count * (more + (DECAYED.get(update, 0) if decays else 0))
    return sorted(range(count), key=lambda place: str(factor * place + start or ""), reverse=True)
