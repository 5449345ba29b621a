"""Changes as text edits that leave comments, formatting and trailing commas as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.finding import (
    Argument,
    CallMethod,
    Change,
    Edit,
    GuardCall,
    PrecedeLayer,
    RaiseArgument,
    RemoveArgument,
    RemoveSign,
    RenameArgument,
    RenameMethod,
    SetArgument,
    WrapArgument,
    WrapCall,
    call_of,
)
from cudnnlint.fix.calls import MODULES, Piece, Text, Written, around, find, unpacks
from cudnnlint.fix.constants import constant_of, number_of
from cudnnlint.fix.expressions import OTHERS, wrap_listed
from cudnnlint.fix.tables import given, lacks, table_of

COMPUTED = (ast.Call, ast.Subscript, ast.BinOp)
OF_ONE_CALL = ("padding",)
"""Arguments that one call may have otherwise than others which are given the same constant."""
TRAINING = ("fit", "evaluate", "predict", "fit_generator", "train_on_batch", "test_on_batch", "predict_on_batch")
STRING = re.compile(r"""[rRbBuUfF]*(['"])""")


def edits(change: Change, text: Text) -> tuple[Edit, ...] | None:
    """None where the text is not exactly what the change speaks of."""
    if (made := OTHERS.get(type(change))) is not None:
        return made(change, text)
    call = text.call(call_of(change))
    written = text.arguments(call) if call is not None else None
    if call is None and isinstance(change, WrapArgument) and change.argument.name == "object":
        return wrap_listed(change, text)
    if call is None or written is None:
        return None
    there: Argument | None = getattr(change, "argument", None)
    if there is not None and there.count not in (None, len(call.args)):
        return None
    pieces = _MAKERS[type(change)](change, text, call, written)
    return None if pieces is None else tuple(Edit(text.span(start, end), new) for start, end, new in pieces)


def _set(change: SetArgument, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = given(change.argument, text, call, written)
    if there is None:
        added = f"{change.argument.name}={change.value}"
        missing = lacks(change.argument.name, text, call)
        return _added(added, text, call, written) if missing and not change.only else None
    if change.named and (number := number_of(there.value, text)) is not None:
        return [(*text.region(number), change.value)]
    held = constant_of(there.value, text) if change.argument.name in OF_ONE_CALL else None
    replaced = _is_literal(there.value) or (change.computed and isinstance(there.value, COMPUTED)) or held is not None
    if not replaced or (change.only and ast.unparse(held or there.value) != change.only):
        return None
    return [(*text.region(there.value), _quoted(change.value, text, there.value))]


def _added(argument: str, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece]:
    """After the last argument; on a line of its own where that has one."""
    closing = text.region(call)[1] - 1
    argument = _quoted(argument, text, call)
    if not written:
        line = text.line_start(closing)
        above = text.text[text.line_start(max(line - 1, 0)):line]
        if not above.lstrip().startswith("#") or text.text[line:closing].strip():
            return [(closing, closing, argument)]
        return [(line, line, f"{above[:len(above) - len(above.lstrip())]}{argument},\n")]  # beside a comment alone
    last = written[-1]
    start = text.line_start(last.start)
    indent = text.text[start:last.start]
    if indent.strip():
        return [(last.end, last.end, f", {argument}")]
    after = last.comma or last.end
    line_end = min(text.line_end(after), closing)
    if line_end == closing:
        return [(last.end, last.end, f",\n{indent}{argument}")]
    line_end = after + len(text.text[after:line_end].rstrip())
    if last.comma is not None:
        return [(line_end, line_end, f"\n{indent}{argument},")]
    if line_end == after:
        return [(after, after, f",\n{indent}{argument}")]
    return [(after, after, ","), (line_end, line_end, f"\n{indent}{argument}")]


def _rename(change: RenameArgument, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    old, new = change.argument.name, change.name
    there = next((each for each in written if each.keyword == old), None)
    if any(each.keyword == new for each in written) or not lacks(new, text, call):
        return None
    if there is None and (table := table_of(call, text)) is not None:
        there = table.find(old)
        if (key := table.keys.get(old)) is not None:
            return [(*text.region(key), _quoted(f'"{new}"', text, key))]
    if there is None or not text.text.startswith(old, there.start):
        return None
    return [(there.start, there.start + len(old), new)]


def _remove(change: RemoveArgument, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = find(change.argument, call, written)
    if there is None and (table := table_of(call, text)) is not None:
        there, written = table.find(change.argument.name), table.entries
    if there is None or (change.only and ast.unparse(there.value) != change.only):
        return None
    if there.keyword is None and there.value is not call.args[-1]:
        return None  # those behind it would move up
    place = written.index(there)
    return [_cut(text, there, written[place - 1] if place else None, place + 1 == len(written))]


def _cut(text: Text, there: Written, before: Written | None, is_last: bool) -> Piece:
    """The argument with its comma: its whole lines where it has them for itself, without a comment on them."""
    line, end = text.line_start(there.start), there.comma or there.end
    line_end = text.line_end(end)
    follows = text.text[end:line_end].strip()
    begins_line = not text.text[line:there.start].strip()
    if begins_line and not follows:
        return line, min(line_end + 1, len(text.text)), ""
    if begins_line and follows.startswith("#"):
        return there.start, end + len(text.text[end:line_end]) - len(text.text[end:line_end].lstrip()), ""
    if is_last and before is not None and "#" not in text.text[before.end:there.start]:
        return before.end, there.end, ""
    if not is_last and follows and not follows.startswith("#"):
        return there.start, end + len(text.text[end:line_end]) - len(text.text[end:line_end].lstrip()), ""
    start = before.comma if before is not None and before.comma is not None and not begins_line else there.start
    return start, end, ""


def _unsign(change: RemoveSign, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = given(change.argument, text, call, written)
    match there.value if there is not None else None:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float()) as number) as signed:
            start, end = text.region(signed)[0], text.region(number)[0]
            return [(start, end, "")] if text.text[start:end].strip() == "-" else None
    return None


def _raise(change: RaiseArgument, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = given(change.argument, text, call, written)
    match there.value if there is not None else None:
        case ast.Constant(value=int() as number) as literal if not isinstance(number, bool):
            return [(*text.region(literal), str(number + change.by))]
        case ast.expr() as value if change.by == 1 and not isinstance(value, (ast.Starred, ast.Constant)):
            return around("{} + 1", text, value)
    return None


def _rename_method(change: RenameMethod, text: Text, call: ast.Call,
                   written: Sequence[Written]) -> list[Piece] | None:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != change.old:
        return None
    end = text.region(call.func)[1]
    if not text.text[:end].endswith(change.old):
        return None
    pieces = [(end - len(change.old), end, change.new)]
    for old, new in change.keywords:
        pieces += _rename(RenameArgument(Argument(change.call, old), new), text, call, written) or []
    return pieces


def _call_method(change: CallMethod, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    if not isinstance(call.func, (ast.Name, ast.Attribute, ast.Subscript)) or len(call.args) != 1 or unpacks(call):
        return None
    end = text.region(call.func)[1]
    pieces = [(end, end, f".{change.method}")]
    for name, value in change.without:
        pieces += _remove(RemoveArgument(Argument(change.call, name), value), text, call, written) or []
    return pieces


def _wrap(change: WrapArgument, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = given(change.argument, text, call, written)
    if there is None or isinstance(there.value, ast.Starred) or (change.root and _root(call) != change.root):
        return None
    for template, needs in ((change.template, change.needs), *change.others):
        if not needs or (text.imports(MODULES[needs], needs) and _method(call) not in TRAINING):
            return around(template, text, there.value)
    return None


def _precede(change: PrecedeLayer, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    there = given(change.argument, text, call, written)
    made = call.func.func if isinstance(call.func, ast.Call) else None
    if there is None or isinstance(there.value, ast.Starred) or not isinstance(made, ast.Attribute):
        return None
    module = text.text[slice(*text.region(made.value))]
    return around(f"{module}.{change.layer}({{}})", text, there.value)


def _root(call: ast.Call) -> str:
    """`tf` of `tf.nn.conv2d(...)`."""
    node = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _guard(change: GuardCall, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    first = call.args[0] if call.args else None
    if not isinstance(first, (ast.Name, ast.Attribute)) or not text.imports("tensorflow", "tf") \
            or _method(call) in TRAINING:
        return None
    given = text.text[slice(*text.region(first))]
    return around(f"tf.cond(tf.shape({given})[0] > 0, lambda: {{}}, lambda: {change.empty})", text, call)


def _wrap_call(change: WrapCall, text: Text, call: ast.Call, written: Sequence[Written]) -> list[Piece] | None:
    return around(change.template, text, call)


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _quoted(new: str, text: Text, near: ast.AST) -> str:
    """With the quotes of the first text in what stands there."""
    for node in ast.walk(near):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = STRING.match(text.text, text.region(node)[0])
            return new.replace('"', "'") if found is not None and found[1] == "'" else new
    return new


_MAKERS: dict[type, Callable[[Any, Text, ast.Call, Sequence[Written]], list[Piece] | None]] = {
    SetArgument: _set, RenameArgument: _rename, RemoveArgument: _remove, RemoveSign: _unsign, WrapArgument: _wrap,
    RaiseArgument: _raise, WrapCall: _wrap_call, RenameMethod: _rename_method, CallMethod: _call_method,
    GuardCall: _guard, PrecedeLayer: _precede,
}
