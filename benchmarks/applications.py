"""Compares what is inferred from the sources of keras.applications with the models that real Keras builds from them.

    python benchmarks/applications.py [MODULE ...]

Every model function is called with weights=None; for each place in its module where a layer is constructed, the output
shapes that real Keras gives are compared with those inferred from the text alone. A place is exact when every real
shape is inferred and none that is inferred contradicts; wrong when an inferred number is one that no run has.
Needs Python >= 3.11 (it reads columns off the running code), Keras 3 and a backend. Takes minutes and some GB.
"""

from __future__ import annotations

import collections
import gc
import inspect
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

Site = tuple[int, int]


def site_of(layer: Any, path: str) -> Site | None:
    """(line, column) of the call that is constructing `layer` in the file at `path`; columns from 0."""
    frame = sys._getframe(2)
    while frame is not None:
        inside = frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is layer
        if frame.f_code.co_filename == path and not inside:
            line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
            return (line, column) if line is not None and column is not None else None
        frame = frame.f_back
    return None


def record(module: Any) -> dict[Site, set[tuple[Any, ...]]]:
    """Output shapes by construction site, of every model that the module's public functions build."""
    import keras

    path = inspect.getfile(module)
    sites: dict[int, Site | None] = {}
    original = keras.layers.Layer.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        sites.setdefault(id(self), site_of(self, path))

    found: dict[Site, set[tuple[Any, ...]]] = collections.defaultdict(set)
    keras.layers.Layer.__init__ = init
    try:
        for name, function in vars(module).items():
            if inspect.isfunction(function) and function.__module__ == module.__name__ and is_model(function, name):
                sites.clear()
                gather(function(weights=None), sites, found)
                keras.utils.clear_session()
                gc.collect()
    finally:
        keras.layers.Layer.__init__ = original
    return found


def is_model(function: Any, name: str) -> bool:
    """A function that gives a whole model without further arguments."""
    parameters = inspect.signature(function).parameters
    required = [p for p in parameters.values() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    return name[:1].isupper() and "weights" in parameters and not required


def gather(model: Any, sites: dict[int, Site | None], found: dict[Site, set[tuple[Any, ...]]]) -> None:
    for layer in model._flatten_layers(include_self=False, recursive=True):
        site = sites.get(id(layer))
        if site is None or type(layer).__name__ == "InputLayer":
            continue
        for node in getattr(layer, "_inbound_nodes", ()):
            for tensor in node.output_tensors:
                found[site].add(tuple(tensor.shape))


def inferred(path: str) -> dict[Site, set[tuple[Any, ...]]]:
    from cudnnlint.engine.deep import call_deep
    from cudnnlint.engine.tables.shapes import rows_of
    from cudnnlint.source import Source
    from cudnnlint.values import Stack

    found: dict[Site, set[tuple[Any, ...]]] = collections.defaultdict(set)
    for row in call_deep(lambda: rows_of(Source.read(path), stack=Stack())):
        if os.path.samefile(row["path"], path) and row["output_shape"] is not None:
            found[row["line"], row["column"] - 1].add(tuple(row["output_shape"]))
    return found


def contradicts(claim: tuple[Any, ...], real: tuple[Any, ...]) -> bool:
    return len(claim) != len(real) or any(a is not None and a != b for a, b in zip(claim, real, strict=True))


def verdict(real: set[tuple[Any, ...]], claims: set[tuple[Any, ...]]) -> str:
    if any(all(contradicts(claim, shape) for shape in real) for claim in claims):
        return "wrong"
    hits = len(real & claims)
    return "exact" if hits == len(real) else "partial" if hits else "missed"


def main(names: list[str]) -> int:
    import importlib

    import keras

    folder = Path(inspect.getfile(keras)).parent / "src" / "applications"
    total: collections.Counter[str] = collections.Counter()
    for file in sorted(folder.glob("*.py")):
        helper = file.stem.startswith(("__", "imagenet_utils")) or file.stem.endswith("_test")
        if helper or (names and file.stem not in names):
            continue
        module = importlib.import_module(f"keras.src.applications.{file.stem}")
        real, claims = record(module), inferred(str(file))
        count = collections.Counter(verdict(shapes, claims.get(site, set())) for site, shapes in real.items())
        print(f"{file.stem:22}", dict(count), flush=True)
        total += count
    places = sum(total.values())
    print(f"{places} places: " + ", ".join(f"{kind} {total[kind]} ({100 * total[kind] / max(places, 1):.1f} %)"
                                         for kind in ("exact", "partial", "missed", "wrong")))
    print(f"Keras {keras.__version__}, Python {sys.version.split()[0]}")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
