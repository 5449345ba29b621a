"""What an analysis asked and what it was told, so that it can be asked again whether the answers still hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Question = tuple[str, ...]
"""What is asked ("read", "kind" ...), then of which path or name."""
Answers = dict[Question, Any]


class Asked:
    """The questions of one piece of work, and the pieces of work whose results it went on with.

    Results are shared: a module that many files import is analysed once, and two modules may import each other.
    Each piece has its own questions; `all` gathers them.
    """

    __slots__ = ("_answers", "_contradicted", "_relied")

    def __init__(self) -> None:
        self._answers: Answers = {}
        self._contradicted = False
        self._relied: dict[Asked, None] = {}

    def note(self, question: Question, answer: Any) -> None:
        if self._answers.setdefault(question, answer) != answer:
            self._contradicted = True

    def rely(self, other: Asked) -> None:
        """What `other` asked for counts here too, now and later."""
        self._relied[other] = None

    def all(self) -> Answers | None:
        """Every question that the result hangs on; None if one had two answers: something changed meanwhile."""
        found: Answers = {}
        seen, left = {self}, [self]
        while left:
            each = left.pop()
            if each._contradicted or any(found.setdefault(question, answer) != answer
                                         for question, answer in each._answers.items()):
                return None
            new = each._relied.keys() - seen
            seen |= new
            left += new
        return found


_NOW: ContextVar[Asked | None] = ContextVar("asked", default=None)


def is_recorded() -> bool:
    return _NOW.get() is not None


def note(question: Question, answer: Any) -> None:
    """A question was answered."""
    if (now := _NOW.get()) is not None:
        now.note(question, answer)


def rely(on: Asked) -> None:
    """A result is used again that rests on these questions."""
    if (now := _NOW.get()) is not None:
        now.rely(on)


@contextmanager
def recording(asked: Asked | None = None) -> Iterator[Asked]:
    """Within it questions are noted there; who records already relies on them."""
    asked = Asked() if asked is None else asked
    rely(asked)
    token = _NOW.set(asked)
    try:
        yield asked
    finally:
        _NOW.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """Within it nothing is noted: who asks notes in a question of its own what it all comes to."""
    token = _NOW.set(None)
    try:
        yield
    finally:
        _NOW.reset(token)


@contextmanager
def asking(asked: Asked) -> Iterator[None]:
    """The same for a part whose result is shared, if anyone records at all."""
    if not is_recorded():
        yield
        return
    with recording(asked):
        yield


class remembered(Generic[P, R]):  # noqa: N801  # a decorator
    """Each answer of a function given once in a run, with the questions that it rests on."""

    _all: ClassVar[list[remembered[..., Any]]] = []

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function
        self._known: dict[tuple[Any, ...], tuple[R, Asked | None]] = {}
        self._all.append(self)
        self.__doc__, self.__name__ = function.__doc__, function.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        now = _NOW.get()
        key = (args, *kwargs.items()) if kwargs else args
        known = self._known.get(key)
        if known is None or (known[1] is None and now is not None):
            known = self._known[key] = self._found(now is not None, *args, **kwargs)
        elif now is not None and known[1] is not None:
            now.rely(known[1])
        return known[0]

    def cache_clear(self) -> None:
        """The files may have changed."""
        self._known.clear()

    def _found(self, recorded: bool, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Asked | None]:
        if not recorded:
            return self._function(*args, **kwargs), None
        with recording() as asked:
            return self._function(*args, **kwargs), asked


def forget() -> None:
    """A new run begins: whatever is remembered is asked again."""
    for each in remembered._all:
        each.cache_clear()
