"""Names that modules of TensorFlow, Keras, PyTorch and NumPy do not have, nearly as they are written."""

from __future__ import annotations

import ast
from functools import lru_cache

from cudnnlint.facts.changes import REMOVED
from cudnnlint.facts.public_names import MODULES, listed, meant
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.source import Source
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Where

ROOTS = (("tensorflow.keras", "keras"), ("tensorflow.compat.v2.keras", "keras"), ("tf_keras", "keras"),
         ("tensorflow.compat.v2", "tensorflow"), ("keras", "keras"),
         ("tensorflow", "tensorflow"), ("torch", "torch"), ("numpy", "numpy"))
"""How a module is imported -> the library whose module it is; keras_core has all names of its sources, none but those
of keras are listed."""
DATASET = "tensorflow.data.Dataset"
"""A class that is asked for constructors as a module is for functions."""


@lru_cache(maxsize=4096)
def module_of(written: str) -> str:
    """
    >>> module_of("tensorflow.keras.layers"), module_of("tf_keras"), module_of("tensorflow.python.keras.layers")
    ('keras.layers', 'keras', '')
    """
    for written_root, root in ROOTS:
        if written == written_root or written.startswith(f"{written_root}."):
            module = root + written[len(written_root):]
            return module if module in MODULES or module == DATASET else ""
    return ""


@lru_cache(maxsize=16384)
def _close(written: str, name: str, keras_2: bool) -> str:
    """What may be meant by a name that a module has not; "" if it is none that we know, or has it."""
    module = module_of(written)
    if not module or f"{written}.{name}" in REMOVED:
        return ""
    return meant(module, name, ever=keras_2 or not module.startswith("keras"))


def tell_of_misspelt(m: Machine, written: str, name: str, node: ast.AST, *, imported: bool = False) -> None:
    """`keras.utils.to_catagorical`, `from keras.layers import Droput`: of a module all of whose names are known."""
    close = _close(written, name, m.stack.keras < (3,))
    if not close or not is_meant(m) or _is_told_apart(m, name):
        return
    module, span = module_of(written), m.span(node)
    if span.path != m.linted or (m.stack.tensorflow < (2,) and module.startswith("tensorflow")):
        return
    told, key = m.notes.setdefault("misspelt", {}), (span.line, name)
    if key in told:
        return
    told[key] = span
    since = Where(keras=">=3") if name in listed(module)[1] else Where()
    error = f"ImportError \"cannot import name '{name}'\" or ModuleNotFoundError" if imported else \
        f"AttributeError \"has no attribute '{name}'\""
    refuse(m, span, Mismatch(
        Problem.UNKNOWN_NAME if module == "keras.layers" else Problem.MISSPELT, f"{written} has no {name}",
        help=f"did you mean {close}?", error=error, where=since,
        facts=(("moment", "when it is imported" if imported else "when it is read"),)), what=name)


def _is_told_apart(m: Machine, name: str) -> bool:
    """Whether the file sets such an attribute itself, or asks for it."""
    source = m.frame.module.source
    return name in m.state.get("asked_for", ()) or is_added(m, name) or (
        source is not None and name in _set_elsewhere(m, source))


def is_added(m: Machine, name: str) -> bool:
    """Whether the program, in whatever file, gives a module or a class of a library such an attribute."""
    return bool(m.overrides) and any(path.rpartition(".")[2] == name for path in m.overrides)


def _set_elsewhere(m: Machine, source: Source) -> frozenset[str]:
    """Texts in a file, and names of attributes that it sets on anything but `self`, which is no module."""
    found: dict[Source, frozenset[str]] = m.notes.setdefault("set elsewhere", {})
    if source not in found:
        found[source] = set_in(m, source) | {node.value for node in walk(source.tree()) if isinstance(
            node, ast.Constant) and isinstance(node.value, str)}
    return found[source]


def set_in(m: Machine, source: Source) -> frozenset[str]:
    """Names of attributes that a file sets on anything but `self`."""
    found: dict[Source, frozenset[str]] = m.notes.setdefault("set in", {})
    if source not in found:
        found[source] = frozenset(
            node.attr for node in walk(source.tree()) if isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and not (isinstance(node.value, ast.Name) and node.value.id == "self"))
    return found[source]


def mentioned(m: Machine, source: Source) -> frozenset[str]:
    """Names of attributes that a file sets, of what it defines, and texts in it."""
    found: dict[Source, frozenset[str]] = m.notes.setdefault("mentioned", {})
    if source not in found:
        found[source] = _mentioned(source.tree())
    return found[source]


def _mentioned(tree: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return frozenset(names)
