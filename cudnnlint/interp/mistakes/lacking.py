"""Attributes that objects of the libraries certainly do not have: misspelt methods, and those of another library."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.elsewhere import is_said_below
from cudnnlint.facts.members import may_have
from cudnnlint.facts.public_names import listed, meant
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes import elsewhere
from cudnnlint.interp.mistakes.another_layer import of_another_layer
from cudnnlint.interp.mistakes.left_uncalled import tell_of_method
from cudnnlint.interp.mistakes.misbound import parameters
from cudnnlint.interp.mistakes.missing import OPENERS, may_be_torch
from cudnnlint.interp.mistakes.misspelt import is_added, mentioned
from cudnnlint.interp.objects import BuiltinV, FunctionV, MethodV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.torch.histories import LOADER
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

HISTORY, DATASET, TAPE, TENSOR = ("keras.callbacks.History", "tensorflow.data.Dataset", "tensorflow.GradientTape",
                                  "tensorflow.Tensor")
NUMPY_BEHAVIOR = "numpy_behavior"
"""np_config.enable_numpy_behavior() gives the methods of NumPy to all tensors of the process."""
OPENED = frozenset({"hparams"})
"""Attributes that make of a dict one whose keys are attributes: of a LightningModule before
pytorch_lightning 1.0 (core/lightning.py: LightningModule.hparams)."""
WITHOUT_NEXT = (1, 13)
"""The first PyTorch whose iterators of loaders have no next(), which was there for Python 2."""


def _is_default(m: Machine, node: ast.expr) -> bool:
    """Whether what is asked is reached from a parameter of a function that nothing calls: what is given for a dict by
    default may be a configuration, whose keys are attributes."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    function = m.frame.function
    return bool(m.uncalled) and isinstance(node, ast.Name) and function is not None \
        and node.id in parameters(function.node)[0]


def tell_of_lacking(m: Machine, base: Any, node: ast.Attribute, *, known: bool) -> None:
    """`model.fit_genrator(x)`, `history.predict(x)`, `x.reshape(2, 3)` of a tensor.

    known  whether the interpreter knows an attribute of that name
    """
    value, name = plain(base), node.attr
    if isinstance(value, Tensor):
        _of_tensor(m, base, node, value)
    elif name == "backward" and (isinstance(value, int | float) or (isinstance(value, Unknown) and value.number)):
        _tell(m, base, node, "a number of Python", "backward() of the tensor, before item() or float()", "float")
    elif isinstance(value, FunctionV):
        _of_function(m, base, node, value)
    elif type(value) is BuiltinV:
        tell_of_method(m, value.name, node)
    elif type(value) is MethodV and isinstance(plain(value.receiver), Tensor):
        tell_of_method(m, value.name.rpartition(".")[2], node)
    elif type(value) is ListV:
        if name in elsewhere.OF_ARRAYS_NOT_LISTS and _is_list(m, node.value):
            _tell(m, base, node, "a list", elsewhere.OF_ARRAYS_NOT_LISTS[name], "list")
    elif type(value) is DictV:
        _of_dict(m, base, node, value)
    elif not known or name in getattr(value, "left_behind", ()):
        _of_library(m, base, node, value)


def _of_tensor(m: Machine, base: Any, node: ast.Attribute, value: Tensor) -> None:
    name = node.attr
    if value.kind in ("numpy", "torch"):
        _of_array(m, base, node, value)
    elif value.kind == "tf" and name in elsewhere.OF_VARIABLES:
        maker = value.step.maker if value.step is not None else None
        if isinstance(maker, str) and maker.startswith("operator.") and maker != "operator.getitem" \
                and _is_tensorflow(m):
            _tell(m, base, node, "a tensor that is computed, no variable,", "", "EagerTensor")
    elif value.kind in ("tf", "keras") and _is_tensorflow(m) and name in elsewhere.OF_NUMPY | elsewhere.OF_TORCH \
            and not (value.kind == "keras" and name in elsewhere.OF_KERAS_3) \
            and name not in mentioned(m, m.frame.module.source):
        _tell(m, base, node, "a tensor of TensorFlow" if value.kind == "tf" else "a symbolic tensor of Keras",
              elsewhere.INSTEAD.get(name, ""), "EagerTensor" if value.kind == "tf" else "KerasTensor")


def _of_function(m: Machine, base: Any, node: ast.Attribute, value: FunctionV) -> None:
    """`build_model.fit(x)`, of the function that makes a model."""
    if isinstance(value.node, ast.FunctionDef) and not value.node.decorator_list \
            and node.attr in listed("keras.Model")[0] and node.attr not in mentioned(m, m.frame.module.source):
        _tell(m, base, node, f"the function {value.name}", f"{value.name}(...).{node.attr}", "function")


def _of_dict(m: Machine, base: Any, node: ast.Attribute, value: DictV) -> None:
    """`config.width` of a dict that holds it; OrderedDicts may have attributes."""
    held = node.attr in value.items and not (value.is_set or value.open or value.ordered)
    opened = isinstance(node.value, ast.Attribute) and node.value.attr in OPENED
    if held and not opened and not m.frame.module.source.says(f".{node.attr} =") and not _is_default(m, node.value):
        _tell(m, base, node, "a dict", f"[{node.attr!r}]", "dict")


def _of_library(m: Machine, base: Any, node: ast.Attribute, value: Any) -> None:
    """An iterator, a dataset, a model, a layer, an optimizer, whose names are listed."""
    name = node.attr
    if name == "next" and getattr(value, "path", "") == LOADER and m.stack.torch >= WITHOUT_NEXT:
        _tell(m, base, node, "the iterator of a DataLoader", "next(iterator)", "_SingleProcessDataLoaderIter")
    elif name in (others := getattr(value, "lacks", {})) and not any(map(m.frame.module.source.says, OPENERS)):
        _tell(m, base, node, f"{_article(value.name)} {value.name}", others[name], value.class_name)
    elif name in getattr(value, "left_behind", ()):
        _tell(m, base, node, "a dataset made of another", f"{name} of the one that the folder gave", "Dataset")
    elif not name.startswith("_") and name not in getattr(value, "extra", ()) and (path := _class_of(value)):
        close = _instead(m, path, name)
        if close is None:
            close = of_another_layer(m.stack, value, name)
        if close is not None and name not in mentioned(m, m.frame.module.source):
            shown = getattr(value, "display", path.rpartition(".")[2])
            _tell(m, base, node, f"{_article(shown)} {shown}", close, shown)


def _of_array(m: Machine, base: Any, node: ast.Attribute, value: Tensor) -> None:
    """An array beside what is not known may be a tensor of either library: its shape is not known then. An item of
    an array whose dtype is not known may be any object: a column of a table holds lists as well as numbers."""
    others, name = elsewhere.OF_ARRAYS if value.kind == "numpy" else elsewhere.OF_OTHERS_THAN_TORCH, node.attr
    instead = others[name] if name in others else meant("torch.Tensor", name, ever=True) \
        if value.kind == "torch" and name not in elsewhere.PAST_OF_TORCH else ""
    if not (instead or name in others) or not isinstance(value.shape, tuple) or NUMPY_OF_TENSORFLOW in m.state \
            or name in mentioned(m, m.frame.module.source):
        return
    if value.kind == "numpy" and not value.shape and not isinstance(value.dtype, str):
        return
    what, shown = "a tensor of PyTorch", "Tensor"
    if value.kind == "numpy":
        what, shown = ("a NumPy array", "numpy.ndarray") if value.shape else ("a number", "float") \
            if name == "backward" else ("a NumPy number", f"numpy.{value.dtype}")
    _tell(m, base, node, what, instead, shown)


def tell_of_history(m: Machine, base: Any, node: ast.Subscript) -> None:
    """`history["loss"]` of what fit() gave."""
    value = plain(base)
    if isinstance(value, ObjectV) and value.path == HISTORY and is_meant(m) and not m.uncalled:
        refuse(m, m.span(node), Mismatch(
            Problem.NO_ATTRIBUTE, "a History is asked for an item", help="its attribute history is the dict",
            error="TypeError \"'History' object is not subscriptable\"",
            facts=(("moment", "when it is read"),)), what="History")


def _is_list(m: Machine, node: ast.expr) -> bool:
    """Whether a name stands for nothing but what is written as a list, wherever the file binds it."""
    source = m.frame.module.source
    if not isinstance(node, ast.Name) or source is None:
        return False
    parts = walk(source.tree())
    stored = [one for one in parts if isinstance(one, ast.Name) and one.id == node.id
              and not isinstance(one.ctx, ast.Load)]
    lists = [target for one in parts if isinstance(one, ast.Assign) for target in one.targets
             for target in _as_lists(target, one.value)]
    named = [one for one in parts if isinstance(one, ast.arg) and one.arg == node.id]
    return bool(stored) and not named and all(any(one is each for each in lists) for one in stored)


def _as_lists(target: ast.expr, value: ast.expr) -> list[ast.expr]:
    """Names that an assignment makes lists of."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [name for one, held in pairs for name in _as_lists(one, held)]
    return [target] if isinstance(value, ast.List | ast.ListComp) else []


def _is_tensorflow(m: Machine) -> bool:
    """Whether its tensors are TensorFlow's, without the methods of NumPy."""
    source = m.frame.module.source
    return source is not None and source.says("tensorflow") and NUMPY_OF_TENSORFLOW not in m.state and not any(
        source.says(word) for word in ("KERAS_BACKEND", NUMPY_BEHAVIOR, "experimental.numpy")) and not (
        m.uncalled and m.project is not None and is_said_below(min(m.project.within, key=len), NUMPY_BEHAVIOR))


def _class_of(value: Any) -> str:
    if isinstance(value, ModelV):
        if value.path == "torch.nn.Sequential":
            return "torch.nn.Module"
        keras = value.path.startswith("keras.") and value.instance is None
        return "" if not keras else "keras.Sequential" if value.kind == "sequential" else "keras.Model"
    if isinstance(value, LayerV):
        if value.path.startswith("torch.nn.") and value.user is None:
            return "torch.nn.Module"
        return "keras.layers.Layer" if value.path.startswith("keras.layers.") and value.user is None else ""
    path = getattr(value, "path", "")
    if isinstance(value, ObjectV) and (path == HISTORY or (path.startswith(("torch.optim.", "keras.optimizers."))
                                                           and path.count(".") == 2)):
        return path
    return path if path in (DATASET, TAPE) else ""


def _instead(m: Machine, path: str, name: str) -> str | None:
    """What is meant by a name that the object lacks, "" where nothing does the same; None where it may have it."""
    now, past = listed(path)
    if name in now or name in past or (path.startswith("keras.") and path != HISTORY and may_have(name)):
        return None
    if path == HISTORY:
        of_model = listed("keras.Model")
        return f"{name} of the model" if name in of_model[0] or name in of_model[1] else \
            f'history["{name}"] of it' if name in LOGGED else meant(path, name, ever=True) or None
    if path == DATASET and name in elsewhere.OF_DATASETS:
        return elsewhere.OF_DATASETS[name]
    if path.startswith("keras.optimizers."):
        return elsewhere.OF_KERAS_OPTIMIZERS.get(name)
    if path.startswith("torch.optim."):
        return elsewhere.OF_TORCH_OPTIMIZERS.get(name)
    if path == "torch.nn.Module":
        if name.startswith("_") or name == "module":  # of what wraps another one
            return None
        return elsewhere.OF_KERAS[name] if name in elsewhere.OF_KERAS else meant(path, name, ever=True) or None
    if path in ("keras.Model", "keras.Sequential") and name in elsewhere.OF_OTHERS:
        return None if may_be_torch(m) else elsewhere.OF_OTHERS[name]
    return meant(path, name, ever=True) or ("" if path in ALL_KNOWN and not may_be_torch(m) else None)


ALL_KNOWN = frozenset({"keras.Model", "keras.Sequential"})
"""Of whose objects `may_have` knows all names: any other, which the file sets nowhere, is lacking."""


def _is_local(m: Machine, node: ast.expr) -> bool:
    """Whether what is written starts from a name of the function under way: those of a module may hold something else
    by the time that somebody calls it."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in m.frame.scope.items


LOGGED = ("loss", "accuracy", "val_loss", "val_accuracy", "acc", "val_acc", "mae")


def _article(word: str) -> str:
    """
    >>> _article("Adam"), _article("SGD"), _article("Sequential")
    ('an', 'an', 'a')
    """
    return "an" if word[0] in ("AEFHILMNORSX" if word[:2].isupper() else "AEIOU") else "a"


def _tell(m: Machine, base: Any, node: ast.Attribute, what: str, close: str, shown: str) -> None:
    if not is_meant(m) or (m.uncalled and not _is_local(m, node.value)) or is_added(m, node.attr):
        return
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{what} has no attribute {node.attr}", help=f"did you mean {close}?" if close else "",
        error=f"AttributeError \"'{shown}' object has no attribute '{node.attr}'\" or \"{shown} object has no "
              "attribute\"" if shown == "EagerTensor" else
              f"AttributeError \"'{shown}' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr, assumptions=assumptions_of(base))
