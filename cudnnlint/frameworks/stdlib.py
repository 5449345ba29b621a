"""The standard library as model code uses it: argparse, os.environ, functools, itertools, math, collections."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV, opened
from cudnnlint.interp.builtins import BUILTINS, numeric
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.iterate import elements, sample
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.models import ModelV
from cudnnlint.interp.objects import BuiltinV, External, FunctionV, GeneratorV, InstanceV, NamespaceV, PartialV
from cudnnlint.interp.registry import Call, Framework, Handler
from cudnnlint.values import Assumed, Assumption, Tensor, Unknown
from cudnnlint.values.numpy_int import of_numpy
from cudnnlint.values.unknown import Drawn

FRAMEWORK = Framework("stdlib", roots=(
    "functools", "itertools", "math", "os", "sys", "argparse", "collections", "types", "copy", "dataclasses", "typing",
    "typing_extensions", "enum", "abc", "random", "operator", "numbers", "time", "json", "re", "pathlib", "absl",
    "click",
    "string", "logging", "warnings", "contextlib", "datetime", "glob", "shutil", "pickle", "six", "attr", "attrs",
    "pydantic", "subprocess", "tempfile", "struct", "csv", "urllib", "threading", "multiprocessing", "inspect", "io",
    "importlib", "tomllib", "configparser", "codecs"),
    prefixes={"typing_extensions": "typing", "absl.flags.FLAGS": "absl.FLAGS"})


def _computed(function: Callable[..., Any]) -> Handler:
    return lambda c: numeric(c, function)


for _name in ("sqrt", "ceil", "floor", "log", "log2", "log10", "exp", "pow", "sin", "cos", "tan", "gcd", "fabs",
              "trunc",
              "hypot", "isnan", "isinf", "tanh"):
    FRAMEWORK.on(f"math.{_name}")(_computed(getattr(math, _name)))
FRAMEWORK.constant("math.pi", math.pi)
FRAMEWORK.constant("math.e", math.e)
FRAMEWORK.constant("math.inf", math.inf)
FRAMEWORK.constant("sys.maxsize", 2**63 - 1)
FRAMEWORK.constant("sys.platform", Unknown("sys.platform"))
FRAMEWORK.constant("typing.TYPE_CHECKING", False)
FRAMEWORK.constant("six.moves.xrange", BUILTINS["range"])
for _name in ("range", "zip", "map", "filter", "reduce"):
    FRAMEWORK.constant(f"six.moves.{_name}", BUILTINS.get(_name, External(f"functools.{_name}")))


@FRAMEWORK.on("math.prod", "numpy.prod")
def prod(c: Call) -> Any:
    """The product of known numbers; a tensor's product otherwise."""
    found = elements(c.machine, c.args[0]) if c.args else Unknown()
    if (isinstance(found, Unknown) or len(c.args) > 1 or c.kwargs
            or not all(isinstance(plain(item), int | float) for item in found)):
        if plain(c.callee).path == "numpy.prod" and not isinstance(found, Unknown):
            from cudnnlint.interp.functions import apply_function

            return apply_function(c.machine, "numpy.product", c.args, c.kwargs, c.node)
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


@FRAMEWORK.on("collections.OrderedDict", "collections.ChainMap")
def ordered_dict(c: Call) -> Any:
    return c.machine.call(BUILTINS["dict"], c.args, c.kwargs, c.node)


@FRAMEWORK.on("collections.defaultdict")
def default_dict(c: Call) -> Any:
    return DictV(default=c.args[0] if c.args else None)


@FRAMEWORK.on("collections.deque")
def deque(c: Call) -> Any:
    """A list; one of bounded length drops what it was given first."""
    if plain(c.get(1, "maxlen")) is not None:
        return Unknown("a deque of bounded length")
    return c.machine.call(BUILTINS["list"], c.args[:1], {}, c.node)


@FRAMEWORK.on("typing.cast")
def cast(c: Call) -> Any:
    """The value itself: what type checkers are told does nothing."""
    return c.get(1, "val", Unknown("cast of nothing"))


@FRAMEWORK.on("copy.copy", "copy.deepcopy")
def copy(c: Call) -> Any:
    return _copied(c.args[0] if c.args else Unknown(), plain(c.callee).path == "copy.deepcopy")


def _copied(value: Any, deep: bool) -> Any:
    """What rests on assumptions still does; objects hold theirs by themselves."""
    if isinstance(value, Assumed):
        return assume(_copied(value.value, deep), value.assumptions)
    if isinstance(value, ListV):
        return ListV([_copied(item, deep) for item in value.items] if deep else value.items, value.unknown)
    if isinstance(value, AttrDictV):
        return opened(value, value.like) if deep else value.like(dict(value.items), value.unknown)
    if isinstance(value, DictV):
        items = {key: _copied(item, deep) for key, item in value.items.items()} if deep else dict(value.items)
        return DictV(items, value.unknown, is_set=value.is_set)
    if isinstance(value, tuple) and deep:
        return tuple(_copied(item, deep) for item in value)
    if isinstance(value, NamespaceV):
        return NamespaceV(dict(value.items), value.unknown)
    if value is None or isinstance(value, int | float | str | bytes | tuple):
        return value
    if deep and (made := _copied_layer(value)) is not None:
        return made
    if isinstance(value, InstanceV):
        return _copied_instance(value, deep)
    if deep and isinstance(value, LayerV | ModelV) and value.path.startswith("torch."):
        return value.copied(lambda item: _copied(item, deep))
    return value if deep and isinstance(value, Tensor | External | FunctionV) else Unknown("a copy")


def _copied_layer(value: Any) -> Any:
    """A layer of Keras with all that it holds, variables of its own included; None for anything else."""
    path = (value.cls.external_base() or "") if isinstance(value, InstanceV) else getattr(value, "path", "")
    if not isinstance(value, InstanceV | LayerV) or not path.startswith("keras.layers."):
        return None
    from cudnnlint.frameworks.cloning import duplicate

    return duplicate(value, {})


def _copied_instance(value: InstanceV, deep: bool) -> Any:
    """An object of the user's; modules of PyTorch get weights of their own."""
    if value.extra is not None and not (isinstance(value.extra, LayerV) and value.extra.path.startswith("torch.")):
        return Unknown("a copy")
    made = InstanceV(value.cls, value.span)
    made.unknown, made.assumptions = value.unknown, value.assumptions
    made.items = {key: _copied(item, deep) for key, item in value.items.items()} if deep else dict(value.items)
    if isinstance(value.extra, LayerV):
        made.extra = value.extra.copied(lambda item: _copied(item, deep))
        made.extra.user = made
    return made


@FRAMEWORK.on("dataclasses.asdict", "builtins.vars")
def as_dict(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    items = getattr(value, "items", None)
    if not isinstance(items, dict):
        return Unknown("a dict of fields")
    return DictV(dict(items), getattr(value, "unknown", None))


BUILTINS["vars"] = BuiltinV("vars", as_dict)


@FRAMEWORK.on("itertools.chain", "itertools.product", "itertools.zip_longest", "itertools.combinations",
              "itertools.permutations")
def combine(c: Call) -> Any:
    import itertools

    name = plain(c.callee).path.rpartition(".")[2]
    chosen = name in ("combinations", "permutations")
    columns = [elements(c.machine, arg) for arg in (c.args[:1] if chosen else c.args)]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    counts = [plain(arg) for arg in c.args[1:]] if chosen else []
    if unknown or name == "zip_longest" or c.kwargs or not all(isinstance(count, int) for count in counts):
        return unknown or Unknown(name)
    most = c.machine.limits.items
    made = list(itertools.islice(getattr(itertools, name)(*columns, *counts), most + 1))
    return GeneratorV(ListV(made), complete=True) if len(made) <= most else Unknown(f"a long {name}")


@FRAMEWORK.on("itertools.chain.from_iterable")
def chain_from(c: Call) -> Any:
    rows = elements(c.machine, c.args[0])
    if isinstance(rows, Unknown):
        return rows
    out: list[Any] = []
    for row in rows:
        found = elements(c.machine, row)
        if isinstance(found, Unknown):
            return found
        out.extend(found)
        if len(out) > c.machine.limits.items:
            return Unknown("a long chain")
    return GeneratorV(ListV(out), complete=True)


@FRAMEWORK.on("itertools.repeat")
def repeat(c: Call) -> Any:
    count = plain(c.get(1, "times"))
    if isinstance(count, int) and count <= c.machine.limits.items:
        return GeneratorV(ListV([c.args[0]] * count), complete=True)
    return GeneratorV(ListV([c.args[0]]), complete=False, infinite=count is None)


@FRAMEWORK.on("itertools.count", "itertools.cycle")
def endless(c: Call) -> Any:
    return GeneratorV(ListV([Unknown("an element")]), complete=False, infinite=True)


@FRAMEWORK.on("random.shuffle", "numpy.random.shuffle")
def shuffle(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    if isinstance(value, ListV):
        from cudnnlint.interp.join import join

        c.machine.heap.touch(value)
        if not value.unknown:
            value.items = [join(value.items)] * len(value.items) if value.items else []
    return None


@FRAMEWORK.on("sys.exit", "os._exit", "os.abort", "pytest.skip", "*.skipTest")
def leave(c: Call) -> Any:
    raise Raised


@FRAMEWORK.on("os.environ.get", "os.getenv")
def environment(c: Call) -> Any:
    """The default is assumed."""
    name = plain(c.get(0, "key"))
    if name == "TF_USE_LEGACY_KERAS" and c.machine.stack.keras < (3,) and c.machine.stack.tensorflow >= (2, 16):
        return "1"  # else its Keras is Keras 3 (tensorflow/api_template.__init__.py)
    default = c.get(1, "default")
    if len(c.args) < 2 and "default" not in c.kwargs:
        return Unknown(f"{name!r} from os.environ" if isinstance(name, str) else "from os.environ")
    taken = Assumption.of_default(f"{name}", plain(default), "os.environ.get", c.span.path, c.span.line)
    return assume(default, frozenset({taken}))


@FRAMEWORK.on("random.choice")
def chosen(c: Call) -> Any:
    """Any of the elements."""
    return sample(c.machine, c.args[0]) if c.args else Unknown("a random value")


@FRAMEWORK.on("random.sample")
def several(c: Call) -> Any:
    """A list of some of the elements."""
    why = Unknown("a random sample")
    return ListV([sample(c.machine, c.args[0])] if c.args else [], why).settle()


@FRAMEWORK.on("random.randint", "random.randrange")
def drawn(c: Call) -> Any:
    return Drawn("a random number", base=object())


@FRAMEWORK.on("timeit.timeit", "timeit.repeat", "timeit.default_timer")
def timed(c: Call) -> Any:
    """What is measured is called: here once."""
    statement = c.get(0, "stmt")
    if statement is not None and not isinstance(plain(statement), str | Unknown):
        c.machine.call(statement, [], {}, c.node)
    return Unknown("how long something takes", number=True)


@FRAMEWORK.on("random.random", "random.uniform", "time.time")
def at_random(c: Call) -> Any:
    return Unknown("a random value", number=True)
