"""What the decorators of a test say of how it runs: with which arguments, with what replaced, or not at all."""

from __future__ import annotations

import ast
from functools import lru_cache

from cudnnlint.interp.objects import FunctionV
from cudnnlint.values import Unknown

PARAMETRIZED = frozenset({"parameters", "named_parameters", "parametrize", "product", "named_product", "expand"})
"""absl's parameterized, pytest.mark.parametrize and the package parameterized."""
NOT_AS_WRITTEN = frozenset({"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "patch",
                            "patch.object", "patch.dict", "patch.multiple", "interact", "interact_manual"})
"""What is skipped, who knows where, expected to fail, run with unittest.mock.patch, which puts something else in place
of what is called, or run by ipywidgets, for which a default is a range to choose from."""


def runs_as_written(function: FunctionV) -> bool:
    return not getattr(function.node, "decorator_list", ()) or _decorators(function.node).isdisjoint(NOT_AS_WRITTEN)


def parameter(function: FunctionV, name: str) -> Unknown:
    """What an argument is that nothing gives. The rows of a parametrized test go together: one value picks the way that
    suits another."""
    if getattr(function.node, "decorator_list", ()) and not _decorators(function.node).isdisjoint(PARAMETRIZED):
        return Unknown(f"argument {name} of a parametrized test")
    return Unknown(f"parameter {name}")


@lru_cache(maxsize=512)
def _decorators(node: ast.AST) -> frozenset[str]:
    """The last name of each decorator, and the last two."""
    found: set[str] = set()
    for each in getattr(node, "decorator_list", ()):
        named = each.func if isinstance(each, ast.Call) else each
        last = getattr(named, "attr", "") or getattr(named, "id", "")
        before = getattr(named, "value", None)
        found |= {last, f"{getattr(before, 'attr', '') or getattr(before, 'id', '')}.{last}"}
    return frozenset(found)
