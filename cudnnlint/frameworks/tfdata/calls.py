"""tf.data: the user's functions called on elements, as map() and its like do."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from cudnnlint.frameworks.tfdata.dataset import Given, as_element, called_as
from cudnnlint.frameworks.tfdata.refused import arity, refuse
from cudnnlint.frameworks.training.structure import resting
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.graphs.opened_extents import opened
from cudnnlint.interp.graphs.placeholders import placeholders
from cudnnlint.interp.graphs.tracing import graph
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import BoundV, FunctionV, PartialV
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.unknown import Features, Mapped

OF_MAPPED = ('InvalidArgumentError "Length for attr ... of 0 must be at least minimum 1" or ValueError '
             '"`predicate` must return a `tf.bool` scalar tensor"')
NO_ROOM = Unknown("a function with other parameters than the element has parts")


def on_element(given: Given, function: Any, element: Any, *before: Any) -> Any:
    """`function(*parts)`: a tuple is spread over the parameters, anything else is one argument; behind a state
    (`before`) it is one argument too.

    Returns the machine's value. tensorflow/python/data/ops/structured_function.py: StructuredFunctionWrapper.
    """
    c = given.call
    taken: Assumptions = given.taken | getattr(given.receiver, "assumptions", frozenset())
    fewest, most = parameters(function)
    if isinstance(element, Unknown) and type(element) is not Features:
        parts: tuple[Any, ...] = (element,) * (1 if before else max(1, fewest or 1) + _may_come(function))
    else:
        parts = element if type(element) is tuple and not before else (element,)  # named tuples stay whole
        count = len(before) + len(parts)
        if (fewest is not None and count < fewest) or (most is not None and count > most):
            method = called_as(c).rpartition(".")[2]
            refuse(c, method, element, arity(method, count, fewest, most), taken)
            return NO_ROOM
    m = c.machine
    outer, m.any_batch = m.any_batch, True
    try:
        handed = [*before, *(wrap(Mapped(part.why) if type(part) in (Unknown, Features) else resting(part, taken))
                             for part in parts)]
        method = called_as(c).rpartition(".")[2]
        with graph(m), placeholders(m, handed), opened(m, f"while {method}() traces the function"):
            made = m.call(function, handed, {}, c.node)
        if made is None and method in ("map", "filter"):
            tell_of_given_back(m, function, made, f"what {method}() needs of each element", OF_MAPPED, c.span)
        return made
    finally:
        m.any_batch = outer


def _may_come(function: Any) -> int:
    """How many parameters more an element may have parts for: `def read(image, label=None):`."""
    function = plain(function)
    held = plain(function.function) if isinstance(function, BoundV) else function
    if not isinstance(held, FunctionV):
        return 0
    named = tuple(takewhile(lambda default: plain(default) is None, held.defaults))
    count = len(held.node.args.posonlyargs) + len(held.node.args.args)
    return len(named) if len(held.defaults) < count else max(0, len(named) - 1)


def new_element(given: Given, value: Any) -> Any:
    """What a function returned, as the structure of an element."""
    found: set[Any] = set()
    return resting(as_element(strip(value, found), given.call.span), frozenset(found))


def parameters(function: Any) -> tuple[int | None, int | None]:
    """The fewest and the most positional arguments that a user's function takes; None where not known."""
    function = plain(function)
    if isinstance(function, BoundV):
        fewest, most = parameters(function.function)
        return (None if fewest is None else max(0, fewest - 1), None if most is None else most - 1)
    if isinstance(function, PartialV):
        fewest, most = parameters(function.function)
        names = [name for name in _names(function.function) if name in function.kwargs]
        used = len(function.args)
        return (None if fewest is None else max(0, fewest - used - len(names)), None if most is None else most - used)
    if not isinstance(function, FunctionV):
        return None, None
    arguments = function.node.args
    count = len(arguments.posonlyargs) + len(arguments.args)
    return count - len(function.defaults), None if arguments.vararg is not None else count


def _names(function: Any) -> list[str]:
    function = plain(function)
    if isinstance(function, FunctionV):
        arguments = function.node.args
        required = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
        return required[: len(required) - len(function.defaults)]
    return _names(function.function) if isinstance(function, BoundV | PartialV) else []


__all__ = ["new_element", "on_element", "parameters"]
