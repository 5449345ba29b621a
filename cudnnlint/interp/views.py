"""Views of dicts that are kept in a name: `items = table.items()` shows what the dict holds when it is looked at."""

from __future__ import annotations

import ast

from cudnnlint.interp.forget import changed_in
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine
from cudnnlint.values import Unknown

VIEWS = frozenset({"items", "keys", "values"})


def kept_view(m: Machine, call: ast.Call, value: ListV) -> ListV:
    """What a name holds of a view: of a dict that the same function or module changes, not which elements it has."""
    func = call.func
    if type(func) is not ast.Attribute or func.attr not in VIEWS or call.args or value.unknown:
        return value
    function = m.frame.function
    within = function.node if function is not None else m.frame.module.source.tree()
    text = ast.dump(func.value)
    if not any(ast.dump(changed).replace("Store()", "Load()") == text for changed in changed_in(within)):
        return value
    return ListV(list(value.items), Unknown("a view of a dict that changes")).settle()
