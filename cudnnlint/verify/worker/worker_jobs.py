"""What a worker does with a job: makes, calls, runs; whatever is raised is the outcome."""

from __future__ import annotations

import contextlib
import importlib
import random
import time
import traceback
from typing import Any

from worker_values import Builder, Libraries, RefusedError, attribute  # type: ignore[import-not-found]

FUNCTIONS = ("tensorflow.", "keras.ops.", "keras.applications.", "numpy.", "operator.", "torch.")
NO_PARTS = frozenset({
    "io", "save", "load", "summary", "py_function", "numpy_function", "saved_model", "train", "data", "lib", "test",
    "fromfile", "loadtxt", "genfromtxt", "memmap", "savez", "savetxt", "tofile", "dump", "debugging", "config",
    "compat", "raw_ops", "distribute", "profiler", "estimator", "hub", "utils", "jit", "serialization", "package",
    "multiprocessing", "distributed", "export", "compile", "from_file",
})
"""Parts of names that read, write or run more than tensors."""
OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
             "@": "matmul", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&": "and_", "|": "or_", "^": "xor"}
METHODS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch", "call")
WIDEST = 512
"""The last axis of a model that gets weights."""
MAX_TEXT = 4000


class Job:
    """One job under way; `stage` is how far it came."""

    def __init__(self, libraries: Libraries, told: dict[str, Any]) -> None:
        self.told, self.stage, self.backend = told, "start", libraries.backend
        self.build = Builder(libraries, told["api"])

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
            importlib.import_module("tensorflow").function(lambda: layer(inputs, *args, **kwargs))()
            return
        outputs = layer(inputs, *args, **kwargs)
        if build.made:
            self.stage = "run"
            model = build.keras.Model([made for made, _ in build.made], outputs)
            model.predict_on_batch(_one_or_all([build.real(each) for _, each in build.made]))

    def function(self) -> None:
        told, path = self.told, self.told["function"]
        if not path.startswith(FUNCTIONS) or NO_PARTS.intersection(path.split(".")):
            raise RefusedError(f"no function {path}")
        root, _, rest = path.partition(".")
        self.stage = "inputs"
        rest = OPERATORS.get(rest, rest) if root == "operator" else rest
        called = attribute(self.build.keras if root == "keras" else importlib.import_module(root), rest)
        self.build.arrays = root == "numpy"
        args, kwargs = self.build.value(told["args"]), self.build.named(told["kwargs"])
        self.stage = "call"
        called(*args, **kwargs)

    def fit(self) -> None:
        """A model that hands its inputs on, through weights of its own, is trained or run."""
        told, build = self.told, self.build
        method = told["method"]
        if method not in METHODS:
            raise RefusedError(f"no method {method}")
        self.stage = "inputs"
        model, data = self._model(), self._data()
        arguments = build.named(told["arguments"])
        self.stage = "compile"
        losses = [self._loss(*one) for one in told.get("losses") or ()]
        if not method.startswith("predict"):
            model.compile(optimizer="sgd", loss=_one_or_all(losses) if losses else "mse")
        self.stage = method
        if method == "call":
            model(build.real(told["x"][0]))
        else:
            silent = {} if method.endswith("_on_batch") else {"verbose": 0}
            getattr(model, method)(*data, **arguments, **silent)

    def _model(self) -> Any:
        keras = self.build.keras
        inputs = [self.build.symbolic(one) for one in self.told["model"]]
        outputs = []
        for made, one in zip(inputs, self.told["model"]):  # noqa: B905 - Python 3.9 may run this
            width = one["shape"][-1] if len(one["shape"]) > 1 else None
            layer = keras.layers.Dense(width) if width and width <= WIDEST else keras.layers.Activation("linear")
            outputs.append(layer(made))
        return keras.Model(_one_or_all(inputs), _one_or_all(outputs))

    def _data(self) -> list[Any]:
        """x, and y if there is one; a dataset holds both, but for labels that are given aside."""
        told, dataset = self.told, self.told.get("dataset")
        arrays = [_one_or_all([self.build.array(one) for one in told[name]]) for name in ("x", "y") if told.get(name)]
        if not dataset:
            return arrays
        tf = importlib.import_module("tensorflow")
        aside = arrays[1:] if dataset["labels"] == "aside" else []
        held = arrays[0] if aside or len(arrays) == 1 else tuple(map(_tupled, arrays))
        made = tf.data.Dataset.from_tensor_slices(_tupled(held))
        made = made.batch(max(told["x"][0]["shape"][0], 1)) if dataset["batched"] else made
        return [made.take(0) if dataset["batches"] == 0 else made, *aside]

    def loss(self) -> None:
        """A loss on labels and predictions, as an object or as a function."""
        told = self.told
        self.stage = "inputs"
        y, output = self.build.value(told["y"]), self.build.value(told["output"])
        losses = self.build.keras.losses
        if told["form"] == "object":
            called = self._loss(told["loss"], told["from_logits"], anew=True)
            self.stage = "call"
            called(y, output)
        else:
            called = attribute(losses, told["loss"])
            self.stage = "call"
            called(y, output, **({"from_logits": True} if told["from_logits"] else {}))

    def name(self) -> None:
        """Look for a name, as an attribute or by importing it."""
        path = self.told["name"]
        root, _, rest = path.partition(".")
        if root not in ("tensorflow", "keras"):
            raise RefusedError(f"no name {path}")
        self.stage = "call"
        try:
            attribute(self.build.keras if root == "keras" else importlib.import_module(root), rest)
        except AttributeError:
            if not self.told["imported"]:
                raise
            importlib.import_module(path)

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

    def _loss(self, name: str, from_logits: bool, anew: bool = False) -> Any:
        losses = self.build.keras.losses
        if not from_logits and not anew:
            return losses.get(name)
        made = attribute(losses, "".join(part.capitalize() for part in name.split("_")))
        return made(from_logits=True) if from_logits else made()


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


KINDS = {"layer": Job.layer, "function": Job.function, "fit": Job.fit, "loss": Job.loss, "name": Job.name,
         "batch": Job.batch}


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
