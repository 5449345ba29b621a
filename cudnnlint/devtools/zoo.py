"""Records the models of keras.applications: `python -m cudnnlint.devtools.zoo [MODULE ...]`.

Builds every model with the installed keras and tf_keras, without its weights, and writes what it is made of to
cudnnlint/facts/applications/<module>.json, whose format is told there. Takes an hour.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from cudnnlint.devtools.zoo_graph import Graph, graph
from cudnnlint.devtools.zoo_text import Names, Packer, marked, share
from cudnnlint.engine import registry
from cudnnlint.facts.applications import FOLDER

MARKS = {"classes": 1007, "classifier_activation": "tanh", "dropout": 0.4321, "dropout_rate": 0.4321}
"""Values by which the arguments of the call are recognised in the graph."""
SIZES = (256, 257, 259)
"""Of these, every strided layer of every model meets even and odd extents: 256, 128, 64 ... and 257, 129, 65 ..."""
HEADS: dict[str, dict[str, Any]] = {
    "top": {"include_top": True, **MARKS}, "none": {}, "avg": {"pooling": "avg"}, "max": {"pooling": "max"}}
STEMS: dict[str, dict[str, Any]] = {
    "w": {"weights": "imagenet"}, "r": {"include_preprocessing": False}, "c": {"input_shape": (224, 224, 1)},
    "rc": {"include_preprocessing": False, "input_shape": (224, 224, 1)},
    "wr": {"weights": "imagenet", "include_preprocessing": False}}
"""What changes the first layers: imagenet weights, raw input, another number of channels than 3."""


def zeros(initializer: Any, shape: Any, dtype: Any = None, **more: Any) -> Any:
    return importlib.import_module("tensorflow").zeros(shape, dtype or "float32")


class Library:
    """One generation of Keras, with its random weights and its downloads switched off."""

    def __init__(self, name: str) -> None:
        self.keras = importlib.import_module(name)
        self.generation = self.keras.__version__.partition(".")[0]
        for cls in vars(importlib.import_module(f"{name}.src.initializers")).values():
            if inspect.isclass(cls) and "__call__" in vars(cls) and cls.__name__ != "Constant":
                type.__setattr__(cls, "__call__", zeros)
        self.keras.Model.load_weights = lambda *args, **kwargs: None
        utils = importlib.import_module(f"{name}.src.utils.{'data_utils' if name == 'tf_keras' else 'file_utils'}")
        vars(utils)["get_file"] = lambda *args, **kwargs: "weights"

    def modules(self) -> Iterator[Any]:
        package = importlib.import_module(f"{self.keras.__name__}.src.applications")
        for found in pkgutil.iter_modules(package.__path__):
            if not found.name.endswith("_test") and found.name != "imagenet_utils":
                yield importlib.import_module(f"{package.__name__}.{found.name}")

    def models(self, module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
        for name, function in list(vars(module).items()):
            if name in vars(self.keras.applications) and inspect.isfunction(function) \
                    and function.__module__ == module.__name__:
                yield name, function

    def build(self, function: Callable[..., Any], **given: Any) -> Any:
        self.keras.backend.clear_session()
        return self.again(function, **given)

    def again(self, function: Callable[..., Any], **given: Any) -> Any:
        parameters = inspect.signature(function).parameters
        open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        taken = {key: value for key, value in {"weights": None, "include_top": False, **given}.items()
                 if key in parameters or (open_ended and key == "classifier_activation")}
        return function(**taken)


def record(library: Library, module: Any, function: Callable[..., Any], wanted: set[str],
           **fixed: Any) -> dict[str, Any]:
    """Everything about one model: its sizes, and the graph in all its forms."""
    sizes: dict[str, Any] = {}
    utils, original = module.imagenet_utils, module.imagenet_utils.obtain_input_shape

    def watched(*args: Any, **kwargs: Any) -> Any:
        sizes.update(default=kwargs["default_size"], min=kwargs["min_size"])
        return original(*args, **kwargs)

    utils.obtain_input_shape = watched
    try:
        default = library.build(function, include_top=True, **fixed)
        names = Names(default.name, [row["name"] for row in graph(default)],
                      [row["name"] for row in graph(library.again(function, include_top=True, **fixed))])
        names.pads = pads(library, function, fixed) if "correct_pad" in inspect.getsource(module) else {}
        forms = {name: form(library, function, names, **{**more, **fixed}) for name, more in HEADS.items()}
        stems = {name: form(library, function, names, **{**more, **fixed})
                 for name, more in STEMS.items() if name in wanted}
        is_open = try_open(library, function, forms["none"], fixed)
    finally:
        utils.obtain_input_shape = original
    body = common(list(forms.values()))
    found = {"name": default.name, **sizes, "body": forms["none"][:body],
             "heads": {name: rows[body:] for name, rows in forms.items() if rows[body:]},
             "stems": {name: replaced(forms["none"], rows) for name, rows in stems.items() if rows != forms["none"]}}
    return found if is_open else {**found, "open": False}


def parameters(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters)


def form(library: Library, function: Callable[..., Any], names: Names, **given: Any) -> Graph:
    """One graph with names and arguments that depend on the call as placeholders."""
    size = {} if "input_shape" in given or given.get("include_top") else {"input_shape": (224, 224, 3)}
    rows = [names.of(row) for row in graph(library.build(function, **size, **given))]
    return [marked(row) for row in rows] if "classes" in given else rows


def pads(library: Library, function: Callable[..., Any], fixed: dict[str, Any]) -> dict[str, str]:
    """Names of the paddings that depend on the input's parity -> the kernel_size given to correct_pad, as "$3"."""
    found: dict[str, set[str]] = {}
    ends: dict[str, int] = {}
    for size in SIZES:
        for row in graph(library.build(function, input_shape=(size, size, 3), **fixed)):
            if row["kind"] == "ZeroPadding2D":
                found.setdefault(row["name"], set()).add(json.dumps(row["arguments"]["padding"]))
                ends[row["name"]] = row["arguments"]["padding"][0][1]
    return {name: f"${2 * ends[name] + 1}" for name, paddings in found.items() if len(paddings) > 1}


def try_open(library: Library, function: Callable[..., Any], rows: Graph, fixed: dict[str, Any]) -> bool:
    """Whether the graph is the same where height and width are None."""
    try:
        found = graph(library.build(function, input_shape=(None, None, 3), **fixed))
    except (ValueError, TypeError):
        return False
    return [(row["kind"], row["inputs"]) for row in found] == [(row["kind"], row["inputs"]) for row in rows]


def common(graphs: list[Graph]) -> int:
    """How many rows all graphs begin with."""
    count = 0
    while all(len(rows) > count and rows[count] == graphs[0][count] for rows in graphs):
        count += 1
    return count


def replaced(base: Graph, other: Graph) -> list[Any]:
    """[how many rows of the beginning of `base`, the rows in their place]."""
    same = common([base[::-1], other[::-1]])
    return [len(base) - same, other[: len(other) - same]]


def entries(library: Library, module: Any, packer: Packer) -> dict[str, Any]:
    """All models of a module; stems that make no difference to the first of them are not tried on the others."""
    found: dict[str, Any] = {}
    wanted = set(STEMS)
    for name, function in library.models(module):
        wanted = {stem for stem in wanted if STEMS[stem].keys() - {"weights", "input_shape"} <= parameters(function)}
        found[name] = entry(library, module, function, packer, wanted)
        wanted = wanted & found[name]["stems"].keys()
    return found


def entry(library: Library, module: Any, function: Callable[..., Any], packer: Packer,
          wanted: set[str]) -> dict[str, Any]:
    found = packer.packed(record(library, module, function, wanted))
    if "minimalistic" in parameters(function):
        found["minimalistic"] = packer.packed(record(library, module, function, wanted, minimalistic=True))
    shown = [[p.name, p.default] if p.kind is not p.VAR_KEYWORD else ["**", None]
             for p in inspect.signature(function).parameters.values()]
    return {"signature": shown, **found}


def main(chosen: list[str]) -> int:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    registry.load()
    libraries = [Library("keras"), Library("tf_keras")]
    names = sorted({module.__name__.rpartition(".")[2] for library in libraries for module in library.modules()})
    for name in names:
        if chosen and name not in chosen:
            continue
        packer = Packer()
        models: dict[str, Any] = {}
        for library in libraries:
            for module in library.modules():
                if module.__name__.rpartition(".")[2] == name:
                    models[library.generation] = entries(library, module, packer)
        swaps = share(models)
        write(name, {"made": f"python -m cudnnlint.devtools.zoo {name}", "on": date.today().isoformat(),
                     "keras": {library.generation: library.keras.__version__ for library in libraries},
                     "swaps": {kind: other for kind, other in swaps.items() if kind != str(other)},
                     "models": models, "kinds": [json.loads(kind) for kind in packer.kinds]})
    return 0


def write(name: str, data: dict[str, Any]) -> None:
    """A line a model and a line a kind, so that differences can be read."""
    models, kinds = data.pop("models"), data.pop("kinds")
    blocks = [f'"{generation}": {{\n' + ",\n".join(f"{brief(model)}: {brief(found)}" for model, found in known.items())
              + "\n}" for generation, known in models.items()]
    text = f'{{{json.dumps(data)[1:-1]},\n"models": {{{", ".join(blocks)}}},\n"kinds": [\n' \
           + ",\n".join(map(brief, kinds)) + "\n]}\n"
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{name:22} {len(text):8} bytes, {sum(map(len, models.values()))} models", flush=True)


def brief(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
