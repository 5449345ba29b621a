"""The index of error texts: what the code says that the libraries raise, by the rule that tells of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cudnnlint.engine import registry
from cudnnlint.facts import changes

PACKAGE = Path(__file__).parents[1]
QUOTED = re.compile(r'"([^"]{6,})"')
HOLE = "..."
MODULES = frozenset(path.rpartition(".")[2] for path in [*changes.MODULES, "tensorflow.contrib",
                                                         "tensorflow.examples.tutorials"])
ROOMS = ("ops", "interp", "frameworks")
"""Where a Mismatch says what the library raises."""


def index() -> str:
    """One line a text: `rule-name text`."""
    found: dict[tuple[str, str], None] = {}
    by_problem: dict[str, list[str]] = {}
    for rule in registry.rules().values():
        path = PACKAGE.joinpath(*rule.check.__module__.split(".")[1:]).with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for problem in _problems(tree):
            by_problem.setdefault(problem, []).append(rule.name)
        for text in _quoted(tree):
            found[rule.name, text] = None
    for path in sorted(path for room in ROOMS for path in PACKAGE.joinpath(room).rglob("*.py")):
        for problem, text in _mismatches(ast.parse(path.read_text(encoding="utf-8"))):
            for name in by_problem.get(problem, ()):
                found[name, text] = None
    found |= dict.fromkeys([*_gone(), *_refused()])
    return "".join(f"{name} {text}\n" for name, text in sorted(found))


def _gone() -> Iterator[tuple[str, str]]:
    """What Python says of the names that are gone, each by itself: the name tells more than the words around it."""
    for path in changes.REMOVED:
        home, _, name = path.rpartition(".")
        if home == changes.VERSION_1_LAYERS:
            yield "removed-api", f"`{name}` is not available with Keras 3."
            continue
        if name in MODULES:
            yield "removed-api", f"No module named '{path}'"
            continue
        yield "removed-api", f"module '{home}' has no attribute '{name}'"
        if "." in home:
            yield "removed-api", f"cannot import name '{name}' from '{home}'"
    for path in {path.rpartition(".")[0] for path in changes.REMOVED if path.startswith("keras.preprocessing.")}:
        yield "removed-api", f"No module named '{path}'"
    for kind, names in (("Sequential", changes.METHODS), ("LossScaleOptimizer", changes.OPTIMIZER_METHODS)):
        for name in names:
            yield "removed-api", f"'{kind}' object has no attribute '{name}'"


def _refused() -> Iterator[tuple[str, str]]:
    for name in {name for arguments in changes.ARGUMENTS.values() for name in arguments}:
        yield "removed-argument", f"__init__() got an unexpected keyword argument '{name}'"


def _problems(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name) and node.value.id == "Problem"}


def _mismatches(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(problem, error text) of each Mismatch whose error stands there, or in a constant of the module."""
    constants = {node.targets[0].id: node.value for node in tree.body
                 if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "Mismatch":
            continue
        error = next((keyword.value for keyword in node.keywords if keyword.arg == "error"), None)
        if isinstance(error, ast.Name):
            error = constants.get(error.id)
        for problem in _problems(node.args[0]) if node.args and error is not None else ():
            for text in _quoted(error) if error is not None else ():
                yield problem, text


def _quoted(tree: ast.AST) -> Iterator[str]:
    """What stands in double quotes within the strings of some code, its page aside; holes for what is filled in."""
    page = ast.get_docstring(tree, clean=False) if isinstance(tree, ast.Module) else None
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) not in within and (text := _text(node)) != page:
            for found in QUOTED.findall(text):
                yield " ".join(found.split())


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or HOLE for part in node.values)
    return ""
