"""six, by which a program runs on Python 2 as well."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BuiltinV, External
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import Unknown

FRAMEWORK = Framework("python_2", roots=("six",))
FRAMEWORK.constant("six.moves.xrange", BUILTINS["range"])
for _name in ("range", "zip", "map", "filter", "reduce"):
    FRAMEWORK.constant(f"six.moves.{_name}", BUILTINS.get(_name, External(f"functools.{_name}")))
FRAMEWORK.constant("six.PY2", False)
FRAMEWORK.constant("six.PY3", True)


@FRAMEWORK.on("six.iteritems", "six.iterkeys", "six.itervalues", "six.viewitems", "six.viewkeys", "six.viewvalues")
def table_method(c: Call) -> Any:
    """`six.iteritems(d)` is `d.items()` (six.py: iteritems)."""
    name = plain(c.callee).path.rpartition(".")[2].removeprefix("iter").removeprefix("view")
    return c.machine.call(get_attribute(c.machine, c.args[0], name, c.node), [], {}, c.node) \
        if c.args else Unknown("of no table")


@FRAMEWORK.on("six.add_metaclass")
def add_metaclass(c: Call) -> Any:
    """A decorator under which the class is what it is."""
    return BuiltinV("decorator", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))
