"""Training jobs: a model made of what is told of it, and the data that it is trained or run on."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from worker_graph import model_of_graph  # type: ignore[import-not-found]
from worker_libraries import RefusedError, attribute  # type: ignore[import-not-found]
from worker_measured import counting  # type: ignore[import-not-found]

METHODS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch", "call")
WIDEST = 512
"""The last axis of a model that gets weights."""


def fit(job: Any) -> None:
    """A model, that of the program or one that hands its inputs on, is trained or run."""
    told, build = job.told, job.build
    method = told["method"]
    if method not in METHODS:
        raise RefusedError(f"no method {method}")
    job.stage = "inputs"
    scope, inside = scope_of(job), told.get("inside") or [True, True, False]
    with scope() if inside[0] else contextlib.nullcontext():
        model = model_of_graph(build, told) if "graph" in told else stand_in(build, told["model"])
    data = [element_of(build, told)] if "element" in told else data_of(build, told)
    arguments = {**build.named(told["arguments"]), **validation_of(build, told)}
    job.stage = "compile"
    losses = [loss_of(build, *one) for one in told.get("losses") or ()]
    if not method.startswith("predict"):
        with scope() if inside[1] else contextlib.nullcontext():
            model.compile(optimizer=optimizer_of(build, told), loss=one_or_all(losses) if losses else "mse")
    with scope() if inside[2] else contextlib.nullcontext():
        trained(job, model, data, arguments)


def trained(job: Any, model: Any, data: list[Any], arguments: dict[str, Any]) -> None:
    """Call the method, and measure what is asked for."""
    told, build, method = job.told, job.build, job.told["method"]
    job.stage = method
    if method == "call":
        model(build.real(told["x"][0]))
        return
    if not method.endswith("_on_batch"):
        arguments["verbose"] = 0
        if "steps" in told.get("measure", ()):
            arguments["callbacks"] = [counting(build.keras, job.measured)]
    getattr(model, method)(*data, **arguments)
    if "peak" in told.get("measure", ()):
        job.libraries.reset_peak()
        getattr(model, method)(*data, **arguments)
        job.measured["peak"] = job.libraries.peak_bytes()


def scope_of(job: Any) -> Any:
    """The scope of a strategy over as many devices as there are replicas."""
    replicas = job.told.get("replicas", 1)
    if replicas < 2:
        return contextlib.nullcontext
    if job.backend != "tensorflow":
        raise RefusedError("replicas are those of tf.distribute")
    tf = importlib.import_module("tensorflow")
    kind = "CPU" if job.device == "cpu" else "GPU"
    found = len(tf.config.list_logical_devices(kind))
    if found < replicas:
        raise RefusedError(f"it needs {replicas} {kind}s, there {'is' if found == 1 else 'are'} {found}")
    return tf.distribute.MirroredStrategy([f"{kind}:{place}" for place in range(replicas)]).scope


def stand_in(build: Any, inputs: list[dict[str, Any]]) -> Any:
    """A model that hands its inputs on, through weights of its own."""
    keras = build.keras
    made = [build.symbolic(one) for one in inputs]
    outputs = []
    for each, one in zip(made, inputs):  # noqa: B905 - Python 3.9 may run this
        width = one["shape"][-1] if len(one["shape"]) > 1 else None
        layer = keras.layers.Dense(width) if width and width <= WIDEST else keras.layers.Activation("linear")
        outputs.append(layer(each))
    return keras.Model(one_or_all(made), one_or_all(outputs))


def element_of(build: Any, told: dict[str, Any]) -> Any:
    """Batches of a structure of their own."""
    build.arrays = True
    element = build.value(told["element"])
    build.arrays = False
    if told["source"] == "generator":
        return (element for _ in range(2))
    if told["source"] == "sequence":
        return _sequence(build.keras.utils, element)
    tf = importlib.import_module("tensorflow")
    return tf.data.Dataset.from_tensors(element).repeat(2)


def _sequence(utils: Any, element: Any) -> Any:
    base: Any = utils.PyDataset if hasattr(utils, "PyDataset") else utils.Sequence

    class Batches(base):  # type: ignore[misc]
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return element

    return Batches()


def validation_of(build: Any, told: dict[str, Any]) -> dict[str, Any]:
    """Such data as is trained on, with as many rows as are validated on."""
    given = told.get("validation")
    if not given:
        return {}
    fewer = {name: [{**one, "shape": [given["rows"], *one["shape"][1:]]} for one in told[name]] for name in ("x", "y")}
    size = given.get("batch_size")
    made = data_of(build, {**fewer, "dataset": {"batch_size": size} if size else None})
    return {"validation_data": made[0] if size else tuple(made)}


def data_of(build: Any, told: dict[str, Any]) -> list[Any]:
    """x, and y if there is one; a dataset holds both, but for labels that are given aside."""
    dataset = told.get("dataset")
    arrays = [one_or_all([build.array(one) for one in told[name]]) for name in ("x", "y") if told.get(name)]
    if not dataset:
        return arrays
    tf = importlib.import_module("tensorflow")
    aside = arrays[1:] if dataset.get("labels") == "aside" else []
    held = arrays[0] if aside or len(arrays) == 1 else tuple(map(_tupled, arrays))
    made = tf.data.Dataset.from_tensor_slices(_tupled(held))
    size = dataset.get("batch_size") or max(told["x"][0]["shape"][0], 1)
    made = made.batch(size) if dataset.get("batched", True) else made
    batches = dataset.get("batches", 1)
    return [made.take(0) if batches == 0 else made.repeat(batches) if batches > 1 else made, *aside]


def optimizer_of(build: Any, told: dict[str, Any]) -> Any:
    given = told.get("optimizer") or {"name": "sgd", "arguments": {}}
    if not given["name"][:1].isupper():
        return str(given["name"])
    return attribute(build.keras.optimizers, given["name"])(**build.named(given["arguments"]))


def loss_of(build: Any, name: str, from_logits: bool, anew: bool = False) -> Any:
    losses = build.keras.losses
    if not from_logits and not anew:
        return losses.get(name)
    made = attribute(losses, "".join(part.capitalize() for part in name.split("_")))
    return made(from_logits=True) if from_logits else made()


def one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
