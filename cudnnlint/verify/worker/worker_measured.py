"""What a job shows where nothing is raised: numbers, shapes, warnings, memory."""

from __future__ import annotations

import gc
import importlib
import math
from typing import Any

from worker_libraries import RefusedError, attribute  # type: ignore[import-not-found]

GRADIENTS, STEPS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6), 12
WARM, TURNS = 4, 8
"""Models that are made before memory is looked at, and those by which it grows."""
LIMIT = 1024
"""MiB of a logical device."""
RATE, ENDLESS = 1e-3, 1e30


def of_layer(told: dict[str, Any], layer: Any, output: Any) -> dict[str, Any]:
    """What is asked of a layer's output and weights."""
    asked = told.get("measure", ())
    found: dict[str, Any] = {}
    if not {"shape", "finite", "largest", "weights"}.intersection(asked):
        return found
    numpy = importlib.import_module("numpy")
    values = [_array(output), *map(_array, _state(layer))]
    found["shape"] = list(values[0].shape)
    found["finite"] = all(bool(numpy.isfinite(value).all()) for value in values)
    found["largest"] = float(numpy.abs(values[0]).max()) if values[0].size else 0.0
    found["weights"] = list(values[1].shape) if len(values) > 1 else []
    return {name: value for name, value in found.items() if name in asked}


def _state(layer: Any) -> list[Any]:
    if hasattr(layer, "state_dict"):
        return list(layer.state_dict().values())
    return list(layer.weights)


def _array(value: Any) -> Any:
    """On the host, as NumPy has it."""
    value = value.detach().cpu() if hasattr(value, "detach") else value
    return value.numpy() if hasattr(value, "numpy") else importlib.import_module("numpy").asarray(value)


def counting(keras: Any, found: dict[str, Any]) -> Any:
    """A callback that counts the batches that were run."""
    found["steps"] = 0

    class Counting(keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_end(self, batch: Any, logs: Any = None) -> None:
            found["steps"] += 1

        on_test_batch_end = on_predict_batch_end = on_train_batch_end

    return Counting()


def optimizer(job: Any) -> None:
    """Some steps on variables of a dtype, for gradients of several sizes: the largest change, in learning rates."""
    build, dtype = job.build, job.told["dtype"]
    numpy, keras = importlib.import_module("numpy"), build.keras
    given = {**build.named(job.told["optimizer"]["arguments"]), "learning_rate": RATE}
    kind = attribute(keras.optimizers, _class_of(keras, job.told["optimizer"]["name"]))
    job.stage, largest = "call", 0.0
    for size in GRADIENTS:
        for gradients in (numpy.full((STEPS, 4), size), numpy.random.normal(size=(STEPS, 4)) * size):
            made, variable = kind(**given), keras.Variable(numpy.ones(4), dtype=dtype)
            made.build([variable])
            before = numpy.ones(4)
            for gradient in gradients:
                made.apply([keras.ops.cast(gradient, dtype)], [variable])
                after = _array(keras.ops.cast(variable, "float32"))
                change = float(numpy.abs(after - before).max())
                largest, before = max(largest, change if math.isfinite(change) else ENDLESS), after
    job.measured["jump"] = largest / RATE


def rebuilt(job: Any) -> None:
    """How much more memory the process has for each model that is made and run, once it is warm."""
    numpy, keras, method = importlib.import_module("numpy"), job.build.keras, job.told["method"]
    if method not in ("fit", "evaluate", "predict"):
        raise RefusedError(f"no method {method}")
    data = [numpy.zeros((4, 8), "float32")] * (1 if method == "predict" else 2)
    job.stage, sizes = "call", []
    for _ in range(WARM + TURNS):
        model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8)])
        model.compile("sgd", "mse")
        getattr(model, method)(*data, verbose=0)
        gc.collect()
        sizes.append(_resident())
    job.measured["growth"] = (sizes[-1] - sizes[WARM - 1]) // TURNS


def _resident() -> int:
    """Bytes of memory that this process has for itself, on Linux, also those that were swapped out.

    What it shares with files, the libraries themselves, comes and goes with what the machine has free.
    """
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        told = dict(line.split(":", 1) for line in file if ":" in line)
    return sum(int(told[name].split()[0]) * 1024 for name in ("RssAnon", "VmSwap") if name in told)


def grown(job: Any) -> None:
    """How many operations a graph has more for each turn of a loop that adds two numbers in a session."""
    tf = importlib.import_module("tensorflow")
    job.stage = "call"
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        counts = []
        for turn in range(TURNS):
            session.run(tf.add(turn, 1))
            counts.append(len(graph.get_operations()))
    job.measured["operations"] = (counts[-1] - counts[0]) // (TURNS - 1)


def _class_of(keras: Any, name: str) -> str:
    return name if name[:1].isupper() else type(keras.optimizers.get(name)).__name__


def devices(job: Any) -> None:
    """Settings of the devices, in a process that has not taken them, one after the other; "use" takes them."""
    config = importlib.import_module("tensorflow").config
    found = config.list_physical_devices(job.device.upper())
    if len(found) < job.told["gpus"]:
        raise RefusedError(f"it needs {job.told['gpus']} GPUs, there {'is' if len(found) == 1 else 'are'} {len(found)}")
    job.stage = "call"
    for act in job.told["acts"]:
        if act == "use":
            importlib.import_module("tensorflow").zeros(1)
        elif act == "limit":
            config.set_logical_device_configuration(found[0], [config.LogicalDeviceConfiguration(
                memory_limit=LIMIT if job.device == "gpu" else None)])
        elif act == "hide":
            config.set_visible_devices([], job.device.upper())
        else:
            for device in found[:1] if act == "growth of one" else found:
                config.experimental.set_memory_growth(device, True)


def traces(job: Any) -> None:
    """How often TensorFlow traces a function that is given such values, one after the other."""
    tf, told = importlib.import_module("tensorflow"), job.told
    job.stage = "call"
    count, function = [0], None

    def nothing(value: Any) -> Any:
        count[0] += 1
        return tf.constant(0)

    for value in told["values"]:
        if function is None or told["cause"] == "made":
            function = tf.function(nothing)
        function(job.build.value(value))
    job.measured["traces"] = count[0]
