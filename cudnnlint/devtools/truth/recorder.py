"""Runs programs under real Keras and tells what each layer that they construct takes and gives.

    python recorder.py < JOB        Python >= 3.10 and Keras; nothing else is needed, so that any environment can run it

JOB is {"keras": 2 or 3, "out": FILE, "programs": [{"name", "path", "text", "roots", "folders", "seconds"}, ...]}. For
each program FILE gets a line: {"name", "versions", "statements", "failed", "seconds", "problems", "sites", "models"}.

A site is the user's call that constructs a layer, and the user's files are those under `roots`. Statements run one by
one, at most `seconds` of CPU time each; one that fails is noted and left out.
"""

from __future__ import annotations
import __future__

import ast
import functools
import importlib
import inspect
import json
import linecache
import os
import signal
import sys
import time
import traceback
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

Place = tuple[Any, ...]
"""(file, line, column, end line, end column)"""
MACHINERY = ("__new__", "__call__")
"""Functions of a library, given a class, between a call and the layer that it constructs."""


class Sites:
    """Who constructed which layer, and what was seen of it."""

    def __init__(self, keras: Any) -> None:
        self.keras, self.layer = keras, keras.layers.Layer
        library = sys.modules[self.layer.__module__.partition(".")[0]]
        self.layers_folder = os.path.join(*map(os.path.realpath, library.__path__), "src", "layers") + os.sep
        self.start(())

    def start(self, roots: Sequence[str]) -> None:
        self.roots = tuple(map(os.path.realpath, roots))
        self.found: dict[Place, dict[str, Any]] = {}
        self.owners: dict[int, tuple[weakref.ref[Any], Place]] = {}
        self.models: list[tuple[Any, Place]] = []
        self.problems: list[str] = []
        self.eager = 0  # calls under way on data: what is built under them is built for a batch of any size
        self.is_users = functools.cache(self._is_users)

    def _is_users(self, file: str) -> bool:
        path = os.path.realpath(file)
        return any(path == root or (path.startswith(root + os.sep) and "site-packages" not in path[len(root):])
                   for root in self.roots)

    def made(self, layer: Any, caller: types.FrameType | None) -> None:
        key = self._site(layer, caller)
        if key is not None:
            self.found.setdefault(key, {"layer": type(layer).__name__, "seen": {}})
            self.owners[id(layer)] = (weakref.ref(layer), key)
            if isinstance(layer, self.keras.Model):
                self.models.append((layer, key))

    def _site(self, layer: Any, frame: types.FrameType | None) -> Place | None:
        """The user's call under way, if it asks for this very layer and not for something that is made of it."""
        direct = True
        while frame is not None and not self.is_users(frame.f_code.co_filename):
            code = frame.f_code
            first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
            if isinstance(first, self.layer):
                return None  # a method of another layer
            stands_for_it = os.path.realpath(code.co_filename).startswith(self.layers_folder)  # keras.layers.add(...)
            direct = direct and (stands_for_it or (code.co_name in MACHINERY and isinstance(first, type)))
            frame = frame.f_back
        if frame is None or not (direct or isinstance(layer, self.keras.Model)):
            return None
        return _place(frame)

    def called(self, layer: Any, inputs: Any, output: Any, eager: bool) -> None:
        held = self.owners.get(id(layer))
        if held is not None and held[0]() is layer:
            self._note(layer, held[1], inputs, output, eager)

    def _note(self, layer: Any, key: Place, inputs: Any, output: Any, eager: bool) -> None:
        seen = {"input_shape": _shapes(inputs, eager), "output_shape": _shapes(output, eager),
                "dtype": _dtype(output)}
        known = self.found[key]["seen"].setdefault(json.dumps(seen), seen)
        for name, value in (("input", inputs), ("output", output)):
            raw = _shapes(value)
            if raw != seen[f"{name}_shape"] and raw not in known.setdefault(f"raw_{name}_shapes", []):
                known[f"raw_{name}_shapes"].append(raw)
        if known.get("params") is None:
            known["params"] = _params(layer)

    def report(self) -> dict[str, Any]:
        models: dict[Place, dict[str, Any]] = {}
        for model, key in self.models:
            if type(model).__name__ == "Functional":  # known without a call
                self._note(model, key, _alone(model.inputs), _alone(model.outputs), False)
            models.setdefault(key, {"layer": type(model).__name__, "params": []})["params"].append(_params(model))
        return {"sites": [{**_named(key), "layer": site["layer"], "seen": list(site["seen"].values())}
                          for key, site in self.found.items()],
                "models": [{**_named(key), **model} for key, model in models.items()], "problems": self.problems}


def _place(frame: types.FrameType) -> Place:
    """Of the call under way; without columns before Python 3.11."""
    code, path = frame.f_code, os.path.realpath(frame.f_code.co_filename)
    if not hasattr(code, "co_positions"):
        return path, frame.f_lineno, None, None, None
    line, end_line, column, end_column = list(code.co_positions())[frame.f_lasti // 2]
    return path, line, _points(path, line, column), end_line, _points(path, end_line, end_column)


OWN: dict[str, list[str]] = {}
"""Lines of the program that is run: linecache, once it was cleared, reads the file, which of a notebook is JSON."""


def _points(path: str, line: int | None, column: int | None) -> int:
    """A column from 1 in code points; Python counts bytes of UTF-8 from 0."""
    found = OWN[path][(line or 1) - 1] if path in OWN else linecache.getline(path, line or 0)
    text = found.encode("utf-8")
    return len(text[:column].decode("utf-8", "ignore")) + 1


def _named(key: Place) -> dict[str, Any]:
    return dict(zip(("path", "line", "column", "end_line", "end_column"), key, strict=True))


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    if isinstance(value, dict):
        return _tensors(list(value.values()))
    return [value] if _is_tensor(value) else []


def _alone(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _shapes(value: Any, eager: bool = False) -> Any:
    """A list of int or None, nested for several tensors, None where nothing is known; eager: the batch varies."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        given = [item for item in value if item is not None]
        return _shapes(given[0], eager) if len(given) == 1 < len(value) else [_shapes(item, eager) for item in given]
    if not _is_tensor(value):
        return None
    try:
        dims = [None if dim is None else int(dim) for dim in value.shape]
    except (TypeError, ValueError):  # of unknown rank
        return None
    return [None, *dims[1:]] if eager and dims else dims


def _dtype(value: Any) -> str | None:
    tensors = _tensors(value)
    dtype = tensors[0].dtype if tensors else None
    return None if dtype is None else getattr(dtype, "name", None) or str(dtype)


def _params(layer: Any) -> int | None:
    try:
        return int(layer.count_params()) if layer.built else None
    except Exception:  # not built as far as Keras knows
        return None


def patch(sites: Sites) -> None:
    """Layers tell of themselves as they are constructed and called."""
    base = sites.layer
    make, call = base.__new__, base.__call__

    def tell(function: Callable[..., None], *args: Any) -> None:
        try:
            function(*args)
        except Exception:  # the program goes on
            sites.problems.append(traceback.format_exc(limit=-2))

    @functools.wraps(make)
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        layer = make(cls, *args, **kwargs)
        if isinstance(layer, base):
            tell(sites.made, layer, sys._getframe(1))
        return layer

    @functools.wraps(call)
    def apply(self: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = _alone([value for name, value in (*enumerate(args), *kwargs.items())
                         if name != "mask" and _tensors(value)])
        eager = not all("KerasTensor" in type(tensor).__name__ for tensor in _tensors(inputs))
        sites.eager += eager
        try:
            output = call(self, *args, **kwargs)
        finally:
            sites.eager -= eager
        tell(sites.called, self, inputs, output, eager or sites.eager > 0)
        return output

    base.__new__, base.__call__ = staticmethod(new), apply


def cheap(keras: Any) -> None:
    """Training of one step, no files, no downloads."""
    from_one = {"steps_per_epoch": 1, "epochs": 1, "initial_epoch": 0}
    for name, fixed in {"fit": from_one, "evaluate": {"steps": 1}, "predict": {"steps": 1}}.items():
        setattr(keras.Model, name, _bounded(getattr(keras.Model, name), fixed))
    for name in ("save", "save_weights", "load_weights", "export"):
        setattr(keras.Model, name, lambda self, *args, **kwargs: None)
    for module in [module for name, module in sys.modules.items() if "keras" in name]:
        own = vars(module)
        if inspect.isfunction(own.get("get_file")):
            own["get_file"] = lambda fname=None, *args, **kwargs: f"not-downloaded/{fname}"
        data = DATA.get(module.__name__.rpartition(".")[2])
        if data is not None and ".datasets." in module.__name__:
            own["load_data"] = functools.partial(_stub, data)


def _bounded(function: Callable[..., Any], fixed: dict[str, int]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def one_step(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        own, more = given.pop("self"), given.pop("kwargs", {})
        given.update(fixed, verbose=0, callbacks=None)
        if given.get("validation_data") is not None or given.get("validation_split"):
            given["validation_steps"] = 1
        return function(own, **given, **more)

    return one_step


DATA = {  # rows to train and to test, shape and dtype of one, shape and dtype of its label, number of classes
    "mnist": (60000, 10000, (28, 28), "uint8", (), "uint8", 10),
    "fashion_mnist": (60000, 10000, (28, 28), "uint8", (), "uint8", 10),
    "cifar10": (50000, 10000, (32, 32, 3), "uint8", (1,), "uint8", 10),
    "cifar100": (50000, 10000, (32, 32, 3), "uint8", (1,), "int64", 100),
    "boston_housing": (404, 102, (13,), "float64", (), "float64", 50),
    "california_housing": (16512, 4128, (8,), "float32", (), "float32", 50),
    "imdb": (25000, 25000, (), "object", (), "int64", 2),
    "reuters": (8982, 2246, (), "object", (), "int64", 46)}
"""As the docstrings of keras/src/datasets/*.py say, and the stored arrays."""


def _stub(data: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
    np = importlib.import_module("numpy")

    def part(rows: int) -> tuple[Any, Any]:
        x = np.zeros((rows, *shape), dtype)
        for row in range(rows if dtype == "object" else 0):
            x[row] = [1] + [2 + row % 7] * (10 + row % 90)
        return x, (np.arange(rows) % classes).astype(label_dtype).reshape((rows, *label))

    train, test, shape, dtype, label, label_dtype, classes = data
    return part(train), part(test)


def run(sites: Sites, program: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """The program's report."""
    sites.start(program["roots"])
    text, path = program["text"], program["path"]
    OWN[path] = text.splitlines(keepends=True)
    linecache.cache[path] = len(text), None, OWN[path], path
    main = types.ModuleType("__main__")
    main.__file__ = path
    began = time.process_time()
    before = dict(sys.modules), list(sys.path), os.getcwd()
    sys.modules["__main__"], sys.argv, sys.path[:0] = main, [path], program["folders"]
    os.chdir(os.path.dirname(path))
    statements = Statements(main, path, program["seconds"])
    try:
        statements.run(ast.parse(text).body)
    except SyntaxError as error:
        statements.fails(error.lineno, error)
    except SystemExit:
        pass
    finally:
        os.chdir(before[2])
        sys.path[:] = before[1]
        sys.modules["__main__"] = before[0]["__main__"]
        for name, module in list(sys.modules.items()):
            if name not in before[0] and sites.is_users(getattr(module, "__file__", None) or ""):
                del sys.modules[name]
    return {"name": program["name"], "versions": versions, "statements": statements.count,
            "failed": statements.failed, "seconds": round(time.process_time() - began, 1), **sites.report()}


class Statements:
    """Runs the statements of a module one by one."""

    def __init__(self, module: types.ModuleType, path: str, seconds: float) -> None:
        self.module, self.path, self.seconds = module, path, seconds
        self.count, self.flags = 0, 0
        self.failed: list[dict[str, Any]] = []

    def run(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for alias in node.names:
                    self.flags |= getattr(__future__, alias.name).compiler_flag
            self.count += not isinstance(node, ast.If)
            try:
                self.one(node)
            except Exception as error:
                self.fails(node.lineno, error)

    def fails(self, line: int | None, error: Exception) -> None:
        text = str(error).strip().splitlines() or [""]
        self.failed.append({"line": line, "error": f"{type(error).__name__}: {text[0][:200]}"})

    def one(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):  # if __name__ == "__main__": what is in it fails by itself
            test = self.bounded(eval, compile(ast.Expression(node.test), self.path, "eval", self.flags, True))
            self.run(node.body if test else node.orelse)
        else:
            self.bounded(exec, compile(ast.Module([node], []), self.path, "exec", self.flags, True))

    def bounded(self, function: Callable[..., Any], code: types.CodeType) -> Any:
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        try:
            return function(code, vars(self.module))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def too_long(number: int, frame: Any) -> None:
    raise TimeoutError("takes too long")


def reset(keras: Any) -> None:
    keras.backend.clear_session()
    keras.backend.set_image_data_format("channels_last")
    keras.backend.set_floatx("float32")
    if hasattr(keras, "ops"):  # without a policy floatx decides, as in a program of its own
        importlib.import_module("keras.src.backend.common.global_state").set_global_attribute("dtype_policy", None)
    else:
        vars(importlib.import_module("tf_keras.src.mixed_precision.policy"))["_global_policy"] = None


def libraries(generation: int) -> tuple[Any, dict[str, str]]:
    """Keras, with `tf.keras` and `import keras` the generation that is asked for."""
    os.environ["TF_USE_LEGACY_KERAS"] = str(int(generation == 2))
    tensorflow = importlib.import_module("tensorflow")
    keras = importlib.import_module("tf_keras" if generation == 2 else "keras")
    _ = tensorflow.keras.datasets  # loads its modules
    if generation == 2:
        sys.modules["keras"] = keras
        for name, module in list(sys.modules.items()):
            if name.startswith("tf_keras.api._v2.keras."):
                sys.modules["keras." + name.partition("._v2.keras.")[2]] = module
    own = sys.modules[keras.layers.Layer.__module__.partition(".")[0]]
    return keras, {"keras": own.__version__, "tensorflow": tensorflow.__version__,
                   "python": ".".join(map(str, sys.version_info[:3]))}


def main() -> None:
    job = json.load(sys.stdin)
    sys.path.pop(0)  # where this file lies
    keras, versions = libraries(job["keras"])
    sites = Sites(keras)
    patch(sites)
    cheap(keras)
    importlib.import_module("tensorflow").config.run_functions_eagerly(True)  # a step costs less than its tracing
    signal.signal(signal.SIGPROF, too_long)
    for program in job["programs"]:
        reset(keras)
        report = run(sites, program, versions)
        with open(job["out"], "a", encoding="utf-8") as out:
            out.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
