"""tf.function: what is followed inside one becomes a graph, and what makes TensorFlow trace it again in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import DTYPES, strip
from cudnnlint.interp.graphs.bodies import body
from cudnnlint.interp.graphs.carried import SHAPELESS
from cudnnlint.interp.graphs.declared import declare, declared_arguments
from cudnnlint.interp.graphs.opened_extents import opened
from cudnnlint.interp.graphs.placeholders import EAGERLY, placeholders
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.loops import turns
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Symbol, Tensor, Unknown
from cudnnlint.values.unknown import Drawn

if TYPE_CHECKING:
    from cudnnlint.interp.objects import Scope

COMPILING = ("jit_compile", "experimental_compile")
"""The option that has XLA compile a function, and its name until TensorFlow 2.5."""
FEW = 16
"""Elements of a list that are compared."""


@record(frozen=True, slots=True)
class Traced:
    """Where tf.function was applied, the names of the options it was given, and the value of its jit_compile."""

    span: Span
    options: frozenset[str]
    compiled: Any = None
    signature: Any = None


def as_traced(m: Machine, value: Any, span: Span, options: frozenset[str], compiled: Any = None,
              signature: Any = None) -> Any:
    """`value` as a tf.function, if it is a function of the user's; anything else as it is."""
    held, traced = plain(value), Traced(span, options, compiled, signature)
    if isinstance(held, BoundV) and isinstance(held.function, FunctionV):
        made: Any = BoundV(replace(held.function, traced=traced), held.receiver)
        turns.came_to_be(m, made.function, span)
        return made
    if not isinstance(held, FunctionV):
        return value
    made = replace(held, traced=traced)
    turns.came_to_be(m, made, span)
    return made


@contextmanager
def graph(m: Machine) -> Iterator[None]:
    """What is followed inside becomes a graph."""
    m.tracing += 1
    try:
        yield
    finally:
        m.tracing = max(0, m.tracing - 1)


@contextmanager
def tracing(m: Machine, function: FunctionV, scope: Scope, c: Call) -> Iterator[None]:
    """A tf.function is called."""
    eager = bool(m.state.get(EAGERLY))
    if m.loops and not eager and not turns.in_graph(m):
        _look(m, function, scope, c)
    declare(function, scope, c)
    if eager:
        yield
        return
    with graph(m), body(m, function.name), placeholders(m, [*c.args, *c.kwargs.values()]), _signed(m, function, c):
        yield


def _signed(m: Machine, function: FunctionV, c: Call) -> AbstractContextManager[None]:
    """`input_signature=[tf.TensorSpec([None, 8])]`: the rows are None inside, whatever tensor is given."""
    rows = [given for _, given, spec in declared_arguments(function, c) if _is_open(spec)]
    return opened(m, f"while {function.name} is traced", rows) if rows else nullcontext()


def _is_open(spec: Any) -> bool:
    held = plain(spec)
    shape = strip(held.args[0] if held.args else held.kwargs.get("shape")) if isinstance(held, ObjectV) else None
    return isinstance(shape, list | tuple) and bool(shape) and shape[0] is None


def _look(m: Machine, function: FunctionV, scope: Scope, c: Call) -> None:
    if (anew := turns.remade(m, function)) is not None:
        within, made = anew
        if _is_of_model(function, within):
            return
        from cudnnlint.events.loops import FunctionTraced

        event = m.event(FunctionTraced, function.traced.span, loop=within.info(), turns=turns.total(m, within),
                        name=function.name, cause="made", made=made.span)
        within.note(("traced", function.traced.span), event)
        return
    if "input_signature" in function.traced.options:
        return
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    given = {id(value) for value in (*c.args, *c.kwargs.values())}
    for name in names:
        value = scope.items.get(name)
        if id(value) in given and not _is_scalar_of_numpy(c, name, names):
            _compare(m, function, name, _listed(plain(value)), c)


def _is_of_model(function: FunctionV, within: turns.Loop) -> bool:
    """Whether it is the step of a model that this turn made, too: each model has a graph of its own."""
    held: dict[str, Any] = {}
    scope: Scope | None = function.scope
    while scope is not None and scope.kind == "function":
        held = {**scope.items, **held}
        scope = scope.parent
    named = {part.id for part in walk(function.node) if isinstance(part, ast.Name)}
    return any(isinstance(value, ModelV | LayerV | InstanceV) and value.born > within.born
               for value in (plain(held[name]) for name in named & held.keys()))


def _listed(value: Any) -> Any:
    """A list of plain values as a tuple of them: each is part of what is traced. A float() of what is another number
    in each turn of a loop is one, too."""
    if isinstance(value, Tensor) and value.kind == "numpy" and value.shape == () and isinstance(value.dtype, Unknown) \
            and value.dtype.number and value.dtype.loop is not None:
        return value.dtype
    if not isinstance(value, ListV | tuple):
        return value
    raw = strip(value)
    return tuple(raw) if isinstance(raw, list | tuple) and len(raw) <= FEW else Unknown("a structure")


def _is_scalar_of_numpy(c: Call, name: str, names: list[str]) -> bool:
    """`np.float32(x)` counts as a tensor (tensorflow/core/function/trace_type: from_value)."""
    if not isinstance(c.node, ast.Call):
        return False
    written = [*c.node.args, *(word.value for word in c.node.keywords if word.arg == name)]
    place = names.index(name) - (len(c.args) - len(c.node.args))
    found = next((word.value for word in c.node.keywords if word.arg == name), None)
    if found is None and 0 <= place < len(c.node.args):
        found = written[place]
    function = found.func if isinstance(found, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in DTYPES


def _compare(m: Machine, function: FunctionV, name: str, value: Any, c: Call) -> None:
    """With what the argument was in the turn before, of each loop."""
    cause = _cause(value, function)
    if not cause:
        return
    whose = plain(c.args[0]) if function.owner is not None and c.args else None
    key = (id(c.node), name, id(whose) if isinstance(whose, InstanceV) else 0)  # each object's method has its traces
    for within in reversed(m.loops):
        known = within.facts.setdefault(key, (within.turn, value))
        if known[1] is value and _is_drawn(value):
            within.asks["drawn"] = partial(_stands_at, within, within.turn)
        open_ended = value.loop is within if isinstance(value, Unknown) else _is_padded(value, within)
        differs = open_ended or (known[0] < within.turn and _differ(known[1], value, within))
        values = (known[1], value) if differs and not open_ended else ()
        if known[0] < within.turn:
            within.facts[key] = (within.turn, value)
        if differs and not open_ended and _is_second(value, within, key):
            return
        if differs:
            from cudnnlint.events.loops import FunctionTraced

            m.say(FunctionTraced, c.span, loop=within.info(), turns=within.turns, name=function.name,
                  cause=cause, argument=name, values=values)
            return


def _is_second(value: Any, within: turns.Loop, key: tuple[Any, ...]) -> bool:
    """Whether it is only the second value that is known, where who knows how many turns follow: a last batch that is
    smaller than the others is traced once."""
    if isinstance(within.turns, int) or not isinstance(value, int | float | str):
        return False
    seen = within.facts.setdefault((*key, "seen"), set())
    seen.add(value)
    return len(seen) < 2


def _cause(value: Any, function: FunctionV) -> str:
    if isinstance(value, tuple):
        return next((cause for cause in (_cause(part, function) for part in value) if cause == "number"), "")
    if type(value) is int or type(value) is float or (isinstance(value, Unknown) and value.number):
        return "number"
    if type(value) is str:
        return "text"
    if isinstance(value, Tensor) and isinstance(value.shape, tuple) and not function.traced.options & SHAPELESS:
        return "shape"
    return ""


def _is_padded(value: Any, within: turns.Loop) -> bool:
    """A batch of the loop's data whose rows were padded to the longest of them."""
    return isinstance(value, Tensor) and isinstance(value.shape, tuple) and turns.PADDED in within.facts \
        and any(isinstance(extent, Symbol) for extent in value.shape[1:])


def _stands_at(within: turns.Loop, turn: int) -> bool:
    return within.turn == turn


def _is_drawn(value: Any) -> bool:
    return isinstance(value, Tensor) and isinstance(value.shape, tuple) and Drawn in map(type, value.shape)


def _drawn_anew(*shapes: Sequence[Any]) -> bool:
    """Two shapes with an extent that was drawn at random for each of them."""
    return len(shapes) == 2 and any(
        type(a) is Drawn and type(b) is Drawn and a.base is not b.base for a, b in zip(*shapes, strict=False))


def _differ(a: Any, b: Any, within: turns.Loop) -> bool:
    """Whether a graph made for the one does not serve the other."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        first = 0 if within.over == "range" else 1  # of data, batches of another size are few: the last one
        shapes = [shape[first:] for shape in (a.shape, b.shape) if isinstance(shape, tuple)]
        if _drawn_anew(*shapes):
            return True
        return len({*shapes}) > 1 and all(isinstance(extent, int) for shape in shapes for extent in shape)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and any(_differ(x, y, within) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and isinstance(a, int | float | str) and bool(a != b)
