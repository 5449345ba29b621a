"""KerasTuner: a tuner builds its model with the defaults of all options when it is made, and fits it in search()."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.configs.options import by_default
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import Unknown

FRAMEWORK = Framework("keras_tuner", roots=("keras_tuner", "kerastuner"), prefixes={
    "kerastuner": "keras_tuner", "keras_tuner.tuners": "keras_tuner", "keras_tuner.engine.tuner": "keras_tuner",
    "keras_tuner.engine.hyperparameters": "keras_tuner", "keras_tuner.engine.hypermodel": "keras_tuner"})
FIRST = {"Int": (1, "min_value"), "Float": (1, "min_value"), "Fixed": (1, "value")}
"""Of a kind of options, where the value stands that it has by default
(keras_tuner/src/engine/hyperparameters/hp_types)."""


class OptionsV:
    """A HyperParameters: values of the options that were asked for, by name."""

    always_true = True
    path = "keras_tuner.HyperParameters"

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}


class ScopeV:
    """`with hp.conditional_scope(...)`, under which every option has its default."""

    def entered(self, m: Machine) -> Any:
        return None

    def left(self, m: Machine) -> None:
        return


class TunerV:
    """A tuner: what builds its models, and one of them."""

    always_true = True
    path = "keras_tuner.Tuner"

    def __init__(self, maker: Any, model: Any) -> None:
        self.maker, self.model = maker, model


@FRAMEWORK.on("keras_tuner.HyperParameters")
def hyperparameters(c: Call) -> Any:
    return OptionsV()


@FRAMEWORK.on(*(f"keras_tuner.HyperParameters.{name}" for name in ("Int", "Float", "Fixed", "Choice", "Boolean")))
def option(c: Call) -> Any:
    """The default: that which is given, or the least, or the first."""
    owner, name, kind = plain(c.receiver), plain(c.get(0, "name")), c.path.rpartition(".")[2]
    if not isinstance(owner, OptionsV) or not isinstance(name, str):
        return Unknown("an option of a tuner")
    if name not in owner.values:
        owner.values[name] = by_default(c, name, _default(c, kind), f"hp.{kind}()")
    return owner.values[name]


def _default(c: Call, kind: str) -> Any:
    if plain(c.kwargs.get("default")) is not None and kind != "Fixed":
        return c.kwargs["default"]
    if kind in FIRST:
        return c.get(*FIRST[kind], Unknown("an option of a tuner"))
    if kind == "Boolean":
        return c.get(1, "default", False)
    values = plain(c.get(1, "values"))
    items = values.items if isinstance(values, ListV) and not values.unknown else values
    return items[0] if isinstance(items, list | tuple) and items and len(c.args) < 4 else Unknown("a choice of a tuner")


@FRAMEWORK.on("keras_tuner.HyperParameters.get")
def get(c: Call) -> Any:
    owner, name = plain(c.receiver), plain(c.get(0, "name"))
    return owner.values.get(name, Unknown("an option of a tuner")) if isinstance(owner, OptionsV) else Unknown("get()")


@FRAMEWORK.on("keras_tuner.HyperParameters.conditional_scope", "keras_tuner.HyperParameters.name_scope")
def scope(c: Call) -> Any:
    return ScopeV()


@FRAMEWORK.on(*(f"keras_tuner.{name}" for name in ("RandomSearch", "Hyperband", "BayesianOptimization", "GridSearch",
                                                   "Tuner")))
def tuner(c: Call) -> Any:
    """keras_tuner/src/engine/base_tuner.py: BaseTuner._activate_all_conditions. What is tuned of a space that the
    program gives has other values."""
    maker = plain(c.get(1 if c.path.endswith(".Tuner") else 0, "hypermodel"))
    options = c.kwargs.get("hyperparameters")
    given: Any = OptionsV() if plain(options) is None else Unknown("options that a tuner is given")
    if isinstance(maker, FunctionV | BoundV):
        return TunerV(maker, c.machine.call(maker, [given], {}, c.node))
    build = maker.cls.lookup("build") if isinstance(maker, InstanceV) else None
    if isinstance(build, FunctionV):
        return TunerV(maker, c.machine.call(BoundV(build, maker), [given], {}, c.node))
    return Unknown("a tuner")


@FRAMEWORK.on("keras_tuner.Tuner.search")
def search(c: Call) -> Any:
    """Fits each model on what it is given (keras_tuner/src/engine/hypermodel.py: HyperModel.fit)."""
    owner = plain(c.receiver)
    if not isinstance(owner, TunerV) or isinstance(plain(owner.model), Unknown):
        return None
    fit = owner.maker.cls.lookup("fit") if isinstance(owner.maker, InstanceV) else None
    if isinstance(fit, FunctionV):
        c.machine.call(BoundV(fit, owner.maker), [OptionsV(), owner.model, *c.args], c.kwargs, c.node)
    else:
        c.machine.call(get_attribute(c.machine, owner.model, "fit", c.node), c.args, c.kwargs, c.node)
    return None
