"""Runs programs under real Keras and tells what each layer that they construct takes and gives.

    python recorder.py < JOB        Python >= 3.10 and Keras; nothing else is needed, so that any environment can run it

It and the `recorder_*.py` beside it are started by path and import nothing of cudnnlint.

JOB is {"keras": 2 or 3, "out": FILE, "programs": [{"name", "path", "text", "roots", "folders", "seconds"}, ...]}. For
each program FILE gets a line: {"name", "versions", "statements", "failed", "seconds", "problems", "sites", "models",
"fits"}.

A site is the user's call that constructs a layer, and the user's files are those under `roots`. Statements run one by
one, at most `seconds` of CPU time each; one that fails is noted and left out.
"""

from __future__ import annotations
import __future__

import ast
import importlib
import json
import linecache
import os
import signal
import sys
import time
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from recorder_cuts import cheap  # type: ignore[import-not-found]
from recorder_fits import Fits, watch_fits  # type: ignore[import-not-found]
from recorder_sites import OWN, Sites, patch  # type: ignore[import-not-found]


def run(sites: Sites, fits: Fits, program: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """The program's report."""
    sites.start(program["roots"])
    fits.start()
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
        users = [name for name, module in list(sys.modules.items())
                 if name not in before[0] and any(map(sites.is_users, places_of(module)))]
        for name in users:
            del sys.modules[name]
    return {"name": program["name"], "versions": versions, "statements": statements.count,
            "failed": statements.failed, "seconds": round(time.process_time() - began, 1), **sites.report(),
            "fits": fits.report()}


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
                first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
                self.fails(first, error, node.end_lineno)

    def fails(self, line: int | None, error: Exception, end_line: int | None = None) -> None:
        text = str(error).strip().splitlines() or [""]
        self.failed.append({"line": line, "end_line": end_line or line,
                            "error": f"{type(error).__name__}: {text[0][:200]}"})

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


def places_of(module: Any) -> list[str]:
    """Where a module lies; a package without __init__.py has folders only. torch.classes gives any attribute."""
    file, folders = getattr(module, "__file__", None), getattr(module, "__path__", ())
    return [str(file or ""), *(f"{folder}/" for folder in (folders if isinstance(folders, Iterable) else ()))]


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
    fits = Fits(sites)
    sites.outermost = fits.called
    watch_fits(fits)
    importlib.import_module("tensorflow").config.run_functions_eagerly(True)  # a step costs less than its tracing
    signal.signal(signal.SIGPROF, too_long)
    for program in job["programs"]:
        reset(keras)
        report = run(sites, fits, program, versions)
        with open(job["out"], "a", encoding="utf-8") as out:
            out.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
