"""Writes the names that attributes of library layers and models have, read off the sources of the installed Keras.

    python -m cudnnlint.devtools.members

Needs keras and tf_keras installed; neither is imported. What `hasattr(layer, name)` gives rests on it: a name that is
not in the list is not an attribute, unless the program sets it. `Layer` and `Model` themselves have none of those that
only the layers made of them have, which the list marks.
"""

from __future__ import annotations

import ast
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

from cudnnlint.facts.members import FILE, OF_FAMILIES

PRIVATE = {"keras": "keras/src", "tf_keras": "tf_keras/src", "tensorflow": "tensorflow/python/trackable"}
"""Where names with an underscore are read off: anywhere, as classes of one module are set up by those of others."""
PARTS = {"keras": ("layers", "models", "trainers", "ops", "backend", "saving"),
         "tf_keras": ("layers", "engine", "models", "saving")}


BASES = frozenset({"layer.py", "operation.py", "function.py"})
"""Modules of keras/src/layers and keras/src/ops that Layer and Model are made of; the others are of families."""


def _of_family(package: str, part: str, name: str) -> bool:
    return part in ("layers", "ops") and (package == "tf_keras" or name not in BASES)


def names(tree: ast.AST) -> Iterator[str]:
    """Names that the classes of a module define: methods, class variables, and what is set on self."""
    for found in ast.walk(tree):
        if not isinstance(found, ast.ClassDef):
            continue
        for statement in found.body:
            if isinstance(statement, ast.FunctionDef):
                yield statement.name
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                yield from (node.id for node in ast.walk(statement)
                            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        for node in ast.walk(found):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) \
                    and isinstance(node.value, ast.Name) and node.value.id == "self":
                yield node.attr


def gathered() -> str:
    """The file's text: a line on where it is from, then one name a line."""
    bases: set[str] = set()
    families: set[str] = set()
    versions = []
    for package, parts in PARTS.items():
        installed = importlib.metadata.distribution(package)
        versions.append(f"{package} {installed.version}")
        for part in parts:
            for path in Path(str(installed.locate_file(f"{package}/src/{part}"))).rglob("*.py"):
                if not path.stem.endswith("_test"):
                    found = families if _of_family(package, part, path.name) else bases
                    found |= set(names(ast.parse(path.read_bytes())))
    public = sorted(name for name in bases | families if not name.startswith("_"))
    return f"# {', '.join(versions)}\n" + "".join(
        f"{name}{'' if name in bases or name[0] == '_' else OF_FAMILIES}\n" for name in (*sorted(_private()), *public))


def _private() -> set[str]:
    """Names with one underscore, of methods, and of attributes of any object."""
    found: set[str] = set()
    for package, folder in PRIVATE.items():
        for path in Path(str(importlib.metadata.distribution(package).locate_file(folder))).rglob("*.py"):
            tree = ast.parse(path.read_bytes())
            found |= set(names(tree))
            found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


if __name__ == "__main__":
    FILE.write_text(gathered(), encoding="utf-8")
