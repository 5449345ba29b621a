"""What cannot be subscripted, or has no such item: a dataset, and a dict whose keys are known."""

from __future__ import annotations

import ast
import re
from typing import Any

from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.no_containers import tell_of_no_container
from cudnnlint.interp.objects import MISSING, InstanceV, MethodV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.torch.histories import LOADER
from cudnnlint.source import Span
from cudnnlint.values import Assumed, Mismatch, Problem, Tensor

DATASET = "tensorflow.data.Dataset"
MANY = 6
"""Keys that are told."""
CLOSE = 0.75
"""How alike two keys are of which one is taken for a slip of the other, as difflib counts it."""


def tell_of_item_of(m: Machine, base: Any, key: Any, node: ast.Subscript) -> None:
    """`dataset[:, 1:]`, `features["agee"]`: nothing is known of what it gives."""
    held = plain(base)
    if getattr(held, "path", "") == DATASET and not isinstance(held, type):
        tell_of_dataset(m, node, "subscripted", "object is not subscriptable")
    elif isinstance(held, DictV):
        _tell_of_key(m, held, key, node)
    elif getattr(held, "path", "") == LOADER and is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, "a DataLoader is subscripted: it gives its batches one after the other",
            help="next(iter(loader)) is the first one, loader.dataset[0] the first row",
            error="TypeError \"'DataLoader' object is not subscriptable\""), what="DataLoader")
    elif isinstance(held, InstanceV | ModelV):
        tell_of_no_container(m, held, node, node.value, "subscripted")
    elif isinstance(held, MethodV) and isinstance(plain(held.receiver), Tensor) and is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, f"the method {ast.unparse(node.value)[:40]} is subscripted, and not called",
            help=f"{ast.unparse(node.value)[:40]}(...)", error="TypeError \"'builtin_function_or_method' object is not "
            "subscriptable\" or \"'method' object is not subscriptable\""), what="a method")


GENERATORS = frozenset({"parameters", "named_parameters", "children", "named_children", "modules", "named_modules",
                        "buffers", "named_buffers"})
"""Methods of modules that give a generator."""


def tell_of_generator(m: Machine, node: ast.Subscript, method: ast.Attribute) -> None:
    """`model.children()[0]` (torch/nn/modules/module.py: Module.children)."""
    if type(method.value) not in (ast.Name, ast.Attribute) or not is_certain(m) \
            or not _is_module(plain(m.eval(method.value)), method.attr):
        return
    written = f"{ast.unparse(method)[:40]}()"
    first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"{written} is subscripted: it gives one after the other",
        help=f"next({written})" if first else f"list({written})[...]",
        error="TypeError \"'generator' object is not subscriptable\""), what=method.attr)


def tell_of_counted(m: Machine, node: ast.Call) -> None:
    """`len(model.parameters())`: a generator has no length."""
    asked = node.args[0] if node.args else None
    method = asked.func if isinstance(asked, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr not in GENERATORS \
            or type(method.value) not in (ast.Name, ast.Attribute) or not is_certain(m) \
            or not _is_module(plain(m.eval(method.value)), method.attr):
        return
    written = f"{ast.unparse(method)[:40]}()"
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"{written} has no length: it gives one after the other",
        help=f"len(list({written})); sum(p.numel() for p in {written}) counts weights"
        if method.attr == "parameters" else f"len(list({written}))",
        error="TypeError \"object of type 'generator' has no len()\""), what=method.attr)


def tell_of_no_length(m: Machine, instance: InstanceV, span: Span) -> None:
    """`len(model)` of a module that holds others and has no `__len__`."""
    if is_certain(m) and _is_module(instance, "__len__"):
        name = instance.cls.name
        refuse(m, span, Mismatch(
            Problem.UNEXPECTED, f"{name} has no length: it is a module, and no nn.Sequential or nn.ModuleList",
            help="len(list(model.children())) counts its parts, sum(p.numel() for p in model.parameters()) its weights",
            error=f"TypeError \"object of type '{name}' has no len()\""), what=name)


def _is_module(held: Any, name: str) -> bool:
    """Whether it is a module of PyTorch whose class leaves `name` to it."""
    if isinstance(held, InstanceV):
        return held.cls.external_base() == "torch.nn.Module" and not held.unknown and held.chain is None \
            and held.cls.lookup(name) is MISSING and name not in held.items
    return getattr(held, "path", "").startswith("torch.nn.") and isinstance(held, LayerV | ModelV)


def tell_of_dataset(m: Machine, node: ast.expr, how: str, error: str) -> None:
    """A dataset where an array is needed (tensorflow/python/data/ops/dataset_ops.py: DatasetV2 has no __getitem__ and
    no operators)."""
    if is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.NO_ARRAY, f"a tf.data.Dataset is {how}: it gives its elements one after the other",
            help="take(n) and skip(n) give parts of it, next(iter(dataset)) is the first one" if how == "subscripted"
            else "dataset.map() changes each element, next(iter(dataset)) is the first one",
            error=f"TypeError \"{error}\""), what="Dataset")


def _tell_of_key(m: Machine, held: DictV, key: Any, node: ast.Subscript) -> None:
    """A text that is none of the keys, all of which are known; of what was read from a file, and if it is a default,
    which the program may have refused before, nearly one of them."""
    name = key_of(key)
    texts = [known for known in held.items if isinstance(known, str)]
    if not isinstance(name, str) or held.unknown or held.default is not None or len(texts) != len(held.items) \
            or name in texts or not is_certain(m):
        return
    from difflib import get_close_matches

    close = get_close_matches(name, texts, n=1, cutoff=CLOSE)
    if (not close and (_may_be_another(held) or assumptions_of(key))) or _is_set_elsewhere(m, name):
        return
    refuse(m, m.span(node), Mismatch(
        Problem.NO_KEY, f"the dict has no key {name!r}", error=f'KeyError "{name!r}"',
        help=f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, texts[:MANY])) or 'none'}"),
        what="key", assumptions=assumptions_of(key))


def _is_set_elsewhere(m: Machine, name: str) -> bool:
    """Whether another module of the project sets such a key: settings of all are filled by many, in whatever order."""
    sets = re.compile(rf"\[\s*['\"]{re.escape(name)}['\"]\s*\]\s*=(?!=)")
    return m.project is not None and any(
        module.source is not None and module.source.path != m.linted and sets.search(module.source.text)
        for module in m.project.modules.values())


def _may_be_another(value: Any) -> bool:
    """Whether it rests on what a file or a command line has, where another run may have more."""
    if type(value) is Assumed:
        return True
    parts = value.items.values() if isinstance(value, DictV) else value.items if isinstance(value, ListV) else ()
    return any(map(_may_be_another, parts))
