"""Runs the examples of pages, each in a fork of a process that has loaded the library, statement by statement.

Standard input is {"library": "keras" | "tf_keras" | "torch", "blocks": [{"name", "folder", "code"}]}; each line of
standard output is {"name", "raised": [{"line", "end", "types", "text"}], "ended": why it did not come to its end}.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import select
import signal
import sys
import time
import types
import warnings
from typing import Any

SECONDS = 5.0
"""Of CPU time, for each statement: one that takes longer has not failed."""
ALL_SECONDS = 60.0


class TooLongError(BaseException):
    """A statement that runs and runs."""


def load(library: str) -> None:
    """Keras by its own name and as tf.keras, in the generation that is asked for."""
    if library == "torch":
        importlib.import_module("torch").set_num_threads(1)
        return
    os.environ["TF_USE_LEGACY_KERAS"] = str(int(library == "tf_keras"))
    tensorflow = importlib.import_module("tensorflow")
    keras = importlib.import_module(library)
    _ = keras.datasets, tensorflow.keras.datasets  # loads its modules
    if library == "tf_keras":
        sys.modules["keras"] = keras
        for name, module in list(sys.modules.items()):
            if name.startswith("tf_keras.api._v2.keras."):
                sys.modules["keras." + name.partition("._v2.keras.")[2]] = module
    stub()


def stub() -> None:
    """No downloads: data sets are smaller, and zeros."""
    np = importlib.import_module("numpy")
    shapes = {"mnist": (28, 28), "fashion_mnist": (28, 28), "cifar10": (32, 32, 3), "cifar100": (32, 32, 3)}
    for name, shape in shapes.items():
        classes = 100 if name == "cifar100" else 10

        def part(rows: int, shape: tuple[int, ...] = shape, classes: int = classes) -> Any:
            labels = (np.arange(rows) % classes).astype("uint8")
            return np.zeros((rows, *shape), "uint8"), labels if len(shape) == 2 else labels[:, None]

        replace(name, lambda *args, part=part, **more: (part(600), part(200)))

    def texts(*args: Any, num_words: int = 1000, **more: Any) -> Any:
        rows = np.empty(200, object)
        for row in range(200):
            rows[row] = [1, num_words - 1, *range(2, 3 + row % 50)]
        return (rows, np.arange(200) % 2), (rows, np.arange(200) % 2)

    replace("imdb", texts)
    replace("reuters", texts)


def replace(name: str, load_data: Any) -> None:
    """In each of the modules that Keras has for a data set."""
    for path, module in list(sys.modules.items()):
        if path.endswith(f".datasets.{name}"):
            vars(module)["load_data"] = load_data


def run(block: dict[str, Any]) -> list[dict[str, Any]]:
    """What its statements raise."""
    os.chdir(block["folder"])
    sys.path.insert(0, block["folder"])
    main = types.ModuleType("__main__")
    main.__file__ = os.path.join(block["folder"], "example.py")
    sys.modules["__main__"] = main
    with open(main.__file__, "w", encoding="utf-8") as source:  # which AutoGraph reads
        source.write(block["code"])
    raised: list[dict[str, Any]] = []
    for node in ast.parse(block["code"]).body:
        code = compile(ast.Module([node], []), main.__file__, "exec")
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            exec(code, vars(main))
        except (Exception, TooLongError) as caught:
            error = cut_short(caught)
            raised.append({"line": node.lineno, "end": node.end_lineno, "text": str(error)[-20000:],
                           "types": [each.__name__ for each in type(error).__mro__]})
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return raised


def cut_short(error: BaseException) -> BaseException:
    """What cut it short, where that left a block which complained in its turn, as tf.device does."""
    inner: BaseException | None = error
    while inner is not None and not isinstance(inner, TooLongError):
        inner = inner.__context__
    return inner or error


def too_long(number: int, frame: Any) -> None:
    raise TooLongError("takes too long")


def forked(block: dict[str, Any]) -> dict[str, Any]:
    """The same in a child, whatever becomes of that."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        signal.signal(signal.SIGPROF, too_long)
        told = {"raised": run(block), "ended": ""}
        with open(writer, "w", encoding="utf-8") as out:
            json.dump(told, out)
        os._exit(0)
    os.close(writer)
    answer, until = b"", time.monotonic() + ALL_SECONDS
    while select.select([reader], [], [], max(until - time.monotonic(), 0))[0] and (part := os.read(reader, 1 << 16)):
        answer += part
    os.close(reader)
    os.kill(child, signal.SIGKILL) if not answer and time.monotonic() > until else None
    status = os.waitpid(child, 0)[1]
    return json.loads(answer) if answer else {"raised": [], "ended": f"status {status}"}


def main() -> None:
    job = json.load(sys.stdin)
    out, sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8"), sys.stderr
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.path.pop(0)  # where this file lies
    warnings.simplefilter("ignore")
    load(job["library"])
    for block in job["blocks"]:
        json.dump({"name": block["name"], **forked(block)}, out)
        out.write("\n")
        out.flush()


if __name__ == "__main__":
    main()
