"""One call of a function of keras.applications: its arguments bound and judged, then the model built."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.frameworks.applications.build import built
from cudnnlint.frameworks.applications.checks import Request, problems, settled
from cudnnlint.frameworks.applications.graph import recorded
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import start
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.applications import KEPT
from cudnnlint.values import Mismatch, Problem, Stack, Step, Tensor, Unknown, is_integer
from cudnnlint.values.stack import Version, dotted

SINCE: dict[str, Version] = {
    "convnext": (2, 13), "efficientnet": (2, 10), "efficientnet_v2": (2, 9), "inception_resnet_v2": (2, 12),
    "mobilenet_v3": (2, 8), "nasnet": (2, 10), "regnet": (2, 9), "resnet_rs": (2, 9),
}
"""The Keras 2 from which on a module's source builds what is on record; 2.6 for the others (compared by release)."""
OLDEST: Version = (2, 6)


def model(c: Call, module: str, name: str) -> Any:
    """One call of a model function."""
    m = c.machine
    since = SINCE.get(module, OLDEST)
    record = recorded(module, name, m.stack)
    if record is None:
        return Unknown(f"keras.applications has no {name} in Keras {dotted(m.stack.keras)}")
    if m.stack.keras < since:
        return Unknown(f"{name} is on record from Keras {dotted(since)} on")
    if m.state.get("image_data_format", "channels_last") != "channels_last":
        return Unknown(f"{name} is on record for channels_last")
    found: set[Any] = set()
    values = bound(c, name, record["signature"], found)
    if isinstance(values, Unknown):
        return values
    request = Request(module, name, values, record, m.stack)
    shape = settled(request)
    wrong = next(problems(request), shape if isinstance(shape, Mismatch) else None)
    if wrong is not None or isinstance(shape, Mismatch):
        m.say(Rejected, c.span, assumptions=frozenset(found), what=name, mismatch=wrong,
              path=f"keras.applications.{module}.{name}", args=tuple(map(strip, c.args)),
              kwargs={word: strip(value) for word, value in c.kwargs.items()})
        return Unknown(f"{name}() fails")
    start(m, c.span)  # its variables are real ones
    return shape if isinstance(shape, Unknown) else built(c, request, shape, frozenset(found))


def bound(c: Call, name: str, signature: list[Any], found: set[Any]) -> dict[str, Any] | Unknown:
    """Arguments by parameter name, defaults filled in; what the function does not take is told."""
    if STAR in c.kwargs:
        return Unknown("arguments that are not known")
    names = [word for word, _ in signature if word != "**" and _exists(word, c.machine.stack)]
    values = {word: default for word, default in signature if word in names}
    given = dict(zip(names, c.args, strict=False))
    unknown = [word for word in c.kwargs if word not in names or word in given]
    open_ended = any(word == "**" for word, _ in signature)
    if unknown and open_ended and set(unknown) <= {"classifier_activation"}:
        unknown = []
    if unknown or len(c.args) > len(names):
        return _misfit(c, name, names, unknown, given, open_ended)
    values.update({word: strip(value, found) for word, value in {**given, **c.kwargs}.items()})
    return values


def _exists(parameter: str, stack: Stack) -> bool:
    """keras 3.4 gave every function a name."""
    return parameter != "name" or not (3,) <= stack.keras < (3, 4)


def _misfit(c: Call, name: str, names: list[str], unknown: list[str], given: dict[str, Any],
            open_ended: bool) -> Unknown:
    if open_ended:  # Keras 2 passes them on: backend=, layers=, utils= are let pass
        return Unknown(f"{name} with other arguments")
    for word in unknown:
        twice = word in given
        text = f"{name} got {word} twice" if twice else f"{name} has no argument {word}"
        c.machine.say(Rejected, c.span, what=name, mismatch=Mismatch(
            Problem.UNKNOWN_ARGUMENT, text, argument=word,
            facts=(("name", word), ("versions", ">=3.4" if word == "name" else ""), ("twice", twice),
                   ("parameters", tuple(names)))))
    return Unknown(f"{name}() fails")


def preprocessed(c: Call, module: str) -> Any:
    """NumPy arrays of integers become floats (keras/src/applications/imagenet_utils.py: _preprocess_numpy_input)."""
    x, args, kwargs = strip(c.get(0, "x")), list(c.args), dict(c.kwargs)
    if isinstance(x, Tensor) and x.kind == "numpy" and is_integer(x.dtype) and module not in KEPT:
        floatx = c.machine.state.get("floatx", "float32")
        converted = Tensor(x.shape, floatx, "numpy", None, Step(c.span, (x,)), x.assumptions)
        kwargs.pop("x", None)
        args[:1] = [converted]
    return apply_function(c.machine, f"keras.applications.{module}.preprocess_input", args, kwargs, c.node)
