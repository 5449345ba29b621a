"""What a worker does with a job: makes, calls, runs; whatever is raised is the outcome."""

from __future__ import annotations

import contextlib
import importlib
import random
import time
import traceback
from typing import Any

from worker_values import Builder, Libraries, RefusedError, attribute  # type: ignore[import-not-found]

FUNCTIONS = ("tensorflow.", "keras.ops.", "numpy.", "keras.losses.")
NO_PARTS = frozenset({
    "io", "save", "load", "summary", "py_function", "numpy_function", "saved_model", "train", "data", "lib", "test",
    "fromfile", "loadtxt", "genfromtxt", "memmap", "savez", "debugging", "config", "compat", "raw_ops", "distribute",
    "profiler", "estimator",
})
"""Parts of names that read, write or run more than tensors."""
METHODS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
MAX_TEXT = 4000


class Job:
    """One job under way; `stage` is how far it came."""

    def __init__(self, libraries: Libraries, told: dict[str, Any]) -> None:
        self.told, self.stage = told, "start"
        self.build = Builder(libraries, told["api"])

    def reset(self) -> None:
        """As if no job had run before."""
        keras = self.build.keras
        random.seed(0)
        importlib.import_module("numpy").random.seed(0)
        keras.backend.clear_session()
        keras.backend.set_image_data_format("channels_last")
        policy = self.told.get("policy") or "float32"
        if hasattr(keras, "mixed_precision"):
            keras.mixed_precision.set_global_policy(policy)
        else:
            keras.config.set_dtype_policy(policy)

    def layer(self) -> None:
        """Make a layer; call it; and where the inputs are symbolic, run the model that this makes."""
        told, build = self.told, self.build
        self.stage = "constructor"
        layer = build.layer(told)
        if told["stage"] == "constructor":
            return
        if "before" in told:
            self.stage = "before"
            layer(build.value(told["before"]))
            build.made.clear()
        self.stage = "inputs"
        inputs, args, kwargs = build.value(told["inputs"]), build.value(told["args"]), build.named(told["kwargs"])
        self.stage = "call"
        outputs = layer(inputs, *args, **kwargs)
        if build.made:
            self.stage = "run"
            model = build.keras.Model([made for made, _ in build.made], outputs)
            model([build.real(each) for _, each in build.made])

    def function(self) -> None:
        told, path = self.told, self.told["function"]
        if not path.startswith(FUNCTIONS) or NO_PARTS.intersection(path.split(".")):
            raise RefusedError(f"no function {path}")
        root, _, rest = path.partition(".")
        self.stage = "inputs"
        called = attribute(self.build.keras if root == "keras" else importlib.import_module(root), rest)
        self.build.arrays = root == "numpy"
        args, kwargs = self.build.value(told["args"]), self.build.named(told["kwargs"])
        self.stage = "call"
        called(*args, **kwargs)

    def fit(self) -> None:
        """A model that hands its inputs on is trained or run on zeros."""
        told, build, keras = self.told, self.build, self.build.keras
        method = told["method"]
        if method not in METHODS:
            raise RefusedError(f"no method {method}")
        self.stage = "inputs"
        inputs = [build.symbolic(one) for one in told["model"]]
        outputs = [keras.layers.Activation("linear")(made) for made in inputs]
        model = keras.Model(_one_or_all(inputs), _one_or_all(outputs))
        data = [_one_or_all([build.array(one) for one in told[name]]) for name in ("x", "y") if told.get(name)]
        arguments = build.named(told["arguments"])
        self.stage = "compile"
        if told.get("losses"):
            model.compile(optimizer="sgd", loss=_one_or_all([self._loss(*one) for one in told["losses"]]))
        elif not method.startswith("predict"):
            model.compile(optimizer="sgd", loss="mse")
        self.stage = method
        silent = {} if method.endswith("_on_batch") else {"verbose": 0}
        getattr(model, method)(*data, **arguments, **silent)

    def _loss(self, name: str, from_logits: bool) -> Any:
        losses = self.build.keras.losses
        if not from_logits:
            return losses.get(name)
        return attribute(losses, "".join(part.capitalize() for part in name.split("_")))(from_logits=True)


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


KINDS = {"layer": Job.layer, "function": Job.function, "fit": Job.fit}


def answer(libraries: Libraries, told: dict[str, Any]) -> dict[str, Any]:
    """The reply to one job."""
    reply: dict[str, Any] = {"id": told["id"], "outcome": "ran", "error": None, "stage": "start", "seconds": 0.0}
    job, began = None, time.perf_counter()
    try:
        if told["kind"] not in KINDS:
            raise RefusedError(f"no job of kind {told['kind']}")
        job = Job(libraries, told)
        job.reset()
        began = time.perf_counter()
        KINDS[told["kind"]](job)
    except RefusedError as error:
        reply.update(outcome="refused", error={"types": [], "text": str(error)})
    except Exception as error:
        traceback.print_exc()
        names = [kind.__name__ for kind in type(error).__mro__[:-1]]
        reply.update(outcome="raised", error={"types": names, "text": str(error)[:MAX_TEXT]})
    reply.update(stage=job.stage if job is not None else "start", seconds=round(time.perf_counter() - began, 3))
    with contextlib.suppress(Exception):
        reply.update(versions=libraries.versions(told["api"]), backend=libraries.backend,
                     device=libraries.device_name(), peak_bytes=libraries.peak_bytes())
    return reply
