"""What cuDNN itself can be asked about a finding: an operation as descriptors tell it, and what a refusal means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claims.calls import call_question
from cudnnlint.engine.claims.windows import SIDE, Question, window_question
from cudnnlint.events import (
    Event,
    FunctionApplied,
    LayerApplied,
    LayerCreated,
    LayerInfo,
    Rejected,
    TrainingStarted,
    tensors,
)
from cudnnlint.finding import Finding
from cudnnlint.ops.functions._core import numbers
from cudnnlint.rules.ancestry import behind, runs_on_cudnn, within
from cudnnlint.values import Problem, Tensor

ROWS, WIDTH = 2, 8
"""What stands in for rows and for channels or features that are not known."""
CELLS = {"LSTM": "LSTM", "GRU": "GRU", "CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU", "SimpleRNN": "RNN", "RNN": "RNN"}
OF_CELLS = frozenset({"units", "hidden_size", "dropout"})
SEQUENCES = ("cudnnSetRNNDataDescriptor",)
TENSOR = ("cudnnSetTensor",)
RUNS = ("cudnnBatchNormalizationForward",)
LRN = (("depth_radius", 5), ("bias", 1), ("alpha", 1), ("beta", 0.5))
"""tensorflow/python/ops/nn_ops.py: local_response_normalization"""
_STATUS = re.compile(r"CUDNN_STATUS_[A-Z_]+")
_ROWS = re.compile(r"\d+")


def question_of(event: Event, finding: Finding, rule: str) -> dict[str, Any] | None:
    """As plain data; None where cuDNN has no say, or what it would be asked is not known.

    job     the operation: "ask" and its numbers
    at      the functions whose refusal confirms, by how their names begin
    status  the status that is predicted, or "" for any
    own     whether the failure is cuDNN's: if it takes the operation, the finding is refuted. Else a framework
            refuses before, and cuDNN can only agree
    where   the versions of cuDNN that it is about
    notes   what stands in for the unknown
    """
    by_rule = _RULES.get(rule)
    if finding.fails.startswith("later"):  # what comes out is empty, and what fails is another layer
        return None
    if by_rule is not None:
        made = by_rule(event, finding)
    elif isinstance(event, Rejected):
        made = _rejected(event)
    else:
        made = _integers(event.layer, event.inputs) \
            if isinstance(event, LayerApplied) and rule == "integer-conv-input" else None
    if made is None:
        return None
    status = _STATUS.search(finding.fails)
    return {"job": made.job, "at": list(made.at), "status": status[0] if status else "", "own": made.own,
            "where": made.where, "notes": list(made.notes)}


def _rejected(event: Rejected) -> Question | None:
    mismatch = event.mismatch
    by_problem = _PROBLEMS.get(mismatch.problem) or _FUNCTIONS.get(event.path)
    if by_problem is not None:
        return by_problem(event)
    if event.layer is None:
        return call_question(event)
    if event.layer.name in CELLS and mismatch.argument in OF_CELLS:
        return _layer(event.layer, event.layer.arguments, mismatch.argument)
    return window_question(event.layer, event.inputs, mismatch.problem, mismatch.argument, event.before)


def _integers(layer: LayerInfo, inputs: Any) -> Question | None:
    """Tensors of other integers have a descriptor."""
    given = tensors(inputs)
    refused = bool(given) and given[0].dtype in ("int64", "bool")
    return window_question(layer, inputs, Problem.INTEGER_INPUT) if refused else None


def _packed(event: Rejected) -> Question | None:
    """PyTorch compares the lengths before cuDNN gets them (aten/src/ATen/native/cudnn/RNN.cpp)."""
    given = dict(zip(("input", "lengths", "batch_first"), event.args, strict=False)) | dict(event.kwargs)
    lengths, x = numbers(given.get("lengths")), given.get("input")
    if not isinstance(lengths, (list, tuple)) or not all(isinstance(each, int) for each in lengths) or not lengths:
        return None
    shape = x.shape if isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) == 3 else ()
    steps, features = shape[1 if given.get("batch_first") is True else 0] if shape else None, shape[-1:]
    known = [each for each in features if isinstance(each, int)]
    job = _sequences(len(lengths), steps if isinstance(steps, int) else max(*lengths, 1), (*known, WIDTH)[0],
                     list(lengths))
    return Question({**job, "order": "packed"}, SEQUENCES, notes=() if known else (f"{WIDTH} features",))


def _layer(layer: LayerInfo, told: Mapping[str, Any], argument: str) -> Question | None:
    """A recurrent layer without units, of Keras or PyTorch; or the dropout between layers of PyTorch's."""
    if argument == "dropout":
        job = {"ask": "dropout", "rate": told.get("dropout")}
        return Question(job, ("cudnnSetDropoutDescriptor",)) if layer.path.startswith("torch.") else None
    units = told.get(argument)
    if not isinstance(units, int):
        return None
    job = {**_sequences(ROWS, SIDE, WIDTH), "ask": "rnn", "cell": CELLS[layer.name], "units": units,
           "bidirectional": False}
    return Question(job, ("cudnnSetRNNDescriptor",), notes=(f"{WIDTH} features",))


def _sequences(rows: int, steps: int, features: int, lengths: list[int] | None = None) -> dict[str, Any]:
    return {"ask": "sequences", "rows": rows, "steps": steps, "features": features, "lengths": lengths,
            "order": "time", "dtype": "float32"}


def _long(event: Rejected) -> Question | None:
    steps, given = event.mismatch.fact("steps"), tensors(event.inputs)
    shape = given[0].shape if given else ()
    rows, _, features = shape if isinstance(shape, tuple) and len(shape) == 3 else (None, None, None)
    if not isinstance(steps, int):
        return None
    notes = (*([] if isinstance(rows, int) else [f"batch {ROWS}"]),
             *([] if isinstance(features, int) else [f"{WIDTH} features"]))
    return Question(_sequences(rows if isinstance(rows, int) else ROWS, steps,
                               features if isinstance(features, int) else WIDTH), SEQUENCES, own=True, notes=notes)


def _lrn(event: Rejected) -> Question | None:
    """TensorFlow compares with the same limits before it asks cuDNN."""
    named = dict(zip([name for name, _ in LRN], event.args[1:], strict=False))
    told = {name: event.kwargs.get(name, named.get(name, default)) for name, default in LRN}
    if not isinstance(told["depth_radius"], int) or not all(isinstance(each, (int, float)) for each in told.values()):
        return None
    return Question({"ask": "lrn", **told}, ("cudnnSetLRNDescriptor",))


def _epsilon(event: Rejected) -> Question | None:
    where = {"cudnn": event.mismatch.where.cudnn} if event.mismatch.where.cudnn else {}
    return _normalized(event.mismatch.fact("epsilon"), where)


def _negative(event: Event, finding: Finding) -> Question | None:
    if not _STATUS.search(finding.fails):
        return None
    if isinstance(event, Rejected):
        return _normalized(event.mismatch.fact("epsilon"), {})
    return _normalized(event.layer.arguments.get("epsilon"), {}) if isinstance(event, LayerCreated) else None


def _normalized(epsilon: Any, where: Mapping[str, str]) -> Question | None:
    """Elsewhere than on a GPU a negative epsilon gives NaN, so that cuDNN alone cannot refute it."""
    if not isinstance(epsilon, (int, float)):
        return None
    job = {"ask": "batch_norm", "x": [ROWS, WIDTH, 4, 4], "dtype": "float32", "epsilon": epsilon, "training": True}
    return Question(job, RUNS, own=bool(where), where=where, notes=(f"an input of {ROWS} x {WIDTH} x 4 x 4",))


def _inference(event: Event, finding: Finding) -> Question | None:
    """The number of rows alone decides; the message begins with it."""
    rows = _ROWS.match(finding.message)
    job = {"ask": "batch_norm", "x": [int(rows[0]) if rows else 0, 1, 1, 1], "dtype": "float32", "epsilon": 1e-3,
           "training": False}
    return Question(job, RUNS, own=True, notes=("rows of one value",)) if rows else None


def _too_large(event: Event, finding: Finding) -> Question | None:
    """The descriptor of what a batch normalisation is given; `... on 32 rows makes ...`."""
    rows = re.search(r" on (\d+) rows", finding.message)
    if not isinstance(event, TrainingStarted) or rows is None or not _STATUS.search(finding.fails):
        return None
    shape = next((made.shape for layer, _, made in behind(event.model.outputs) if layer.span == finding.span), ())
    if not isinstance(shape, tuple) or not all(isinstance(each, int) for each in shape[1:]):
        return None
    job = {"ask": "tensor", "x": [int(rows[1]), shape[-1], *shape[1:-1]], "dtype": "float32", "format": "NHWC"}
    return Question(job, TENSOR, own=True)


def _empty(event: Event, finding: Finding) -> Question | None:
    """No rows, where it certainly comes to that, or may."""
    if "CUDNN_STATUS" not in finding.fails or " a GPU returns" in finding.fails:
        return None
    of_cpu = "CPU (oneDNN)" in finding.fails or "on a CPU InvalidArgumentError" in finding.fails
    if "gradient" in finding.fails:
        return _no_rows([0, WIDTH, 4, 4, 4], own=not of_cpu, notes=(f"{WIDTH} channels of 4 x 4 x 4",))
    if isinstance(event, FunctionApplied):
        (x, *_) = [each.shape for each in tensors(event.output)] or [()]
        known = [each if isinstance(each, int) else WIDTH for each in x] if isinstance(x, tuple) else []
        return _no_rows([0, known[-1], *known[1:-1]], own=True) if len(known) == 4 else None
    layer = event.layer if isinstance(event, LayerApplied) else _recurrent(event)
    if layer is None or CELLS.get(within(layer).name) not in ("LSTM", "GRU"):
        return None
    return Question(_sequences(0, SIDE, WIDTH), SEQUENCES, own=not of_cpu, notes=(f"{SIDE} steps of {WIDTH} features",))


def _no_rows(extents: list[int], own: bool, notes: tuple[str, ...] = ()) -> Question:
    return Question({"ask": "tensor", "x": extents, "dtype": "float32", "format": "NHWC"}, TENSOR, own=own, notes=notes)


def _recurrent(event: Event) -> LayerInfo | None:
    """The layer of a model that runs on cuDNN."""
    held = behind(event.model.outputs) if isinstance(event, TrainingStarted) else iter(())
    return next((layer for layer, _, _ in held if runs_on_cudnn(layer, event.stack)), None)


def _masked(event: Event, finding: Finding) -> Question | None:
    """A sequence that is nothing but padding, as TensorFlow 2.0 to 2.3 hand it to cuDNN 7."""
    if "CUDNN_STATUS" not in finding.fails:
        return None
    return Question(_sequences(ROWS, SIDE, WIDTH, [SIDE, 0]), SEQUENCES, own=True, where={"cudnn": "<8"},
                    notes=(f"{ROWS} sequences of {SIDE} steps, one of them empty",))


_PROBLEMS: Mapping[Problem, Callable[[Rejected], Question | None]] = {
    Problem.LONG_SEQUENCE: _long, Problem.LRN: _lrn, Problem.SMALL_EPSILON: _epsilon}
_FUNCTIONS: Mapping[str, Callable[[Rejected], Question | None]] = {
    "torch.nn.utils.rnn.pack_padded_sequence": _packed}
_RULES: Mapping[str, Callable[[Event, Finding], Question | None]] = {
    "negative-batchnorm-epsilon": _negative, "batchnorm-inference-batch-too-large": _inference,
    "tensor-too-large-for-cudnn": _too_large, "empty-batch": _empty, "possibly-empty-batch": _empty,
    "replica-starved-batch": _empty, "mask-not-right-padded": _masked}
