"""Abstract values as the plain data of a claim: what a run can be built from, and what stands in for the unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.interp.convert import DTYPES
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.objects import External
from cudnnlint.ops.activation_names import SINCE as ACTIVATIONS
from cudnnlint.ops.protocol import LAYERS, Policy
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.dim import Dim
from cudnnlint.values.numpy_int import NumpyInt

BATCH_SIZE, SIDE, WIDTH = 2, 32, 8
"""What stands in for an open batch axis, any other open extent, and a number of units or filters."""
MAX_ELEMENTS = 2**27
"""Tensors with more elements are not tried: half a gigabyte of float32."""
MAX_CONTENT = 64
WITHOUT_EFFECT = ("_initializer", "_regularizer", "_constraint")
"""Ends of names of arguments that decide neither shapes nor dtypes."""
DROPPED = frozenset({"name", "weights", "trainable", "activity_regularizer"})
OF_WIDTHS = frozenset({"filters", "units", "output_dim", "input_dim", "num_heads", "key_dim"})
READS_FILES = frozenset({"vocabulary", "idf_weights", "filepath"})
SERIALIZED = frozenset({"class_name", "module", "registered_name"})
"""Keys of a dict that Keras would import a class for (keras/src/saving/serialization_lib.py)."""
NEVER = frozenset({"TFSMLayer", "Lambda", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"})
"""Layers that run code or load files of the user's."""


class NotVerifiableError(Exception):
    """A claim that cannot be put to a run, and why."""


class Encoder:
    """Values as JSON: lists are lists, the rest that JSON has no word for is an object with one key.

    {"tuple": [...]}, {"dict": [[key, value], ...]}, {"tensor": {"shape", "dtype", "content"}}, {"layer": ...},
    {"slice": [start, stop, step]}, {"ellipsis": True}, {"numpy_int": 784}
    """

    def __init__(self, *, symbolic: bool, largest: int = MAX_ELEMENTS) -> None:
        self.symbolic, self.largest = symbolic, largest
        self.notes: dict[str, None] = {}

    def value(self, value: Any, name: str = "") -> Any:
        """An argument called `name`."""
        if isinstance(value, Unknown):
            return self._unknown(name)
        if isinstance(value, NumpyInt):
            return {"numpy_int": int(value)}
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, str):
            if name in READS_FILES:
                raise NotVerifiableError(f"{name} is read from a file")
            return value
        if isinstance(value, (list, tuple)):
            items = [self.value(item, name) for item in value]
            return items if isinstance(value, list) else {"tuple": items}
        if isinstance(value, dict):
            if SERIALIZED & value.keys():
                raise NotVerifiableError(f"{name or 'an argument'} is a serialized object")
            return {"dict": [[self.value(key), self.value(item)] for key, item in value.items()]}
        if isinstance(value, Tensor):
            return self.tensor(value)
        return self._object(value, name)

    def _unknown(self, name: str) -> Any:
        if name not in OF_WIDTHS:
            raise NotVerifiableError(f"{name} is not known" if name else "an argument is not known")
        self.notes[f"{name}={WIDTH} for an unknown one"] = None
        return WIDTH

    def _object(self, value: Any, name: str) -> Any:
        if value is ...:
            return {"ellipsis": True}
        if isinstance(value, slice):
            return {"slice": [self.value(part, name) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, LayerV):
            return self.layer(value.path if value.user is None else "", value.arguments, value.given, value.base)
        path = value.path if isinstance(value, (External, ObjectV)) else ""
        tail = path.rpartition(".")[2]
        if isinstance(value, Policy):
            return policy_name(value.compute, value.variable)
        if isinstance(value, External) and (tail in ACTIVATIONS if "activation" in name else tail in DTYPES):
            return tail
        raise NotVerifiableError(f"{name or 'an argument'} is {'an object' if path else 'code'} of the user's")

    def arguments(self, arguments: Mapping[str, Any], given: Iterable[str]) -> dict[str, Any]:
        """Those that the user wrote, without the ones that decide nothing."""
        told = {}
        written = frozenset(given)
        for name, value in arguments.items():
            if name not in written or name in DROPPED:
                continue
            if name.endswith(WITHOUT_EFFECT) and not isinstance(value, (str, type(None))):
                continue
            told[name] = self.value(value, name)
        if isinstance(arguments.get("data_format"), str):
            told["data_format"] = arguments["data_format"]
        return told

    def layer(self, path: str, arguments: Mapping[str, Any], given: Iterable[str],
              base: Mapping[str, Any]) -> dict[str, Any]:
        """A layer with its configuration."""
        if not path.startswith(("keras.layers.", "torch.nn.")) or path not in LAYERS:
            raise NotVerifiableError(f"no job is known for {path}" if path else "a layer of the user's own")
        if path.rpartition(".")[2] in NEVER:
            raise NotVerifiableError(f"{path.rpartition('.')[2]} runs code of the user's")
        told = self.arguments(arguments, given)
        if isinstance(base.get("dtype"), (str, Policy)):
            told["dtype"] = self.value(base["dtype"], "dtype")
        return {"layer": path, "arguments": told}

    def tensor(self, tensor: Tensor) -> Any:
        """Its shape and dtype, and its elements if they are known."""
        if isinstance(tensor.shape, Unknown):
            raise NotVerifiableError("the rank of an input is not known")
        symbolic = self.symbolic and tensor.kind == "keras"
        shape = [self._dim(dim, axis, symbolic) for axis, dim in enumerate(tensor.shape)]
        if _elements(shape) > self.largest:
            raise NotVerifiableError(f"too large to try: an input of {_elements(shape)} elements")
        dtype = tensor.dtype
        if isinstance(dtype, Unknown):
            self.notes["float32 for an unknown dtype"] = None
            dtype = "float32"
        told: dict[str, Any] = {"shape": shape, "dtype": dtype}
        if tensor.content is not None:
            if (content := _content(tensor.content)) is None:
                raise NotVerifiableError("the elements of an input are too many to tell")
            told["content"] = content
        if tensor.kind == "numpy":
            told["array"] = True
        return {"tensor": {**told, "symbolic": symbolic}}

    def _dim(self, dim: Dim, axis: int, symbolic: bool) -> int | None:
        if isinstance(dim, int):
            return dim
        if symbolic and (axis == 0 or not isinstance(dim, Unknown)):
            return None
        self.notes[f"batch {BATCH_SIZE}" if axis == 0 else f"side {SIDE} for an open extent"] = None
        return BATCH_SIZE if axis == 0 else SIDE


def _elements(shape: Iterable[int | None]) -> int:
    total = 1
    for axis, dim in enumerate(shape):
        total *= (BATCH_SIZE if axis == 0 else SIDE) if dim is None else max(dim, 0)
    return total


def _content(content: Any) -> Any:
    """Plain numbers in nested lists, if all are known and few."""
    if isinstance(content, tuple):
        items = [_content(item) for item in content] if len(content) <= MAX_CONTENT else [None]
        return None if any(item is None for item in items) else items
    return content if isinstance(content, (bool, int, float)) else None


def policy_name(compute: Any, variable: Any) -> str:
    """
    >>> policy_name("float16", "float32"), policy_name("float64", "float64")
    ('mixed_float16', 'float64')
    """
    if isinstance(compute, Unknown) or isinstance(variable, Unknown):
        raise NotVerifiableError("the dtype policy is not known")
    return str(compute) if compute == variable else f"mixed_{compute}"
