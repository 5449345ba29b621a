"""The standard library as model code uses it: math, functools, collections, typing, os.environ."""

from __future__ import annotations

import math
import string
from typing import Any

from cudnnlint.interp.builtin.counters import counter
from cudnnlint.interp.builtin.functions import BUILTINS, numeric
from cudnnlint.interp.graphs.open_extents import refuse_product
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.lists import BoundedV
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.namespaces import MembersV, OwnDictV
from cudnnlint.interp.objects import BuiltinV, External, FunctionV, InstanceV, MethodV, ModuleV, NamespaceV, PartialV
from cudnnlint.interp.registry import Call, Framework, Handler
from cudnnlint.values import Unknown
from cudnnlint.values.numpy_int import of_numpy

FRAMEWORK = Framework("stdlib", roots=(
    "functools", "itertools", "math", "os", "sys", "argparse", "collections", "types", "copy", "dataclasses", "typing",
    "typing_extensions", "enum", "abc", "random", "operator", "numbers", "time", "json", "re", "pathlib", "absl",
    "click",
    "string", "logging", "warnings", "contextlib", "datetime", "glob", "shutil", "pickle", "attr", "attrs",
    "pydantic", "subprocess", "tempfile", "struct", "csv", "urllib", "threading", "multiprocessing", "inspect", "io",
    "importlib", "tomllib", "configparser", "codecs", "ast"),
    prefixes={"typing_extensions": "typing", "absl.flags.FLAGS": "absl.FLAGS"})


SMOOTH = frozenset(("sqrt", "log", "log2", "log10", "exp", "pow", "sin", "cos", "tan", "degrees", "radians", "tanh",
                    "atan"))
"""Functions that give another number for another one, as good as always."""


def _computed(name: str) -> Handler:
    def handle(c: Call) -> Any:
        made = numeric(c, getattr(math, name))
        if not isinstance(made, Unknown) or not made.number:
            return made
        return Unknown(made.why, number=True, loop=made.loop) if name in SMOOTH else Unknown(made.why)

    return handle


for _name in ("sqrt", "ceil", "floor", "log", "log2", "log10", "exp", "pow", "sin", "cos", "tan", "gcd", "lcm", "fabs",
              "trunc", "isqrt", "copysign", "isclose", "degrees", "radians", "hypot", "isnan", "isinf", "isfinite",
              "tanh", "atan", "atan2"):
    FRAMEWORK.on(f"math.{_name}")(_computed(_name))
FRAMEWORK.constant("math.pi", math.pi)
FRAMEWORK.constant("math.e", math.e)
FRAMEWORK.constant("math.inf", math.inf)
for _name in ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "octdigits", "punctuation",
              "printable", "whitespace"):
    FRAMEWORK.constant(f"string.{_name}", getattr(string, _name))
FRAMEWORK.constant("sys.maxsize", 2**63 - 1)
FRAMEWORK.constant("sys.platform", Unknown("sys.platform"))
FRAMEWORK.constant("typing.TYPE_CHECKING", False)


@FRAMEWORK.on("math.prod", "numpy.prod")
def prod(c: Call) -> Any:
    """The product of known numbers; a tensor's product otherwise."""
    found = elements(c.machine, c.args[0]) if c.args else Unknown()
    if not isinstance(found, Unknown):
        refuse_product(c.machine, found, "np.prod" if plain(c.callee).path == "numpy.prod" else "math.prod", c.node)
    if (isinstance(found, Unknown) or len(c.args) > 1 or c.kwargs
            or not all(isinstance(plain(item), int | float) for item in found)):
        if plain(c.callee).path == "numpy.prod" and not isinstance(found, Unknown):
            from cudnnlint.interp.functions import apply_function

            return apply_function(c.machine, "numpy.prod", c.args, c.kwargs, c.node)
        return found if isinstance(found, Unknown) else Unknown("a product")
    taken: frozenset[Any] = frozenset()
    total: Any = 1
    for item in found:
        total = total * plain(item)
        if isinstance(total, int) and total.bit_length() > c.machine.limits.number_bits:
            return Unknown("a huge number")
        taken |= getattr(item, "assumptions", frozenset())
    ours = plain(c.callee).path == "numpy.prod" and bool(found)
    return assume(of_numpy(total) if ours else total, taken)


@FRAMEWORK.on("functools.partial")
def partial(c: Call) -> Any:
    kwargs = dict(c.kwargs)
    return PartialV(c.args[0], tuple(c.args[1:]), kwargs) if c.args else Unknown("partial of nothing")


@FRAMEWORK.on("functools.reduce")
def reduce(c: Call) -> Any:
    found = elements(c.machine, c.args[1]) if len(c.args) > 1 else Unknown("reduce")
    if isinstance(found, Unknown):
        return found
    items = [*([c.args[2]] if len(c.args) > 2 else []), *found]
    if not items:
        return Unknown("reduce of nothing")
    value = items[0]
    for item in items[1:]:
        value = c.machine.call(c.args[0], [value, item], {}, c.node)
    return value


@FRAMEWORK.on("functools.wraps", "functools.lru_cache", "contextlib.contextmanager", "functools.cache")
def transparent(c: Call) -> Any:
    """Decorators that leave the function what it is, called with or without arguments."""
    if len(c.args) == 1 and isinstance(plain(c.args[0]), FunctionV) and plain(c.callee).path != "functools.wraps":
        return c.args[0]
    return BuiltinV("decorator", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))


@FRAMEWORK.on("keras.utils.register_keras_serializable", "keras.saving.register_keras_serializable")
def registered(c: Call) -> Any:
    """Of a class that is handed to what it gives: `register_keras_serializable("package")(cls)`."""
    return BuiltinV("decorator", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))


@FRAMEWORK.on("namex.export.__call__")
def exported(c: Call) -> Any:
    """keras_cv, keras_hub and the like publish each class by a decorator of their own on this one."""
    return c.args[0] if c.args else Unknown("decorator")


@FRAMEWORK.on("types.SimpleNamespace", "argparse.Namespace")
def namespace(c: Call) -> Any:
    unknown = plain(c.kwargs.pop("**", None))
    return NamespaceV(dict(c.kwargs), unknown)


@FRAMEWORK.on("collections.OrderedDict")
def ordered_dict(c: Call) -> Any:
    made = c.machine.call(BUILTINS["dict"], c.args, c.kwargs, c.node)
    if isinstance(made, DictV):
        made.ordered = True
    return made


@FRAMEWORK.on("collections.ChainMap")
def chain_map(c: Call) -> Any:
    """A dict of what each key is in the first that has it."""
    made = c.machine.call(BUILTINS["dict"], [], {}, c.node)
    for held in reversed(c.args):
        c.machine.call(MethodV(made, "update"), [held], {}, c.node)
    return made


@FRAMEWORK.on("collections.defaultdict")
def default_dict(c: Call) -> Any:
    made = c.machine.call(BUILTINS["dict"], c.args[1:], c.kwargs, c.node)
    if isinstance(made, DictV) and c.args:
        made.default = c.args[0]
    return made


@FRAMEWORK.on("collections.Counter")
def counted(c: Call) -> Any:
    return counter(c)


@FRAMEWORK.on("collections.deque")
def deque(c: Call) -> Any:
    """A list; one of bounded length drops what it was given first."""
    made, most = c.machine.call(BUILTINS["list"], c.args[:1], {}, c.node), plain(c.get(1, "maxlen"))
    held = plain(made)
    if most is None or not isinstance(held, ListV):
        return made if most is None else Unknown("a deque of bounded length")
    bounded = BoundedV(held.items, most if isinstance(most, int) else None)
    bounded.unknown, bounded.kept = held.unknown, held.kept
    bounded.bound()
    return bounded


@FRAMEWORK.on("typing.cast")
def cast(c: Call) -> Any:
    """The value itself: what type checkers are told does nothing."""
    return c.get(1, "val", Unknown("cast of nothing"))


@FRAMEWORK.on("builtins.vars")
def vars_(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    if isinstance(value, ModuleV | External):
        return MembersV(value)
    return OwnDictV(value) if isinstance(value, InstanceV | NamespaceV) else as_dict(c)


@FRAMEWORK.on("dataclasses.asdict")
def as_dict(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    items = getattr(value, "items", None)
    if not isinstance(items, dict):
        return Unknown("a dict of fields")
    return DictV(dict(items), getattr(value, "unknown", None))


BUILTINS["vars"] = BuiltinV("vars", vars_)


@FRAMEWORK.on("sys.exit", "os._exit", "os.abort", "pytest.skip", "*.skipTest")
def leave(c: Call) -> Any:
    raise Raised
