"""What a run could refute of a finding, as plain data: made here from its event, whichever rule found it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claims.api import method_argument, name
from cudnnlint.engine.claims.cudnn import question_of
from cudnnlint.engine.claims.devices import configured, uneven
from cudnnlint.engine.claims.effects import effect
from cudnnlint.engine.claims.feeding import fed, scopes
from cudnnlint.engine.claims.layers import applied, clauses, created, rejected_layer
from cudnnlint.engine.claims.memory import OF_MEMORY, memory_claim
from cudnnlint.engine.claims.model import OF_MODEL, whole_model
from cudnnlint.engine.claims.training import loss_called, refused_input, training
from cudnnlint.engine.claims.values import Encoder, NotVerifiableError
from cudnnlint.events import (
    DatasetBatched,
    Event,
    LayerApplied,
    LayerCreated,
    LossCalled,
    Rejected,
    ScopesMixed,
    TrainingStarted,
    tensors,
)
from cudnnlint.events.devices import DeviceConfigured, GrowthUneven
from cudnnlint.events.project import ApiChanged, ApiOutlived
from cudnnlint.finding import Claim, Finding
from cudnnlint.ops.protocol import FUNCTIONS as LIBRARY
from cudnnlint.values import Problem, Tensor
from cudnnlint.values.mismatch import LATE

NOT_VERIFIABLE = "not-verifiable"
FUNCTIONS = ("tensorflow.", "keras.ops.", "numpy.", "operator.", "torch.")
_CLASS = re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|StopIteration)\b")
_STATUS = re.compile(r"\bCUDNN_STATUS_\w+")
_BETWEEN = re.compile(r'("(?:,| or| on| \(|;) ?[^"]*")')
"""What stands between two texts that are told: `" or "`, `", "`, `", TypeError "`, `" (numpy: ValueError "`."""
_ON_GPU, _ON_CPU = re.compile(r"\bon (a GPU|several GPUs|a machine with)\b"), re.compile(r", on a CPU \w+Error\b")
"""How it is told of what a CPU does not show."""
_OF_CPU = re.compile(r"\bon a CPU\b")
_SILENT = re.compile(r"^(as soon as [^:]*, )?silently\b")
_OF_GPU = re.compile(r"\bGPU|CUDNN_|cuDNN")


def claim_of(event: Event, finding: Finding, rule: str, options: Any = None) -> Claim:
    """The claim of a rule's finding about this event, or why there is none, with what cuDNN can be asked. Never raises.
    """
    made = _made(event, finding, rule, options)
    try:
        asked = question_of(event, finding, rule)
    except Exception as error:  # our own bug must not cost the finding
        asked = {"reason": f"an internal error: {type(error).__name__}: {error}"}
    return Claim(made.kind, (*made.facts, ("cudnn", asked))) if asked else made


def _made(event: Event, finding: Finding, rule: str, options: Any) -> Claim:
    try:
        return _claim(event, finding, rule, options)
    except NotVerifiableError as error:
        return Claim(NOT_VERIFIABLE, (("reason", str(error)),))
    except Exception as error:  # our own bug must not cost the finding
        return Claim(NOT_VERIFIABLE, (("reason", f"an internal error: {type(error).__name__}: {error}"),))


def _claim(event: Event, finding: Finding, rule: str, options: Any) -> Claim:
    predicted = expected(finding.fails)
    kind, facts = _job(event, finding, rule, options, bool(predicted))
    if _shown_by_gpu(finding.fails, predicted):
        facts = {**facts, "needs": "gpu"}
    elif _OF_CPU.search(finding.fails) and "needs" not in facts:
        facts = {**facts, "needs": "cpu"}
    also = _also(predicted, facts)
    about = {"keras": facts.pop("about", None) or list(event.stack.keras), "tensorflow": list(event.stack.tensorflow),
             "torch": list(event.stack.torch)}
    return Claim(kind, (*facts.items(), ("expected", also), ("stack", about)))


def _job(event: Event, finding: Finding, rule: str, options: Any, raises: bool) -> tuple[str, dict[str, Any]]:
    """The kind of job and its facts: of an exception, of memory, or of what a run shows without either."""
    if rule in OF_MEMORY and isinstance(event, TrainingStarted):
        return memory_claim(event, options)
    silent = _SILENT.search(finding.fails) is not None or not raises
    if silent or rule == "retraced-each-step":
        if (told := effect(event, rule)) is not None:
            return told
        raise NotVerifiableError("no exception is predicted, and nothing is known to measure")
    make = _MAKERS.get(type(event))
    if make is None:
        raise NotVerifiableError("no job is known for such a finding")
    return make(event, rule)


def _shown_by_gpu(fails: str, predicted: list[dict[str, Any]]) -> bool:
    texts = [text for one in predicted for text in one["texts"]]
    return not _ON_CPU.search(fails) and (_ON_GPU.search(fails.partition(":")[0]) is not None or (
        bool(texts) and all(text.startswith("CUDNN_") for text in texts)))


def expected(fails: str) -> list[dict[str, Any]]:
    """The exceptions that are predicted, any of which may come: each a class and what it says, one of its texts.

    >>> expected('everywhere, when it runs: ValueError or TypeError "axis ... is out" or "no axis"')
    [{'error': 'ValueError', 'texts': []}, {'error': 'TypeError', 'texts': ['axis ... is out', 'no axis']}]
    >>> expected('everywhere, when it runs: ValueError "one", "two" or "three", TypeError "four"')
    [{'error': 'ValueError', 'texts': ['one', 'two', 'three']}, {'error': 'TypeError', 'texts': ['four']}]
    """
    told = fails.partition(": ")[2]
    opening, closing = told.find('"'), told.rfind('"')
    if opening < 0:
        return [{"error": name, "texts": []} for name in _CLASS.findall(told)] or [
            {"error": "", "texts": [status]} for status in _STATUS.findall(told)]
    parts = _BETWEEN.split(told[opening + 1:closing])
    found: list[dict[str, Any]] = []
    for outside, text in zip([told[:opening], *parts[1::2], told[closing + 1:]], [*parts[::2], ""], strict=True):
        found += [{"error": name, "texts": []} for name in _CLASS.findall(outside)]
        if text:
            found = found or [{"error": "", "texts": []}]
            found[-1]["texts"].append(text)
    return found


def _also(predicted: list[dict[str, Any]], facts: dict[str, Any]) -> list[dict[str, Any]]:
    """With other texts that tell of the same failure."""
    more = list(facts.pop("also", ()))
    return [{**one, "texts": [*one["texts"], *more]} if one["texts"] else one for one in predicted]


def _rejected(event: Rejected, rule: str) -> tuple[str, dict[str, Any]]:
    if event.mismatch.problem is Problem.LABEL:
        raise NotVerifiableError("it depends on the labels' values")
    if event.mismatch.problem is Problem.UNEXPECTED:
        raise NotVerifiableError("objects of the program are not made again")
    needs = {"needs": "gpu"} if _OF_GPU.search(event.mismatch.error) else {}
    if event.mismatch.problem is Problem.FEATURE_UNKNOWN and not event.path \
            and all(tensor.kind != "keras" for tensor in tensors(event.inputs)):
        raise NotVerifiableError("it depends on an extent that the data leaves open")
    if event.stage == "constructor" and event.mismatch.fact("moment") == LATE[0][1]:
        raise NotVerifiableError("it fails as the model runs, not where the layer is made")
    if event.layer is not None:
        if event.mismatch.argument == "name":
            raise NotVerifiableError("layers that are made again get no names")
        return "layer", {**rejected_layer(event, event.layer), "where": clauses(event.mismatch.where), **needs}
    if event.path:
        return "function", {**_function(event), "where": clauses(event.mismatch.where), **needs}
    if (told := method_argument(event)) is not None:
        return told
    kind, facts = refused_input(event)
    return kind, {**facts, "where": clauses(event.mismatch.where)}


def _function(event: Rejected) -> dict[str, Any]:
    """A function with what it was given; symbolic tensors as real ones, but for Keras' own functions."""
    application = event.path.startswith("keras.applications.") and not tensors(list(event.kwargs.values()))
    if not application and (not event.path.startswith(FUNCTIONS) or event.path not in LIBRARY):
        raise NotVerifiableError(f"no job is known for {event.what}")
    undefined = event.mismatch.problem is Problem.FEATURE_UNKNOWN
    encoder = Encoder(symbolic=undefined and event.path.startswith("keras.ops."))
    return {"function": event.path, "args": [encoder.value(value, "an argument") for value in event.args],
            "kwargs": {name: encoder.value(value, name) for name, value in event.kwargs.items()},
            "notes": list(encoder.notes), "uses": next((tensor.kind for tensor in tensors(event.about)), "")}


def _batch(event: DatasetBatched, rule: str) -> tuple[str, dict[str, Any]]:
    if event.differing is not None and rule == "ragged-image-batch":
        if event.library == "torch":
            raise NotVerifiableError("a loader of PyTorch is not made again")
        encoder = Encoder(symbolic=False)
        shapes = [encoder.tensor(Tensor(shape))["tensor"]["shape"] for shape in event.differing.shapes]
        if shapes[0] == shapes[1]:
            raise NotVerifiableError("the two sizes are not known")
        return "batch", {"batch_size": 2, "shapes": shapes, "notes": list(encoder.notes)}
    if rule != "non-positive-batch-size" or not isinstance(event.batch_size, int):
        raise NotVerifiableError("no job is known for such a finding")
    if event.library == "torch":
        raise NotVerifiableError("a loader of PyTorch is not made again")
    return "batch", {"batch_size": event.batch_size}


def _training(event: TrainingStarted, rule: str) -> tuple[str, dict[str, Any]]:
    if rule == "wrong-batch-structure":
        return fed(event)
    return whole_model(event) if rule in OF_MODEL else training(event, rule)


def _loss(event: LossCalled, rule: str) -> tuple[str, dict[str, Any]]:
    return loss_called(event, rule)


_MAKERS: Mapping[type[Event], Callable[[Any, str], tuple[str, dict[str, Any]]]] = {
    Rejected: _rejected, TrainingStarted: _training, ScopesMixed: scopes,
    DeviceConfigured: configured, GrowthUneven: uneven,
    LossCalled: _loss, LayerApplied: applied, LayerCreated: created,
    ApiChanged: name, ApiOutlived: name, DatasetBatched: _batch}
