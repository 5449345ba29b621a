"""isinstance, issubclass and callable over abstract values: True, False or None when not known."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.members import as_number
from cudnnlint.interp.objects import (
    MISSING,
    BoundV,
    BuiltinV,
    ClassV,
    External,
    FunctionV,
    GeneratorV,
    InstanceV,
    MethodV,
    PartialV,
    RangeV,
)
from cudnnlint.interp.registry import ancestry
from cudnnlint.values import Assumed, Symbol, Tensor, Unknown
from cudnnlint.values.numpy_int import NumpyFloat, NumpyInt
from cudnnlint.values.packed import Packed
from cudnnlint.values.unknown import OfPython

OF_PYTHON = (str, bytes, int, float, tuple, ListV, DictV, RangeV, GeneratorV)
TENSOR_CLASSES = frozenset({"tensorflow.Tensor", "keras.KerasTensor", "numpy.ndarray", "tensorflow.Variable",
                            "torch.Tensor",
                            "tensorflow.SparseTensor", "tensorflow.RaggedTensor", "keras.Variable"})
PYTHON: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float,), "str": (str,), "bool": (bool,),
                                       "list": (ListV,),
                                       "tuple": (tuple,), "bytes": (bytes,), "type": (ClassV,)}
CLASSES_OF_PYTHON = frozenset({*PYTHON, "complex", "dict", "set", "frozenset", "object"})
CLASSES = ("keras.layers.", "torch.nn.")
"""Paths of library classes whose bases are known."""
WRITTEN_AS_CLASSES = ("keras.", "torch.nn.", "torch.optim.")
"""Paths of libraries in which names that begin with a capital letter are classes."""
SEQUENCES = (ListV, tuple, str, bytes, RangeV)
ABSTRACT: dict[str, tuple[type, ...]] = {
    "collections.abc.Sequence": SEQUENCES, "collections.Sequence": SEQUENCES,
    "collections.abc.Iterable": (*SEQUENCES, DictV, GeneratorV),
    "collections.Iterable": (*SEQUENCES, DictV, GeneratorV),
    "collections.abc.Mapping": (DictV,), "numbers.Number": (int, float), "numbers.Integral": (int,),
    "collections.abc.Callable": (), "six.string_types": (str,)}
NOT_ABSTRACT = (int, float, str, bytes, tuple, ListV, DictV, RangeV, GeneratorV, FunctionV, BoundV)
"""What is an instance of nothing that is not named there; of a class of the program or of a library, who knows?"""


SCALARS_OF_NUMPY = {"numpy.integer": (NumpyInt,), "numpy.signedinteger": (NumpyInt,), "numpy.floating": (NumpyFloat,),
                    "numpy.number": (NumpyInt, NumpyFloat), "numpy.generic": (NumpyInt, NumpyFloat)}
"""Abstract classes of NumPy -> what of its scalars is known to be one (numpy.org/doc: Scalars)."""
TEXTS_OF_TYPES = {
    "numpy.ndarray": "<class 'numpy.ndarray'>", "torch.Tensor": "<class 'torch.Tensor'>",
    "pandas.DataFrame": "<class 'pandas.core.frame.DataFrame'>",
    "pandas.Series": "<class 'pandas.core.series.Series'>",
}
"""What str() gives of classes whose instances are told from others by it."""


TENSOR_TYPES = {"keras": "keras.KerasTensor", "numpy": "numpy.ndarray", "torch": "torch.Tensor"}


def class_of(value: Any) -> Any:
    """`type(value)` and `value.__class__` of what is not the program's own."""
    if (held := container_of_modules(value)) or (isinstance(value, ObjectV) and value.path.startswith("torch.optim.")):
        return External(held or value.path)
    if isinstance(value, Tensor) and not (value.kind == "numpy" and value.shape == ()):
        return External(TENSOR_TYPES.get(value.kind, "tensorflow.Tensor"))
    if isinstance(value, Packed):
        return External(Packed.PATH)
    if isinstance(value, LayerV) and value.user is None and value.op is not None:
        return External(value.path)
    if getattr(value, "path", None) in TEXTS_OF_TYPES and not isinstance(value, External):
        return External(value.path)
    return Unknown("type of an unknown value" if isinstance(value, Unknown) else "type of something known")


def container_of_modules(value: Any) -> str:
    """The path of the class of an nn.ModuleList or nn.ModuleDict, "" of anything else."""
    if not getattr(value, "registers", False):
        return ""
    return "torch.nn.ModuleList" if isinstance(value, ListV) else "torch.nn.ModuleDict"


def _of_container(path: str, cls: Any) -> bool | None:
    """Neither is a list or dict (torch/nn/modules/container.py)."""
    if isinstance(cls, BuiltinV):
        return cls.name == "object" or None if cls.name not in (*PYTHON, "dict", "set", "frozenset") else False
    if not isinstance(cls, External):
        return False if isinstance(cls, ClassV) else None
    if cls.path in ABSTRACT:
        return cls.path.endswith("Iterable")
    return cls.path in ancestry(path) if cls.path.startswith("torch.") else None


OF_TYPING = {"List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple", "Type": "type"}
"""What typing has for classes of Python, beside names of collections.abc (docs.python.org: typing)."""


def is_class(value: Any) -> bool:
    """Whether it may stand in `int | None`, which gives a tuple of them here: it is only asked what is one of them."""
    if type(value) is tuple:
        return bool(value) and all(map(is_class, value))
    if type(value) is External:
        name = value.path.rpartition(".")[2]
        return name[:1].isupper() and not name.isupper()
    return value is None or type(value) is ClassV or (type(value) is BuiltinV and value.name in CLASSES_OF_PYTHON)


def is_module_class(path: str) -> bool:
    """Whether it is a public class of torch.nn all of whose bases are known: a recurrent one has others, and a lazy one
    becomes another class once it is called (torch/nn/modules/lazy.py)."""
    name = path.removeprefix("torch.nn.")
    return name != path and name[:1].isupper() and name.isalnum() and name not in ("Module", "RNNBase", "RNNCellBase") \
        and not name.startswith("Lazy")


def is_instance(value: Any, cls: Any) -> bool | None:
    if isinstance(cls, Assumed):
        cls = cls.value
    if isinstance(cls, tuple):
        verdicts = [is_instance(value, item) for item in cls]
        return True if True in verdicts else None if None in verdicts else False
    if isinstance(value, Unknown) or isinstance(cls, Unknown):
        return None
    if cls is None:  # of a union
        return value is None
    if held := container_of_modules(value):
        return _of_container(held, cls)
    if isinstance(cls, BuiltinV):
        return _builtin(value, cls.name)
    if isinstance(cls, ClassV):
        if isinstance(value, AttrDictV):
            return True if value.maker is cls else None
        return isinstance(value, InstanceV) and cls in value.cls.mro if isinstance(value, InstanceV) else False
    if isinstance(cls, External):
        return _external(value, cls.path)
    if isinstance(cls, str):
        return _scalar_of_numpy(value)
    return None


def _scalar_of_numpy(value: Any) -> bool | None:
    """Of isinstance(value, np.float32), where the class is known by the name of its dtype: what is no scalar of NumPy
    is an instance of none.
    """
    if isinstance(value, Tensor):
        return None if value.kind == "numpy" and value.shape == () else False
    of_python = value is None or (isinstance(value, OF_PYTHON) and not isinstance(value, NumpyInt | NumpyFloat))
    return False if of_python else None


def is_subclass(derived: Any, cls: Any) -> bool | None:
    """issubclass() of classes of the program and of modelled libraries; None when not known."""
    if isinstance(cls, tuple):
        verdicts = [is_subclass(derived, item) for item in cls]
        return True if True in verdicts else None if None in verdicts else False
    if isinstance(derived, ClassV) and isinstance(cls, ClassV | External):
        bases = derived.mro
    elif isinstance(derived, External) and isinstance(cls, ClassV | External) and derived.path.startswith(CLASSES):
        bases = (derived,)
    elif isinstance(derived, External) and isinstance(cls, External):
        known = derived.path in TEXTS_OF_TYPES and cls.path in TEXTS_OF_TYPES
        return derived.path == cls.path if known or derived.path == cls.path else None
    elif isinstance(derived, BuiltinV) and isinstance(cls, External) and cls.path in TEXTS_OF_TYPES:
        return False
    else:
        return None
    if cls in bases:
        return True
    if any(isinstance(base, Unknown) for base in bases):
        return None
    paths = [base.path for base in bases if isinstance(base, External)]
    if isinstance(cls, ClassV):
        return False
    if any(cls.path in ancestry(path) for path in paths):
        return True
    return False if all(map(_is_plain, (*paths, cls.path))) else None


def _is_plain(path: str) -> bool:
    """Whether it is a public class of torch.nn: its bases are public ones and what begins with an underscore."""
    return path.startswith("torch.nn.") and not path.rpartition(".")[2].startswith("_")


def _builtin(value: Any, name: str) -> bool | None:
    value = as_number(value)
    if type(value) is InstanceV and (of_python := [base for base in value.cls.mro if type(base) is OfPython]):
        return True if name == "object" or any(base.name == name for base in of_python) else \
            None if any(isinstance(base, Unknown) and type(base) is not OfPython for base in value.cls.mro) else False
    if name in ("dict", "set", "frozenset"):
        return isinstance(value, DictV) and value.is_set == (name != "dict")
    if name in ("float", "int") and isinstance(value, Tensor) and value.shape == ():
        return None
    if name == "type" and isinstance(value, BuiltinV | External):
        return _is_library_class(value)
    if name == "int" and isinstance(value, NumpyInt):
        return False
    if name in PYTHON:
        return isinstance(value, PYTHON[name])
    return True if name == "object" else None


def _is_library_class(value: BuiltinV | External) -> bool | None:
    """Whether a name of a library is a class, by how it is written: `keras.optimizers.Adam`."""
    return True if isinstance(value, External) and value.path.startswith(WRITTEN_AS_CLASSES) \
        and value.path.rpartition(".")[2][:1].isupper() else None


def _external(value: Any, path: str) -> bool | None:
    if path.startswith("typing."):
        name = path.removeprefix("typing.")
        if name in OF_TYPING:
            return _builtin(value, OF_TYPING[name])
        return _external(value, f"collections.abc.{name}") if f"collections.abc.{name}" in ABSTRACT else None
    if path == "collections.abc.Callable":
        return is_callable(value)
    if path in ABSTRACT:
        return _abstract(value, path)
    if path in SCALARS_OF_NUMPY:
        return _scalar_of_numpy(value) if not isinstance(value, NumpyInt | NumpyFloat) else \
            isinstance(value, SCALARS_OF_NUMPY[path])
    if path in ("tensorflow.TensorShape", "types.FunctionType", "types.LambdaType"):
        return isinstance(value, tuple if path == "tensorflow.TensorShape" else FunctionV)
    if path in TENSOR_CLASSES or path.endswith((".Tensor", ".KerasTensor", ".ndarray")):
        return _tensor(value, path)
    if isinstance(value, Packed) and path == Packed.PATH:
        return True
    if path.startswith("h5py.") and isinstance(value, Tensor):  # which stands for what a file has under a name
        return None
    if value is None or isinstance(value, (int, float, str, tuple, ListV, DictV, FunctionV, Tensor, MethodV)):
        return False
    is_class = isinstance(value, ClassV) or (isinstance(value, External) and value.path.startswith(CLASSES)
                                             and value.path.rpartition(".")[2][:1].isupper())
    if is_class and path.startswith(("keras.", "torch.nn.", "tensorflow.Module")):
        return False  # a class of layers is no layer
    own = getattr(value, "path", None)
    if isinstance(value, InstanceV):
        bases = [base.path for base in value.cls.mro if isinstance(base, External)]
        if any(isinstance(base, Unknown) for base in value.cls.mro):
            return None
        return any(path in ancestry(base) for base in bases)
    if isinstance(own, str) and not isinstance(value, External):
        known = getattr(value, "exactly", False) or (own.startswith("keras.") and path.startswith("keras.")) \
            or (is_module_class(own) and (is_module_class(path) or path == "torch.nn.Module"))
        return path in ancestry(own) if known else None
    return None


def _abstract(value: Any, path: str) -> bool | None:
    """docs.python.org: collections.abc, numbers"""
    if isinstance(value, DictV) and value.is_set and path.endswith("Mapping"):
        return False
    if isinstance(value, Tensor) and value.shape != ():
        return path.endswith("Iterable") or None if isinstance(value.shape, Unknown) else path.endswith("Iterable")
    if isinstance(value, ABSTRACT[path]):
        return True
    return False if value is None or isinstance(value, NOT_ABSTRACT) else None


def is_scalar(value: Tensor) -> bool | None:
    """Elements, sums and the like of arrays are scalars, np.array(3.0) is an array without axes; a row has its array's
    step.
    """
    name = str(value.step.maker if value.step is not None else "numpy.load").rpartition(".")[2]
    given = value.step.arguments[0] if value.step is not None and value.step.arguments else ()
    if name in ("array", "asarray", "asanyarray", "zeros", "ones", "full", "empty"):
        first = plain(given[0]) if given else ()
        if name[0] == "a" and isinstance(first, int | float):
            return False
        rows = first.shape != () if isinstance(first, Tensor) else first != () and not isinstance(first, float)
        return True if rows and (isinstance(first, ListV | tuple | Tensor) or name[0] not in "a") else None
    return None if name in ("reshape", "squeeze", "load", "copy") else True


def _may_be_sparse(value: Tensor) -> bool:
    """Whether a layer was told to give a sparse tensor, or it is an Input or who knows what, which may be one."""
    maker = value.step.maker if value.step is not None else None
    if maker is None or getattr(maker, "path", "") == "keras.layers.InputLayer":
        return True
    given = getattr(maker, "arguments", None)
    return isinstance(given, dict) and given.get("sparse", False) is not False


OF_INPUTS = "keras.KerasTensor"
NO_TENSORS = frozenset({"abc.ABC", "typing.Generic", "torch.nn.Module", "torch.utils.data.Dataset"})
"""What a class may be made of whose objects are no tensors."""


def _tensor(value: Any, path: str) -> bool | None:
    if not isinstance(value, Tensor):
        if isinstance(value, Symbol) and path == OF_INPUTS:  # a tensor of the backend, or None
            return False
        if isinstance(value, InstanceV) and path in ("torch.Tensor", "numpy.ndarray"):
            others = [base for base in value.cls.mro if not isinstance(base, ClassV)]
            return False if all(isinstance(base, External) and base.path in NO_TENSORS for base in others) else None
        return False if value is None or isinstance(value, (int, float, str, tuple, ListV, DictV)) else None
    if path == "numpy.ndarray" and value.kind == "numpy" and value.shape == ():
        scalar = is_scalar(value)
        return None if scalar is None else not scalar
    if path == "tensorflow.SparseTensor":
        return None if _may_be_sparse(value) else False
    if path == "tensorflow.RaggedTensor":
        known = isinstance(value.shape, tuple) and all(isinstance(dim, int) for dim in value.shape[1:])
        return False if known else None  # rows of one length
    if path == OF_INPUTS:  # call() is traced with tensors of the backend
        return value.kind == "keras"
    if path == "torch.Tensor" and value.kind in ("torch", "numpy"):
        return value.kind == "torch"
    if path == "numpy.ndarray" and value.kind == "torch":
        return False
    kind = {"numpy.ndarray": "numpy", "tensorflow.Tensor": "tf"}.get(path)
    return None if kind is None else value.kind == kind or None


def is_callable(value: Any) -> bool | None:
    """callable() of a value."""
    value = plain(value)
    if isinstance(value, Unknown):
        return None
    if isinstance(value, (FunctionV, BoundV, MethodV, BuiltinV, ClassV, External, PartialV)):
        return True
    if isinstance(value, InstanceV):
        return True if value.cls.lookup("__call__") is not MISSING else None
    if value is None or isinstance(value, OF_PYTHON):
        return False
    return True if hasattr(value, "called") else None
