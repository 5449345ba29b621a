"""Claims about training a whole model: it is built again from its layers and run as the program runs it."""

from __future__ import annotations

import math
from typing import Any

from cudnnlint.engine.claims.graph import declared, graph
from cudnnlint.engine.claims.training import ARGUMENTS, MAX_ROWS, METHODS, losses_of
from cudnnlint.engine.claims.values import MAX_ELEMENTS, Encoder, NotVerifiableError, policy_name
from cudnnlint.events import Data, ModelView, TrainingStarted, tensors
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.values import Tensor
from cudnnlint.values.dim import product

OF_MODEL = frozenset({"stateful-uneven-batch", "indivisible-global-batch", "replica-starved-batch",
                      "mask-not-right-padded"})
"""Rules about what is trained and how, which the layers of the model decide."""
LOOPS = {"GradientTape": "train_on_batch", "train_step": "train_on_batch"}
"""Loops of the program's own, and the method that does the same."""
POSITIONS = {"SGD": ("learning_rate", "momentum", "nesterov"),
             "RMSprop": ("learning_rate", "rho", "momentum", "epsilon"),
             "": ("learning_rate", "beta_1", "beta_2", "epsilon")}
"""Parameters of optimizers in their order; "" for the family of Adam."""
STAND_IN = "mean squared error for a loss that is not known"
NOT_GIVEN = ("epochs", "validation_split")
"""One epoch is enough; of data that are split, so many rows are made as each part has."""
MAX_REPLICAS, MAX_MEASURED = 16, 2**33


def whole_model(event: TrainingStarted, method: str = "", rows: int | None = None) -> tuple[str, dict[str, Any]]:
    """The model, compiled as it was, with the same method on as many rows, or with another on so many."""
    model, asked = event.model, method or event.method
    method = LOOPS.get(asked, asked)
    if method not in METHODS or event.data.kind not in ("arrays", "dataset", "batch"):
        raise NotVerifiableError("the data are neither arrays nor a dataset that is known")
    encoder, outputs = Encoder(symbolic=False, largest=MAX_ELEMENTS if rows is None else MAX_MEASURED), \
        tensors(model.outputs)
    if not outputs:
        raise NotVerifiableError("the model's outputs are not known")
    known, fed = tensors(model.inputs), tensors(event.data.x)
    inputs = known or fed
    built, notes = graph(_own(outputs, known), inputs)
    encoder.notes.update(dict.fromkeys(notes))
    if asked not in METHODS:
        encoder.notes[f"as {method}()"] = None
    rows, batch = _rows(event, method) if rows is None else (rows, rows)
    facts = {"method": method, "graph": built, "inputs": [_input(each, bool(known)) for each in inputs],
             "x": [_data(encoder, each, rows) for each in (fed if len(fed) == len(inputs) else inputs)],
             **_labels(encoder, event, method, outputs, rows), "optimizer": _optimizer(encoder, model, method),
             "dataset": {"batch_size": batch} if event.data.kind == "dataset" and "_on_" not in method else None,
             "arguments": _arguments(event, method, batch), **_validation(event, batch), **_policy(model),
             **_replicas(model)}
    return "fit", {**facts, "notes": list(encoder.notes)}


def _rows(event: TrainingStarted, method: str) -> tuple[int, int]:
    """How many there are, or two batches and what is left over; and the size of a batch."""
    data, size = event.data, event.batch_size
    given = event.arguments.get("batch_size")
    batch = given if isinstance(given, int) else size if isinstance(size, int) else 32
    if data.kind == "batch" or method.endswith("_on_batch"):
        return _first(data, batch), batch
    if data.kind == "dataset":
        batch = data.full if isinstance(data.full, int) else batch
        return batch + (data.last if isinstance(data.last, int) else 0), batch
    if not isinstance(data.rows, int):
        raise NotVerifiableError("how many rows there are is not known")
    split = event.arguments.get("validation_split")
    rows = math.floor(data.rows * (1 - split)) if isinstance(split, float) and 0 < split < 1 else data.rows
    return fewer(rows, batch if "steps_per_epoch" not in event.given else 0), batch


def fewer(rows: int, batch: int) -> int:
    """Two batches and what remains over, of many."""
    rows = 2 * batch + rows % batch if rows > 4 * batch > 0 else rows
    if rows > MAX_ROWS:
        raise NotVerifiableError(f"too large to try: {rows} rows")
    return rows


def _first(data: Data, batch: int) -> int:
    found = tensors(data.x)
    extent = found[0].shape[0] if found and isinstance(found[0].shape, tuple) and found[0].shape else None
    return extent if isinstance(extent, int) else batch


def _own(outputs: tuple[Tensor, ...], inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What the model makes of its inputs, where the outputs are what it made of something else."""
    maker = outputs[0].step.maker if outputs[0].step is not None else None
    if isinstance(maker, ModelV) and inputs and tensors(maker.inputs) == inputs:
        return tensors(maker.outputs)
    return outputs


def _input(tensor: Tensor, known: bool) -> dict[str, Any]:
    """An input as it was declared; one that was not takes any batch."""
    told = declared(tensor)
    return told if known else {**told, "shape": [None, *told["shape"][1:]]}


def _data(encoder: Encoder, tensor: Tensor, rows: int) -> dict[str, Any]:
    told = encoder.tensor(tensor.with_())["tensor"]
    encoder.notes.pop("batch 2", None)
    shape = [rows, *told["shape"][1:]]
    size = product(tuple(shape))
    if not isinstance(size, int) or size > encoder.largest:
        raise NotVerifiableError(f"too large to try: an input of {size} elements")
    return {"shape": shape, "dtype": told["dtype"]}


def _labels(encoder: Encoder, event: TrainingStarted, method: str, outputs: tuple[Tensor, ...],
            rows: int) -> dict[str, Any]:
    """The program's labels and losses where both are known; else mean squared errors on what the model gives."""
    labels = tensors(event.data.y)
    if method.startswith("predict"):
        return {"y": None, "losses": None}
    try:
        losses = losses_of(event.model.losses)
        y = [_data(encoder, _like(each, made), rows) for each, made in zip(labels, outputs, strict=True)]
    except (NotVerifiableError, ValueError):
        losses, y = [], []
    if event.method in LOOPS or not losses or len(losses) not in (1, len(outputs)):
        encoder.notes[STAND_IN] = None
        losses, y = [["mean_squared_error", False]], [_data(encoder, each, rows) for each in outputs]
    return {"y": y, "losses": losses}


def _like(label: Tensor, output: Tensor) -> Tensor:
    """A label with the extents that are not known taken from the output."""
    if not isinstance(label.shape, tuple) or not isinstance(output.shape, tuple) or \
            len(label.shape) != len(output.shape):
        return label
    pairs = zip(label.shape, output.shape, strict=True)
    return label.with_(shape=tuple(dim if isinstance(dim, int) else other for dim, other in pairs))


def _optimizer(encoder: Encoder, model: ModelView, method: str) -> dict[str, Any] | None:
    told = optimizer_of(model)
    if told is None and method in ("fit", "train_on_batch"):
        encoder.notes["SGD for an optimizer that is not known"] = None
    return told


def optimizer_of(model: ModelView) -> dict[str, Any] | None:
    """Its name and its numbers; None where they are not known."""
    held = plain((model.compiled or {}).get("optimizer"))
    if isinstance(held, str):
        return {"name": held, "arguments": {}}
    if not isinstance(held, ObjectV) or not held.path.startswith("keras.optimizers.") or "**" in held.kwargs:
        return None
    name = held.path.rpartition(".")[2]
    given = {**dict(zip(POSITIONS.get(name, POSITIONS[""]), held.args, strict=False)), **held.kwargs}
    told = {key: plain(value) for key, value in given.items()}
    return {"name": name, "arguments": {key: value for key, value in told.items()
                                        if isinstance(value, (bool, int, float))}}


def _arguments(event: TrainingStarted, method: str, batch: int) -> dict[str, Any]:
    if method.endswith("_on_batch"):
        return {}
    told = {name: event.arguments[name] for name in ARGUMENTS if name in event.given and name not in NOT_GIVEN}
    if any(not isinstance(value, (int, float, type(None))) for value in told.values()):
        raise NotVerifiableError("an argument of the call is not known")
    return told


def _validation(event: TrainingStarted, batch: int) -> dict[str, Any]:
    """How many rows fit() validates on, and the size of a batch where that is the dataset's."""
    data, split = event.validation, event.arguments.get("validation_split")
    if event.method != "fit":
        return {}
    if isinstance(split, float) and 0 < split < 1 and isinstance(event.data.rows, int):
        rows = event.data.rows - math.floor(event.data.rows * (1 - split))
        return {"validation": {"rows": fewer(rows, batch)}} if rows else {}
    if data is not None and data.kind == "arrays" and isinstance(data.rows, int):
        return {"validation": {"rows": fewer(data.rows, batch)}}
    if data is not None and data.kind == "dataset" and isinstance(data.full, int):
        return {"validation": {"rows": data.full, "batch_size": data.full}}
    return {}


def _policy(model: ModelView) -> dict[str, str]:
    compute, variable = getattr(model.policy, "compute", None), getattr(model.policy, "variable", None)
    if compute is None or variable is None:
        return {}
    name = policy_name(compute, variable)
    return {"policy": name} if name != "float32" else {}


def _replicas(model: ModelView) -> dict[str, int]:
    replicas = plain(model.replicas)
    if not isinstance(replicas, int) or replicas < 2:
        return {}
    if replicas > MAX_REPLICAS or model.towers:
        raise NotVerifiableError(f"{replicas} replicas are too many to try" if not model.towers else
                                 "multi_gpu_model() is gone")
    return {"replicas": replicas}
