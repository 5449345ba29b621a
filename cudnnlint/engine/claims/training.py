"""Claims about training calls: what fit() is given and which losses, with a model that hands its inputs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.engine.claims.values import Encoder, NotVerifiableError
from cudnnlint.events import Data, LossCalled, LossInfo, Rejected, TrainingStarted, tensors
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.bounds import bounds
from cudnnlint.values.dim import Dim
from cudnnlint.values.mismatch import ONE_BATCH

OF_DATA = frozenset({"empty-training-run", "non-positive-batch-size", "labels-with-dataset", "unbatched-dataset",
                     "validation-split-with-dataset", "steps-exceed-data"})
"""Rules about what fit() is given, whatever the model."""
OF_LABELS = frozenset({"label-shape-mismatch", "label-out-of-range"})
ARGUMENTS = ("batch_size", "steps_per_epoch", "steps", "validation_split", "validation_batch_size", "epochs")
METHODS = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
MAX_ROWS, MAX_BATCHES = 2**16, 256
OF_INPUTS = ("incompatible shape", "found shape=", "found ndim=")
"""What models of one or another kind say of an input of the wrong shape (keras/src/models/functional.py,
keras/src/layers/input_spec.py)."""
OF_SHAPES = "Arguments `target` and `output` must have the same shape"
"""What Keras on JAX and PyTorch says of labels (keras/src/backend/torch/nn.py: sparse_categorical_crossentropy)."""
ANY_MODEL = "a model of 4 features"


def training(event: TrainingStarted, rule: str) -> tuple[str, dict[str, Any]]:
    """The call with all that it is given; the model is replaced by one that hands the outputs on."""
    encoder = Encoder(symbolic=False)
    if event.method not in METHODS or rule not in OF_DATA | OF_LABELS:
        raise NotVerifiableError("no job is known for such a finding")
    if event.data.kind not in ("arrays", "dataset"):
        raise NotVerifiableError("the data are neither arrays nor a dataset that is known")
    outputs = (Tensor((Unknown(), 4)),) if rule in OF_DATA else tensors(event.model.outputs)
    labels = outputs if rule in OF_DATA else tensors(event.data.y)
    if not outputs or len(labels) != len(outputs):
        raise NotVerifiableError("the model's outputs or the labels are not known")
    if rule == "label-shape-mismatch" and _has_own_rows(outputs) and not _has_own_rows(tensors(event.model.inputs)):
        raise NotVerifiableError("the model itself says how many rows there are")
    rows = _rows(event)
    y = [_tensor(encoder, each, rows) for each in labels]
    if rule in OF_DATA:
        encoder.notes[ANY_MODEL] = None
    if rule == "label-out-of-range":
        y[0]["fill"] = _wrong_label(labels[0], outputs[0])
    arguments = {name: event.arguments[name] for name in ARGUMENTS if name in event.given}
    if any(not isinstance(value, (int, float, type(None))) for value in arguments.values()):
        raise NotVerifiableError("an argument of the call is not known")
    if (arguments.get("validation_split") or 0) >= 1:
        raise NotVerifiableError("a run that validates says nothing of whether it trained")
    also = {"also": (OF_SHAPES,)} if rule == "label-shape-mismatch" else {}
    return "fit", {
        **also, "method": event.method, "model": [_tensor(encoder, each, None) for each in outputs],
        "x": [_tensor(encoder, each, rows) for each in outputs],
        "y": None if event.method.startswith("predict") else y,
        "losses": losses_of(event.model.losses) if rule in OF_LABELS else None,
        "dataset": _dataset(event.data, event) if event.data.kind == "dataset" else None,
        "arguments": arguments, "notes": list(encoder.notes)}


def _has_own_rows(given: Sequence[Tensor]) -> bool:
    """Whether a number of rows is said in place of a batch of any size."""
    return any(isinstance(one.shape, tuple) and one.shape and isinstance(one.shape[0], int) for one in given)


def _wrong_label(labels: Tensor, output: Tensor) -> int:
    found = bounds(labels)
    units = output.shape[-1] if isinstance(output.shape, tuple) else None
    if found is None or not isinstance(units, int):
        raise NotVerifiableError("the wrong labels are not known")
    return int(found.low if found.low < 0 else found.high)


def _rows(event: TrainingStarted) -> int:
    """Samples to make: as many as there are, or those of one batch."""
    batch = event.batch_size if isinstance(event.batch_size, int) else 2
    rows = event.data.rows if event.data.kind == "arrays" else max(batch, 1)
    if not isinstance(rows, int):
        return max(batch, 1)
    if rows > MAX_ROWS:
        raise NotVerifiableError(f"too large to try: {rows} rows")
    return rows


def _dataset(data: Data, event: TrainingStarted) -> dict[str, Any]:
    batches = data.batches if isinstance(data.batches, int) and data.batches <= MAX_BATCHES else 1
    aside = "y" in event.given and event.arguments.get("y") is not None
    return {"batched": data.batched is not False, "batches": batches, "labels": "aside" if aside else "inside"}


def _tensor(encoder: Encoder, tensor: Tensor, rows: int | None) -> Any:
    """Its data, with this many rows."""
    told = encoder.tensor(tensor)["tensor"]
    if not told["shape"]:
        raise NotVerifiableError("an output without a batch axis")
    encoder.notes.pop("batch 2", None)
    return {"shape": [rows, *told["shape"][1:]], "dtype": told["dtype"]}


def losses_of(losses: Any) -> list[list[Any]]:
    """Name and from_logits of each."""
    listed = losses if isinstance(losses, (list, tuple)) else [losses]
    if not all(isinstance(each, LossInfo) and each.name for each in listed):
        raise NotVerifiableError("the loss is code of the user's, or named by output")
    return [[each.name, each.from_logits is True] for each in listed]


def loss_called(event: LossCalled, rule: str) -> tuple[str, dict[str, Any]]:
    """A loss on labels and predictions."""
    encoder = Encoder(symbolic=False)
    labels, outputs = tensors(event.y), tensors(event.output)
    if len(labels) != 1 or len(outputs) != 1 or event.form == "fit":
        raise NotVerifiableError("labels and predictions are not one tensor each")
    ((name, from_logits),) = losses_of(event.losses)
    y = encoder.tensor(labels[0])
    if rule == "label-out-of-range":
        y = {"tensor": {"shape": y["tensor"]["shape"], "dtype": y["tensor"]["dtype"],
                        "fill": _wrong_label(labels[0], outputs[0])}}
    return "loss", {"also": (OF_SHAPES,), "loss": name, "from_logits": from_logits, "form": event.form, "y": y,
                    "output": encoder.tensor(outputs[0]), "notes": list(encoder.notes)}


def refused_input(event: Rejected) -> tuple[str, dict[str, Any]]:
    """A model called or trained on inputs of another shape, or rows that do not go together."""
    encoder = Encoder(symbolic=False)
    mismatch, method = event.mismatch, event.stage
    if mismatch.fact(ONE_BATCH[0][0]):
        raise NotVerifiableError("batches that the program makes are not made again")
    given = tensors(event.inputs)
    if mismatch.fact("rows"):
        if len(given) != 2 or any(_count(each) > MAX_ROWS for each in given):
            raise NotVerifiableError("x and y are not one array each, or too large to try")
        wanted: Any = given[0].shape
        fed: list[Any] = [encoder.tensor(each)["tensor"] for each in given]
    elif isinstance(mismatch.fact("expected"), tuple):
        wanted = mismatch.fact("expected")
        same = [each for each in given if each.shape == mismatch.fact("actual")] or [Tensor(mismatch.fact("actual"))]
        fed = [encoder.tensor(same[0])["tensor"]]
    else:
        raise NotVerifiableError(f"no job is known for {event.what}")
    if not isinstance(wanted, tuple) or method not in METHODS | {"call", "validation_data"}:
        raise NotVerifiableError(f"no job is known for {event.what}")
    first = fed[0]["shape"]
    if not mismatch.fact("rows") and abs(len(first) - len(wanted)) == 1 and 1 in (first[-1:] + list(wanted[-1:])):
        raise NotVerifiableError("whether it fails depends on the layers: an axis of 1 is added or taken away")
    shape = [dim if isinstance(dim, int) else None for dim in wanted[1:]]
    return "fit", {"method": "evaluate" if method == "validation_data" else method,
                   "model": [{"shape": [None, *shape], "dtype": fed[0]["dtype"]}], "x": fed[:1], "y": fed[1:] or None,
                   "arguments": {}, "notes": list(encoder.notes),
                   "also": () if mismatch.fact("rows") else OF_INPUTS}


def _count(tensor: Tensor) -> int:
    first: Dim = tensor.shape[0] if isinstance(tensor.shape, tuple) and tensor.shape else 0
    return first if isinstance(first, int) else 0

