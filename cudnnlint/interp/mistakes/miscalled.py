"""Calls of what is not to be called so: tensors, layers without an input, classes in place of objects."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.variable_dtypes import is_kept_by_keras
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.quoting import quoted
from cudnnlint.interp.objects import External, GeneratorV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Assumed, Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.numpy_int import NumpyInt

TAKING = frozenset({"Softmax", "Concatenate", "ELU", "Lambda", "Input", "InputLayer", "Layer", "RNN", "Masking",
                    "Normalization", "Discretization", "Wrapper", "Dot"})
"""Layers that are made of a tensor without a word, or of which it is not known."""
TAKING_2 = ("Dropout", "LeakyReLU")
"""Parts of the names of those that only Keras 3 refuses to make; all others were made so with Keras 3.15 and 2.21."""
OF_OBJECTS = frozenset({"add", "compile", "fit", "predict", "evaluate", "summary", "apply_gradients", "pop",
                        "parameters", "state_dict", "train", "eval"})
OF_MODULES = frozenset({"parameters", "state_dict", "train", "eval"})
CLASSES = ("keras.Sequential.", "keras.Model.", "keras.optimizers.", "torch.nn.Module.")
TENSORS = {"keras": "KerasTensor", "tf": "EagerTensor", "numpy": "numpy.ndarray", "torch": "Tensor"}


def tell_of_miscalled(m: Machine, callee: Any, node: ast.Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether nothing comes of the call."""
    value: Any = callee.value if type(callee) is Assumed else callee
    kind = type(value)
    if kind is Tensor:
        return _of_tensor(m, value, node)
    if kind in NOT_CALLED:
        return _of_plain(m, value, node, args)
    if kind is External:
        if value.path.startswith("keras.layers.") and value.path in LAYERS:
            return bool(args) and _of_class(m, value, node, args)
        if value.path == "keras.Sequential":
            return _of_layers(m, node, args)
        return value.path.startswith(CLASSES) and _of_method(m, value, node, args, kwargs)
    if getattr(value, "registers", False):
        return _of_module_list(m, value, node)
    if not args and not kwargs and isinstance(value, LayerV | ModelV) and not node.args and not node.keywords:
        return _without_input(m, value, node)
    return False


def _of_tensor(m: Machine, value: Tensor, node: ast.Call) -> bool:
    """`Dense(8)(x)(x)`, or a layer's name that was given to its output."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "value" and is_kept_by_keras(value):
        return _tell(m, node, f"{quoted(node.func)} is a property in Keras 3, and is called",
                     f"{quoted(node.func)} without the parentheses",
                     "TypeError \"'ResourceVariable' object is not callable\"", Where(keras=">=3"), about=(value,))
    kind = TENSORS.get(value.kind, "Tensor")
    if value.kind == "numpy" and isinstance(value.dtype, Unknown):  # an array of objects has what may be called
        return False
    return _tell(m, node, f"{quoted(node.func)} is a tensor, {value}, and is called",
                 "a layer is called once; is this name that of a layer elsewhere?",
                 f"TypeError \"'{kind}' object is not callable\"", about=(value,))


def _of_plain(m: Machine, value: Any, node: ast.Call, args: Sequence[Any]) -> bool:
    """`x.shape()`, `model.layers()`, or a number where a layer was to be: of others Python tells anyone."""
    if isinstance(node.func, ast.Attribute):
        if node.func.attr not in READ:
            return False
        advice = f"{quoted(node.func)} without the parentheses"
    elif any(isinstance(plain(arg), Tensor) for arg in args):
        advice = "is this name that of a layer or function elsewhere?"
    else:
        return False
    kind = NOT_CALLED[type(value)]
    error = f"TypeError \"'{kind}' object is not callable\"" if kind != "tuple" else \
        "TypeError \"'tuple' object is not callable\", 'TensorShape' or 'torch.Size' of a tensor's shape"
    where = Where(keras=">=3") if getattr(value, "unknown", None) is OF_OPTIMIZER else Where()
    return _tell(m, node, f"{quoted(node.func)} is {'an' if kind == 'int' else 'a'} {kind}, and is called",
                 advice, error, where)


OF_OPTIMIZER = Unknown("variables of an optimizer")
"""The list that Keras 3 has where Keras 2 has a method (keras/src/optimizers/base_optimizer.py:
BaseOptimizer.variables; tf_keras/src/optimizers/optimizer.py: CallableList)."""


NOT_CALLED = {int: "int", float: "float", str: "str", tuple: "tuple", ListV: "list", NumpyInt: "int"}
READ = frozenset({"shape", "size", "ndim", "layers", "weights", "trainable_weights", "non_trainable_weights",
                  "variables", "trainable_variables", "inputs", "outputs", "input_shape", "output_shape", "name",
                  "history"})
"""Attributes that are read and not called, of tensors, layers, models and what fit() gives."""


def _of_module_list(m: Machine, value: Any, node: ast.Call) -> bool:
    """`self.stages(x)` of an nn.ModuleList (torch/nn/modules/module.py: _forward_unimplemented)."""
    kind = "ModuleList" if isinstance(value, ListV) else "ModuleDict"
    return _tell(m, node, f"{quoted(node.func)} is an nn.{kind}, which only holds modules, and is called",
                 "call its modules one after the other, or make it an nn.Sequential", f'NotImplementedError "Module '
                 f'[{kind}] is missing the required \"forward\" function"')


def _of_class(m: Machine, value: External, node: ast.Call, args: Sequence[Any]) -> bool:
    """`Flatten(x)`: the class is called on the tensor, not the layer."""
    name = value.path.rpartition(".")[2]
    if type(first := plain(args[0])) is LayerV:
        return _of_layer_as_number(m, name, first, node)
    given = [held for arg in args if isinstance(held := plain(arg), Tensor) and held.kind == "keras"]
    if not given or name in TAKING or isinstance(node.func, ast.Call):
        return False
    where = Where(keras=">=3") if any(part in name for part in TAKING_2) else Where()
    rest = ", ".join(ast.unparse(arg) for arg, held in zip(node.args, args, strict=False)
                     if plain(held) is not given[0])
    return _tell(m, node, f"the constructor of {name} is given a tensor, {given[0]}",
                 f"{name}({rest[:40]})(x) calls the layer on it", OF_CONSTRUCTOR, where, about=(given[0],))


def _of_layer_as_number(m: Machine, name: str, first: LayerV, node: ast.Call) -> bool:
    """`SpatialDropout1D(Dropout(0.2))`: run with Keras 3.0 to 3.15 and tf_keras 2.21, of which the latter asks for a
    rate only when it is used, and Keras 3 up to 3.12 for the units of a Dense."""
    of_rate = name in RATED
    if not of_rate and (not name.startswith(NUMBERED) or name == "DenseFeatures"):
        return False
    return _tell(m, node, f"the first argument of {name} is a number, and the layer {first.display} is given",
                 "one of the two layers", NO_NUMBER, Where(
                     keras=">=3" if of_rate else ">=2.15,<3|>=3.13" if name in ("Dense", "Embedding") else ">=2.15"))


RATED = frozenset({"Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout",
                   "GaussianNoise", "AlphaDropout"})
NUMBERED = ("Dense", "Conv1D", "Conv2D", "Conv3D", "SeparableConv", "DepthwiseConv", "LSTM", "GRU", "SimpleRNN",
            "Embedding", "RepeatVector", "MaxPool", "AveragePool", "UpSampling")
"""How the names of layers begin that take a number first, or several."""
NO_NUMBER = ("TypeError \"'<=' not supported between instances of\" or \"Expected an integer value for\" or ValueError "
             '"expected a positive integer" or "argument must be a tuple of"')
OF_CONSTRUCTOR = ('ValueError "The `data_format` argument must be one of" or "Could not interpret activation function '
                  'identifier" or NotImplementedError "Iterating over a symbolic KerasTensor" or TypeError')


def _of_layers(m: Machine, node: ast.Call, args: Sequence[Any]) -> bool:
    """`Sequential(Dense(8), Dense(1))` (keras/src/models/sequential.py: Sequential.__init__)."""
    first = plain(args[0]) if args else None
    return isinstance(first, LayerV | ModelV) and _tell(
        m, node, f"Sequential is given {first.display}, not a list of layers", "Sequential([...])",
        f"TypeError \"'{first.display}' object is not iterable\" or ValueError \"Expected `trainable` to be\"",
        Where(keras=">=3"))


def _of_method(m: Machine, value: External, node: ast.Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """`model = keras.Sequential` and then `model.add(layer)`."""
    owner, _, name = value.path.rpartition(".")
    first = plain(args[0]) if args else None
    if name not in OF_OBJECTS or "self" in kwargs or (args and not isinstance(
            first, LayerV | Tensor | ListV | GeneratorV | External | tuple | str | int | float)):
        return False
    short = owner.rpartition(".")[2]
    if short == "Module" and isinstance(node.func, ast.Attribute):
        shown = quoted(node.func.value)
        return name in OF_MODULES and _tell(
            m, node, f"{name}() is called on {shown}, a class, not on an object of it", f"{shown}() makes one",
            f'TypeError "Module.{name}() missing 1 required positional argument"')
    return bool(short[:1].isupper()) and _tell(
        m, node, f"{name}() is called on the class {short}, not on an object of it", f"{short}(...) makes one",
        f'TypeError "{short}.{name}() missing 1 required positional argument" or "\'self\'"')


def _without_input(m: Machine, value: LayerV | ModelV, node: ast.Call) -> bool:
    """`build_model()()`, `Dense(3)()`."""
    if not value.path.startswith("keras.") or value.path.endswith(("InputLayer", "Input")):
        return False
    if (value.user if isinstance(value, LayerV) else value.instance) is not None:
        return False
    return _tell(m, node, f"{value.display} is called on nothing", "a layer or model is called on a tensor",
                 'TypeError "missing a required argument: \'inputs\'" or ValueError "The first argument to '
                 '`Layer.call` must always be passed"')


def _tell(m: Machine, node: ast.Call, told: str, help: str, error: str, where: Where = Where(), **more: Any) -> bool:
    if not is_meant(m) or m.uncalled:
        return False
    return refuse(m, m.span(node), Mismatch(Problem.UNEXPECTED, told, help=help, error=error, where=where),
                  what="a call", **more)


GONE = Unknown("a call that fails")
