"""Who constructed which layer of a running program, and the shapes, dtype and parameters that were seen of it."""

from __future__ import annotations

import functools
import json
import linecache
import os
import sys
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
        self.outermost: Callable[[Any], None] = lambda inputs: None  # told of what no other layer's call is given
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
        return _tensors(_by_name(value))
    return [value] if _is_tensor(value) else []


def _by_name(value: dict[Any, Any]) -> list[Any]:
    """In the order of Model.inputs and Model.outputs (keras/src/tree: flatten; tf.nest sorts keys, too)."""
    whole = type(value) is dict and all(isinstance(key, str) for key in value)
    return [value[key] for key in (sorted(value) if whole else value)]


def _alone(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _shapes(value: Any, eager: bool = False) -> Any:
    """A list of int or None, nested for several tensors, None where nothing is known; eager: the batch varies."""
    if isinstance(value, dict):
        value = _by_name(value)
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
                         if name != "mask" and _tensors(value)] or [None])  # lists of texts have no shape
        eager = not all("KerasTensor" in type(tensor).__name__ for tensor in _tensors(inputs))
        if eager and not sites.eager:
            tell(sites.outermost, inputs)
        sites.eager += eager
        try:
            output = call(self, *args, **kwargs)
        finally:
            sites.eager -= eager
        tell(sites.called, self, inputs, output, eager or sites.eager > 0)
        return output

    base.__new__, base.__call__ = staticmethod(new), apply
