"""What is settled behind `if flag: raise`: nobody reaches the arm of a later `if flag`, and nothing is told there.

It is kept in the scope, beside the name, so that where paths meet only what all of them settled stays.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from cudnnlint.interp.dispatching import is_other_arm
from cudnnlint.interp.heap import NEXT
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import InstanceV
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import Assumptions

MARK = "if "
"""Before a name, it is a key that no name can be; its value is what the name held, and whether that is true."""
UNDER_WAY = "tests whose arms are under way"
UNREACHED = "differs between paths: settled before"
"""Among the conditions of an arm that nobody reaches."""


COUNTED = "differs between paths: what a loop counts"
"""Among the conditions of the arms of a test that the turns decide."""


def fork_on(m: Machine, test: ast.expr, arms: tuple[Callable[[], int], Callable[[], int]], condition: object) -> int:
    """Both arms of an `if` whose test is not known; behind it, whoever goes on came through one that does not leave."""
    through, counted = [False, False], _is_counted(m, test)
    asked, under_way = _asked(m, test), m.notes.setdefault(UNDER_WAY, {}).setdefault(None, [])

    def arm(number: int) -> Callable[[], int]:
        def run() -> int:
            dead = is_settled(m, test, number == 1) or is_other_arm(m, test, number == 1) \
                or any(_excludes(one, asked, number == 0) for one in under_way) or _is_behind(m, asked, number == 0)
            if dead or counted:
                m.conditions.append(UNREACHED if dead else COUNTED)
            if asked is not None:
                under_way.append((*asked, number == 0))
            try:
                code = arms[number]()
            finally:
                if asked is not None:
                    under_way.pop()
                if dead or counted:
                    m.conditions.pop()
            through[number] |= code == NEXT
            return code

        return run

    code = m.fork([arm(0), arm(1)], condition)
    if code == NEXT and through != [True, True]:
        settle(m, test, through[0])
    return code


def _is_counted(m: Machine, test: ast.expr) -> bool:
    """Whether a test in the first turn of a loop compares what the loop counts, from where is not known: `j = len(x)`,
    `j -= 1`, `if j < len(x) - 1`. What was there before the loop may be for the other arm."""
    function = m.frame.function
    if function is None or not m.loops or m.loops[-1].turn or m.loops[-1].depth != len(m.calls):
        return False
    return isinstance(test, ast.Compare) and any(
        isinstance(part, ast.Name) and part.id in _counters(function.node)
        and isinstance(plain(m.frame.scope.items.get(part.id)), Unknown) for part in walk(test))


def _counters(function: ast.AST) -> frozenset[str]:
    """The names that a function counts in its loops; found once and kept on the node."""
    known: frozenset[str] | None = getattr(function, "cudnnlint_counters", None)
    if known is None:
        loops = [part for part in walk(function) if isinstance(part, ast.For | ast.While)]
        known = frozenset(part.target.id for loop in loops for part in walk(loop)
                          if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name))
        function.cudnnlint_counters = known  # type: ignore[attr-defined]
    return known


def _asked(m: Machine, test: ast.expr) -> tuple[Unknown, bool, bool] | None:
    """What a test is about, if that is a name or an attribute of one and not known: the value of the name, or what an
    object of the program's own has, whether it is the value itself, and whether the test asks for it to be false."""
    denied = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, denied = test.operand, not denied
    names = []
    while isinstance(test, ast.Attribute):
        names.append(test.attr)
        test = test.value
    held = plain(m.frame.scope.items.get(test.id)) if isinstance(test, ast.Name) else None
    while names and isinstance(held, InstanceV):
        held = plain(held.items.get(names.pop()))
    return (held, not names, denied) if isinstance(held, Unknown) else None


def _excludes(one: tuple[Unknown, bool, bool, bool], asked: tuple[Unknown, bool, bool] | None, holds: bool) -> bool:
    """Whether nobody comes to an arm of a test within that of `one`: `f(flags.tiny)` under `if flags.tiny`, where f()
    asks `if tiny`. Of an unknown object's attributes it is not known which one was handed on."""
    if asked is None or one[0] is not asked[0] or not asked[1]:
        return False
    return not one[1] or (one[2] is one[3]) is not (asked[2] is holds)


def _is_behind(m: Machine, asked: tuple[Unknown, bool, bool] | None, holds: bool) -> bool:
    """Whether a function under way has settled it otherwise: behind `if self.whole: return f(x)` it calls `g(x)`, which
    asks the same of what it was given."""
    if asked is None or not asked[1]:
        return False
    return any(name.startswith(MARK) and isinstance(known, tuple) and known[0] is asked[0]
               and known[1] is (holds is asked[2])
               for frame in m.frames if frame.scope.kind == "function"
               for name, known in frame.scope.items.items() if isinstance(name, str))


def settle(m: Machine, test: ast.expr, holds: bool) -> None:
    """A test is known to hold, or not to: so are the names of which it is made, if the function binds them but once."""
    scope, function = m.frame.scope, m.frame.function
    if function is None or scope.kind != "function":
        return
    asked = _asked(m, test)
    if asked is not None and asked[1] and not isinstance(test, ast.Name):
        m.set_item(scope, MARK + ast.unparse(test).removeprefix("not "), (asked[0], holds is not asked[2]))
    for name, true in _settled_by(test, holds):
        if name in scope.items and name not in _rebound(function.node):
            m.set_item(scope, MARK + name, (scope.items[name], true))


def doubt(m: Machine, test: ast.expr, taken: Assumptions, *, missing: bool = False) -> None:
    """An assertion fails on what was assumed, or `if not name: raise` ends the program with it, so something else is
    given: names and their attributes of which it speaks, as far as they rest on that, are not known from here on.

    missing  only those that are None by default, as options that must be given are
    """
    parts = walk(test)
    if any(isinstance(part, ast.comprehension | ast.Lambda | ast.NamedExpr) for part in parts):
        return
    for part in parts:
        if (isinstance(part, ast.Name) or (isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name))) \
                and taken & assumptions_of(held := m.eval(part)) and not (missing and plain(held) is not None):
            assign(m, part, Unknown("what an assertion asks for"))


def _rebound(function: ast.AST) -> frozenset[str]:
    """The names that a function binds in several places; found once and kept on the node."""
    known: frozenset[str] | None = getattr(function, "cudnnlint_rebound", None)
    if known is None:
        bound = Counter(part.arg if isinstance(part, ast.arg) else part.id for part in walk(function) if isinstance(
            part, ast.arg) or (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)))
        known = frozenset(name for name, times in bound.items() if times > 1)
        function.cudnnlint_rebound = known  # type: ignore[attr-defined]
    return known


def _settled_by(test: ast.expr, holds: bool) -> Iterator[tuple[str, bool]]:
    """The names that a test decides if it `holds`, or does not, and whether they are true then."""
    if isinstance(test, ast.Name):
        yield test.id, holds
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _settled_by(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            yield from _settled_by(part, holds)


def is_settled(m: Machine, test: ast.expr, holds: bool) -> bool:
    """Whether a test is known to be `holds` from what was tested before."""
    if isinstance(test, ast.Name):
        items = m.frame.scope.items
        known = items.get(MARK + test.id)
        return isinstance(known, tuple) and known[0] is items.get(test.id) and known[1] is holds
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_settled(m, test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        every = all if isinstance(test.op, ast.And) is holds else any
        return every(is_settled(m, part, holds) for part in test.values)
    return False
