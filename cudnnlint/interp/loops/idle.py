"""Training loops of the program's own that never turn: over a dataset without batches, or a count that comes to 0."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.quoting import quoted
from cudnnlint.interp.objects import RangeV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem

TRAINING = frozenset({"GradientTape", "apply_gradients", "train_on_batch", "train_step", "minimize", "backward"})
"""What a loop that trains calls."""


def tell_of_no_turns(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any) -> None:
    """`for i in range(len(x) // batch_size):` of fewer rows than a batch; a count of epochs may be 0 on purpose."""
    held = plain(iterable)
    if m.uncalled or m.uncertain or m.trying or not _is_empty(node, held) or not _trains(node) or _is_handed(m, node):
        return
    told = f"{quoted(node.iter, 60)} has no turns" if isinstance(held, RangeV) else "the dataset has no batches"
    refuse(m, m.span(node.iter), Mismatch(Problem.IDLE, f"{told}: the loop that trains does nothing"),
           what="for", assumptions=assumptions_of(iterable), stage="call")


def tell_of_no_first(m: Machine, value: Any, span: Span) -> None:
    """`next(iter(dataset))` of a dataset without elements."""
    if getattr(value, "cardinality", None) == 0 and is_certain(m):
        refuse(m, span, Mismatch(Problem.IDLE, "next() of a dataset that has no elements", error="StopIteration"),
               what="next", stage="call")


def tell_of_loader(m: Machine, path: str, span: Span) -> None:
    """`next(loader)` (torch/utils/data/dataloader.py: DataLoader has __iter__ and no __next__), `next(dataset)`."""
    if not (m.trying or m.handlers):
        kind, name = ("DataLoader", "loader") if path.startswith("torch.") else ("tf.data.Dataset", "dataset")
        raised = f"'{kind}' object" if name == "loader" else "object"  # datasets are of many classes
        refuse(m, span, Mismatch(
            Problem.UNEXPECTED, f"next() is given a {kind}, which is no iterator itself",
            help=f"next(iter({name})); batches = iter({name}) before the loop where each is to be another one",
            error=f'TypeError "{raised} is not an iterator"'), what="next", stage="call")


def _is_empty(node: ast.For | ast.AsyncFor, held: Any) -> bool:
    if not isinstance(held, RangeV):
        return getattr(held, "cardinality", None) == 0
    written = node.iter
    if len(held.range) or held.range.stop or not isinstance(written, ast.Call) or len(written.args) != 1:
        return False
    return not isinstance(written.args[0], ast.Constant) and "epoch" not in ast.unparse(written).lower()


def _is_handed(m: Machine, node: ast.For | ast.AsyncFor) -> bool:
    """`for _ in range(steps)` in a function that takes `steps`: whoever calls it with 0 means no step at all."""
    count, within = node.iter.args[0] if isinstance(node.iter, ast.Call) and node.iter.args else None, m.frame.function
    return isinstance(count, ast.Name) and within is not None and count.id in {
        arg.arg for arg in (*within.node.args.args, *within.node.args.kwonlyargs)}


def _trains(node: ast.For | ast.AsyncFor) -> bool:
    return any(isinstance(inner, ast.Attribute | ast.Name)
               and (inner.attr if isinstance(inner, ast.Attribute) else inner.id) in TRAINING
               for statement in node.body for inner in ast.walk(statement))
