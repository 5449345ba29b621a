"""Values unpacked to names: how many there are of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.source.walk import walk
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Where
from cudnnlint.values.packed import Packed


@runtime_checkable
class Counted(Protocol):
    """A list of arrays of which no more is known than how many there are."""

    counted: bool

    def iterated(self, m: Machine) -> Sequence[Any]: ...


OF_FOUR = Where(torch=">=1.1")
"""Where a packed sequence has four fields: (data, batch_sizes) before (torch/nn/utils/rnn.py: PackedSequence)."""


def tell_of_unpacking(m: Machine, targets: Sequence[ast.expr], value: Any, count: int) -> None:
    """`x, y, u, v = load_data()` of two pairs; in a try block that may be just what is tried."""
    held = plain(value)
    keyed = type(held) is DictV and not held.is_set
    held = tuple(held.items) if isinstance(held, ListV) or keyed else held
    if isinstance(held, Counted):
        held = tuple(held.iterated(m))
    if m.trying or m.handlers or not count or not targets or not isinstance(held, tuple | Tensor):
        return
    if m.conditions and _other_arm_fits(m, targets, count):
        return  # what decides between the two decided how many there are
    named = sum(not isinstance(target, ast.Starred) for target in targets)
    least = "at least " if named < len(targets) else ""
    packed = isinstance(held, Packed)
    refuse(m, m.span(targets[0]), Mismatch(
        Problem.UNPACKED, f"{least}{_names(named)} for {_values(held, count)}" + packed * " of a packed sequence"
        if not keyed else f"{least}{_names(named)} for the {_keys(count)} of a dict",
        help="x.data is what was packed, x.batch_sizes the second" if packed else _nested(targets, held)
        if not keyed else "what it holds is got by its key",
        where=OF_FOUR if packed else EVERYWHERE,
        error=f'ValueError "too many values to unpack (expected {named})"' if count > named else
        f'ValueError "not enough values to unpack (expected {least}{named}, got {count})"'),
        about=(held,) if isinstance(held, Tensor) else (), what="unpacking",
        assumptions=assumptions_of(value).union(*map(assumptions_of, held if isinstance(held, tuple) else ())))


def _other_arm_fits(m: Machine, targets: Sequence[ast.expr], count: int) -> bool:
    """Whether the other arm of the `if` around it unpacks the same to as many names as there are values."""
    within = m.frame.function.node if m.frame.function is not None else m.frame.module.source.tree()
    for node in walk(within):
        if isinstance(node, ast.If):
            for here, there in ((node.body, node.orelse), (node.orelse, node.body)):
                ours = next((value for names, value in _unpacked(here) if names[:1] == [*targets[:1]]), None)
                if ours is not None and any(len(names) == count and ast.unparse(value) == ast.unparse(ours)
                                            for names, value in _unpacked(there)):
                    return True
    return False


def _unpacked(body: Sequence[ast.stmt]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple | ast.List):
            yield statement.targets[0].elts, statement.value


def tell_of_symbolic(m: Machine, targets: Sequence[ast.expr], value: Any) -> None:
    """`output, state = LSTM(8)(x)`: a symbolic tensor has no rows to go through
    (keras/src/backend/common/keras_tensor.py: KerasTensor.__iter__)."""
    held = plain(value)
    inside = m.applying or m.symbolic or m.tracing or m.bodies
    if not isinstance(held, Tensor) or held.kind != "keras" or inside or m.trying or not targets:
        return
    refuse(m, m.span(targets[0]), Mismatch(
        Problem.UNPACKED, f"{_names(len(targets))} for one symbolic tensor, {held}",
        error='NotImplementedError "Iterating over a symbolic KerasTensor is not supported."' if m.stack.keras >= (3,)
        else 'TypeError "Cannot iterate over a Tensor with unknown first dimension."'),
        about=(held,), what="unpacking", assumptions=assumptions_of(value))


def tell_of_number(m: Machine, targets: Sequence[ast.expr], value: Any) -> None:
    """`loss, accuracy = model.evaluate(x, y)` of a model without metrics, which gives the loss alone."""
    held = plain(value)
    if not isinstance(held, Tensor) or held.shape != () or m.trying or m.handlers:
        return
    made = held.step is not None and held.step.maker == EVALUATED
    refuse(m, m.span(targets[0]), Mismatch(
        Problem.UNPACKED, f"{_names(len(targets))} for one number{', the loss' if made else ''}",
        help='compile(..., metrics=["accuracy"]), or one name' if made else "",
        error='TypeError "cannot unpack non-iterable float object" or "iteration over a 0-d"'),
        about=(held,), what="unpacking", assumptions=assumptions_of(value))


def tell_of_loss(m: Machine, loss: Tensor, key: Any, node: ast.AST) -> bool:
    """`model.evaluate(x, y)[1]` of a model without metrics, which gives the loss alone."""
    if loss.step is None or loss.step.maker != EVALUATED or m.trying or m.handlers:
        return False
    return refuse(m, m.span(node), Mismatch(
        Problem.INDEX, f"index {plain(key)} of one number, the loss that evaluate() gives",
        help='compile(..., metrics=["accuracy"]), or no index',
        error='TypeError "\'float\' object is not subscriptable"'), about=(loss,), what="index", stage="call")


EVALUATED = "keras.Model.evaluate"
"""Maker of the loss that evaluate() gives where there are no metrics."""


def _names(count: int) -> str:
    return "1 name" if count == 1 else f"{count} names"


def _keys(count: int) -> str:
    return "1 key" if count == 1 else f"{count} keys"


def _values(held: Any, count: int) -> str:
    """
    >>> _values((1, 2), 2), _values(((1, 2), (3, 4)), 2), _values(Tensor((32, 4)), 32)
    ('2 values', '2 values of 2 each', 'the 32 rows of float32[32, 4]')
    """
    if isinstance(held, Tensor):
        return f"the {count} rows of {held}"
    sizes = {len(item) for item in held if isinstance(item, tuple)} if all(
        isinstance(item, tuple) for item in held) else set()
    each = f" of {sizes.pop()} each" if len(sizes) == 1 else ""
    return f"{count} value{'' if count == 1 else 's'}{each}"


def _nested(targets: Sequence[ast.expr], held: Any) -> str:
    """How four names are written for two pairs."""
    flat = isinstance(held, tuple) and all(isinstance(item, tuple) and len(item) == 2 for item in held)
    if not flat or len(targets) != 2 * len(held) or not all(isinstance(target, ast.Name) for target in targets):
        return ""
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    pairs = ", ".join(f"({names[i]}, {names[i + 1]})" for i in range(0, len(names), 2))
    return f"write {pairs} on the left"
