"""What a function that nothing calls is called with: its defaults, which are assumed, and unknowns."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import ClassV, FunctionV
from cudnnlint.interp.testing import parameter
from cudnnlint.interp.uncalled.left_open import FOR_EMPTY, NOTHING_MORE
from cudnnlint.interp.wanted import supplied
from cudnnlint.values import Assumed, Assumption, Unknown
from cudnnlint.values.assumption import Assumptions


def open_arguments(m: Machine, function: FunctionV, skip: int = 0) -> dict[str, Any]:
    """Every parameter after the first `skip` by its name, as `call_open` gives them."""
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    defaults = dict(zip(names[len(names) - len(function.defaults):], function.defaults, strict=True))
    defaults.update(function.kw_defaults)
    names = names[skip:] + [arg.arg for arg in arguments.kwonlyargs]
    return {name: open_value(m, function, name, defaults) for name in names} | open_rest(function)


def open_rest(function: FunctionV) -> dict[str, Any]:
    """What *args and **kwargs may bring: anything; where the function asks for one by name, its default is assumed."""
    arguments = function.node.args
    if not (arguments.vararg or arguments.kwarg):
        return {}
    text = f"{NOTHING_MORE}{function.name} (line {function.node.lineno})"
    return {STAR: Assumed(Unknown("further arguments"), frozenset({Assumption(text)}))}


def open_value(m: Machine, function: FunctionV, name: str, defaults: dict[str, Any]) -> Any:
    if name not in defaults:
        return supplied(m, name, parameter(function, name))
    value = defaults[name]
    if any(taken.text.startswith(f"{name} = ") for taken in assumptions_of(value)):
        return value  # an option of the command line, which says so
    told = strip(value)
    if isinstance(told, Unknown):
        return value
    if _is_device(name, told):
        return Unknown("the device that a caller works on")
    taken = Assumption.of_default(name, told, function.name, getattr(function.module.source, "path", ""),
                                  function.node.lineno)
    return _resting(plain(value), assumptions_of(value) | {taken})


def _is_device(name: str, told: Any) -> bool:
    """Whoever moved a model says where its inputs are too: `device="cpu"` is for those who moved nothing."""
    return (isinstance(told, ObjectV) and told.path == "torch.device") \
        or ("device" in name and isinstance(told, str) and told.partition(":")[0] in ("cpu", "cuda"))


def _resting(value: Any, taken: Assumptions) -> Any:
    """A default, lists and dicts within as the function finds them at its first call, each item resting on `taken`.

    An empty list or tuple says nothing of what the function is given, and could not say on what its length rests.
    """
    if type(value) is tuple and not value:
        return Unknown(FOR_EMPTY)
    if isinstance(value, ListV):
        unknown = value.unknown if value.items else Unknown(FOR_EMPTY)
        return ListV([_resting(item, taken) for item in value.items], unknown)
    if isinstance(value, DictV) and not value.is_set:
        items = {key: _resting(item, taken) for key, item in value.items.items()}
        return DictV(items, value.unknown, default=value.default, absent=value.absent)
    return assume(value, taken)


def from_keras(cls: ClassV, method: FunctionV) -> list[Any]:
    """What Keras gives whatever the defaults are: the shape and the dtype of a weight (keras/src/layers/layer.py:
    add_weight), the number of an epoch or a batch (keras/src/callbacks/callback.py)."""
    counts = "epoch" in method.name or "batch" in method.name
    if counts and (cls.external_base() or "").startswith("keras.callbacks."):
        return [Unknown(arg.arg, number=True) for arg in method.node.args.args[1:2]]
    if method.name != "__call__" or not (cls.external_base() or "").startswith("keras.initializers."):
        return []
    return [Unknown(f"the {arg.arg} of a weight") for arg in method.node.args.args[1:3]]
