"""Comparison, membership and truth of abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.builtin.special import compared, contained
from cudnnlint.interp.equality import SCALARS, equal, identical, is_definition, is_none
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, evaluates, plain
from cudnnlint.interp.mistakes.one_value import many, tell_of_condition
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
    ModuleV,
    PartialV,
    RangeV,
)
from cudnnlint.interp.same_arguments import are_one
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.unknown import Counted, Grown, OpenExtent, Unset

COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
}
PLAIN = frozenset({*SCALARS, type(None)})
SAME: dict[type[ast.cmpop], bool] = {ast.Eq: True, ast.NotEq: False}
"""What comparing one value with itself gives."""


@evaluates(ast.Compare)
def comparison(m: Machine, node: ast.Compare) -> Any:
    left = m.eval(node.left)
    if len(node.ops) > 1:
        return _chain(m, node, left)
    op, right = node.ops[0], m.eval(node.comparators[0])
    kind = type(op)
    if (kind is ast.Eq or kind is ast.NotEq) and type(left) in PLAIN and type(right) in PLAIN:
        return COMPARE[kind][1](left, right)
    if kind in COMPARE and (each := _each(left, right)) is not None:
        return each
    outcome = compare(m, op, left, right, node)
    if outcome is None and kind in SAME and are_one(m, node.left, node.comparators[0]):
        outcome = SAME[kind]
    return assume(_told(outcome, left, right), assumptions_of(left) | assumptions_of(right))


def _chain(m: Machine, node: ast.Compare, left: Any) -> Any:
    """`low <= x < high`: what stands behind a comparison that does not hold is not evaluated."""
    result: Any = True
    found: frozenset[Any] = frozenset()
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = m.eval(right_node)
        told = _told(compare(m, op, left, right, node), left, right)
        found |= assumptions_of(left) | assumptions_of(right)
        if told is False:
            return assume(False, found)
        if isinstance(told, Tensor) or (told is not True and result is True):
            result = told
        if isinstance(told, Tensor) and right_node is not node.comparators[-1]:
            tell_of_condition(m, told, m.span(node))
        left = right
    return assume(result, found)


def _told(outcome: Any, left: Any, right: Any) -> Any:
    """What a comparison gives of which `compare` says so: a Tensor, a truth value, or Unknown."""
    if isinstance(outcome, Tensor):
        return outcome
    return _undecided(left, right) if outcome is None else bool(outcome)


def _each(left: Any, right: Any) -> Any:
    """What an object says that compares each of its elements; None for any other."""
    each = getattr(plain(left), "compared", None)
    return None if each is None else each(plain(right))


def _undecided(left: Any, right: Any) -> Unknown:
    """One of two truth values, however many numbers are compared."""
    unknown = cause(left, right, "a comparison of unknown values")
    return Unknown(unknown.why) if unknown.number or unknown.loop is not None else unknown


def cause(left: Any, right: Any, otherwise: str) -> Unknown:
    """What is not known of an operation: its unknown operand, else the operation."""
    found = next((value for side in (left, right) if isinstance(value := plain(side), Unknown)), None)
    if found is None:
        return Unknown(otherwise)
    return Unknown(found.why) if type(found) is Counted else found


def compare(m: Machine, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Any:
    """True, False, a Tensor, or None when not known."""
    a: Any = left.value if type(left) is Assumed else left
    b: Any = right.value if type(right) is Assumed else right
    kind = type(op)
    if kind is ast.Is or kind is ast.IsNot:
        same = identical(a, b)
        return same if same is None or kind is ast.Is else not same
    if kind is ast.In or kind is ast.NotIn:
        told = contained(m, left, b, node) if type(b) is InstanceV else MISSING
        if type(b) is GeneratorV:
            m.heap.touch(b.elements)
            b.elements.loosen(Unknown("an iterator in which something was looked for"))
        inside = _verdict(told) if told is not MISSING else _contains(a, b)
        return inside if inside is None or kind is ast.In else not inside
    if (type(a) is InstanceV or type(b) is InstanceV) and (told := compared(m, kind, left, right, node)) is not MISSING:
        return told if isinstance(told, Tensor) else _verdict(told)
    symbol, decide = COMPARE[kind]
    if type(a) in PLAIN and type(b) in PLAIN and (kind is ast.Eq or kind is ast.NotEq):
        return decide(a, b)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if symbol in ("==", "!="):
            if a is None or b is None:
                array = a if b is None else b
                if array.kind == "numpy" and many(array):  # element by element
                    return Tensor(array.shape, "bool", "numpy", None, array.step)
                return symbol == "!="
            if (type(a) is tuple and b.kind == "torch") or (type(b) is tuple and a.kind == "torch"):
                return None  # never, whatever they hold (torch/_tensor.py: Tensor.__eq__)
            if isinstance(a, str | bytes) or isinstance(b, str | bytes):
                return _texts(m, symbol, a if isinstance(a, Tensor) else b)
            if _is_itself_alone(m, a if isinstance(a, Tensor) else b, symbol):
                return None if isinstance(a, Tensor) and isinstance(b, Tensor) else symbol == "!="
        from cudnnlint.interp.functions import apply_function

        made = apply_function(m, f"operator.{symbol}", [left, right], {}, node)
        return None if isinstance(made, Unknown) else made
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return is_none(a, b) and kind is ast.Eq if kind is ast.Eq or kind is ast.NotEq else None
    if (sides := _versions(a, b)) is not None:
        return decide(*sides)
    if symbol in ("==", "!="):
        same = equal(a, b)
        return same if same is None or symbol == "==" else not same
    if (isinstance(a, (int, float)) and isinstance(b, (int, float))) or (isinstance(a, str) and isinstance(b, str)):
        return decide(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and all(isinstance(item, (int, float)) for item in a + b):
        return decide(a, b)
    if isinstance(a, DictV) and isinstance(b, DictV):
        return decide(set(a.items), set(b.items)) if a.is_set and b.is_set and not (a.open or b.open) else None
    if isinstance(a, tuple | ListV) and type(a) is type(b):
        return _in_order(m, op, a, b, node)
    return None


def _in_order(m: Machine, op: ast.cmpop, a: Any, b: Any, node: ast.AST) -> Any:
    """Two tuples or two lists: by the first elements that differ, or by their lengths."""
    if isinstance(a, ListV) and (a.unknown or b.unknown):
        return None
    left, right = (side.items if isinstance(side, ListV) else side for side in (a, b))
    for one, other in zip(left, right, strict=False):
        same = equal(one, other)
        if same is None:
            return None
        if not same:
            return compare(m, op, one, other, node)
    return COMPARE[type(op)][1](len(left), len(right))


def _texts(m: Machine, symbol: str, tensor: Tensor) -> Tensor | bool | None:
    """Texts are compared one by one."""
    if _is_itself_alone(m, tensor, symbol):
        return symbol == "!="
    return Tensor(tensor.shape, "bool", tensor.kind) if tensor.dtype == "string" else None


def _is_itself_alone(m: Machine, tensor: Tensor, symbol: str) -> bool:
    """Outside of layers a symbolic tensor of Keras 3 equals only itself, though it has an operator for != (keras/src/
    backend/common/keras_tensor.py: KerasTensor), and so does any tensor of TensorFlow 1
    (tensorflow/python/framework/ops.py: Tensor.__eq__)."""
    if tensor.kind == "tf":
        return m.stack.tensorflow < (2,)
    inside = m.applying or m.symbolic or m.tracing or m.bodies
    return tensor.kind == "keras" and symbol == "==" and not inside and m.stack.keras >= (3,)


def _versions(a: Any, b: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """What two versions are compared by, or a version and a text that it takes for one."""
    left, right = getattr(a, "comparable", None), getattr(b, "comparable", None)
    if left is not None and isinstance(b, str):
        right = a.like(b)
    if right is not None and isinstance(a, str):
        left = b.like(a)
    return None if left is None or right is None else (left, right)


def _verdict(told: Any) -> bool | None:
    """What a method of the user's says; where that rests on assumptions it is not known."""
    return None if isinstance(told, Assumed) else truth(told)


def _contains(item: Any, container: Any) -> bool | None:
    if isinstance(container, str):
        return item in container if isinstance(item, str) else None
    if isinstance(container, DictV):
        if isinstance(item, Unknown):
            return None
        from cudnnlint.interp.convert import key_of

        key = key_of(item)
        if isinstance(key, Unknown) or type(container.items.get(key)) is Unset:
            return None
        if container.unknown is None or container.absent:
            return key in container.items
        return True if key in container.items and type(container.unknown) is Grown else None
    if isinstance(container, RangeV):
        return item in container.range if isinstance(item, int) else None
    if isinstance(container, ListV) and container.unknown:
        return None
    items = container.items if isinstance(container, ListV) else container if isinstance(container, tuple) else None
    if items is None or isinstance(item, Unknown):
        return None
    verdicts = [equal(item, other) for other in items]
    return True if True in verdicts else None if None in verdicts else False


def _holds(table: DictV) -> bool | None:
    """Whether a dict has any key."""
    if any(type(value) is not Unset for value in table.items.values()):
        return True
    return None if table.lost or table.items else False


def truth(value: Any) -> bool | None:
    """Whether a condition holds; None when not known."""
    if type(value) is Assumed:
        value = value.value
    if type(value) in PLAIN or isinstance(value, SCALARS):
        return bool(value)
    if isinstance(value, tuple):
        return bool(value)
    if isinstance(value, ListV):
        return None if value.unknown else bool(value.items)
    if isinstance(value, DictV):
        return _holds(value)
    if isinstance(value, RangeV):
        return len(value.range) > 0
    if isinstance(value, Tensor):
        return bool(value.content) if isinstance(value.content, (bool, int, float)) else None
    if isinstance(value, External):
        return True if is_definition(value.path) else None
    if isinstance(value, (FunctionV, ClassV, BoundV, ModuleV, PartialV, MethodV, BuiltinV)):
        return True
    if isinstance(value, InstanceV):
        return _instance_truth(value)
    if isinstance(value, Unknown):
        return False if type(value) is OpenExtent else None
    return True if getattr(value, "always_true", False) else None


def _instance_truth(value: InstanceV) -> bool | None:
    """An object is true unless its class says how long it is or whether it is true."""
    for cls in value.cls.mro:
        if isinstance(cls, External):
            if not cls.path.startswith(TRUE_BASES):
                return None
        elif not isinstance(cls, ClassV) or cls.unknown or "__bool__" in cls.items or "__len__" in cls.items:
            return None
    return True


TRUE_BASES = ("keras.layers.", "keras.Model", "keras.Sequential", "keras.callbacks.", "tensorflow.Module",
              "builtins.object")
"""Classes of libraries that have neither length nor truth."""
