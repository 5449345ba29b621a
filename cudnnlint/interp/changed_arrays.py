"""An array of NumPy changed in place: what else holds it, or a view of it, no longer knows its elements.

Arrays are values here that never change. Few have elements that are known; for those alone all that the functions under
way can reach is gone through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import ListV, TableV
from cudnnlint.values import Assumed, Step, Tensor, Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

VIEWS = frozenset({"item assignment", "operator.getitem", *(f"numpy.{name}" for name in (
    "asanyarray", "asarray", "ascontiguousarray", "astype", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to",
    "array_split", "diagonal", "dsplit", "expand_dims", "fliplr", "flip", "flipud", "hsplit", "moveaxis", "ravel",
    "reshape", "rollaxis", "rot90", "split", "squeeze", "swapaxes", "transpose", "vsplit"))})
"""Makers of what shares memory with their first argument, at least for some arguments."""
METHODS = frozenset({"fill", "itemset", "partition", "put", "setfield", "sort", "__setitem__"})
"""Methods of an array that change it."""
FUNCTIONS = frozenset(f"numpy.{name}" for name in (
    "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "random.shuffle"))
"""Functions that change their first argument."""
DEEPEST = 8
HOLDING = (Tensor, Assumed, tuple, TableV, ListV)
"""What is an array, or holds values."""
ORIGINS = "where arrays that share memory come from"
"""What `_origin` found, by the steps on the way, which it keeps so that their places in memory stay theirs."""


def lose_elements(m: Machine, array: Any) -> None:
    """Elements of `array` are replaced, as those of all arrays that share memory with it."""
    if not isinstance(array, Tensor) or array.kind != "numpy" or array.shape == ():
        return
    origin, known = _origin(m, array)
    if known:
        _Search(m, origin).run()


def lose_shape(m: Machine, array: Any) -> None:
    """`array` was made as large as what it is filled with, as RDKit does with those that it is given."""
    if isinstance(array, Tensor) and array.kind == "numpy" and array.shape != ():
        _Search(m, _origin(m, array)[0], resized=True).run()


def _origin(m: Machine, array: Tensor) -> tuple[Any, bool]:
    """How the array came to be that owns the memory, and whether elements are known of any on the way there.

    An array that is written item by item is as far from there as it has items: the way is gone once.
    """
    origins: dict[int, tuple[Any, bool, Step]] = m.state.setdefault(ORIGINS, {})
    found, passed = array, list[Tensor]()
    while (step := found.step) is not None and step.parents and step.maker in VIEWS and id(step) not in origins:
        passed.append(found)
        found = step.parents[0]
    if step is not None and id(step) in origins:
        origin, known, _ = origins[id(step)]
    else:
        origin, known = found if step is None else step, False
    known = known or found.content is not None
    for one in reversed(passed):
        known = known or one.content is not None
        if one.step is not None:
            origins[id(one.step)] = origin, known, one.step
    return origin, known


class _Search:
    """Goes through the variables of all functions under way, and what these hold."""

    def __init__(self, m: Machine, origin: Any, *, resized: bool = False) -> None:
        self.m, self.origin, self.resized = m, origin, resized
        self.seen: set[int] = set()

    def run(self) -> None:
        for frame in self.m.frames:
            scope = frame.scope
            while scope is not None and id(scope) not in self.seen:
                self.look(scope, 0)
                scope = scope.parent  # type: ignore[assignment]

    def look(self, held: Any, depth: int) -> None:
        """Through a table or a list."""
        if id(held) in self.seen or depth > DEEPEST:
            return
        self.seen.add(id(held))
        places = held.items.items() if isinstance(held, TableV) else enumerate(held.items)
        for place, value in [(place, value) for place, value in places if isinstance(value, HOLDING)]:
            if (without := self.without(value, depth)) is not value:
                self.m.heap.touch(held)
                held.items[place] = without

    def without(self, value: Any, depth: int) -> Any:
        """The same, without elements if it is one of those arrays."""
        kind = type(value)
        if kind is Tensor:
            hit = (self.resized or value.content is not None) and value.kind == "numpy" \
                and _origin(self.m, value)[0] is self.origin
            shape = Unknown("an array that was resized") if self.resized else value.shape
            return value.with_(shape=shape, step=Step(value.step.span, (value,), "in place") if value.step else None) \
                if hit else value
        if kind is Assumed:
            held = self.without(value.value, depth)
            return value if held is value.value else Assumed(held, value.assumptions)
        if kind is tuple:
            parts = tuple(self.without(part, depth + 1) for part in value) if depth < DEEPEST else value
            return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
        if isinstance(value, TableV | ListV):
            self.look(value, depth + 1)
        return value
