"""What cannot be subscripted, or has no such item: a dataset, and a dict whose keys are known."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.objects import MethodV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.torch.histories import LOADER
from cudnnlint.values import Mismatch, Problem, Tensor

DATASET = "tensorflow.data.Dataset"
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
    elif isinstance(held, MethodV) and isinstance(plain(held.receiver), Tensor) and is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, f"the method {ast.unparse(node.value)[:40]} is subscripted, and not called",
            help=f"{ast.unparse(node.value)[:40]}(...)", error="TypeError \"'builtin_function_or_method' object is not "
            "subscriptable\" or \"'method' object is not subscriptable\""), what="a method")


def tell_of_dataset(m: Machine, node: ast.expr, how: str, error: str) -> None:
    """A dataset where an array is needed (tensorflow/python/data/ops/dataset_ops.py: DatasetV2 has no __getitem__ and
    no operators)."""
    if is_certain(m):
        refuse(m, m.span(node), Mismatch(
            Problem.NO_ARRAY, f"a tf.data.Dataset is {how}: it gives its elements one after the other",
            help="dataset.map() changes each element, next(iter(dataset)) is the first one",
            error=f"TypeError \"{error}\""), what="Dataset")


def _tell_of_key(m: Machine, held: DictV, key: Any, node: ast.Subscript) -> None:
    """A text that is nearly one of the keys, all of which are known."""
    name = key_of(key)
    texts = [known for known in held.items if isinstance(known, str)]
    if not isinstance(name, str) or held.unknown or held.default is not None or len(texts) != len(held.items) \
            or name in texts or not is_certain(m):
        return
    from difflib import get_close_matches

    close = get_close_matches(name, texts, n=1, cutoff=CLOSE)
    if close:
        refuse(m, m.span(node), Mismatch(
            Problem.NO_KEY, f"the dict has no key {name!r}", help=f"did you mean {close[0]!r}",
            error=f'KeyError "{name!r}"'), what="key", assumptions=assumptions_of(key))
