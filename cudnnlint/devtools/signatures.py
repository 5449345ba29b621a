"""Writes the keyword arguments that public functions, classes and methods take, read off what is installed or unpacked.

    python -m cudnnlint.devtools.signatures [FOLDER...]

Needs TensorFlow, Keras, tf_keras, PyTorch and NumPy installed. Each FOLDER holds another release of one of them,
unpacked and not imported: what anything of that name takes there is kept as an argument of the past. Callables that
take any keyword are left out.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from cudnnlint.facts.public_names import MODULES
from cudnnlint.facts.signatures import ANY, COMPILED, FILE

ROOMS = (
    *(module for module in MODULES if module not in ("keras.layers", "keras.applications", "torch.nn")),
    "keras.saving", "keras.distribution", "tensorflow.data.experimental", "tensorflow.saved_model",
    "tensorflow.summary", "torch.amp", "torch.autograd", "torch.cuda", "torch.cuda.amp", "torch.distributed",
    "torch.linalg", "torch.nn.parallel", "torch.nn.utils", "torch.utils.checkpoint", "torch.utils.tensorboard")
"""Modules whose functions and classes are listed: layers and applications are compared with models of their own."""
CLASSES = ("keras.preprocessing.image.ImageDataGenerator", "tensorflow.GradientTape", "tensorflow.data.Dataset",
           "tensorflow.train.Checkpoint", "tensorflow.train.CheckpointManager", "torch.Tensor", "torch.nn.Module")
"""Classes whose methods are."""
MODEL = "keras.Model"
METHODS = {"save": ("include_optimizer", "save_format", "signatures", "options", "save_traces"),
           "save_weights": (), "summary": (), "get_layer": (),
           "load_weights": ("by_name", "objects_to_skip", "reshape")}
"""Methods of models that are listed -> keywords that they take out of **kwargs, and refuse others of (keras/src/saving/
saving_api.py: save_model, load_weights), and those that Keras 2 took so (tf_keras/src/saving/saving_api.py)."""
EXTRA = {"BaseOptimizer": ("decay",)}
"""Classes that take any keyword and refuse all but these (keras/src/optimizers/base_optimizer.py)."""
OF_LIBRARY = {"keras": ("keras", "tf_keras", "tensorflow"), "tensorflow": ("tensorflow",), "torch": ("torch-",),
              "numpy": ("numpy-",)}
"""Beginnings of the names of folders that hold other releases of a library."""
UNIVERSAL = ("out", "where", "casting", "order", "dtype", "subok", "signature", "sig", "extobj", "axes", "axis",
             "keepdims")
"""What universal functions of NumPy take (numpy/_core/src/umath/ufunc_object.c)."""
OBJECT = ("self", "cls")
HANDING_ON = re.compile(r"super\([^)]*\)\.__init__\([^)]*\*\*kwargs")
Taken = tuple[list[str], bool]
"""Names, and whether any other is taken too."""


def of_callable(found: Any) -> Taken:
    """What something installed takes by name."""
    if inspect.isclass(found):
        return _of_class(found)
    if type(found).__name__ == "ufunc":
        return [*UNIVERSAL], False
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return _of_text(inspect.getdoc(found) or "")
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    owner, _, name = getattr(found, "__qualname__", "").rpartition(".")
    if owner == "Model" and name in METHODS:
        return [*names, *(one for one in METHODS[name] if one not in names)], False
    return names, any(each.kind is each.VAR_KEYWORD for each in parameters)


def _of_class(cls: type) -> Taken:
    """What its constructor takes, and hands on to those of its bases."""
    names: list[str] = []
    if type(cls).__call__ is not type.__call__:
        return names, True  # it takes them first
    for base in cls.__mro__:
        if (init := vars(base).get("__init__")) is None:
            continue
        if not inspect.isfunction(init):  # compiled, or __new__ takes them
            return names, True
        own, anything = of_callable(init)
        names += [name for name in own if name != "self" and name not in names]
        if base.__name__ in EXTRA:
            return [*names, *EXTRA[base.__name__]], False
        if not anything:
            return names, False
        with contextlib.suppress(OSError, TypeError):
            if HANDING_ON.search(inspect.getsource(init)):
                continue
        return names, True
    return names, True


def _of_text(text: str) -> Taken:
    """What the first line of a docstring says: `uniform(low=0.0, high=1.0, size=None)`."""
    head = re.match(r"\w+(?:\.\w+)*\((.*)\)\s*(?:->.*)?$", text.partition("\n\n")[0].replace("\n", " "))
    if head is None:
        return [], True
    try:
        arguments = ast.parse(f"def f({head[1]}): pass").body[0].args  # type: ignore[attr-defined]
    except SyntaxError:
        return [], True
    return [each.arg for each in (*arguments.args, *arguments.kwonlyargs)], arguments.kwarg is not None


def of_stubs(folder: Path) -> dict[str, set[str]]:
    """The names that any overload of a compiled function of PyTorch takes, by path."""
    found: dict[str, set[str]] = defaultdict(set)
    for file, room in (("_VariableFunctions.pyi", "torch"), ("_nn.pyi", "torch.nn.functional"),
                       ("__init__.pyi", "torch.Tensor")):
        path = folder / file
        for node in ast.walk(ast.parse(path.read_bytes())) if path.exists() else ():
            for each in _methods(node, room):
                found[f"{room}.{each.name}"].update(_names(each.args), [COMPILED])
    return found


def _methods(node: ast.AST, room: str) -> Iterator[ast.FunctionDef]:
    if room == "torch.Tensor":
        if isinstance(node, ast.ClassDef) and node.name in ("TensorBase", "_TensorBase"):
            yield from (each for each in node.body if isinstance(each, ast.FunctionDef))
    elif isinstance(node, ast.FunctionDef):
        yield node


def _names(arguments: ast.arguments) -> list[str]:
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def of_folder(folder: Path) -> dict[str, set[str]]:
    """What functions, constructors and methods (`Dataset.batch`) take in a release that is unpacked, by last names."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in folder.rglob("*.py*"):
        with contextlib.suppress(SyntaxError, ValueError, UnicodeDecodeError):
            passed_over = path.suffix not in (".py", ".pyi") or not ELSEWHERE.isdisjoint(path.parts)
            for node in () if passed_over else ast.parse(path.read_bytes()).body:
                if isinstance(node, ast.FunctionDef):
                    _add(found, node, node)
                elif isinstance(node, ast.ClassDef):
                    for each in node.body:
                        if isinstance(each, ast.FunctionDef):
                            owner = VERSION.sub("", node.name).strip("_").removesuffix("Base")
                            _add(found, node if each.name == "__init__" else each, each, f"{owner}.")
    return found


ELSEWHERE = frozenset({"caffe2", "contrib", "onnx", "tpu", "testing"})
"""Folders of what has the names of public functions and is other functions."""
ADDING = {"inject_mesh": "mesh"}
"""Decorators that add an argument (tf_keras/src/dtensor/utils.py)."""
VERSION = re.compile(r"_?[vV][12]$")


def _add(found: dict[str, set[str]], node: ast.ClassDef | ast.FunctionDef, function: ast.FunctionDef,
         owner: str = "") -> None:
    """`node` is the class of which `function` is the constructor, or the function itself."""
    exported = [text.value.rpartition(".")[2] for decorator in node.decorator_list for text in ast.walk(decorator)
                if isinstance(text, ast.Constant) and isinstance(text.value, str)]
    added = [name for decorator, name in ADDING.items()
             if any(decorator in ast.unparse(each) for each in function.decorator_list)]
    for name in {VERSION.sub("", node.name), *exported}:
        found[name if isinstance(node, ast.ClassDef) else owner + name].update(
            _names(function.args), added, [ANY] if function.args.kwarg else [])


def paths(libraries: Collection[str] = ("keras", "tensorflow", "torch", "numpy")) -> Iterator[tuple[str, Any]]:
    """Canonical paths and what lies there, in whichever packages have it."""
    for room in (room for room in ROOMS if room.partition(".")[0] in libraries):
        for module in _modules(room):
            for name, found in sorted(vars(module).items()):
                if not name.startswith("_") and callable(found) and not inspect.ismodule(found):
                    yield f"{room}.{name}", found
    for dotted in (dotted for dotted in CLASSES if dotted.partition(".")[0] in libraries):
        for cls in _objects(dotted):
            for name in sorted(dir(cls)):
                if not name.startswith("_") and callable(method := inspect.getattr_static(cls, name)):
                    yield f"{dotted}.{name}", method
    for name in METHODS if "keras" in libraries else ():
        for cls in _objects(MODEL):
            yield f"{MODEL}.{name}", inspect.getattr_static(cls, name)


def _modules(room: str) -> Iterator[Any]:
    """`keras.utils` is that of keras and of tf.keras."""
    first, *below = room.split(".")
    for package in ("keras", "keras._tf_keras.keras") if first == "keras" else (first,):
        with contextlib.suppress(ImportError):
            yield importlib.import_module(".".join([package, *below]))


def _objects(dotted: str) -> Iterator[Any]:
    room, _, name = dotted.rpartition(".")
    for module in _modules(room):
        if hasattr(module, name):
            yield getattr(module, name)


LIBRARIES = ("keras", "tf_keras", "tensorflow", "torch", "numpy")


def version(name: str) -> str:
    """The release of a library that is installed, as the file's first line has it: `keras 3.15.1`."""
    return f"{name} {importlib.metadata.version(name)}"


def of_others(folders: Iterable[Path]) -> dict[str, dict[str, set[str]]]:
    """What other releases take, by library and last name; tf_keras, which is installed, is one of Keras."""
    past: dict[str, dict[str, set[str]]] = {library: defaultdict(set) for library in OF_LIBRARY}
    for folder in (_installed("tf-keras", "tf_keras"), *folders):
        found = of_folder(folder)
        for library in (library for library, begun in OF_LIBRARY.items() if folder.name.lower().startswith(begun)):
            for name, names in found.items():
                past[library][name] |= names
    return past


def _installed(package: str, folder: str) -> Path:
    return Path(str(importlib.metadata.distribution(package).locate_file(folder)))


def gathered(folders: Iterable[Path]) -> Iterator[str]:
    """The lines of the file: which releases are installed, then the paths."""
    past, stubs = of_others(folders), of_stubs(_installed("torch", "torch/_C"))
    now: dict[str, list[str]] = {}
    anything: set[str] = set()
    for path, found in paths():
        names, takes_any = of_callable(found)
        if path in stubs:  # which say less of some than the documentation
            names, takes_any = sorted({*stubs[path], *names}), False
        now[path] = [*dict.fromkeys([*now.get(path, ()), *(name for name in names if name not in OBJECT)])]
        if takes_any:
            anything.add(path)
    yield f"# {', '.join(map(version, LIBRARIES))}"
    for path in sorted(now.keys() - anything):
        library, (owner, name) = path.partition(".")[0], path.split(".")[-2:]
        known = past[library][f"{owner}.{name}" if path.startswith((*CLASSES, MODEL)) else name]
        others = known - {*now[path], *OBJECT}
        yield f"{path}: {' '.join(now[path])}{' | ' if others else ''}{' '.join(sorted(others))}"


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in gathered(map(Path, sys.argv[1:]))), encoding="utf-8")
