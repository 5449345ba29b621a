"""Text: f-strings, and the methods of str, bytes and numbers, run for real where what comes out has a bound."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import all_in_order
from cudnnlint.interp.machine import Machine, assume, assumptions_of, evaluates, plain
from cudnnlint.interp.mistakes.formats import METHODS, tell_of_format, tell_of_formatted
from cudnnlint.ops.misgiven_torch import DTYPES
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import Ending

if TYPE_CHECKING:
    from cudnnlint.interp.registry import Call


def is_wide(form: str) -> bool:
    """Whether a format asks for text of a width that no program means.

    >>> is_wide("{:>8.3f}"), is_wide("{:1000000000}"), is_wide("%*d")
    (False, True, True)
    """
    return re.search(r"\d{6}|%[-+ #0]*\*", form) is not None


@evaluates(ast.JoinedStr)
def f_string(m: Machine, node: ast.JoinedStr) -> Any:
    parts: list[str] = []
    known = 0  # of the parts: those after what is not known
    found: set[Any] = set()
    unknown: Unknown | None = None
    for piece in node.values:
        text = m.eval(piece)
        found |= assumptions_of(text)
        text = plain(text)
        if isinstance(text, str):
            parts.append(text)
        else:
            unknown, known = Unknown("text of an unknown value"), len(parts)
    if sum(map(len, parts)) > m.limits.text:
        return Unknown("a long text")
    if unknown is not None:
        return Ending(unknown.why, end=end) if (end := "".join(parts[known:])) else unknown
    return assume("".join(parts), frozenset(found))


@evaluates(ast.FormattedValue)
def formatted(m: Machine, node: ast.FormattedValue) -> Any:
    value = m.eval(node.value)
    if (written := getattr(value, "as_text", None)) is not None:
        value = written()
    raw = plain(value)
    if isinstance(node.value, ast.Attribute) and isinstance(raw, str) and raw in DTYPES \
            and m.frame.module.source.says("torch"):
        return Unknown("text of a dtype")  # "torch.float32", unless it is NumPy's
    spec = plain(m.eval(node.format_spec)) if node.format_spec else ""
    if spec and type(raw) in ARRAYS and node.conversion not in CONVERSIONS:
        tell_of_formatted(m, value, spec, node.value)
    if isinstance(raw, ListV | DictV | tuple):
        from cudnnlint.interp.builtin.functions import BUILTINS

        value = m.call(BUILTINS["repr"], [value], {}, node)
        raw = plain(value)
    elif node.conversion in CONVERSIONS and isinstance(raw, str | int | float | None):
        raw = CONVERSIONS[node.conversion](raw)
    elif raw is None and spec == "":
        raw = "None"
    if isinstance(raw, str | int | float) and isinstance(spec, str) and not is_wide(spec):
        try:
            text = format(raw, spec)
        except (ValueError, OverflowError):
            return Unknown("a format that fails")
        return assume(text, assumptions_of(value)) if len(text) < m.limits.text else Unknown("a long text")
    return Unknown("text of an unknown value")


ARRAYS = frozenset({ListV, Tensor, *METHODS})
CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
"""What `!r` and the like make of a value before its format is looked at."""
PURE_TEXT = frozenset({
    "lower", "upper", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith", "split", "rsplit", "join",
    "format", "title", "capitalize", "find", "rfind", "count", "isdigit", "isnumeric", "zfill", "removeprefix",
    "removesuffix", "partition", "rpartition", "isalpha", "swapcase", "center", "ljust", "rjust", "splitlines",
    "isspace", "islower", "isupper", "index", "encode", "bit_length", "is_integer", "expandtabs", "casefold",
})


PLACES = frozenset({"find", "rfind", "index", "count"})
"""Methods that give a whole number, whatever they are asked for."""
PARTING = frozenset({"split", "rsplit", "partition", "rpartition", "splitlines"})


def call_text_method(m: Machine, receiver: Any, value: Any, name: str, c: Call) -> Any:
    """Pure methods of str, int and float, run for real on plain arguments."""
    if name not in PURE_TEXT:
        return Unknown(f"{name}()")
    if name == "format" and type(value) is str and isinstance(c.node, ast.Call):
        tell_of_format(m, value, c.args, c.node.args)
    found: set[Any] = set(assumptions_of(receiver))
    args = [strip(_gathered(m, arg) if name == "join" else arg, found) for arg in c.args]
    kwargs = {key: strip(arg, found) for key, arg in c.kwargs.items()}
    flat = [item for arg in (*args, *kwargs.values()) for item in (arg if isinstance(arg, (list, tuple)) else [arg])]
    if not all(isinstance(item, (str, int, float, bytes)) or item is None for item in flat):
        return Unknown(f"{name}() of an unknown value", number=name in PLACES)
    if _grows(m, value, name, flat):
        return Unknown("a long text")
    if (name in ("zfill", "center", "ljust", "rjust", "expandtabs") and args
            and isinstance(args[0], int) and args[0] > 10_000):
        return Unknown("a long text")
    if value == "" and found and name in PARTING:
        return Unknown("parts of what is given in place of an empty default")
    try:
        result = getattr(value, name)(*args, **kwargs)
    except Exception:  # the program's own failure
        return Unknown(f"{name}() fails here")
    if isinstance(result, list):
        return ListV([assume(item, frozenset(found)) for item in result])
    if isinstance(result, str) and len(result) >= m.limits.text:
        return Unknown("text")
    return assume(result, frozenset(found))


def _gathered(m: Machine, parts: Any) -> Any:
    """What is joined, of a generator or a map too."""
    found = all_in_order(m, parts)
    return found if isinstance(found, Unknown) else tuple(found)


def _grows(m: Machine, value: Any, name: str, given: list[Any]) -> bool:
    """Whether the text that comes out may be much longer than what goes in."""
    if name == "format":
        return is_wide(value) or any(isinstance(item, int) and item > 10**6 for item in given)
    longest = max((len(item) for item in given if isinstance(item, str | bytes)), default=0)
    return name in ("replace", "join") and max(len(value), len(given)) * longest > 64 * m.limits.text
