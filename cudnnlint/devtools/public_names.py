"""Writes the names that modules of TensorFlow, Keras, PyTorch and NumPy have, read off what is installed or unpacked.

    python -m cudnnlint.devtools.public_names [FOLDER...]

Each FOLDER holds a release of Keras, unpacked: what only it has is kept as a name of the past. The modules of Keras and
TensorFlow are read and not imported; their classes are asked, and so are PyTorch and NumPy, of which no file lists all
names.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import inspect
import pkgutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cudnnlint.facts.public_names import CLASSES, FILE, MODULES, listed

API = ("", "api", "api/_v1/keras", "api/_v2/keras", "_tf_keras/keras")
"""Where the modules of the keras package lie in one release or another."""
DEEPEST = 6
LAZY = {"keras", "losses", "metrics", "optimizers", "initializers"}
"""Modules of Keras that TensorFlow sets on itself by name (tensorflow/__init__.py: _KerasLazyLoader)."""


def names_in(path: Path, root: Path, depth: int = 0) -> Iterator[str]:
    """What a file binds at its top, star imports of its own package followed."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0]
                if alias.name == "*" and isinstance(node, ast.ImportFrom) and depth < DEEPEST:
                    for found in _files(root.joinpath(*_base(node, path, root).split("."))):
                        yield from names_in(found, root, depth + 1)


def _base(node: ast.ImportFrom, path: Path, root: Path) -> str:
    """The module that a from-import names, relative ones resolved."""
    if not node.level:
        return node.module or ""
    parts = path.relative_to(root).parts[:-node.level]
    return ".".join((*parts, *((node.module or "").split(".") if node.module else ())))


def _files(place: Path) -> Iterator[Path]:
    yield from (path for path in (place / "__init__.py", place.with_name(f"{place.name}.py")) if path.is_file())


def of_package(place: Path, root: Path) -> set[str]:
    """Public names of the module at `place`: what its file binds, and the modules in its folder."""
    found = {name for path in _files(place) for name in names_in(path, root)}
    if place.is_dir():
        found |= {path.stem for path in place.iterdir() if path.is_dir() or path.suffix == ".py"}
    return found


def of_keras(root: Path, package: str, module: str) -> set[str]:
    below = module.split(".")[1:]
    return {name for api in API for name in of_package((root / package / api).joinpath(*below), root)}


def of_tensorflow(root: Path, module: str, version: str) -> set[str]:
    below = module.split(".")[1:]
    places = [root / "tensorflow/_api" / version] + ([root / "tensorflow"] if not below else [])
    return {name for place in places for name in of_package(place.joinpath(*below), root)} | (set() if below else LAZY)


def of_imported(module: str) -> set[str]:
    found = importlib.import_module(module)
    return {*dir(found), *(each.name for each in pkgutil.iter_modules(getattr(found, "__path__", ())))}


def of_class(dotted: str) -> set[str]:
    """What the objects of a class have: its attributes, and what its methods set on self."""
    root, *parts = dotted.split(".")
    found: Any = importlib.import_module(root)
    for part in parts:
        found = getattr(found, part)
    bases = [base for base in found.__mro__ if base.__module__.startswith(("keras", "tf_keras", "tensorflow", "torch"))]
    return set(dir(found)).union(*map(_set_on_self, bases))


def _set_on_self(cls: type) -> set[str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name) and node.value.id == "self"}


NUMPY_1 = """
ALLOW_THREADS BUFSIZE CLIP DataSource ERR_CALL ERR_DEFAULT ERR_IGNORE ERR_LOG ERR_PRINT ERR_RAISE ERR_WARN
FLOATING_POINT_SUPPORT FPE_DIVIDEBYZERO FPE_INVALID FPE_OVERFLOW FPE_UNDERFLOW Inf Infinity MAXDIMS MAY_SHARE_BOUNDS
MAY_SHARE_EXACT NAN NINF NZERO NaN PINF PZERO RAISE RankWarning SHIFT_DIVIDEBYZERO SHIFT_INVALID SHIFT_OVERFLOW
SHIFT_UNDERFLOW UFUNC_BUFSIZE_DEFAULT UFUNC_PYVALS_NAME WRAP add_docstring add_newdoc add_newdoc_ufunc alen alltrue
asfarray asscalar bool bool8 byte_bounds bytes0 cast cfloat chararray clongfloat compare_chararrays compat complex
complex_ cumproduct deprecate deprecate_with_doc disp dual fastCopyAndTranspose financial find_common_type float float_
format_parser fv get_array_wrap geterrobj in1d infty int int0 ipmt irr issctype issubclass_ issubsctype kernel_version
loads long longcomplex longfloat lookfor mat math maximum_sctype mirr msort nbytes nper npv numarray obj2sctype object
object0 oldnumeric os pmt ppmt product pv rank rate recfromcsv recfromtxt round_ safe_eval sctype2char sctypeDict
sctypeNA sctypes set_numeric_ops set_string_function seterrobj setbufsize singlecomplex sometrue source str str0 string_
sys tracemalloc_domain trapz typeDict typeNA uint0 unicode unicode_ version void0 warnings who
"""
"""What NumPy 1 has had in its own module and 2.4 has not: dir() of 1.26, and the release notes of 1.16 to 1.25. Until
2.2 numpy.linalg had a module of that name within."""
OLDER = {"tensorflow.data.Dataset": "tensorflow.compat.v1.data.Dataset"}
"""Classes of another release that is installed beside; of Keras those of tf_keras."""


def of_classes(dotted: str) -> tuple[set[str], set[str]]:
    now, past = of_class(dotted), set()
    with contextlib.suppress(ImportError, AttributeError):
        past = of_class(OLDER.get(dotted, dotted.replace("keras", "tf_keras", 1)))
    return now, past


def _installed(package: str) -> Path:
    return Path(str(importlib.metadata.distribution(package).locate_file("")))


def gathered(module: str, folders: Iterable[Path]) -> tuple[set[str], set[str]]:
    """The names of a module in what is installed and in any Keras 3, and those of other releases."""
    if module in CLASSES:
        return of_classes(module)
    if module.startswith("torch"):
        return of_imported(module), set()
    if module.startswith("numpy"):
        return of_imported(module), set({"numpy": NUMPY_1, "numpy.linalg": "linalg"}.get(module, "").split())
    if module.startswith("tensorflow"):
        root = _installed("tensorflow")
        return of_tensorflow(root, module, "v2"), of_tensorflow(root, module, "v2/compat/v1")
    now, past = of_keras(_installed("keras"), "keras", module), of_keras(_installed("tf-keras"), "tf_keras", module)
    for folder in folders:
        (now if (folder / "keras/src/ops").is_dir() else past).update(of_keras(folder, "keras", module))
    return now, past


def written(folders: list[Path]) -> str:
    """The file's text; of a library that is not installed, what it says already."""
    lines = []
    for module in (*MODULES, *CLASSES):
        try:
            now, past = gathered(module, folders)
        except ImportError:
            now, past = map(set, listed(module))
        public = sorted(name for name in now if not name.startswith("_") and name != "*")
        others = sorted(name for name in past - now if not name.startswith("_") and name != "*")
        lines.append(f"{module}: {' '.join(public)} | {' '.join(others)}".rstrip() + "\n")
    return "".join(lines)


if __name__ == "__main__":
    FILE.write_text(written([Path(folder) for folder in sys.argv[1:]]), encoding="utf-8")
