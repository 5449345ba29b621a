"""Iteration: the elements of a value when they are known, and a typical one when they are not."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from typing import Any

from cudnnlint.events import INFINITE
from cudnnlint.interp.builtin.special import own_method
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.lists import is_one
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, GeneratorV, InstanceV, RangeV
from cudnnlint.interp.several import elements_of
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import LONG_RANGE, OneOf, Placed

RANGE = 1 << 17
"""Numbers of a range that are gone through at once; a loop over a longer one knows its length all the same."""


def in_turn(m: Machine, value: Any) -> Sequence[Any] | Unknown:
    """All elements in order for who takes one after the other and may stop: a range may be of any length."""
    held = plain(value)
    return held.range if isinstance(held, RangeV) else elements(m, held)


def in_order(m: Machine, value: Any) -> Sequence[Any] | Unknown:
    """All elements for whom it matters which comes first: of a set of texts that is another one in each run."""
    held = plain(value)
    if type(held) is DictV and held.is_set and len(held.items) > 1 and not held.open \
            and not all(type(key) is int for key in held.items):
        every = tuple(held.items)
        return [Placed("one of a set, in no order", every=every, place=place) for place in range(len(every))]
    return in_turn(m, held)


def all_in_order(m: Machine, value: Any) -> Sequence[Any] | Unknown:
    """The same for whoever holds all of them at once: those of a long range are not listed."""
    return elements(m, value) if type(plain(value)) is RangeV else in_order(m, value)


def takes_within(m: Machine, value: Any, source: ast.expr, body: Iterable[ast.AST]) -> Unknown | None:
    """Why it is not known what a loop over an iterator meets: its body hands the iterator to something, as next()."""
    held = plain(value)
    if type(held) is not GeneratorV or type(source) is not ast.Name:
        return None
    named = [given for each in body for call in walk(each) if isinstance(call, ast.Call) for given in call.args]
    if not any(isinstance(given, ast.Name) and given.id == source.id for given in named):
        return None
    elements(m, held)
    return Unknown("an iterator from which its loop takes, too")


def partly_run(m: Machine, generator: GeneratorV) -> None:
    """Whoever takes from it stops, or has stopped before: what it changes by then it has changed in part."""
    for obj, before in generator.changed:
        m.heap.touch(obj)
        obj.merge([before, obj.snapshot()])
    generator.changed = ()


def _of_a_set(value: DictV) -> list[Any]:
    """Whole numbers in CPython's order, by their hashes; that of texts is another in each run."""
    keys = list(value.items)
    return list(set(keys)) if all(type(key) is int for key in keys) else keys


def elements(m: Machine, value: Any) -> Sequence[Any] | Unknown:
    """All elements in order, or Unknown."""
    value = plain(value)
    if isinstance(value, tuple):
        return value
    if isinstance(value, ListV):
        return value.unknown or list(value.items)
    if isinstance(value, DictV):
        return value.open or (_of_a_set(value) if value.is_set else list(value.items))
    if isinstance(value, RangeV):
        return value.range if len(value.range) <= RANGE else LONG_RANGE
    if isinstance(value, str):
        return value
    if isinstance(value, GeneratorV):
        if value.complete and not value.elements.unknown:
            given = list(value.elements.items)
            if given:
                m.heap.touch(value.elements)
                value.elements.loosen(Unknown("an iterator that was gone through before"))
            return given
        if value.counter is not None:
            m.heap.touch(value.counter)
            value.counter.loosen(Unknown("an endless iterator that was gone through before"))
        return value.elements.unknown or Unknown("a generator")
    if isinstance(value, Tensor):
        from cudnnlint.ops.functions.index import iterate

        return iterate(value)
    if isinstance(value, InstanceV) and value.cls.fields is not None and is_named_tuple(value.cls):
        return [value.items.get(name, Unknown(f"field {name}")) for name in value.cls.fields]
    if isinstance(value, InstanceV) and (made := own_iterator(m, value)) is not None:
        return elements(m, made)
    if isinstance(value, ClassV) and value.members is not None:
        return list(value.members)
    if isinstance(value, InstanceV):
        value = value.chain or value
    listed = getattr(value, "iterated", None)
    if listed is not None:
        found: Sequence[Any] | Unknown = listed(m)
        return found
    if isinstance(value, Unknown):
        return elements_of(value) if type(value) is OneOf else value
    return Unknown("iteration over an unknown value")


def is_named_tuple(cls: ClassV) -> bool:
    """`collections.namedtuple` makes classes without a body."""
    classes = [one for one in cls.mro if isinstance(one, ClassV)]
    return any(one.node is None for one in classes) or any(
        isinstance(base, External) and base.path == "typing.NamedTuple" for one in classes for base in one.bases)


def extended(m: Machine, target: ListV, source: Any) -> None:
    """`target.extend(source)`: elements that are not all known may be what one of them is like."""
    found = all_in_order(m, source)
    m.heap.touch(target)
    if isinstance(found, Unknown):
        target.loosen(found, [sample(m, source)])
    elif len(found) > m.limits.items:
        target.unknown = Unknown("a long list")
    else:
        target.items.extend(found)


SAMPLED = 256
"""Elements that are joined into a typical one; of longer sequences nothing is said."""


def sample(m: Machine, value: Any) -> Any:
    """What one element looks like when the elements are not all known: their join, or Unknown."""
    value = plain(value)
    if isinstance(value, GeneratorV) and value.elements.items:
        return join(value.elements.items) if len(value.elements.items) <= SAMPLED else Unknown("an element")
    if isinstance(value, ListV) and value.unknown:
        return value.typical()
    if isinstance(value, ListV) and value.items:
        if is_one(value.items):
            return value.items[0]
        return join(value.items) if len(value.items) <= SAMPLED else Unknown("an element")
    if isinstance(value, Tensor):
        from cudnnlint.ops.functions.index import getitem

        found = getitem(value, Unknown("loop index", number=True))
        if isinstance(found, Tensor) and value.rank:
            return found
        return Unknown("an element of a tensor")
    described = getattr(value, "sample", None)
    if described is not None:
        return described(m)
    if isinstance(value, InstanceV):
        return _iterate_instance(m, value)
    return Unknown("an element of an unknown value")


def kinds(m: Machine, value: Any) -> list[Any]:
    """One element of each kind where they are not all known: of batches, a full one and a last one with fewer rows."""
    value = plain(value)
    if isinstance(value, GeneratorV) and value.kinds:
        return value.kinds
    described = getattr(value, "kinds", None)
    return described(m) if callable(described) else [sample(m, value)]


NOWHERE = ast.Constant(value=None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
TURNS = ast.parse("def turns(iterator, more):\n    while more:\n        yield iterator.__next__()").body[0]
"""What goes through an iterator of the program's own does; when it ends is not known."""


def own_iterator(m: Machine, value: InstanceV) -> Any:
    """What __iter__ of the user's class gives, as a generator where it is an object with __next__; None without one."""
    if (method := own_method(value, "__iter__")) is MISSING:
        return None
    made = plain(m.call(method, [], {}, NOWHERE))
    if not isinstance(made, InstanceV):
        return made
    return None if (step := own_method(made, "__next__")) is MISSING else _turns(m, made, step.function)


def iterator_of(m: Machine, value: Any) -> Any:
    """What __iter__ of an object of the program's gives; anything else as it is."""
    held = plain(value)
    made = own_iterator(m, held) if isinstance(held, InstanceV) else None
    return value if made is None else assume(made, assumptions_of(value))


def is_endless(iterable: Any) -> bool:
    """itertools.cycle() and count(), a generator that never ends, a dataset that repeats itself."""
    held = plain(iterable)
    return (isinstance(held, GeneratorV) and held.infinite) or getattr(held, "cardinality", None) == INFINITE


def _turns(m: Machine, iterator: InstanceV, step: FunctionV) -> Any:
    """What its __next__ gives time and again."""
    node: Any = getattr(step.node, "cudnnlint_turns", None)
    if node is None:
        node = step.node.cudnnlint_turns = copy.deepcopy(TURNS)  # type: ignore[union-attr]
        node.cudnnlint_yields = True
        for each in ast.walk(node):
            ast.copy_location(each, step.node)
    function = FunctionV("turns", node, step.scope, step.module)
    return plain(m.call(function, [iterator, Unknown("whether the iterator has more")], {}, step.node))


def _iterate_instance(m: Machine, value: InstanceV) -> Any:
    from cudnnlint.interp.attributes import method_of

    if (made := own_iterator(m, value)) is not None:
        return sample(m, made)
    if (method := method_of(value, "__getitem__")) is not MISSING:
        return m.call(method, [Unknown("index")], {}, NOWHERE)
    return Unknown("iteration over an object")
