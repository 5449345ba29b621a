"""Calls of functions, classes and methods of the libraries with keywords that no release of these takes, or without
what all of them need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cudnnlint.facts.changes import ARGUMENTS, IGNORED
from cudnnlint.facts.needed import needed
from cudnnlint.facts.signatures import ANY, Keywords, keywords
from cudnnlint.interp.binding import STAR, lacking
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Where

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

NEW_KERAS = Where(keras=">=3")
"""Where the class takes no other keywords, though in Keras 2 it takes any, some of which it refuses later."""


def tell_of_unlisted(m: Machine, node: ast.AST, path: str, what: str, given: Iterable[str]) -> None:
    """`EarlyStopping(monitors="loss")`: a name that what lies at `path` never had, and that the program writes."""
    if not isinstance(node, ast.Call) or (known := keywords(path)) is None or STAR in given:
        return
    if m.stack.keras < (2,) or m.stack.tensorflow < (2,) or not is_meant(m):
        return
    written = {word.arg for word in node.keywords}
    where = _where(path, known)
    name = _unlisted(path, known, [each for each in given if each in written]) if where is not None else ""
    if name and where is not None:
        refuse(m, m.span(node), Mismatch(
            Problem.UNKNOWN_ARGUMENT, "", argument=name, where=where, error=_error(path, known, name), facts=(
                ("name", name), ("versions", ""), ("twice", False), ("parameters", known.now))),
            what=_shown(path, what), stage="called")


def tell_of_needed(m: Machine, path: str, what: str, args: Sequence[Any], kwargs: Mapping[str, Any],
                   node: ast.AST) -> bool:
    """`StepLR(optimizer)`, `strategy.reduce("sum", value)`; names of other releases may stand for those of today.
    Whether it was told."""
    names = needed().get(path)
    if names is None or len(args) >= len(names) or not isinstance(node, ast.Call) or STAR in kwargs:
        return False
    missing = tuple(name for name in names[len(args):] if name not in kwargs)
    known = keywords(path)
    if not missing or m.handlers or not is_meant(m) or m.stack.keras < (2,) or m.stack.tensorflow < (2,) \
            or any(name not in names and (known is None or name not in known.now) for name in kwargs):
        return False
    return refuse(m, m.span(node), lacking(path.rpartition(".")[2], missing), what=_shown(path, what), stage="called")


def _shown(path: str, what: str) -> str:
    """As people write it: a class without its module, a method with its class."""
    last = path.rpartition(".")[2]
    if path.startswith("torch.") or last[:1].isupper():
        return last
    return path.removeprefix("keras.") if path.startswith("keras.Model.") else what


def _unlisted(path: str, known: Keywords, given: Iterable[str]) -> str:
    """The first name given that no release takes, nor is known to have left, or to do nothing; "" without one."""
    changed = {*ARGUMENTS.get(path, ()), *IGNORED.get(path, ())}
    return next((name for name in given if name not in known and name not in changed), "")


def _where(path: str, known: Keywords) -> Where | None:
    """Where no other names are taken, if anywhere."""
    if ANY not in known.past:
        return EVERYWHERE
    return NEW_KERAS if path.startswith("keras.") else None


def _error(path: str, known: Keywords, name: str) -> str:
    """keras/src/optimizers/base_optimizer.py: BaseOptimizer.__init__; torch/csrc/utils/python_arg_parser.cpp:
    PythonArgParser::print_error"""
    if path.startswith("keras.optimizers.") and path.count(".") == 2:
        return f"ValueError \"Argument(s) not recognized: {{'{name}'\""
    if known.compiled:
        last = path.rpartition(".")[2]
        return (f"TypeError \"{last}() got an unexpected keyword argument '{name}'\", \"{last}() received an invalid "
                f'combination of arguments" or "{last}() missing 1 required positional arguments"')
    return ""
