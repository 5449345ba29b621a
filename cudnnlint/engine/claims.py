"""What a run could refute of a finding, as plain data: made here from its event, whichever rule found it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claim_values import Encoder, NotVerifiableError, policy_name
from cudnnlint.events import Event, LayerInfo, Rejected, tensors
from cudnnlint.finding import Claim, Finding
from cudnnlint.values import Problem

NOT_VERIFIABLE = "not-verifiable"
_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_OF_GPU = re.compile(r"\bGPU|CUDNN_|cuDNN")


def claim_of(event: Event, finding: Finding) -> Claim | None:
    """The claim of a finding about this event; None where no failure is predicted. Never raises."""
    make = _MAKERS.get(type(event))
    if make is None:
        return None
    try:
        kind, facts = make(event)
    except NotVerifiableError as error:
        return Claim(NOT_VERIFIABLE, (("reason", str(error)),))
    except Exception as error:  # our own bug must not cost the finding
        return Claim(NOT_VERIFIABLE, (("reason", f"an internal error: {type(error).__name__}: {error}"),))
    stack = event.stack
    about = {"keras": list(stack.keras), "tensorflow": list(stack.tensorflow)}
    return Claim(kind, (*facts.items(), ("expected", expected(finding.fails)), ("stack", about)))


def expected(fails: str) -> dict[str, list[str]]:
    """Exception classes and texts that are predicted, either of which may be told.

    >>> expected('everywhere, when it runs: ValueError or TypeError "axis ... is out" or "no axis"')
    {'errors': ['ValueError', 'TypeError'], 'texts': ['axis ... is out', 'no axis']}
    """
    told = fails.partition(": ")[2]
    before, _, rest = told.partition('"')
    quoted, _, after = rest.rpartition('"')
    return {"errors": _CLASS.findall(before) + _CLASS.findall(after),
            "texts": [text for text in quoted.split('" or "') if text]}


def _rejected(event: Event) -> tuple[str, dict[str, Any]]:
    assert isinstance(event, Rejected)
    needs = {"needs": "gpu"} if _OF_GPU.search(event.mismatch.error) else {}
    if event.layer is not None:
        return "layer", {**_layer(event, event.layer), "where": _where(event), **needs}
    raise NotVerifiableError(f"no job is known for {event.what}")


def _where(event: Rejected) -> dict[str, str]:
    """The versions on which it fails."""
    where = event.mismatch.where
    return {name: clauses for name, clauses in (("keras", where.keras), ("tensorflow", where.tensorflow)) if clauses}


def _layer(event: Rejected, layer: LayerInfo) -> dict[str, Any]:
    symbolic = any(tensor.kind == "keras" for tensor in tensors([event.inputs, *event.args, *event.kwargs.values()]))
    encoder = Encoder(symbolic=symbolic)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    if event.mismatch.problem is Problem.UNKNOWN_ARGUMENT:
        facts |= _refused_argument(event, layer, encoder, facts["arguments"])
    made = event.stage == "constructor"
    if not made:
        facts |= {"inputs": encoder.value(event.inputs, "inputs"),
                  "args": [encoder.value(value, "an argument of the call") for value in event.args],
                  "kwargs": {name: encoder.value(value, name) for name, value in event.kwargs.items()}}
        if event.before is not None and event.mismatch.fact("built") is not None:
            facts["before"] = encoder.value(event.before, "inputs")
    policy = policy_name(layer.compute, layer.variable)
    return {**facts, "stage": "constructor" if made else "call", "notes": list(encoder.notes),
            **({"policy": policy} if policy != "float32" else {})}


def _refused_argument(event: Rejected, layer: LayerInfo, encoder: Encoder, told: dict[str, Any]) -> dict[str, Any]:
    """The argument that the layer does not have (whatever its value), or those by position that are too many."""
    fact: Callable[[str], Any] = event.mismatch.fact
    if (count := fact("positional")) is not None:
        named = list(layer.arguments.items())
        values: list[Any] = [encoder.value(value, name) for name, value in named[:count]]
        return {"positional": values + [1] * (count - len(values)), "arguments": {}}
    name: str = fact("name")
    if not fact("twice"):
        return {"arguments": {**told, name: 1}}
    first = list(layer.arguments)[:layer.positional]
    values = [told.get(each) for each in first]
    rest: Mapping[str, Any] = {key: value for key, value in told.items() if key not in first}
    return {"positional": values, "arguments": {**rest, name: 1}}


_MAKERS: Mapping[type[Event], Callable[[Event], tuple[str, dict[str, Any]]]] = {Rejected: _rejected}
