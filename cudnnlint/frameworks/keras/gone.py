"""Methods of models that Keras 3 does not have any more, as far as those of today do the same."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import called_as
from cudnnlint.frameworks.training.calls import run
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.keras.creation import CONVERTING
from cudnnlint.interp.mistakes.changes import check_method, outlived
from cudnnlint.interp.registry import PARENTS, Call
from cudnnlint.ops.given_names import METRIC_CLASSES
from cudnnlint.values import Unknown

METRIC = "keras.metrics.Metric"


@FRAMEWORK.on("keras.Model.predict_classes", "keras.Model.predict_proba", "keras.Model.to_yaml",
              "keras.Model.reset_states")
def gone(c: Call) -> Any:
    check_method(c, called_as(c).rpartition(".")[2])
    return Unknown("a method that is gone")


@FRAMEWORK.on("keras.layers.Layer.add_metric")
def add_metric(c: Call) -> None:
    check_method(c, "add_metric", "Layer")


PARENTS.update({f"keras.metrics.{name}": METRIC for name in METRIC_CLASSES})


@FRAMEWORK.on(f"{METRIC}.reset_states")
def reset_states(c: Call) -> None:
    check_method(c, "reset_states", "Metric")


GENERATOR_ARGUMENTS = {
    "generator": "x", "nb_epoch": "epochs", "samples_per_epoch": "steps_per_epoch", "nb_worker": "workers",
    "max_q_size": "max_queue_size", "nb_val_samples": "validation_steps", "pickle_safe": "use_multiprocessing",
    "val_samples": "steps"}
"""Names of Keras 1 -> those of fit() and its kin."""
SAMPLES = ("samples_per_epoch", "nb_val_samples", "val_samples")
IN_SAMPLES = Unknown("counted in samples: Keras 2.3 divides by the generator's batch_size if it has one")


def _generator(c: Call, method: str) -> Any:
    """The Keras 2 generator methods: fit under other argument names."""
    check_method(c, f"{method}_generator")
    if "nb_epoch" in c.kwargs and c.machine.stack.implied and CONVERTING.holds(c.machine.stack):
        outlived(c.machine, "argument", f"keras.Model.{method}_generator", "nb_epoch", CONVERTING, c.node)
    renamed = {GENERATOR_ARGUMENTS.get(key, key): wrap(IN_SAMPLES) if key in SAMPLES else value
               for key, value in c.kwargs.items()}
    for key, value in zip(("x", "steps_per_epoch" if method == "fit" else "steps", "epochs"), c.args, strict=False):
        renamed.setdefault(key, value)
    kept = {key: value for key, value in renamed.items()
            if key not in ("workers", "max_queue_size", "use_multiprocessing")}
    return run(Call(c.machine, c.callee, [], kept, c.node, c.receiver), method)


def _method(name: str) -> Any:
    return lambda c: _generator(c, name)


for _name in ("fit", "evaluate", "predict"):
    FRAMEWORK.on(f"keras.Model.{_name}_generator")(_method(_name))
