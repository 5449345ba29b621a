"""What a worker does with a job: makes, calls, runs; whatever is raised is the outcome."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import random
import time
import traceback
import warnings
from typing import Any

from worker_fit import METHODS, fit, loss_of, one_or_all  # type: ignore[import-not-found]
from worker_libraries import Libraries, RefusedError, attribute  # type: ignore[import-not-found]
from worker_measured import (  # type: ignore[import-not-found]
    devices,
    grown,
    of_layer,
    optimizer,
    rebuilt,
    traces,
)
from worker_profile import profiled  # type: ignore[import-not-found]
from worker_values import NO_PARTS, Builder  # type: ignore[import-not-found]

MAX_TEXT, MAX_WARNINGS = 4000, 20


class Job:
    """One job under way; `stage` is how far it came."""

    def __init__(self, libraries: Libraries, told: dict[str, Any]) -> None:
        self.told, self.stage, self.backend, self.device = told, "start", libraries.backend, libraries.device
        self.build = Builder(libraries, told["api"])
        self.libraries = libraries
        self.measured: dict[str, Any] = {}

    def reset(self) -> None:
        """As if no job had run before."""
        keras = self.build.keras
        random.seed(0)
        if self.build.torch is not None:
            self.build.torch.manual_seed(0)
            return
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
        if told.get("graph") and self.backend == "tensorflow":
            output = importlib.import_module("tensorflow").function(lambda: layer(inputs, *args, **kwargs))()
            self.measured = of_layer(told, layer, output)
            return
        outputs = layer(inputs, *args, **kwargs)
        if build.made:
            self.stage = "run"
            model = build.keras.Model([made for made, _ in build.made], outputs)
            outputs = model.predict_on_batch(one_or_all([build.real(each) for _, each in build.made]))
        self.measured = of_layer(told, layer, outputs)

    def function(self) -> None:
        told = self.told
        called = self.build.function(told["function"])
        self.stage = "inputs"
        self.build.arrays = told["function"].startswith("numpy.")
        args, kwargs = self.build.value(told["args"]), self.build.named(told["kwargs"])
        self.stage = "call"
        called(*args, **kwargs)

    def loss(self) -> None:
        """A loss on labels and predictions, as an object or as a function."""
        told = self.told
        self.stage = "inputs"
        y, output = self.build.value(told["y"]), self.build.value(told["output"])
        losses = self.build.keras.losses
        if told["form"] == "object":
            called = loss_of(self.build, told["loss"], told["from_logits"], anew=True)
            self.stage = "call"
            called(y, output)
        else:
            called = attribute(losses, told["loss"])
            self.stage = "call"
            called(y, output, **({"from_logits": True} if told["from_logits"] else {}))

    def name(self) -> None:
        """Look for a name, as an attribute or by importing it."""
        path = self.told["name"]
        self.stage = "call"
        if self.told["module"]:
            importlib.import_module(path)
        try:
            self.build.anything(path)
        except AttributeError:
            if not self.told["imported"]:
                raise
            importlib.import_module(path)

    def argument(self) -> None:
        """Call a function with an argument that it does not take: its body never runs."""
        path = self.told["name"]
        of_model = path.startswith("keras.Model.")
        parts = path.split(".")
        if parts[-1] not in (*METHODS, "compile") if of_model else NO_PARTS.intersection(parts):
            raise RefusedError(f"no function {path}")
        self.stage = "inputs"
        called = self.build.anything(path)
        given = inspect.signature(called).parameters
        open_ = any(each.kind is each.VAR_KEYWORD for each in given.values())
        if self.told["argument"] in given or (open_ and ".optimizers." not in path):
            raise RefusedError(f"{path} takes any argument")
        self.stage = "call"
        called(**{self.told["argument"]: 1})

    def batch(self) -> None:
        """A batch size, or a batch of elements of different shapes."""
        tf = importlib.import_module("tensorflow")
        shapes = self.told.get("shapes")
        dataset = tf.data.Dataset.range(8) if not shapes else tf.data.Dataset.from_generator(
            lambda: map(tf.zeros, shapes), output_signature=tf.TensorSpec([None] * len(shapes[0])))
        self.stage = "call"
        batched = dataset.batch(int(self.told["batch_size"]))
        if shapes:
            next(iter(batched))


KINDS = {"layer": Job.layer, "function": Job.function, "fit": fit, "loss": Job.loss, "name": Job.name,
         "argument": Job.argument, "batch": Job.batch,
         "optimizer": optimizer, "traces": traces, "devices": devices,
         "rebuilt": rebuilt, "grown": grown}


def shortened(text: str) -> str:
    """Its beginning and its end: TensorFlow says last what is wrong, after where each node was made."""
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT // 2] + "\n" + text[-MAX_TEXT // 2:]


def answer(libraries: Libraries, told: dict[str, Any]) -> dict[str, Any]:
    """The reply to one job."""
    reply: dict[str, Any] = {"id": told["id"], "outcome": "ran", "error": None, "stage": "start", "seconds": 0.0}
    job, began = None, time.perf_counter()
    try:
        if told["kind"] not in KINDS:
            raise RefusedError(f"no job of kind {told['kind']}")
        job = Job(libraries, told)
        if told["kind"] != "devices":  # nothing may touch them before
            job.reset()
        began = time.perf_counter()
        directory = libraries.profile and os.path.join(libraries.profile, f"{told['id']:03}")
        around = profiled(libraries.backend, directory) if directory else contextlib.nullcontext()
        with warnings.catch_warnings(record=True) as caught, around:
            warnings.simplefilter("always")
            KINDS[told["kind"]](job)
        if "warning" in told.get("measure", ()):
            job.measured["warning"] = [str(each.message)[:MAX_TEXT] for each in caught][:MAX_WARNINGS]
    except RefusedError as error:
        reply.update(outcome="refused", error={"types": [], "text": str(error)})
    except Exception as error:
        traceback.print_exc()
        names = [kind.__name__ for kind in type(error).__mro__[:-1]]
        reply.update(outcome="raised", error={"types": names, "text": shortened(str(error))})
    if job is not None and job.measured:
        reply["measured"] = job.measured
    reply.update(stage=job.stage if job is not None else "start", seconds=round(time.perf_counter() - began, 3))
    with contextlib.suppress(Exception):
        reply.update(versions=libraries.versions(told["api"]), backend=libraries.backend,
                     device=libraries.device_name(), peak_bytes=libraries.peak_bytes())
    return reply
