"""Whether two abstract values are the same object, or equal: True, False or None when not known."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.members import as_number
from cudnnlint.interp.objects import (
    MISSING,
    BoundV,
    BuiltinV,
    ClassV,
    External,
    FunctionV,
    InstanceV,
    MethodV,
    ModuleV,
    NamespaceV,
    PartialV,
    RangeV,
)
from cudnnlint.interp.registry import CALLS, ROOTS
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import OpenExtent

SCALARS = (int, float, str, bytes, bool, complex)
KINDS = (ListV, DictV, FunctionV, ClassV, BoundV, External, ModuleV, RangeV, PartialV, InstanceV, NamespaceV,
         MethodV, BuiltinV, Tensor, tuple)


TENSOR_TYPES = frozenset({"tensorflow.Tensor", "keras.KerasTensor", "numpy.ndarray", "torch.Tensor"})


def is_none(a: Any, b: Any) -> bool | None:
    """An extent that is open as a model is built against None; None where no more is known."""
    return True if OpenExtent in (type(a), type(b)) and (a is None or b is None) else None


def identical(a: Any, b: Any) -> bool | None:
    if isinstance(a, (Unknown, ChoiceV)) or isinstance(b, (Unknown, ChoiceV)):
        return is_none(a, b)
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if a is b:
        return True
    if isinstance(a, External) and isinstance(b, External):
        return _is_same_path(a, b)
    if isinstance(a, (str, int)) and isinstance(b, (str, int)):
        return a == b
    return False


def _as_python(value: Any) -> Any:
    """Members of an enum of numbers or texts as their values, named tuples as tuples."""
    if type(value) is not InstanceV:
        return value
    if value.cls.members is not None:
        return as_number(value)
    if value.cls.fields is not None and is_named_tuple(value.cls) and value.cls.lookup("__eq__") is MISSING:
        return tuple(value.items.get(name, Unknown(f"field {name}")) for name in value.cls.fields)
    return value


def _is_same_path(a: External, b: External) -> bool:
    """A class may have two names: keras.layers.MaxPool2D and MaxPooling2D."""
    if a == b:
        return True
    one, other = LAYERS.get(a.path), LAYERS.get(b.path)
    return one is not None and other is not None and one.own == other.own


def equal(a: Any, b: Any) -> bool | None:
    a, b = _as_python(plain(a)), _as_python(plain(b))
    if isinstance(a, (Unknown, ChoiceV)) or isinstance(b, (Unknown, ChoiceV)):
        return is_none(a, b)
    if (isinstance(a, SCALARS) and isinstance(b, SCALARS)) or a is None or b is None:
        if (a is None) != (b is None) and not isinstance(a, KINDS + SCALARS + (type(None),)):
            return False
        plain_ones = (*SCALARS, type(None))
        return isinstance(a, plain_ones) and isinstance(b, plain_ones) and bool(a == b)
    left, right = (v.items if isinstance(v, ListV) and not v.unknown else v for v in (a, b))
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        # a TensorShape, a tuple here, equals a list of the same numbers; a tuple does not
        if len(left) != len(right):
            return False
        verdicts = [equal(x, y) for x, y in zip(left, right, strict=True)]
        return False if False in verdicts else None if None in verdicts else True if type(a) is type(b) else None
    if isinstance(a, External) and isinstance(b, External):
        return _is_same_path(a, b)
    if isinstance(a, External) or isinstance(b, External):
        ours, theirs = (b, a) if isinstance(a, External) else (a, b)
        if isinstance(ours, ClassV | FunctionV) and (theirs.path in LAYERS or is_definition(theirs.path)):
            return False
        return False if theirs.path in TENSOR_TYPES and isinstance(ours, BuiltinV | ClassV) else \
            None  # a library's value: sys.platform, os.environ
    if isinstance(a, DictV | ListV) and isinstance(b, DictV | ListV) and (isinstance(a, DictV) or isinstance(b, DictV)):
        return _same_keys(a, b)
    if type(a) is not type(b) and isinstance(a, KINDS + SCALARS) and isinstance(b, KINDS + SCALARS):
        return False
    if type(a) is InstanceV and type(b) is InstanceV and a.cls is b.cls and a.cls.members is not None:
        return _is_same_member(a, b)
    return True if a is b else False if isinstance(a, (ClassV, FunctionV, ModuleV, BuiltinV)) else None


def _same_keys(a: DictV | ListV, b: DictV | ListV) -> bool | None:
    """Two dicts, or two sets; what keys() gives is a list here, and equals a set."""
    if a is b:
        return True
    if not (isinstance(a, DictV) and isinstance(b, DictV)) or a.open or b.open:
        return None
    if a.is_set is not b.is_set or len(a.items) != len(b.items):
        return False
    if a.items.keys() != b.items.keys():
        return False if all(isinstance(key, (*SCALARS, tuple)) for key in (*a.items, *b.items)) else None
    verdicts = [equal(value, b.items[key]) for key, value in a.items.items() if not a.is_set]
    return False if False in verdicts else None if None in verdicts else True


def _is_same_member(a: InstanceV, b: InstanceV) -> bool | None:
    """Of an Enum, whose members of one value are one."""
    return True if a is b else equal(a.items.get("value"), b.items.get("value"))


def is_definition(path: str) -> bool:
    """A library, class or function; other paths may be values (`sys.argv`, `os.name`)."""
    name = path.rpartition(".")[2]
    return path in ROOTS or name[:1].isupper() or path in LAYERS or path in FUNCTIONS or path in CALLS
