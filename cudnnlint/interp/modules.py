"""Imports: of the modelled libraries as paths, of the project's own modules by what their analysis left."""

from __future__ import annotations

import ast
import os
import sys
from typing import Any

from cudnnlint.facts.project import package_root
from cudnnlint.interp.attributes import external_attribute, module_attribute
from cudnnlint.interp.heap import NEXT
from cudnnlint.interp.machine import Machine, executes
from cudnnlint.interp.mistakes.changes import check_import, is_gone
from cudnnlint.interp.names import external, target_scope
from cudnnlint.interp.objects import External, ModuleV
from cudnnlint.interp.registry import ROOTS
from cudnnlint.values import Unknown


@executes(ast.Import)
def import_(m: Machine, node: ast.Import) -> int:
    m.doubts += 1
    for alias in node.names:
        check_import(m, alias.name, node)
        value = load_module(m, alias.name)
        if alias.asname:
            m.set_item(target_scope(m, alias.asname), alias.asname, value)
            continue
        top = alias.name.partition(".")[0]
        m.set_item(target_scope(m, top), top, value if top == alias.name else load_module(m, top))
    return NEXT


def load_module(m: Machine, dotted: str) -> Any:
    """A module value: the project's own, a library's path, or Unknown."""
    top = dotted.partition(".")[0]
    if top in ROOTS and not _shadowed(m, dotted):
        return external(dotted)
    if m.project is not None and (found := m.project.load(m, dotted)) is not None:
        return found
    return External(dotted)


def way_to_read(m: Machine, value: Any) -> str:
    """What to do about an object or a function of a package that is not at hand; "" of all others."""
    path = getattr(value, "path", "")
    top = path.partition(".")[0] if isinstance(path, str) else ""
    if not top or top in ROOTS or top in sys.stdlib_module_names or m.project is None \
            or not m.project.libraries.lacks(top):
        return ""
    return f" ({top} is not read: --python names an environment that has it)"


def _shadowed(m: Machine, dotted: str) -> bool:
    """A file of the linted library itself: `keras.src.x` read from the project when linting Keras' own tree."""
    if m.project is None:
        return False
    return _is_helper(dotted) and dotted.partition(".")[0] == real_name(m.frame.module).partition(".")[0]


def real_name(module: ModuleV) -> str:
    """The dotted name under which the project imports a module, also of the one that runs as __main__."""
    return package_root(module.path)[1] if module.name == "__main__" and module.path else module.name


HELPERS = ".applications."
OTHERS = frozenset({"IPython", "cv2", "fastai", "google", "ipywidgets", "matplotlib", "pandas", "plotly", "pyspark",
                    "pylab", "scipy", "seaborn", "skimage", "sklearn", "sympy"})
"""Packages of others that are imported with a star: none binds what a program calls its own."""


def _is_helper(dotted: str) -> bool:
    """Modules of a modelled library that are read like the project's own: their functions are not modelled."""
    return HELPERS in dotted


@executes(ast.ImportFrom)
def import_from(m: Machine, node: ast.ImportFrom) -> int:
    m.doubts += 1
    base = absolute_name(m.frame.module, node)
    if base is None:
        for alias in node.names:
            m.set_item(target_scope(m, alias.asname or alias.name), alias.asname or alias.name,
                       Unknown("a relative import outside a package"))
        return NEXT
    for alias in node.names:
        check_import(m, f"{base}.{alias.name}", node)
        if alias.name == "*":
            _import_star(m, base)
            continue
        m.set_item(target_scope(m, alias.asname or alias.name), alias.asname or alias.name,
                   member(m, base, alias.name))
    return NEXT


def absolute_name(module: ModuleV, node: ast.ImportFrom) -> str | None:
    """The dotted name that a from-import of a module names, relative ones resolved."""
    if not node.level:
        return node.module or ""
    is_package = module.is_package or os.path.basename(module.path) == "__init__.py"
    parts = real_name(module).split(".")
    drop = node.level - (1 if is_package else 0)
    if drop > len(parts):
        return None
    kept = parts[: len(parts) - drop]
    if not kept and not node.module:
        return None
    return ".".join([*kept, *([node.module] if node.module else [])])


def member(m: Machine, base: str, name: str) -> Any:
    """`from base import name`."""
    top = base.partition(".")[0]
    if top in ROOTS and not _shadowed(m, f"{base}.{name}."):
        found = external(base)
        if isinstance(found, External):
            return external_attribute(m, found, name)
        return found
    module = load_module(m, base) if not _shadowed(m, f"{base}.{name}.") else m.project.load(m, base)
    if isinstance(module, ModuleV):
        return module_attribute(m, module, name)
    if isinstance(module, External):
        return external_attribute(m, module, name)
    return Unknown(f"{base}.{name}")


def _import_star(m: Machine, base: str) -> None:
    """Bind every public name; of a library, the modelled names below the path."""
    module = load_module(m, base)
    scope = m.frame.scope
    m.heap.touch(scope)
    if isinstance(module, ModuleV):
        from cudnnlint.interp.iterate import elements
        from cudnnlint.interp.listed import listed_member

        for name in module.listed:
            scope.items[name] = listed_member(m, module, name)
        exported = module.scope.items.get("__all__")
        names = elements(m, exported) if exported is not None else Unknown("no __all__")
        if isinstance(names, Unknown):
            names = [name for name in module.scope.items if not name.startswith("_")]
        for name in names:
            if isinstance(name, str) and name in module.scope.items:
                scope.items[name] = module.scope.items[name]
        scope.unknown = scope.unknown or module.scope.unknown
        return
    if isinstance(module, External):
        own = _own_of_notebook(m)
        for name, path in public_names(module.path).items():
            written = f"{module.written}.{name}" if module.written else ""
            scope.items[name] = Unknown("a name of another cell") if name in own else External(path, written) \
                if not is_gone(m, written) else Unknown("a name that this version does not have")
        top = module.path.partition(".")[0]
        if top not in ROOTS:
            scope.unknown = Unknown(f"star import from {module.path}")
            if top not in OTHERS and top not in sys.stdlib_module_names:
                _replaced(scope.items, scope.unknown)


def _own_of_notebook(m: Machine) -> frozenset[str]:
    """The functions and classes of a notebook: cells are run in any order, and may mean these by what a star binds."""
    source = m.frame.module.source
    return frozenset(node.name for node in source.tree().body if isinstance(node, ast.FunctionDef | ast.ClassDef)) \
        if source is not None and source.cells else frozenset()


def _replaced(names: dict[str, Any], by: Unknown) -> None:
    """A module that is not at hand may be a part of the program, and bind any name anew that is not a module's."""
    for name, value in names.items():
        if not isinstance(value, External | ModuleV) and not name.startswith("_"):
            names[name] = by


MODULES_BELOW = {
    "keras": "activations applications backend callbacks constraints datasets initializers layers losses metrics "
             "models optimizers preprocessing regularizers utils",
    "keras.applications": "densenet imagenet_utils inception_resnet_v2 inception_v3 mobilenet mobilenet_v2 nasnet "
                          "resnet50 vgg16 vgg19 xception",
    "keras.datasets": "boston_housing cifar10 cifar100 fashion_mnist imdb mnist reuters",
    "keras.preprocessing": "image sequence",
}
"""What a star binds of modules, in Keras 2 and 3 (keras/api/datasets/__init__.py; tf_keras/api/_v2/keras/datasets/
__init__.py)."""


def public_names(package: str) -> dict[str, str]:
    """What `from package import *` of a modelled library binds: each name that is modelled, and its path."""
    from cudnnlint.interp.registry import CALLS, PARENTS, PREFIXES, canonical
    from cudnnlint.ops import table

    prefix = package + "."
    found: dict[str, str] = {}
    for paths in (table.modules(), CALLS, PREFIXES, PARENTS):  # of optimizers only the classes are named
        for path in paths:
            if path.startswith(prefix) and "." not in (name := path[len(prefix):]) \
                    and not (paths is PREFIXES and name.islower()):
                found[name] = canonical(path)
    if package == "keras.layers":
        found["Layer"] = "keras.layers.Layer"
    return found | {name: canonical(prefix + name) for name in MODULES_BELOW.get(package, "").split()}
