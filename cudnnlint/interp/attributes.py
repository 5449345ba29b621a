"""Attribute access: on modules, classes, instances, library paths and modelled values."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any

from cudnnlint.facts.changes import EXTENT_ATTRIBUTES, LAYER_ATTRIBUTES, NAMES, OPTIMIZER_ATTRIBUTES
from cudnnlint.interp.allocating import PLAIN_NEW, NewV
from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.attribute_setting import STRAIGHT
from cudnnlint.interp.builtin.functions import method_exists
from cudnnlint.interp.builtin.kinds import class_of
from cudnnlint.interp.builtin.unbound import UNBOUND, unbound
from cudnnlint.interp.convert import ALIASES, DTYPES, KINDS
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.changes import check_attribute, check_name, extent_attribute
from cudnnlint.interp.mistakes.misspelt import tell_of_misspelt
from cudnnlint.interp.namespaces import MembersV, OwnDictV
from cudnnlint.interp.objects import (
    MISSING,
    OF_THE_CLASS,
    BoundV,
    BuiltinV,
    ClassV,
    External,
    FunctionV,
    GeneratorV,
    InstanceV,
    MethodV,
    ModuleV,
    NamespaceV,
    PartialV,
    RangeV,
)
from cudnnlint.interp.registry import CONSTANTS, PREFIXES, Waiting, ancestry, canonical, find_attribute, find_method
from cudnnlint.interp.tensors import tensor_attribute
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Assumed, Symbol, Tensor, Unknown
from cudnnlint.values.assumption import Assumption
from cudnnlint.values.numpy_int import NUMBERS, NumpyInt
from cudnnlint.values.packed import Packed
from cudnnlint.values.unknown import OfPython

OF_OTHER_BACKENDS = frozenset({"T", "theano", "th_sparse_module", "C", "cntk"})
"""What keras.backend has on Theano (keras 2.2 backend/theano_backend.py) and CNTK alone: with TensorFlow, who reads one
goes no further."""
DTYPE_MODULES = frozenset({"tensorflow", "numpy", "torch", "jax.numpy", "tensorflow.dtypes"})
PAIR = ("values", "indices")
"""What PyTorch calls the two results of max(), sort() and their kin along an axis."""
OPEN = (str, bytes, int, float, tuple, ListV, DictV, RangeV, GeneratorV)


def get_attribute(m: Machine, base: Any, name: str, node: ast.AST) -> Any:
    value: Any = base.value if type(base) is Assumed else base
    kind = type(value)
    if kind is InstanceV:
        return instance_attribute(m, value, name, node)
    if kind is External:
        if name in NAMES:
            check_name(m, f"{value.written}.{name}", node)
        tell_of_misspelt(m, value.written, name, node)
        return external_attribute(m, value, name)
    if kind is ModuleV:
        return module_attribute(m, value, name)
    if kind is ClassV:
        return class_attribute(m, value, name)
    if kind is Tensor:
        return tensor_attribute(m, value, name, node)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, NamespaceV):
        if name in value.items:
            return value.items[name]
        return OwnDictV(value) if name == "__dict__" else value.unknown or Unknown(f"attribute {name}")
    if isinstance(value, tuple) and name in ("ndims", "rank"):  # of a TensorShape
        return assume(len(value), assumptions_of(base))
    if isinstance(value, tuple) and name == "dims":
        return assume(ListV(list(value)), assumptions_of(base))
    if isinstance(value, tuple) and name in PAIR and len(value) == 2 and all(
            isinstance(part, Tensor) for part in value):  # torch.max(x, 1), tf.math.top_k(x, 3)
        return value[PAIR.index(name)]
    if isinstance(value, Packed) and name in Packed.FIELDS:
        return assume(value[Packed.FIELDS.index(name)], assumptions_of(base))
    if isinstance(value, str) and name in KINDS and value in DTYPES:
        return value.startswith(KINDS[name])
    if name in EXTENT_ATTRIBUTES and isinstance(node, ast.Attribute) and _is_extent(value, node.value):
        return extent_attribute(m, base, name, node)
    if isinstance(value, OPEN):
        if isinstance(value, AttrDictV):
            return value.attribute(m, name)
        if getattr(value, "registers", False) and name in ("add_module", "register_module"):  # of nn.ModuleList
            return MethodV(base, "torch.nn.Module.add_module")
        if isinstance(value, DictV) and name not in ("items", "keys", "values") and not method_exists(value, name):
            held = getattr(value, "registers", False) and value.unknown is None and name in value.items
            return value.items[name] if held else Unknown(f"attribute {name} of a dict")
        if method_exists(value, name):
            return MethodV(base, name)
        return _of_number(m, base, name, node) if isinstance(value, NUMBERS) else Unknown(f"attribute {name}")
    if name in OPTIMIZER_ATTRIBUTES or (name in LAYER_ATTRIBUTES and type(value) is LayerV and value.user is None):
        check_attribute(m, getattr(value, "path", ""), name, node)
    return modelled_attribute(m, value, name)


def _is_extent(value: Any, node: ast.expr) -> bool:
    """Whether it is one of a shape, as it is written: `x.shape[1]`, `x.get_shape()[1]`."""
    if not isinstance(node, ast.Subscript) or not (value is None or isinstance(value, int | Symbol)):
        return False
    held = node.value.func if isinstance(node.value, ast.Call) else node.value
    return isinstance(held, ast.Attribute) and held.attr == ("get_shape" if held is not node.value else "shape")


def _of_number(m: Machine, base: Any, name: str, node: ast.AST) -> Any:
    """NumPy's own have what an array without axes has; of integers the width is not known."""
    number = plain(base)
    content, dtype = (int(number), Unknown("width of an integer")) if isinstance(number, NumpyInt) \
        else (float(number), "float64")
    return tensor_attribute(m, Tensor((), dtype, "numpy", content, assumptions=assumptions_of(base)), name, node)


def modelled_attribute(m: Machine, value: Any, name: str) -> Any:
    """Attributes of values that a framework models: they carry the class path in `path`."""
    own = getattr(value, "attribute", None)
    if own is not None:
        found = own(m, name)
        if found is not MISSING:
            return found
    if name == "__class__":
        return class_of(value)
    if name == "__setattr__" and own is not None:
        return PartialV(STRAIGHT, (value,), {})
    path = getattr(value, "path", None)
    if isinstance(path, str):
        if m.overrides and (added := _added(m, path, name)) is not MISSING:
            return BoundV(added, value) if isinstance(added, FunctionV) else Unknown(f"attribute {name}")
        if (handler := find_attribute(path, name)) is not None:
            return handler(m, value)
        if (method := find_method(path, name)) is not None:
            return MethodV(value, method)
    if isinstance(value, FunctionV) and name in ("__name__", "__module__"):
        return value.name if name == "__name__" else value.module.name
    if isinstance(value, BuiltinV) and value.name == "object" and name in OF_OBJECT:
        return OF_OBJECT[name]
    if isinstance(value, BuiltinV) and value.name in UNBOUND:
        return unbound(value.name, name)
    if isinstance(value, BoundV) and name == "__self__":
        return value.receiver
    if isinstance(path, str):
        from cudnnlint.interp.modules import way_to_read

        return Unknown(f"attribute {name}{way_to_read(m, value)}")
    return Unknown(f"attribute {name}")


def _added(m: Machine, path: str, name: str) -> Any:
    """What the program put into a class of the library: `torch.nn.Module.add = add`."""
    return next((m.overrides[own] for cls in ancestry(path) if (own := f"{cls}.{name}") in m.overrides), MISSING)


def version_of(m: Machine, path: str) -> Any:
    """`tf.__version__`: the version that everything else is judged by; assumed unless something says it."""
    found = {"tensorflow": m.stack.tensorflow, "keras": m.stack.keras, "torch": m.stack.torch}.get(path)
    if not found:
        return Unknown(f"version of {path}")
    text = ".".join(map(str, (*found, 0, 0)[:3]))
    if not m.stack.source.startswith("assumed"):
        return text
    return assume(text, frozenset({Assumption(f"{path}.__version__ = {text!r} (nothing says it)")}))


def external_attribute(m: Machine, base: External, name: str) -> Any:
    if name == "__version__" and base.path in ("tensorflow", "keras", "torch"):
        return version_of(m, base.path)
    if name in OF_OTHER_BACKENDS and base.path == "keras.backend":
        raise Raised
    if m.overrides and (path := canonical(f"{base.path}.{name}")) in m.overrides:
        return m.overrides[path]
    if name == "__name__" and (spelling := LAYERS.get(base.path)) is not None:
        return spelling.own.rpartition(".")[2]
    if name == "__name__" and base.path.startswith(("torch.optim.", "torch.nn.Module")) \
            and (own := base.path.rpartition(".")[2])[:1].isupper():
        return own
    return library_attribute(base.path, base.written, name)


@lru_cache(maxsize=8192)
def library_attribute(base: str, written: str, name: str) -> Any:
    """A constant, a dtype's name, or the path below `base`."""
    whole = f"{written}.{name}"
    path = canonical(whole if whole in PREFIXES else f"{base}.{name}")
    if path in CONSTANTS:
        value = CONSTANTS[path]
        return value.brought() if isinstance(value, Waiting) else value
    if name in DTYPES and base in DTYPE_MODULES:
        return ALIASES.get(name, name)
    if name == "__dict__" and not base.rpartition(".")[2][:1].isupper():
        return MembersV(External(base, written))
    return External(path, f"{written}.{name}" if written else "")


OF_OBJECT = {"__setattr__": STRAIGHT, "__new__": PLAIN_NEW}


def module_attribute(m: Machine, module: ModuleV, name: str) -> Any:
    if name in module.scope.items:
        if m.recording is not None:
            m.recording.read(module.scope, name, module.scope.items[name])
        return module.scope.items[name]
    if name in module.listed:
        from cudnnlint.interp.listed import listed_member

        return listed_member(m, module, name)
    if m.project is not None:
        found = m.project.submodule(m, module, name)
        if found is not None:
            return found
    if name == "__file__":
        return module.path
    if name == "__name__":
        return module.name
    if name == "__dict__":
        return MembersV(module)
    if "__getattr__" in module.scope.items or module.scope.unknown or not module.done:
        return Unknown(f"{module.name}.{name}")
    return Unknown(f"{module.name}.{name} is not defined")


def class_attribute(m: Machine, cls: ClassV, name: str) -> Any:
    found = cls.lookup(name)
    if found is MISSING:
        if name == "__name__":
            return cls.name
        if name == "_fields" and cls.fields is not None:
            return tuple(cls.fields)
        if name == "__new__" and cls.fields is not None and cls.node is None:
            return NewV(cls)
        if name == "__new__" and any(type(base) is OfPython for base in cls.mro):
            return PLAIN_NEW
        base = cls.external_base()
        if base is not None and (method := find_method(base, name)) is not None:
            asked = name == OF_THE_CLASS or base == "torch.autograd.Function"  # it makes, or runs, one of this class
            return MethodV(cls, method) if asked else External(method)
        return Unknown(f"attribute {name} of class {cls.name}")
    if m.recording is not None:
        m.recording.read_of(cls, name, found)
    if isinstance(found, FunctionV):
        if found.kind == "class":
            return BoundV(found, cls)
        return found
    return found


def method_of(instance: InstanceV, name: str) -> Any:
    """A method of the user's class bound to the instance, or MISSING."""
    found = instance.cls.lookup(name)
    if isinstance(found, FunctionV):
        return found if found.kind == "static" else BoundV(found, instance.cls if found.kind == "class" else instance)
    return MISSING


KEPT = {**{name: name for name in ("units", "filters", "use_bias", "rate", "groups", "input_dim", "output_dim",
                                   "depth_multiplier")}, "_num_heads": "num_heads", "_key_dim": "key_dim"}
"""Attributes in which a class derived from a library's layer finds arguments as they were given."""


def _of_layer(m: Machine, layer: LayerV, name: str) -> Any:
    """What the library's part of an object says, as far as it says so of one that nothing is derived from."""
    asked = name in ("name", "rank") if layer.path.startswith("keras.") else layer.path.startswith("torch.nn.")
    return layer.attribute(m, name) if asked else MISSING


TENSORS = ("torch.Tensor", "torch.nn.Parameter", "torch.nn.Buffer")
"""Bases that are tensors themselves, and not what this interpreter keeps for one."""


def instance_attribute(m: Machine, instance: InstanceV, name: str, node: ast.AST) -> Any:
    if name in instance.items:
        return instance.items[name]
    found = instance.cls.lookup(name)
    if m.recording is not None:
        m.recording.read_of(instance.cls, name, found)
    if isinstance(found, FunctionV):
        if found.kind == "property":
            return m.call(found, [instance], {}, node)
        if found.kind == "cached":  # once
            m.set_item(instance, name, m.call(found, [instance], {}, node))
            return instance.items[name]
        if found.kind == "static":
            return found
        return BoundV(found, instance.cls if found.kind == "class" else instance)
    if found is not MISSING:
        return found
    if name == "__class__":
        return instance.cls
    if instance.cls.fields is not None and (method := find_method("collections.namedtuple", name)) is not None:
        return MethodV(instance, method)
    if name == "__dict__":
        return OwnDictV(instance)
    if name == "__setattr__":
        return PartialV(STRAIGHT, (instance,), {})
    base = instance.cls.external_base()
    if base in TENSORS:  # no value of ours: nothing is known of it
        return Unknown(f"attribute {name} of a tensor of one's own class")
    if base is not None:
        if (handler := find_attribute(base, name)) is not None:
            return handler(m, instance)
        if (method := find_method(base, name)) is not None:
            return MethodV(instance, method)
    if isinstance(layer := instance.extra, LayerV) and (own := _of_layer(m, layer, name)) is not MISSING:
        return own
    if name in KEPT and (kept := getattr(instance.extra, "arguments", {}).get(KEPT[name])) is not None:
        return kept
    if (hook := method_of(instance, "__getattr__")) is not MISSING:
        return m.call(hook, [name], {}, node)
    return instance.unknown or Unknown(f"attribute of {instance.cls.name}: {name}")
