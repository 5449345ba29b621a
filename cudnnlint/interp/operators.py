"""Arithmetic, comparison and truth of abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, evaluates, plain
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

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow), ast.MatMult: ("@", operator.matmul), ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_), ast.BitXor: ("^", operator.xor), ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
}
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
}
SPECIAL = {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "@": "__matmul__", "//": "__floordiv__"}
SCALARS = (int, float, str, bytes, bool, complex)


@evaluates(ast.BinOp)
def binary_operation(m: Machine, node: ast.BinOp) -> Any:
    result = binary(m, node.op, m.eval(node.left), m.eval(node.right), node)
    if type(result) is Unknown:
        m.doubts += 1
    return result


def binary(m: Machine, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    symbol, compute = BINARY[type(op)]
    a, b = plain(left), plain(right)
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return assume(_scalar(m, symbol, compute, a, b), assumptions_of(left) | assumptions_of(right))
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        from cudnnlint.interp.functions import apply_function

        return apply_function(m, f"operator.{symbol}", [left, right], {}, node)
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    return _containers(m, symbol, a, b, left, right, node)


def _scalar(m: Machine, symbol: str, compute: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    if symbol in ("**", "<<") and isinstance(a, int) and isinstance(b, int) and (
            b > m.limits.number_bits or abs(a) > 1 << 64):
        return Unknown("a huge number")
    if symbol == "*" and isinstance(a, (str, bytes)) | isinstance(b, (str, bytes)):
        count = a if isinstance(a, int) else b
        text = b if isinstance(a, int) else a
        if not isinstance(count, int) or count * len(text) > m.limits.text:
            return Unknown("a long text")
    try:
        result = compute(a, b)
    except Exception:  # any failure of the program's own arithmetic
        return Unknown(f"{symbol} fails here")
    if isinstance(result, int) and result.bit_length() > m.limits.number_bits:
        return Unknown("a huge number")
    return result


def _containers(m: Machine, symbol: str, a: Any, b: Any, left: Any, right: Any, node: ast.AST) -> Any:
    if symbol == "+":
        if isinstance(a, tuple) and isinstance(b, tuple):
            return a + b
        if isinstance(a, ListV) and isinstance(b, ListV):
            return ListV(a.items + b.items, a.unknown or b.unknown)
    if symbol == "*":
        items, count = (a, b) if isinstance(a, (tuple, ListV)) else (b, a)
        if isinstance(items, (tuple, ListV)) and isinstance(count, int):
            size = len(items) if isinstance(items, tuple) else len(items.items)
            if size * count > m.limits.items:
                return Unknown("a long sequence")
            return items * count if isinstance(items, tuple) else ListV(items.items * count, items.unknown)
    if symbol in "|&-^" and isinstance(a, DictV) and isinstance(b, DictV) and not (a.unknown or b.unknown):
        if not a.is_set:
            return DictV({**a.items, **b.items}) if symbol == "|" else Unknown("dict operation")
        keys = {"|": a.items.keys() | b.items.keys(), "&": a.items.keys() & b.items.keys(),
                "-": a.items.keys() - b.items.keys(), "^": a.items.keys() ^ b.items.keys()}[symbol]
        return DictV(dict.fromkeys(keys), is_set=True)
    if symbol == "%" and isinstance(a, str):
        return _percent(a, b)
    if symbol == "/" and isinstance(a, (External, InstanceV)) and not isinstance(a, InstanceV):
        return Unknown("a path")
    for receiver, name in ((a, SPECIAL.get(symbol)), (b, "__r" + SPECIAL.get(symbol, "__")[2:])):
        if isinstance(receiver, InstanceV) and name:
            from cudnnlint.interp.attributes import method_of

            method = method_of(receiver, name)
            if method is not MISSING:
                return m.call(method, [right if receiver is a else left], {}, node)
    combine = getattr(a, "combined", None)
    return combine(m, symbol, b) if combine is not None else Unknown(f"{symbol} of unknown values")


def _percent(text: str, values: Any) -> Any:
    from cudnnlint.interp.convert import strip

    raw = strip(values)
    parts = raw if isinstance(raw, tuple) else (raw,)
    if all(isinstance(part, SCALARS) for part in parts) and len(text) < 1000:
        try:
            return text % raw
        except (TypeError, ValueError, OverflowError):
            return Unknown("% fails here")
    return Unknown("text of an unknown value")


@evaluates(ast.UnaryOp)
def unary_operation(m: Machine, node: ast.UnaryOp) -> Any:
    value = m.eval(node.operand)
    raw = plain(value)
    if isinstance(node.op, ast.Not):
        verdict = truth(value)
        if verdict is None:
            return _cause(value, value, "not of an unknown value")
        return assume(not verdict, assumptions_of(value))
    if isinstance(raw, Tensor):
        return raw.with_()
    if isinstance(raw, (int, float)):
        if isinstance(node.op, ast.Invert):
            return assume(~raw, assumptions_of(value)) if isinstance(raw, int) else Unknown("~ of a float")
        return assume(-raw if isinstance(node.op, ast.USub) else +raw, assumptions_of(value))
    return raw if isinstance(raw, Unknown) else Unknown("unary operator")


@evaluates(ast.BoolOp)
def boolean_operation(m: Machine, node: ast.BoolOp) -> Any:
    is_and = isinstance(node.op, ast.And)
    found: frozenset[Any] = frozenset()
    unknown: Any = None
    for index, operand in enumerate(node.values):
        value = m.eval(operand)
        found |= assumptions_of(value)
        verdict = truth(value)
        if verdict is None:
            unknown = value if isinstance(value, Unknown) else Unknown("an unknown condition")
        elif verdict is not is_and:
            if unknown is None:
                return assume(value, found)
            # unknown and False: falsy whatever the unknown is
            return False if is_and else Unknown("an unknown condition or a true one")
        elif index == len(node.values) - 1 and unknown is None:
            return assume(value, found)
    return unknown


@evaluates(ast.Compare)
def comparison(m: Machine, node: ast.Compare) -> Any:
    left = m.eval(node.left)
    result: Any = True
    found: frozenset[Any] = frozenset()
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = m.eval(right_node)
        outcome = compare(m, op, left, right, node)
        found |= assumptions_of(left) | assumptions_of(right)
        if isinstance(outcome, Tensor):
            result = outcome
        elif outcome is None:
            result = _cause(left, right, "a comparison of unknown values") if result is True else result
        elif not outcome:
            return assume(False, found)
        left = right
    return assume(result, found)


def _cause(left: Any, right: Any, otherwise: str) -> Unknown:
    """What is not known of an operation: its unknown operand, else the operation."""
    return next((value for side in (left, right) if isinstance(value := plain(side), Unknown)), Unknown(otherwise))


def compare(m: Machine, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Any:
    """True, False, a Tensor, or None when not known."""
    a, b = plain(left), plain(right)
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identical(a, b)
        return same if same is None or isinstance(op, ast.Is) else not same
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _contains(a, b)
        return inside if inside is None or isinstance(op, ast.In) else not inside
    symbol, decide = COMPARE[type(op)]
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if (symbol in ("==", "!=")) and (a is None or b is None or isinstance(a, str) or isinstance(b, str)):
            return symbol == "!="
        from cudnnlint.interp.functions import apply_function

        return apply_function(m, f"operator.{symbol}", [left, right], {}, node)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    if symbol in ("==", "!="):
        same = _equal(a, b)
        return same if same is None or symbol == "==" else not same
    if (isinstance(a, (int, float)) and isinstance(b, (int, float))) or (isinstance(a, str) and isinstance(b, str)):
        return decide(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and all(isinstance(item, (int, float)) for item in a + b):
        return decide(a, b)
    return None


KINDS = (ListV, DictV, FunctionV, ClassV, BoundV, External, ModuleV, RangeV, PartialV, InstanceV, NamespaceV,
         MethodV, BuiltinV, Tensor, tuple)


TENSOR_TYPES = frozenset({"tensorflow.Tensor", "keras.KerasTensor", "numpy.ndarray", "torch.Tensor"})


def _identical(a: Any, b: Any) -> bool | None:
    if isinstance(a, (Unknown, ChoiceV)) or isinstance(b, (Unknown, ChoiceV)):
        return None
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if a is b:
        return True
    if isinstance(a, External) and isinstance(b, External):
        return a == b
    if isinstance(a, (str, int)) and isinstance(b, (str, int)):
        return a == b
    return False


def _equal(a: Any, b: Any) -> bool | None:
    if isinstance(a, (Unknown, ChoiceV)) or isinstance(b, (Unknown, ChoiceV)):
        return None
    a, b = plain(a), plain(b)
    if (isinstance(a, SCALARS) and isinstance(b, SCALARS)) or a is None or b is None:
        if (a is None) != (b is None) and not isinstance(a, KINDS + SCALARS + (type(None),)):
            return False
        plain_ones = (*SCALARS, type(None))
        return isinstance(a, plain_ones) and isinstance(b, plain_ones) and bool(a == b)
    left, right = (v.items if isinstance(v, ListV) and not v.unknown else v for v in (a, b))
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        # a TensorShape, our tuple, equals a list of the same numbers
        if len(left) != len(right):
            return False
        verdicts = [_equal(x, y) for x, y in zip(left, right, strict=True)]
        return False if False in verdicts else None if None in verdicts else True
    if isinstance(a, External) and isinstance(b, External):
        return a == b
    if isinstance(a, External) or isinstance(b, External):
        types = [x for x in (a, b) if isinstance(x, External) and x.path in TENSOR_TYPES]
        return False if types and isinstance(b if a is types[0] else a, (BuiltinV, ClassV)) else \
            None  # a library's value: sys.platform, os.environ
    if type(a) is not type(b) and isinstance(a, KINDS + SCALARS) and isinstance(b, KINDS + SCALARS):
        return False
    return True if a is b else False if isinstance(a, (ClassV, FunctionV, ModuleV, BuiltinV)) else None


def _contains(item: Any, container: Any) -> bool | None:
    if isinstance(container, str):
        return item in container if isinstance(item, str) else None
    if isinstance(container, DictV):
        if container.lost or isinstance(item, Unknown):
            return None
        from cudnnlint.interp.convert import key_of

        key = key_of(item)
        return None if isinstance(key, Unknown) else key in container.items
    if isinstance(container, RangeV):
        return item in container.range if isinstance(item, int) else None
    if isinstance(container, ListV) and container.unknown:
        return None
    items = container.items if isinstance(container, ListV) else container if isinstance(container, tuple) else None
    if items is None or isinstance(item, Unknown):
        return None
    verdicts = [_equal(item, other) for other in items]
    return True if True in verdicts else None if None in verdicts else False


def truth(value: Any) -> bool | None:
    """Whether a condition holds; None when not known."""
    value = plain(value)
    if value is None or isinstance(value, SCALARS):
        return bool(value)
    if isinstance(value, tuple):
        return bool(value)
    if isinstance(value, ListV):
        return True if value.items else None if value.unknown else False
    if isinstance(value, DictV):
        return True if value.items else None if value.lost else False
    if isinstance(value, RangeV):
        return len(value.range) > 0
    if isinstance(value, Tensor):
        return bool(value.content) if isinstance(value.content, (bool, int, float)) else None
    if isinstance(value, External):
        return True if _is_definition(value.path) else None
    if isinstance(value, (FunctionV, ClassV, BoundV, ModuleV, PartialV, MethodV, BuiltinV)):
        return True
    if isinstance(value, (Unknown, InstanceV)):
        return None
    return True if getattr(value, "always_true", False) else None


def _is_definition(path: str) -> bool:
    """A library, class or function; other paths may be values (`sys.argv`, `os.name`)."""
    name = path.rpartition(".")[2]
    return path in ROOTS or name[:1].isupper() or path in LAYERS or path in FUNCTIONS or path in CALLS
