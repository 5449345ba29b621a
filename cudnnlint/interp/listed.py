"""Packages that are long lists of imports (`keras_hub.models`): of those only what is wanted is read."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.modules import absolute_name, member
from cudnnlint.interp.objects import ModuleV

LONG = 32
"""Imports. Shorter lists are followed as they stand: what they import may register itself somewhere."""


def list_imports(module: ModuleV, tree: ast.Module) -> ast.Module:
    """What is left to run of a package once the imports that it does not use itself stand in `module.listed`."""
    imports = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom)]
    if len(imports) < LONG:
        return tree
    rest = [statement for statement in tree.body if not isinstance(statement, ast.ImportFrom)]
    used = {node.id for statement in rest for node in ast.walk(statement) if isinstance(node, ast.Name)}
    found: dict[str, tuple[str, str]] = {}
    kept: list[ast.stmt] = []
    for statement in tree.body:
        names = {alias.asname or alias.name: alias.name for alias in getattr(statement, "names", ())}
        base = absolute_name(module, statement) if isinstance(statement, ast.ImportFrom) else None
        if base is None or "*" in names or used & names.keys():
            kept.append(statement)
            continue
        found.update({name: (base, of_it) for name, of_it in names.items()})
    module.listed = found
    return ast.Module(kept, [])


def listed_member(m: Machine, module: ModuleV, name: str) -> Any:
    """What the import that binds a name gives."""
    base, of_it = module.listed[name]
    return member(m, base, of_it)
