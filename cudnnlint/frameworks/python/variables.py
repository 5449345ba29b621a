"""os.environ: what the program itself puts there; of any other variable, that it is not set is an assumption."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.devices import runtime
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Assumption, Mismatch, Problem, Unknown


def put(c: Call, name: Any, value: Any) -> None:
    """`os.environ[name] = value`; with setdefault() something else may stand there from outside."""
    table, key = runtime(c.machine), _key(name)
    if isinstance(number := plain(value), int | float) and not c.machine.handlers:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"os.environ is given the {type(number).__name__} {number!r}, not a text",
            help=f'"{number}", or str(...) of it', error=f'TypeError "str expected, not {type(number).__name__}"'),
            what="os.environ", assumptions=assumptions_of(value))
    if plain(c.callee).path.endswith("setdefault"):
        if key in table.items:
            return
        value = _assumed(c, name, value, "os.environ.setdefault")
    c.machine.set_item(table, key, value)


@FRAMEWORK.on("os.environ.get", "os.getenv")
def environment(c: Call) -> Any:
    """What the program put there, or else the default, or None, is assumed."""
    name = plain(c.get(0, "key"))
    if name == "TF_USE_LEGACY_KERAS" and c.machine.stack.keras < (3,) and c.machine.stack.tensorflow >= (2, 16):
        return "1"  # else its Keras is Keras 3 (tensorflow/api_template.__init__.py)
    if not isinstance(name, str):
        return Unknown("from os.environ")
    held = _held(c.machine, name)
    return held if held is not None else _assumed(c, name, c.get(1, "default"), "os.environ.get")


@FRAMEWORK.on("os.environ.__getitem__")
def item(c: Call) -> Any:
    name = plain(c.args[0]) if c.args else None
    held = _held(c.machine, name)
    return held if held is not None else Unknown(f"{name!r} from os.environ" if isinstance(name, str) else "os.environ")


@FRAMEWORK.on("decouple.config", "decouple.AutoConfig.__call__")
def configured(c: Call) -> Any:
    """`config("SIZE", default=12, cast=int)` of python-decouple (decouple.py: Config.get)."""
    name = plain(c.get(0, "option"))
    return _read(c, name, c.get(1, "default", MISSING), c.get(2, "cast"))


class EnvV:
    """An `Env()` of environs, or of django-environ."""

    always_true = True
    path = "environs.Env"


@FRAMEWORK.on("environs.Env", "environ.Env")
def reader(c: Call) -> Any:
    """django-environ's takes (type, default) of each variable."""
    return EnvV() if not c.kwargs.keys() - {"eager", "expand_vars", "prefix"} else Unknown("variables with defaults")


@FRAMEWORK.on("environs.Env.read_env")
def nothing(c: Call) -> Any:
    """A file of variables, which are not followed."""
    return


@FRAMEWORK.on("environs.Env.__call__", *(f"environs.Env.{name}" for name in ("str", "int", "float", "bool")))
def read(c: Call) -> Any:
    """`env.int("SIZE", 12)`, whose default comes as it is (environs/__init__.py: _field2method)."""
    return _read(c, plain(c.get(0, "name", c.kwargs.get("var"))), c.get(1, "default", MISSING), None)


def _read(c: Call, name: Any, default: Any, cast: Any) -> Any:
    held = _held(c.machine, name) if isinstance(name, str) else None
    if held is not None or default is MISSING or not isinstance(name, str):
        return Unknown("from os.environ")
    found = _assumed(c, name, default, "os.environ")
    return found if cast is None else c.machine.call(cast, [found], {}, c.node)


TRUE, FALSE = frozenset({"y", "yes", "t", "true", "on", "1"}), frozenset({"n", "no", "f", "false", "off", "0"})
"""Lib/distutils/util.py: strtobool"""


@FRAMEWORK.on("distutils.util.strtobool", "setuptools._distutils.util.strtobool")
def strtobool(c: Call) -> Any:
    """1 or 0, of the text of a variable mostly; on what that rests, this does."""
    given = c.get(0, "val")
    text = plain(given)
    word = text.lower() if isinstance(text, str) else ""
    return assume(int(word in TRUE), assumptions_of(given)) if word in TRUE | FALSE else Unknown("strtobool()")


def _held(m: Machine, name: Any) -> Any:
    return runtime(m).items.get(_key(name))


def _key(name: Any) -> str:
    return f"os.environ {name}"


def _assumed(c: Call, name: str, default: Any, source: str) -> Any:
    taken = Assumption.of_default(name, plain(default), source, c.span.path, c.span.line)
    return assume(default, frozenset({taken}))
