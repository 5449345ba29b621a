"""Regular expressions over known text, as programs take names of layers and stages apart with them."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions

LONGEST = 64
"""Characters of a text, and of a pattern twice as many, that are still matched."""
COSTLY = re.compile(r"\)\s*[*+{]|\(\?[^:P<!=]|\\\d")
"""What may take time that grows exponentially with the text: a repeated group, a back-reference."""
UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
FLAGS = {name: getattr(re, name) for name in ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE")}
METHODS = ("findall", "match", "search", "fullmatch", "split", "sub")


class PatternV:
    """What re.compile() gives."""

    path = "re.Pattern"
    always_true = True
    __slots__ = ("assumptions", "compiled")

    def __init__(self, compiled: re.Pattern[str], assumptions: Assumptions = NONE) -> None:
        self.compiled, self.assumptions = compiled, assumptions

    def join_with(self, other: Any) -> Any:
        if not isinstance(other, PatternV) or other.compiled != self.compiled:
            return Unknown("differs between paths")
        return PatternV(self.compiled, self.assumptions | other.assumptions)

    def attribute(self, m: Machine, name: str) -> Any:
        return assume(self.compiled.pattern, self.assumptions) if name == "pattern" else MISSING


class MatchV:
    """What a pattern found."""

    path = "re.Match"
    always_true = True
    __slots__ = ("assumptions", "found")

    def __init__(self, found: re.Match[str], assumptions: Assumptions = NONE) -> None:
        self.found, self.assumptions = found, assumptions

    def join_with(self, other: Any) -> Any:
        return self if other is self else Unknown("differs between paths")

    def attribute(self, m: Machine, name: str) -> Any:
        return MISSING

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.asked("__getitem__", [plain(key)])

    def asked(self, name: str, given: list[Any]) -> Any:
        try:
            return assume(wrap(getattr(self.found, name)(*given)), self.assumptions)
        except (LookupError, TypeError):
            return Unknown("no such group")


def compiled(value: Any, flags: Any = 0) -> PatternV | Unknown:
    """A pattern that is known and cheap to match."""
    held, how = plain(value), plain(flags)
    if isinstance(held, PatternV):
        return held
    if not isinstance(held, str) or not isinstance(how, int):
        return held if isinstance(held, Unknown) else Unknown("a pattern")
    if len(held) > 2 * LONGEST or COSTLY.search(held) or len(UNBOUNDED.findall(held)) > 4:
        return Unknown("a pattern that may take long")
    try:
        return PatternV(re.compile(held, how), assumptions_of(value))
    except (re.error, ValueError, OverflowError, RecursionError):
        return Unknown("a pattern that Python refuses")


@FRAMEWORK.on("re.compile")
def compile_(c: Call) -> Any:
    return compiled(c.get(0, "pattern"), c.get(1, "flags", 0))


@FRAMEWORK.on(*(f"{owner}.{name}" for owner in ("re", "re.Pattern") for name in METHODS))
def matched(c: Call) -> Any:
    """A method of a pattern, or the function of the module that takes the pattern first."""
    name = _name_of(c)
    given = [*(c.args if c.receiver is None else (c.receiver, *c.args))]
    kwargs = {key: value for key, value in c.kwargs.items() if key not in ("pattern", "string", "repl", "flags")}
    arguments = [given.pop(0) if given else c.kwargs.get(key, Unknown(key))
                 for key in ("pattern", *(("repl",) if name == "sub" else ()), "string")]
    flagged = given and name not in ("split", "sub") and not isinstance(plain(arguments[0]), PatternV)
    pattern = compiled(arguments[0], given.pop(0) if flagged else c.kwargs.get("flags", 0))
    texts = [plain(argument) for argument in arguments[1:]]
    if given or kwargs or isinstance(pattern, Unknown) or not all(
            isinstance(text, str) and len(text) <= LONGEST for text in texts):
        return next((value for value in (pattern, *texts) if isinstance(value, Unknown)), Unknown(f"re.{name}()"))
    rests = pattern.assumptions | NONE.union(*map(assumptions_of, arguments[1:]))
    try:
        found: Any = getattr(pattern.compiled, name)(*texts)
    except (re.error, LookupError):
        return Unknown(f"re.{name}()")
    if found is None or isinstance(found, re.Match):
        return assume(None, rests) if found is None else MatchV(found, rests)
    return assume(wrap(found), rests)


@FRAMEWORK.on("re.Match.group", "re.Match.groups", "re.Match.groupdict", "re.Match.start", "re.Match.end",
              "re.Match.span")
def of_match(c: Call) -> Any:
    held, given = plain(c.receiver), [plain(arg) for arg in c.args]
    if not isinstance(held, MatchV) or c.kwargs or not all(isinstance(arg, (int, str)) for arg in given):
        return Unknown("a match")
    return held.asked(_name_of(c), given)


def _name_of(c: Call) -> str:
    callee = plain(c.callee)
    return str(getattr(callee, "name", "") or getattr(callee, "path", "")).rpartition(".")[2]


for _name, _flag in FLAGS.items():
    FRAMEWORK.constant(f"re.{_name}", int(_flag))
