"""What the decorators of a test say of how it runs: with which arguments, with what replaced, or not at all."""

from __future__ import annotations

import ast
from functools import lru_cache

from cudnnlint.interp.objects import FunctionV
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown

PARAMETRIZED = frozenset({"parameters", "named_parameters", "parametrize", "product", "named_product", "expand"})
"""absl's parameterized, pytest.mark.parametrize and the package parameterized."""
NOT_AS_WRITTEN = frozenset({"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "patch",
                            "patch.object", "patch.dict", "patch.multiple", "interact", "interact_manual"})
"""What is skipped, who knows where, expected to fail, run with unittest.mock.patch, which puts something else in place
of what is called, or run by ipywidgets, for which a default is a range to choose from."""


REPLACING = frozenset({"monkeypatch.setattr", "monkeypatch.setitem", "monkeypatch.delattr", "mocker.patch",
                       "patch.object", "patch.dict", "patch.multiple", "mock.patch"})
"""Calls of a test's own that do the same: those of pytest's and pytest-mock's fixtures, and patch as a context."""
PATCHING = "patch"
"""What all of them hold."""


def runs_as_written(function: FunctionV) -> bool:
    """Whether nothing is put in place of what it calls, and it is neither skipped nor expected to fail."""
    named = getattr(function.node, "decorator_list", ())
    if named and not _decorators(function.node).isdisjoint(NOT_AS_WRITTEN):
        return False
    source = function.module.source
    return (not (function.name.startswith("test") or named) or (source is not None and not source.says(PATCHING))
            or not _replaces(function.node))


@lru_cache(maxsize=512)
def _replaces(node: ast.AST) -> bool:
    calls = (ast.unparse(each.func) for each in walk(node) if isinstance(each, ast.Call))
    return any(called == "patch" or called.startswith("mocker.patch.") or ".".join(called.split(".")[-2:]) in REPLACING
               for called in calls)


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
