"""Lists and tuples that are asked for what an array or a tensor has: `images.shape` of a list of images."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.misspelt import mentioned
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.uncalled.left_open import FOR_EMPTY, is_left_open
from cudnnlint.ops.functions.dtypes import KNOWN
from cudnnlint.values import Assumed, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.origins import OF_TEXTS

OF_ARRAYS = frozenset({
    "shape", "dtype", "ndim", "size", "astype", "reshape", "flatten", "ravel", "T", "transpose", "squeeze", "tolist",
    "mean", "sum", "std", "var", "min", "max", "argmax", "argmin", "numpy", "cpu", "cuda", "to", "detach", "backward",
    "item", "unsqueeze", "view", "permute", "float", "long", "get_shape", "dim", "contiguous", "repeat", "type_as",
    "view_as", "expand", "expand_as", "eq", "ne", "clone", "clamp", "masked_fill", "softmax", "sigmoid", "matmul",
    "parameters", "named_parameters", "state_dict", "load_state_dict", "zero_grad"})
"""What arrays and tensors have and neither list nor tuple, nor what a framework gives in their place (torch.Size, a
TensorShape, Keras 2's ListWrapper)."""
OF_NO_TEXT = frozenset({"shape", "dtype", "numpy", "astype", "reshape"})


def tell_of_list(m: Machine, base: Any, node: ast.Attribute) -> None:
    """`node.attr` is one of OF_ARRAYS. Of a tuple only where there is a tensor in it: others may be shapes; of a text
    only under a name of its own, as `for images, labels in dataset` of dicts gives the keys."""
    value, name = plain(base), node.attr
    if not is_meant(m) or (m.uncalled and not _is_local(m, base, node.value)):
        return
    if type(value) is ListV and not getattr(value, "registers", False):
        if any(plain(item) is None and is_left_open(item) for item in value.items):
            return  # of what a caller gives in place of None, which may have gone another way
        if value.unknown is not None and value.unknown.why == FOR_EMPTY:
            return  # what is given in place of [] need not be a list
        kind, advice = "list", "np.array(...) makes an array of it" if _holds_no_tensors(value) else "its items have it"
    elif type(value) is tuple and any(isinstance(part, Tensor) for part in value):
        kind, advice = "tuple", "its items have it"
    elif type(value) is tuple and value and all(isinstance(part, Unknown) and part.why == OF_TEXTS for part in value):
        kind, advice = "tuple", "the texts of a batch stay texts: let the dataset give the number of each label"
    elif type(value) is str and type(node.value) is ast.Name and name in OF_NO_TEXT and value not in KNOWN \
            and not m.uncalled:
        kind, advice = "str", "unpacking a dict gives its keys: batch[key] is what it holds"
    elif isinstance(node.value, ast.Compare):
        _tell_of_compared(m, node.value, node)
        return
    else:
        return
    if name in mentioned(m, m.frame.module.source):
        return
    error = f"AttributeError \"'{kind}' object has no attribute '{name}'\""
    if kind == "tuple":
        is_torch = any(isinstance(part, Tensor) and part.kind == "torch" for part in value)
        other = "torch.return_types.max" if is_torch else "list"  # which Keras 2 gives
        error += f" or \"'{other}' object has no attribute '{name}'\""
    shown = f"the text {value!r}" if kind == "str" else f"a {kind}"
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{ast.unparse(node.value)[:40]} is {shown}, which has no attribute {name}",
        help=advice, error=error,
        facts=(("moment", "when it is read"),)), what=name, assumptions=assumptions_of(base))


def _tell_of_compared(m: Machine, compared: ast.Compare, node: ast.Attribute) -> None:
    """`(scores.max(1) == labels).sum()`: max() gives a tuple, which is no tensor's equal (torch/_tensor.py:
    Tensor.__eq__, of which nothing comes)."""
    sides = (compared.left, *compared.comparators)
    if len(sides) != 2 or not isinstance(compared.ops[0], ast.Eq | ast.NotEq) or m.uncalled \
            or not all(isinstance(side, ast.Name | ast.Attribute) for side in sides):
        return
    held = [plain(m.eval(side)) for side in sides]
    several = next((one for one in held if type(one) is tuple and any(isinstance(part, Tensor) for part in one)), None)
    if several is None or not any(isinstance(one, Tensor) and one.kind == "torch" for one in held):
        return
    written = ast.unparse(sides[held.index(several)])[:40]
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{written} is a tuple, whose comparison with a tensor is a bool, which has no attribute "
        f"{node.attr}", help=f"the tensor in it: {written}[1] of what max(dim) gives",
        error=f"AttributeError \"'bool' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr)


def _holds_no_tensors(value: ListV) -> bool:
    return not any(isinstance(held := plain(item), Tensor) and held.kind != "numpy" for item in value.items)


def _is_local(m: Machine, base: Any, node: ast.expr) -> bool:
    """Whether the function under way made it: what a caller gives, or a module holds by then, may be an array."""
    return type(base) is not Assumed and isinstance(node, ast.Name) and node.id in m.frame.scope.items
