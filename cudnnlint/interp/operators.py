"""Arithmetic and logic of abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.builtin.kinds import is_class
from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.builtin.texts import is_wide
from cudnnlint.interp.comparison import cause, truth
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.equality import SCALARS
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.graphs.open_extents import refuse_operand
from cudnnlint.interp.graphs.sessions import applied
from cudnnlint.interp.graphs.symbolic import refuse_beside
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import is_number
from cudnnlint.interp.keras.variable_dtypes import promoted
from cudnnlint.interp.lists import added
from cudnnlint.interp.machine import Machine, assume, assumptions_of, evaluates, plain
from cudnnlint.interp.members import as_number
from cudnnlint.interp.mistakes.bundled import tell_of_bundle, tell_of_generators
from cudnnlint.interp.mistakes.formats import tell_of_percent, tell_of_text
from cudnnlint.interp.mistakes.nothing_used import tell_of_operand
from cudnnlint.interp.mistakes.one_value import tell_of_condition
from cudnnlint.interp.mistakes.subscripted import DATASET, tell_of_dataset
from cudnnlint.interp.objects import (
    MISSING,
    External,
    InstanceV,
)
from cudnnlint.interp.raising import would_raise
from cudnnlint.ops.functions.elementwise import unary
from cudnnlint.source.python_2 import WholeDiv
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.numpy_int import NUMBERS, NumpyInt, number_in, of_numpy
from cudnnlint.values.unknown import Counted, Ending, OpenExtent, loose

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow), ast.MatMult: ("@", operator.matmul), ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_), ast.BitXor: ("^", operator.xor), ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift), WholeDiv: ("/", operator.truediv),
}
SPECIAL = {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "@": "__matmul__", "//": "__floordiv__"}


def in_place_name(op: ast.operator) -> str:
    """`__iadd__` of `+=`."""
    return "__i" + SPECIAL.get(BINARY[type(op)][0], "__none__")[2:]


@evaluates(ast.BinOp)
def binary_operation(m: Machine, node: ast.BinOp) -> Any:
    left, right = m.eval(node.left), m.eval(node.right)
    if type(node.left) is ast.Call or type(node.right) is ast.Call:
        tell_of_generators(m, node, left, right)
    result = binary(m, node.op, left, right, node)
    if type(result) in (Unknown, Ending):
        m.doubts += 1
        if DATASET in (getattr(left, "path", ""), getattr(right, "path", "")):
            tell_of_dataset(m, node, "an operand", "unsupported operand type(s)")
    return result


def binary(m: Machine, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    a: Any = left.value if type(left) is Assumed else left
    b: Any = right.value if type(right) is Assumed else right
    symbol, compute = BINARY[ast.FloorDiv if type(op) is WholeDiv and _is_whole(a) and _is_whole(b) else type(op)]
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return assume(_scalar(m, symbol, compute, a, b), assumptions_of(left) | assumptions_of(right))
    if symbol == "|" and a is not b and is_class(a) and is_class(b):
        return tuple(dict.fromkeys((*(a if type(a) is tuple else (a,)), *(b if type(b) is tuple else (b,)))))
    if a is None or b is None or type(a) is OpenExtent or type(b) is OpenExtent:
        refuse_operand(m, symbol, a, b, node)
    if left is None or right is None:
        tell_of_operand(m, left, right, symbol, node)
    if symbol == "*" and (_repeats(a, b) or _repeats(b, a)):
        a, b = number_in(a), number_in(b)
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return Unknown("a sequence repeated an unknown number of times")
    if (type(a) is tuple or type(b) is tuple) and tell_of_bundle(m, symbol, a, b, node):
        return Unknown(f"{symbol} of a tuple")
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if type(a) is str or type(b) is str:
            return _with_text(m, symbol, left, right, node)
        if type(b) is Tensor and b.kind == "keras" and m.stack.keras >= (3,):
            refuse_beside(m, symbol, a, b, m.span(node))
        return apply_function(m, f"operator.{symbol}", [*promoted(m, symbol, left, right)], {}, node)
    if isinstance(a, Unknown):
        if symbol == "+" and type(b) is str and b and not a.number:
            return Ending(a.why, end=b)
        return _of_numbers(a, b, symbol) if a.number else _of_any(a)
    if isinstance(b, Unknown) and not (b.number and hasattr(a, "combined")):
        return _of_numbers(loose(b) if symbol == "-" else b, a, symbol) if b.number else _of_any(b)
    if type(a) is InstanceV or type(b) is InstanceV:
        one, other = as_number(a), as_number(b)
        if one is not a or other is not b:
            return binary(m, op, one, other, node)
    return _containers(m, symbol, a, b, left, right, node)


def _with_text(m: Machine, symbol: str, left: Any, right: Any, node: ast.AST) -> Any:
    """`"loss: " + loss`, `"%.2f" % loss`"""
    if symbol == "+":
        tell_of_text(m, plain(left), plain(right), node)
    elif symbol == "%" and type(plain(left)) is str:
        return _percent(m, plain(left), right, node)
    return apply_function(m, f"operator.{symbol}", [*promoted(m, symbol, left, right)], {}, node)


def _repeats(sequence: Any, count: Any) -> bool:
    """`[64] * np.int64(3)`: an integer scalar of NumPy repeats a list, where an array is multiplied by it."""
    return isinstance(sequence, ListV | tuple) and isinstance(count, Tensor) and count.shape == () and _is_whole(count)


def _is_whole(value: Any) -> bool:
    """An integer, or an array of them."""
    dtype = value.dtype if isinstance(value, Tensor) and value.kind == "numpy" else None
    return isinstance(value, int | NumpyInt) or (isinstance(dtype, str) and "int" in dtype)


def _of_any(unknown: Unknown) -> Unknown:
    """What is known of it is not of what comes out, which is another one: identity tells extents apart."""
    return Unknown(unknown.why)


def _of_numbers(unknown: Unknown, other: Any, symbol: str) -> Unknown:
    """A number that is not known with another one; with anything else, nothing is known of what comes out.

    Rounded, a number that is another one in each turn takes fewer values than there are turns.
    """
    if not is_number(other):
        return Unknown(unknown.why)
    if type(unknown) is Counted and type(other) is int and symbol in ("+", "-"):
        return unknown.plus(other if symbol == "+" else -other)
    if symbol in ("//", "%"):
        return Unknown(unknown.why, number=True)
    if isinstance(other, Unknown) and unknown.loop is None:
        return Unknown(other.why, number=other.number, loop=other.loop)
    return Unknown(unknown.why, number=True, loop=unknown.loop)


def _scalar(m: Machine, symbol: str, compute: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    if symbol in ("**", "<<") and isinstance(a, int) and isinstance(b, int) and (
            b > m.limits.number_bits or abs(a) > 1 << 64):
        return Unknown("a huge number")
    if symbol == "*" and isinstance(a, (str, bytes)) | isinstance(b, (str, bytes)):
        count = a if isinstance(a, int) else b
        text = b if isinstance(a, int) else a
        if not isinstance(count, int) or count * len(text) > m.limits.text:
            return Unknown("a long text")
    if symbol == "%" and isinstance(a, (str, bytes)) and is_wide(a if isinstance(a, str) else a.decode("latin-1")):
        return Unknown("a long text")
    failed: type[Exception] | None = None
    try:
        result = compute(a, b)
    except Exception as error:  # any failure of the program's own arithmetic
        failed = type(error)
    if failed is not None:
        would_raise(m, failed)
        return Unknown(f"{symbol} fails here")
    if isinstance(result, int) and result.bit_length() > m.limits.number_bits:
        return Unknown("a huge number")
    if isinstance(a, NUMBERS) or isinstance(b, NUMBERS):
        return of_numpy(result)
    if isinstance(result, (str, bytes)) and len(result) > m.limits.text:
        return Unknown("a long text")
    return result


def _containers(m: Machine, symbol: str, a: Any, b: Any, left: Any, right: Any, node: ast.AST) -> Any:
    if symbol == "+":
        if isinstance(a, tuple) and isinstance(b, tuple):
            return a + b if len(a) + len(b) <= m.limits.items else Unknown("a long tuple")
        if isinstance(a, ListV) and isinstance(b, ListV):
            if min(len(a.items), len(b.items)) > m.limits.items:
                return ListV([], Unknown("a long list"))
            return added(a, b)
    if symbol == "*":
        items, count = (a, b) if isinstance(a, (tuple, ListV)) else (b, a)
        if isinstance(items, (tuple, ListV)) and isinstance(count, int):
            size = len(items) if isinstance(items, tuple) else len(items.items)
            if size * count > m.limits.items:
                return Unknown("a long sequence")
            count = min(count, m.limits.items)  # of nothing there may be 10^19
            return items * count if isinstance(items, tuple) else items.copy(items.items * count)
    if symbol in "|&-^" and isinstance(a, DictV | ListV) and isinstance(b, DictV | ListV):
        return of_sets(symbol, a, b)
    if symbol == "%" and isinstance(a, str):
        return _percent(m, a, b, node)
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


def of_sets(symbol: str, a: DictV | ListV, b: DictV | ListV) -> Any:
    """Sets, what dict.keys() and dict.items() give, which are lists here, and the union of dicts."""
    if a.unknown or b.unknown:
        return a.unknown or b.unknown
    if isinstance(a, DictV) and isinstance(b, DictV) and not a.is_set:
        return DictV({**a.items, **b.items}) if symbol == "|" else Unknown("dict operation")
    if (doubt := next((side.open for side in (a, b) if isinstance(side, DictV) and side.open), None)) is not None:
        return doubt
    left, right = ([key_of(item) for item in side.items] for side in (a, b))
    if (unknown := next((key for key in (*left, *right) if isinstance(key, Unknown)), None)) is not None:
        return unknown
    both = frozenset(left) & frozenset(right)
    kept = {"&": [key for key in left if key in both], "-": [key for key in left if key not in both],
            "^": [key for key in (*left, *right) if key not in both], "|": [*left, *right]}[symbol]
    return DictV(dict.fromkeys(kept), is_set=True)


def _percent(m: Machine, text: str, values: Any, node: ast.AST) -> Any:
    from cudnnlint.interp.convert import strip

    if isinstance(node, ast.BinOp):
        tell_of_percent(m, text, values, node.right)
    raw = strip(values)
    parts = raw if isinstance(raw, tuple) else (raw,)
    if all(isinstance(part, SCALARS) for part in parts) and len(text) < 1000 and not is_wide(text):
        try:
            made = text % raw
        except (TypeError, ValueError, OverflowError):
            return Unknown("% fails here")
        return made if len(made) <= m.limits.text else Unknown("a long text")
    return Unknown("text of an unknown value")


SIGNS: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


@evaluates(ast.UnaryOp)
def unary_operation(m: Machine, node: ast.UnaryOp) -> Any:
    value = m.eval(asked(node.operand) if isinstance(node.op, ast.Not) else node.operand)
    raw = plain(value)
    if isinstance(node.op, ast.Not):
        value = tested(m, value, node)
        verdict = truth(value)
        if verdict is None:
            if type(raw) is Tensor:
                tell_of_condition(m, raw, m.span(node.operand))
            return cause(value, value, "not of an unknown value")
        return assume(not verdict, assumptions_of(value))
    if isinstance(raw, Tensor):
        if m.loops:
            applied(m, "operator.-", raw, m.span(node))
        return unary(SIGNS[type(node.op)], raw)
    if isinstance(raw, (int, float)):
        if isinstance(node.op, ast.Invert):
            return assume(~raw, assumptions_of(value)) if isinstance(raw, int) else Unknown("~ of a float")
        signed = -raw if isinstance(node.op, ast.USub) else +raw
        return assume(of_numpy(signed) if isinstance(raw, NUMBERS) else signed, assumptions_of(value))
    if isinstance(raw, InstanceV):
        from cudnnlint.interp.attributes import method_of

        if (own := method_of(raw, f"__{SIGNS[type(node.op)]}__")) is not MISSING:
            return m.call(own, [], {}, node)
    return loose(raw) if isinstance(raw, Unknown) else Unknown("unary operator")


def _given_instead(value: Any) -> Any:
    """`sizes or []` where `sizes` is None by default: who calls it gives a list with something in it."""
    told = Unknown("what is given instead of None")
    if type(value) is ListV and not value.items:
        return ListV([], told)
    return DictV({}, told) if type(value) is DictV and not value.items and not value.is_set else value


@evaluates(ast.BoolOp)
def boolean_operation(m: Machine, node: ast.BoolOp) -> Any:
    is_and = isinstance(node.op, ast.And)
    found: frozenset[Any] = frozenset()
    unknown: Any = None
    for index, operand in enumerate(node.values):
        value = m.eval(operand)
        found |= assumptions_of(value)
        is_result = index == len(node.values) - 1 and not getattr(node, "cudnnlint_asked", False)
        verdict = truth(value if is_result else tested(m, value, node))
        if verdict is None:
            if type(value) is Tensor and index < len(node.values) - 1 and unknown is None:
                tell_of_condition(m, value, m.span(operand))
            unknown = value if isinstance(value, Unknown) else Unknown("an unknown condition")
        elif verdict is not is_and:
            if unknown is None:
                return assume(value, found)
            # unknown and False: falsy whatever the unknown is; unknown or True: truthy, but which of them?
            if is_and or getattr(node, "cudnnlint_asked", False):
                return assume(not is_and, found)
            return Unknown("an unknown condition or a true one")
        elif index == len(node.values) - 1 and unknown is None:
            return assume(_given_instead(value) if any(taken.is_none for taken in found) else value, found)
    return unknown
