"""What has no length, or one that is no whole number."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Unknown

ROUNDED = frozenset({"ceil", "floor", "round", "rint", "trunc"})
"""Functions of NumPy that give a float for a float."""


def tell_of_unsized(m: Machine, dataset: Any, span: Span) -> None:
    """`len(dataset)` of a generator's elements, of what filter() leaves, or of what is repeated for ever
    (tensorflow/python/data/ops/dataset_ops.py: DatasetV2.__len__)."""
    if (why := dataset.unsized) and is_certain(m):
        endless = "infinite" in why
        which = "without end" if endless else "of which TensorFlow knows no length"
        refuse(m, span, Mismatch(
            Problem.UNEXPECTED, f"len() of a dataset {which}",
            help="the number before repeat(), or steps_per_epoch by hand" if endless else
            "count them where they come from, or tell with dataset.apply(tf.data.experimental.assert_cardinality(n))",
            error=f'TypeError "{why}"'), what="Dataset", assumptions=dataset.assumptions)


def tell_of_fraction(m: Machine, owner: Any, length: Any, span: Span) -> None:
    """`def __len__(self): return np.ceil(len(self.x) / self.size)`, which Python wants as an int."""
    method, held = method_with_length(owner), plain(length)
    if method is None or not is_certain(m) or not (isinstance(held, float | tuple) or (
            isinstance(held, Unknown) and _is_float(method.node, method.module.scope))):
        return
    made = next((node for node in ast.walk(method.node) if isinstance(node, ast.Return)), method.node)
    there = method.module.source.span(made)
    several = isinstance(held, tuple)
    refuse(m, there, Mismatch(
        Problem.UNEXPECTED, f"__len__() of {owner.cls.name} gives a {'tuple' if several else 'float'}",
        help="one number of it: x.shape[0]" if several else "int(...) of it, math.ceil(a / b), or a // b",
        error="TypeError \"object cannot be interpreted as an integer\"" if several else
        "TypeError \"'float' object cannot be interpreted as an integer\" or \"'numpy.float64' object\"",
        facts=(("elsewhere", (span, "asked for here")),)), what=owner.cls.name, assumptions=assumptions_of(length))


def tell_of_range(m: Machine, values: Sequence[Any], node: ast.AST) -> None:
    """`range(depth / 2)`, which Python 2 took of two integers and nothing of today runs on."""
    if not isinstance(node, ast.Call) or len(node.args) != len(values) or m.stack.tensorflow < OF_PYTHON_3 \
            or not is_meant(m) or m.trying or m.handlers:
        return
    for value, written in zip(values, node.args, strict=True):
        held = plain(value)
        if isinstance(held, float) or (isinstance(held, Unknown) and _is_quotient(written)):
            refuse(m, m.span(node), Mismatch(
                Problem.INVALID_ARGUMENT, f"range() is given {float(held) if isinstance(held, float) else 'a quotient'}"
                ", not an integer", help="use // where / divides two integers, or int(...) of it",
                error="TypeError \"'float' object cannot be interpreted as an integer\"",
                facts=(("moment", "when it runs"),)), what="range", assumptions=assumptions_of(value))
            return


OF_PYTHON_3 = (2, 1)
"""The first TensorFlow that does not run on Python 2, of whose integers `/` makes an integer."""


def method_with_length(owner: Any) -> FunctionV | None:
    """The `__len__` that the program gave the class of an object."""
    found = owner.cls.lookup("__len__") if isinstance(owner, InstanceV) else MISSING
    found = found.function if isinstance(found, BoundV) else found
    return found if isinstance(found, FunctionV) and not getattr(found.node, "decorator_list", ()) else None


def _is_float(node: ast.AST, scope: Any) -> bool:
    """Whether all that it returns is divided by `/`, and at most rounded by NumPy after."""
    returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
    return bool(returned) and all(each is not None and _is_quotient(each) for each in returned)


def _is_quotient(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name), args=[only], keywords=[]):
            return name in ROUNDED and _is_quotient(only)
    return False
