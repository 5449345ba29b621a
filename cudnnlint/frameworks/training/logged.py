"""What fit() logs in each epoch: the names that callbacks may monitor and that its history has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from cudnnlint.events import ModelView
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.stored import stored_by
from cudnnlint.frameworks.tensorflow.sessions import NUMBERED
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV, snake
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Unknown, Where
from cudnnlint.values.stack import Version
from cudnnlint.values.unknown import Ending

LOGS = "(logs)"
"""Where a History keeps them: no argument that a program could give."""
SAME = {"acc": ("accuracy",), "accuracy": ("acc", "sparse_categorical_accuracy", "binary_accuracy"),
        "mean_absolute_error": ("mae",), "mae": ("mean_absolute_error",), "mean_squared_error": ("mse",),
        "mse": ("mean_squared_error",)}
"""Metrics that go by several names: each is logged by the one that compile() was given."""
ALWAYS = frozenset({"loss", "lr", "learning_rate"})
SINCE = Where(keras=">=2.3")
"""Before, "accuracy" was logged as "acc"."""
MONITORS = {"EarlyStopping": (0, "it never stops"), "ReduceLROnPlateau": (0, "it never lowers the learning rate"),
            "ModelCheckpoint": (1, "it saves nothing")}
"""keras/src/callbacks: place of `monitor`, and what comes of one that is not logged. Where `mode` does not say which
way is better, EarlyStopping of Keras 3 refuses what is the name of no metric, and from 3.11 on the others do
(monitor_callback.py: MonitorCallback; run with 3.15, read in 3.8, 3.10 and 3.11)."""


@record(frozen=True, slots=True)
class Logs:
    """`names` without those of validation data; `validated` whether there are any; `numbered` those of metrics that
    Keras gave a number, as there was one of the same name before; `compiled` where compile() was given them."""

    names: frozenset[str]
    validated: bool
    numbered: frozenset[str] = frozenset()
    compiled: Span | None = None

    def lacks(self, name: str) -> bool:
        """Names that Keras numbers, auc_1, count as known."""
        base = name.removeprefix("val_")
        if (base != name and not self.validated) or base in self.numbered:
            return True
        return base not in ALWAYS | self.names and re.sub(r"_\d+$", "", base) not in self.names

    def origins(self) -> tuple[tuple[str, Any], ...]:
        """Where the names come from."""
        return (("origins", ((self.compiled, "what fit() logs is named here"),)),) if self.compiled else ()

    def told(self) -> str:
        own = sorted({"loss", *(f"{name}_n" if name in self.numbered else name for name in self.names)})
        return ", ".join([*own, *(f"val_{name}" for name in own if self.validated)])


def logs_of(c: Call, seen: ModelView, arguments: dict[str, Any]) -> Logs | None:
    """Of a model with one output and a step of Keras' own; None where not all is known."""
    given, split = arguments.get("validation_data"), plain(arguments.get("validation_split"))
    if own_step(c.receiver, "fit") is not None or isinstance(seen.outputs, list | tuple | dict | Unknown) \
            or isinstance(given, Unknown) or isinstance(split, Unknown) or seen.losses is None:
        return None
    compiled = seen.compiled or {}
    names = list(_names([*_listed(compiled.get("metrics")), *_listed(compiled.get("weighted_metrics"))]))
    if None in names or not _plain_callbacks(arguments.get("callbacks")):
        return None
    return Logs(frozenset(name for name in names if name is not None), given is not None or bool(split),
                _numbered(c.machine, _listed(compiled.get("metrics")), names), compiled.get("span"))


WITHOUT_NAME = frozenset(f"keras.metrics.{name}" for name in (
    "AUC", "BinaryIoU", "FalseNegatives", "FalsePositives", "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU", "Precision",
    "PrecisionAtRecall", "Recall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity",
    "TrueNegatives", "TruePositives"))
"""Metrics whose constructors leave the name to Keras, in Keras 2 and 3; the others have one by default, always the
same: BinaryAccuracy is binary_accuracy however many there are."""


def _numbered(m: Machine, metrics: list[Any], names: list[str | None]) -> frozenset[str]:
    """Names of metrics that were made without one where another was made before, in a turn of a loop or a call before:
    the second AUC() is auc_1, until clear_session() (keras/src/utils/naming.py: uniquify;
    tf_keras/src/backend.py: unique_object_name)."""
    if not is_meant(m) or m.uncalled or m.frames[0].module.source.says("clear_session"):
        return frozenset()
    seen, found = m.state.setdefault(NUMBERED, {}), set()
    for metric in map(plain, metrics):
        if isinstance(metric, ObjectV) and metric.path in WITHOUT_NAME and not metric.args \
                and "name" not in metric.kwargs and seen.setdefault((metric.path, metric.span), metric) is not metric:
            found.add(snake(metric.path.rpartition(".")[2]))
    return frozenset(name for name in found if names.count(name) == 1)


def _listed(value: Any) -> list[Any]:
    given = strip(value)
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]


def _names(metrics: list[Any]) -> Iterator[str | None]:
    for metric in metrics:
        held = plain(metric)
        if isinstance(held, str):
            yield snake(held) if held[:1].isupper() else held
        elif isinstance(held, ObjectV) and held.path.startswith("keras.metrics."):
            name = plain(held.kwargs.get("name")) if "name" in held.kwargs else None
            yield name if isinstance(name, str) else None if "name" in held.kwargs or held.args else \
                snake(held.path.rpartition(".")[2])
        elif isinstance(held, list | tuple):
            yield from _names(list(held))
        else:
            yield None


def callbacks_of(value: Any) -> list[Any] | None:
    held = plain(value)
    if held is None:
        return []
    if isinstance(held, ListV):
        return None if held.unknown else [plain(item) for item in held.items]
    return list(map(plain, held)) if isinstance(held, tuple) else [held]


def _plain_callbacks(value: Any) -> bool:
    """Whether all callbacks are of the library: others may log what they like."""
    found = callbacks_of(value)
    return found is not None and all(
        isinstance(one, ObjectV) and one.path.startswith("keras.callbacks.") and not one.path.endswith("LambdaCallback")
        for one in found)


def check_monitors(c: Call, method: str, seen: ModelView, arguments: dict[str, Any]) -> None:
    """Tell of the first callback that waits for what is never logged."""
    logs = logs_of(c, seen, arguments) if method == "fit" and not c.machine.trying else None
    if logs is None:
        return
    for callback in callbacks_of(arguments.get("callbacks")) or []:
        for wrong in _unlogged(callback, logs, c.machine.stack.keras):
            if refuse(c.machine, c.span, wrong, what="Model.fit", stage="fit"):
                return


def _unlogged(callback: ObjectV, logs: Logs, keras: Version) -> Iterator[Mismatch]:
    name = callback.path.rpartition(".")[2]
    place, effect = MONITORS.get(name, (0, ""))
    if not effect:
        return
    args, kwargs = callback.args, callback.kwargs
    monitor = plain(args[place] if len(args) > place else kwargs.get("monitor", "val_loss"))
    path = plain(args[0] if args else kwargs.get("filepath")) if name == "ModelCheckpoint" else None
    path = path.end if type(path) is Ending else path
    for key in re.findall(r"\{(val_\w+)", path) if isinstance(path, str) else ():
        if logs.lacks(key):
            yield Mismatch(Problem.NOT_LOGGED, f"the file name of {name} asks for {key}, fit() logs {logs.told()}",
                           help=help_for(key, logs), where=SINCE, facts=_place(callback, f"asks for {key}", logs),
                           error=f"KeyError \"Failed to format this callback filepath: ... Reason: '{key}'\"")
    if not isinstance(monitor, str) or not logs.lacks(monitor):
        return
    best = plain(args[3] if len(args) > 3 else kwargs.get("save_best_only", False))
    idle = f"a warning, and {effect}" if name != "ModelCheckpoint" or best is True else ""
    since = (3,) if name == "EarlyStopping" else (3, 11)
    refused = keras >= since and plain(kwargs.get("mode", "auto")) == "auto" \
        and monitor.removeprefix("val_") not in (logs.names - logs.numbered) | {"loss"}
    asked = f'ValueError "{name} callback received monitor={monitor}"' if refused else ""
    told = f"with Keras from {'.'.join(map(str, since))} on"
    if asked or idle:
        yield Mismatch(Problem.NOT_LOGGED, f"{name} monitors {monitor}, fit() logs {logs.told()}",
                       where=SINCE if idle else Where(keras=f">={'.'.join(map(str, since))}"),
                       help=help_for(monitor, logs), facts=_place(callback, f"monitors {monitor}", logs),
                       error=f"{asked} {told}, or {idle}" if asked and idle else asked or idle)


def _place(callback: ObjectV, text: str, logs: Logs) -> tuple[tuple[str, Any], ...]:
    return (*logs.origins(), ("elsewhere", (callback.span, text)))


def help_for(name: str, logs: Logs) -> str:
    told, base = logs.told().split(", "), name.removeprefix("val_")
    if base in logs.numbered:
        return f'name="{base}" where the metric is made, or clear_session() before the next model is made'
    if name.startswith("val_") and not logs.validated:
        logged = base if base in told else next((other for other in SAME.get(base, ()) if other in told), "")
        return f'validation_data or validation_split, and "val_{logged}"; or "{logged}"' if logged else \
            "validation_data or validation_split, or a name without val_"
    same = [f"{name.removesuffix(base)}{other}" for other in SAME.get(base, ())]
    meant = [other for other in same if other in told] or get_close_matches(name, told, 1)
    return f'"{meant[0]}", or another name that is logged' if meant else "one of the names that are logged"


class LogsV:
    """`history.history` of fit()."""

    always_true = True

    def __init__(self, logs: Logs) -> None:
        self.logs = logs

    def iterated(self, m: Machine) -> Any:
        return Unknown("what was logged")

    def sample(self, m: Machine) -> Any:
        return Unknown("a name that was logged")

    def length(self, m: Machine) -> Any:
        return Unknown("how much was logged")

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown("of what was logged") if name else MISSING

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        held = plain(key)
        base = held.removeprefix("val_") if isinstance(held, str) else ""
        if isinstance(held, str) and base in ALIASES | self.logs.numbered and self.logs.lacks(held) and not m.trying:
            refuse(m, m.span(node), Mismatch(
                Problem.NOT_LOGGED, f"the history has no {held!r}, fit() logs {self.logs.told()}", where=SINCE,
                help=help_for(held, self.logs), error=f"KeyError '{held}'", facts=self.logs.origins()),
                what="History.history", stage="call")
        return ListV((), Unknown("what was logged"))


ALIASES = frozenset({"acc", "accuracy", "loss", "mae", "mse", "mean_absolute_error", "mean_squared_error"})
"""Names of which it is sure that no callback adds them."""


def history_of(c: Call, seen: ModelView, arguments: dict[str, Any]) -> ObjectV:
    """What fit() gives."""
    stored_by(c.machine, c.receiver, arguments.get("callbacks"))
    return ObjectV("keras.callbacks.History", (), {LOGS: logs_of(c, seen, arguments)}, c.span)


@FRAMEWORK.attribute("keras.callbacks.History.history")
def history(m: Machine, value: Any) -> Any:
    held = plain(value)
    logs = held.kwargs.get(LOGS) if isinstance(held, ObjectV) else None
    return LogsV(logs) if isinstance(logs, Logs) else Unknown("what was logged")


__all__ = ["check_monitors", "history_of"]
