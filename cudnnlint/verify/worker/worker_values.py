"""The data of a job as values of a library."""

from __future__ import annotations

import importlib
from typing import Any

from worker_libraries import Libraries, RefusedError, attribute  # type: ignore[import-not-found]

LAYERS = ("keras.layers.", "torch.nn.")
NEVER = frozenset({"TFSMLayer", "Lambda", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"})
"""Layers that run code or load files."""
FUNCTIONS = ("tensorflow.", "keras.ops.", "keras.applications.", "numpy.", "operator.", "torch.")
NO_PARTS = frozenset({
    "io", "save", "load", "summary", "py_function", "numpy_function", "saved_model", "train", "data", "lib", "test",
    "fromfile", "loadtxt", "genfromtxt", "memmap", "savez", "savetxt", "tofile", "dump", "debugging", "config",
    "compat", "raw_ops", "distribute", "profiler", "estimator", "hub", "utils", "jit", "serialization", "package",
    "multiprocessing", "distributed", "export", "compile", "from_file",
})
"""Parts of names that read, write or run more than tensors."""
PACKED = "torch.nn.utils.rnn."
OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
             "@": "matmul", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&": "and_", "|": "or_", "^": "xor"}
SERIALIZED = frozenset({"class_name", "module", "registered_name"})
OPEN_BATCH, OPEN_SIDE = 2, 32
"""What an open batch axis and any other open extent are when a model runs."""


class Builder:
    """Job data as values of one Keras. `made` are the symbolic inputs, each with what it was told as; `given` what
    the nodes of a graph gave so far, `inside` the same of those that a layer under way is given."""

    def __init__(self, libraries: Libraries, api: str) -> None:
        self.keras = libraries.keras(api)
        self.torch: Any = self.keras if api == "torch" else None
        self.ops = getattr(self.keras, "ops", None)
        self.made: list[tuple[Any, dict[str, Any]]] = []
        self.arrays = False
        self.given: list[Any] = []
        self.inside: list[tuple[dict[str, Any], Any]] = []

    def value(self, told: Any) -> Any:
        if isinstance(told, list):
            return [self.value(item) for item in told]
        if not isinstance(told, dict):
            return told
        kind = next(iter(told))
        make = {"tuple": self._tuple, "dict": self._dict, "tensor": self._tensor, "layer": self.layer,
                "node": self._node, "slice": self._slice, "ellipsis": self._ellipsis,
                "numpy_int": self._numpy_int}.get(kind)
        if make is None:
            raise RefusedError(f"no value of kind {kind}")
        return make(told)

    def named(self, told: dict[str, Any]) -> dict[str, Any]:
        return {name: self.value(value) for name, value in told.items()}

    def _tuple(self, told: dict[str, Any]) -> Any:
        return tuple(self.value(item) for item in told["tuple"])

    def _dict(self, told: dict[str, Any]) -> Any:
        made = {self.value(key): self.value(item) for key, item in told["dict"]}
        if SERIALIZED & made.keys():  # Keras would import what it names
            raise RefusedError("a serialized object")
        return made

    def layer(self, told: dict[str, Any]) -> Any:
        path = told["layer"]
        if not path.startswith(LAYERS) or path.rpartition(".")[2] in NEVER:
            raise RefusedError(f"no layer {path}")
        made = self._class(path)
        return made(*[self.value(value) for value in told.get("positional", ())], **self.named(told["arguments"]))

    def _ellipsis(self, told: dict[str, Any]) -> Any:
        return ...

    def _numpy_int(self, told: dict[str, Any]) -> Any:
        return importlib.import_module("numpy").int64(told["numpy_int"])

    def _slice(self, told: dict[str, Any]) -> slice:
        return slice(*[self.value(part) for part in told["slice"]])

    def _node(self, told: dict[str, Any]) -> Any:
        """What a node of a graph gave, or a part of it."""
        for part, value in self.inside:
            if part == told:
                return value
        made = self.given[told["node"]]
        for key in told.get("index", ()):
            made = made[key]
        return made

    def _class(self, path: str) -> Any:
        """Of a layer; those for cuDNN alone are what tf.compat.v1.keras has of Keras 2."""
        tail = path.rpartition(".")[2]
        if tail.startswith("CuDNN") and self.keras.__name__ == "tf_keras":
            return attribute(importlib.import_module("tf_keras.api._v1.keras.layers"), tail)
        return attribute(self.keras, path.partition(".")[2])

    def anything(self, path: str) -> Any:
        """What a dotted name of a library stands for; its tf.keras is the Keras that is asked."""
        root, _, rest = path.partition(".")
        if root not in ("tensorflow", "keras"):
            raise RefusedError(f"no name {path}")
        if path.startswith("tensorflow.keras.") and self.keras.__name__ == "tf_keras":
            root, rest = "keras", rest.partition(".")[2]
        return attribute(self.keras if root == "keras" else importlib.import_module(root), rest)

    def function(self, path: str) -> Any:
        """A function on tensors, by its name."""
        if not path.startswith(FUNCTIONS) or NO_PARTS.intersection(path.replace(PACKED, "").split(".")):
            raise RefusedError(f"no function {path}")
        root, _, rest = path.partition(".")
        rest = OPERATORS.get(rest, rest) if root == "operator" else rest
        return attribute(self.keras if root == "keras" else importlib.import_module(root), rest)

    def _tensor(self, told: dict[str, Any]) -> Any:
        inner = told["tensor"]
        if self.arrays:
            return self.array(inner)
        return self.symbolic(inner) if inner.get("symbolic") else self.real(inner)

    def real(self, told: dict[str, Any]) -> Any:
        """Zeros, or the elements that are known."""
        if self.torch is not None:
            return self._of_torch(told)
        array, dtype = self.array(told), told["dtype"]
        if told.get("array"):
            return array
        if self.ops is None or dtype == "string":
            return importlib.import_module("tensorflow").convert_to_tensor(array, dtype=dtype)
        return self.ops.convert_to_tensor(array, dtype=dtype)

    def _of_torch(self, told: dict[str, Any]) -> Any:
        dtype, content = attribute(self.torch, told["dtype"]), told.get("content")
        shape = [(OPEN_SIDE if axis else OPEN_BATCH) if dim is None else dim for axis, dim in enumerate(told["shape"])]
        return self.torch.full(shape, told.get("fill", 0), dtype=dtype) if content is None else \
            self.torch.tensor(content, dtype=dtype).reshape(shape)

    def array(self, told: dict[str, Any]) -> Any:
        numpy = importlib.import_module("numpy")
        shape = [(OPEN_SIDE if axis else OPEN_BATCH) if dim is None else dim for axis, dim in enumerate(told["shape"])]
        dtype = told["dtype"]
        if dtype == "string":
            return numpy.full(shape, "a", dtype=object)
        plain = "float32" if dtype.startswith(("bfloat", "float8")) else dtype
        content = told.get("content")
        return numpy.full(shape, told.get("fill", 0), plain) if content is None \
            else numpy.array(content, plain).reshape(shape)

    def symbolic(self, told: dict[str, Any]) -> Any:
        shape = told["shape"]
        made = self.keras.Input(shape=tuple(shape[1:]), batch_size=shape[0], dtype=told["dtype"]) if shape else \
            self.keras.Input(batch_shape=(), dtype=told["dtype"])
        self.made.append((made, told))
        return made
