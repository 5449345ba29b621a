"""What is known after two paths meet: what both agree on, Unknown for the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, repeat
from operator import is_not
from typing import Any

from cudnnlint.values import Assumed, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import join as join_dims
from cudnnlint.values.numpy_int import NUMBERS
from cudnnlint.values.packed import like
from cudnnlint.values.unknown import Counted, GpuOrCpu, OneOf, loose

JOIN = "join"
"""Maker of a tensor that differs between paths: its parents are the candidates."""
LIBRARIES = frozenset({"numpy", "torch"})
"""Kinds of tensors that have other methods than the rest."""


def unlike(items: Mapping[Any, Any], other: Mapping[Any, Any], absent: Any = None) -> Iterator[Any]:
    """The keys of a table under which another one does not hold the same object, without a step of ours for each:
    registries have thousands.

    >>> one, two = object(), object()
    >>> list(unlike({"a": one, "b": one, "c": one}, {"a": one, "b": two}))
    ['b', 'c']
    """
    return compress(items, map(is_not, items.values(), map(other.get, items, repeat(absent))))


def join(values: Sequence[Any]) -> Any:
    """The value that holds on all paths: never a pick."""
    first = values[0]
    for other in values[1:]:
        first = join_two(first, other)
    return first


def join_two(a: Any, b: Any) -> Any:
    if a is b:
        return a
    if type(a) is Counted or type(b) is Counted:
        a, b = loose(a), loose(b)
    if isinstance(a, Unknown):
        return _one_of(a, b, a.why) or (a if not a.number or is_number(b) else Unknown(a.why))
    if isinstance(b, Unknown):
        return _one_of(a, b, b.why) or (b if not b.number or is_number(a) else Unknown(b.why))
    if isinstance(a, Assumed) or isinstance(b, Assumed):
        return _join_assumed(a, b)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        apart = a.kind != b.kind and not LIBRARIES.isdisjoint((a.kind, b.kind))
        return Unknown("differs between paths") if apart else join_tensors(a, b)
    if _is_callable(a) and _is_callable(b):
        return choice(a, b)
    if type(a) is not type(b):
        return _one_of(a, b) or Unknown("differs between paths")
    if isinstance(a, tuple):
        if len(a) == len(b):
            return like(a, [join_two(x, y) for x, y in zip(a, b, strict=True)])
        return Unknown("differs between paths")
    if isinstance(a, (int, float, str, bytes, bool)) and a == b:
        return a
    if type(a) is str and (a == "cpu" or b == "cpu") and (a.startswith("cuda") or b.startswith("cuda")):
        return GpuOrCpu("a GPU where there is one")
    if is_number(a):
        return Unknown("differs between paths", number=True)
    merged = getattr(a, "join_with", None)
    if merged is not None:
        return merged(b)
    return _one_of(a, b) or Unknown("differs between paths")


MOST = 64
"""Lists and dicts that one name may stand for."""


def _one_of(a: Any, b: Any, why: str = "differs between paths") -> OneOf | None:
    """What may be one of the lists or dicts that `a` and `b` are; None where they are none."""
    held = (*_held(a), *_held(b))
    if not held:
        return None
    each = tuple({id(one): one for one in held}.values())
    return OneOf(why, held=each[:MOST], whole=len(each) <= MOST and _whole(a) and _whole(b))


@cache
def _plain() -> frozenset[type]:
    """Of a module that needs this one: an import costs a microsecond each time that it is come to."""
    from cudnnlint.interp.heap import PLAIN

    return PLAIN


def _held(value: Any) -> tuple[Any, ...]:
    return value.held if type(value) is OneOf else (value,) if type(value) in _plain() else ()


def _whole(value: Any) -> bool:
    """Whether what _held() gives is all that it may be."""
    return value.whole if type(value) is OneOf else bool(_held(value))


def is_number(value: Any) -> bool:
    """A Python number, known or not; a bool has two values only."""
    return type(value) in (int, float, *NUMBERS) or (isinstance(value, Unknown) and value.number)


def _is_of_its_own(event: Any, span: Any) -> bool:
    """Whether a class refuses the names or number of its arguments, which another that may stand there can have."""
    mismatch = getattr(event, "mismatch", None)
    return event.span == span and mismatch is not None \
        and mismatch.problem in (Problem.MISSING_ARGUMENT, Problem.UNKNOWN_ARGUMENT)


class ChoiceV:
    """One of a few callables, which one is not known: calling it joins what each would give."""

    __slots__ = ("options",)
    always_true = True
    MOST = 4

    def __init__(self, options: tuple[Any, ...]) -> None:
        self.options = options

    def called(self, c: Any) -> Any:
        from cudnnlint.interp.expressions import fork_values
        from cudnnlint.interp.telling import CHOSEN

        m, emit = c.machine, c.machine.emit
        refused: list[list[Any]] = [[] for _ in self.options]

        def option(place: int, callee: Any) -> Any:
            def run() -> Any:
                m.emit = lambda event: refused[place].append(event) if _is_of_its_own(event, c.span) else emit(event)
                try:
                    return m.call(callee, c.args, c.kwargs, c.node)
                finally:
                    m.emit = emit

            return run

        made = fork_values(m, [option(place, callee) for place, callee in enumerate(self.options)], Unknown(CHOSEN))
        for event in refused[0] if all(refused) else ():
            emit(event)
        return made

    def attribute(self, m: Any, name: str) -> Any:
        from cudnnlint.interp.attributes import get_attribute
        from cudnnlint.interp.objects import MethodV
        from cudnnlint.interp.telling import TURNS

        asked = name in TRAINING and all(reason == TURNS for reason in m.conditions)  # an arm may be of one of them
        found = [get_attribute(m, option, name, ast.Name(name)) for option in self.options if asked]
        if found and all(type(one) is MethodV for one in found):
            return MethodsV(tuple(found))
        return Unknown(f"attribute {name} of one of several objects")


TRAINING = frozenset({"compile", "fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
"""Methods of models that are followed on each that a name may stand for."""


class MethodsV:
    """A method of one of a few models: on the paths that lead to a model it is that which is meant, so that whatever is
    done to it is certain there."""

    __slots__ = ("methods",)
    always_true = True

    def __init__(self, methods: tuple[Any, ...]) -> None:
        self.methods = methods

    def called(self, c: Any) -> Any:
        from cudnnlint.interp.heap import Raised
        from cudnnlint.interp.telling import CHOSEN

        m, values = c.machine, []
        for method in self.methods:
            m.conditions.append(CHOSEN)
            m.uncertain += 1
            try:
                values.append(m.call(method, c.args, c.kwargs, c.node))
            except Raised:
                m.doubts += 1
            finally:
                m.uncertain -= 1
                m.conditions.pop()
        return join(values) if values else Unknown("no path has a value")


@cache
def _callables() -> tuple[type, ...]:
    from cudnnlint.interp.objects import BoundV, BuiltinV, ClassV, External, FunctionV, InstanceV, PartialV

    return BoundV, BuiltinV, ClassV, External, FunctionV, InstanceV, PartialV


def _is_callable(value: Any) -> bool:
    return isinstance(value, _callables()) or hasattr(type(value), "called")


def choice(a: Any, b: Any) -> Any:
    """Both callables, unless they are the same or too many."""
    merged = getattr(a, "join_with", None)
    if merged is not None and type(a) is type(b) and not isinstance(joined := merged(b), Unknown):
        return joined
    options: list[Any] = []
    for value in (a, b):
        for option in value.options if isinstance(value, ChoiceV) else (value,):
            if not any(option is other or (type(option) is type(other) and option == other) for other in options):
                options.append(option)
    if len(options) == 1:
        return options[0]
    if isinstance(a, ChoiceV) and len(options) == len(a.options):  # which nothing was added to
        return a
    return ChoiceV(tuple(options)) if len(options) <= ChoiceV.MOST else Unknown("differs between paths")


def _join_assumed(a: Any, b: Any) -> Any:
    left, right = (v.value if isinstance(v, Assumed) else v for v in (a, b))
    value = join_two(left, right)
    if isinstance(value, Unknown):
        return value
    taken = frozenset().union(*(v.assumptions for v in (a, b) if isinstance(v, Assumed)))
    return Assumed(value, taken)


def join_tensors(a: Tensor, b: Tensor) -> Tensor:
    """Extents that differ become Unknown; ranks that differ leave an unknown shape."""
    if isinstance(a.shape, Unknown) or isinstance(b.shape, Unknown) or len(a.shape) != len(b.shape):
        shape: Any = Unknown("differs between paths")
    else:
        shape = tuple(join_dims(x, y) for x, y in zip(a.shape, b.shape, strict=True))
    dtype = a.dtype if a.dtype == b.dtype else Unknown("differs between paths")
    step = a.step
    if a.step is not b.step and a.step is not None:
        step = Step(a.step.span, (a, b), JOIN)
    content = a.content if type(a.content) is type(b.content) and a.content == b.content else None
    return Tensor(shape, dtype, a.kind, content, step, a.assumptions | b.assumptions)
