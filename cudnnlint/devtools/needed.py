"""Writes which arguments public functions, classes and methods need, read off the releases that are installed.

    python -m cudnnlint.devtools.needed

Needs TensorFlow, Keras, tf_keras, PyTorch and NumPy installed. Of Keras those are kept that both releases need.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from cudnnlint.devtools.signatures import CLASSES, LIBRARIES, OBJECT, paths, version
from cudnnlint.facts.needed import FILE
from cudnnlint.facts.signatures import keywords
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.ops.table import bring_all

MORE = ("torch.optim.lr_scheduler", "torch.utils.data", "keras.Model", "tensorflow.distribute.Strategy")
METHODS = ("predict", "evaluate", "get_layer", "save", "save_weights", "load_weights", "set_weights", "train_on_batch",
           "test_on_batch", "predict_on_batch", "export")
"""Those of models that are listed: what a program's own class does not have in their place is asked of an object."""


def needs(found: Any) -> list[str] | None:
    """Names without a default, in their order; None where it is not known, or any number is taken."""
    if inspect.isclass(found):
        if type(found).__call__ is not type.__call__ or not inspect.isfunction(vars(found).get("__init__")) \
                or (found.__new__ is not object.__new__ and not found.__module__.startswith("keras")):
            return None
        found = vars(found)["__init__"]
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return None
    return [each.name for each in parameters if each.default is each.empty and each.name not in OBJECT
            and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]


def of_keras_2(path: str) -> list[str] | None:
    """What tf_keras needs; nothing is known where it has nothing of that name."""
    owner, _, name = path.removeprefix("keras.").rpartition(".")
    if path.startswith(CLASSES) or owner == "Model":
        room, _, cls = f"tf_keras.{owner}".rpartition(".")
        try:
            return needs(inspect.getattr_static(getattr(importlib.import_module(room), cls), name))
        except (ImportError, AttributeError):
            return None
    try:
        return needs(getattr(importlib.import_module(f"tf_keras.{owner}".rstrip(".")), name))
    except (ImportError, AttributeError):
        return None


def gathered() -> Iterator[str]:
    bring_all()
    found: dict[str, list[str]] = {}
    for path, each in (*paths(), *_more()):
        if path in LAYERS or path in FUNCTIONS or not (names := needs(each)):
            continue
        known = keywords(path)
        if known is None and not path.startswith(MORE):
            continue
        if path.startswith("keras.") and (older := of_keras_2(path)) is not None:
            names = [name for name in names if name in older]
        if names and path not in found:
            found[path] = names
    yield f"# {', '.join(map(version, LIBRARIES))}"
    for path in sorted(found):
        yield f"{path}: {' '.join(found[path])}"


def _more() -> Iterator[tuple[str, Any]]:
    for room in MORE[:2]:
        for name, each in sorted(vars(importlib.import_module(room)).items()):
            if not name.startswith("_") and callable(each):
                yield f"{room}.{name}", each
    model, strategy = importlib.import_module("keras").Model, importlib.import_module("tensorflow").distribute.Strategy
    for name in METHODS:
        yield f"keras.Model.{name}", inspect.getattr_static(model, name)
    for name in ("run", "reduce"):
        yield f"{MORE[3]}.{name}", getattr(strategy, name)


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in gathered()), encoding="utf-8")
