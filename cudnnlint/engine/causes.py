"""One cause is told once: what fit() fails for, evaluate() and predict() of the same model fail for too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cudnnlint.events import Event, Rejected, TrainingStarted
from cudnnlint.finding import Finding
from cudnnlint.source import Span
from cudnnlint.values import Problem

_ROWS = re.compile(r"(?<=\[)[^],]*(?=[],])")
"""The first extent of a shape as messages write it, `float32[32, 10]`: the rows, which may differ from call to call."""
AFTER_FIT = ("evaluate", "predict", "test_on_batch", "predict_on_batch")
DATA_GIVEN = ("fit", *AFTER_FIT)
FITTED = "the model that was last given to fit()"
MOST_PLACES = 5
"""Places that a finding names besides its own."""


class Cause(NamedTuple):
    """What two findings share that one change mends: the rule, what is said, and `about` what: the place where a model
    or layer is made, or the values that a call of the user's function brought and that call.
    """

    rule: str
    said: str
    about: Any


class Causes:
    """The causes that were told in one file; `told` says whether a finding tells of one again."""

    def __init__(self) -> None:
        self._first: dict[Cause, int] = {}

    def told(self, event: Event, finding: Finding, findings: list[Finding]) -> bool:
        """Whether one of `findings` tells of the cause already; the place is added to it.

        A finding that brings its own fix stays: what is to be changed for it stands here.
        """
        if finding.fix is not None:
            return False
        if _is_of_swapped_axes(finding, findings):
            return True
        if (alone := _larger_alone(finding, findings)) is not None:
            findings[alone] = _also(findings[alone], finding.span)
            return True
        for cause in _causes(event, finding):
            if cause.about == FITTED and not _is_after_fit(event):
                self._first[cause] = len(findings)  # what follows is asked of this model
                continue
            at = self._first.setdefault(cause, len(findings))
            if at < len(findings) and findings[at].span != finding.span and _is_first(cause, event, findings[at]):
                findings[at] = _also(findings[at], finding.span)
                return True
        return False


def _is_of_swapped_axes(finding: Finding, findings: list[Finding]) -> bool:
    """Whether the model only takes other data since its first layer reads the channels from another axis, as is told:
    what to do about that mends this, and not the other way round."""
    named = {label.span for label in finding.trace} if finding.rule == "input-shape-mismatch" else set()
    return bool(named) and any(
        one.rule == "data-format-mismatch" and (one.span in named or [label.span for label in one.trace][:2] in (
            [each] for each in named)) for one in findings)


def _larger_alone(finding: Finding, findings: list[Finding]) -> int | None:
    """The finding that a layer does not fit by itself, where no batch fits for it: the step is never reached."""
    named = {label.span for label in finding.trace} if finding.rule == "out-of-memory" else set()
    return next((place for place, one in enumerate(findings)
                 if one.rule == "oversized-dense-after-flatten" and one.span in named), None)


def _causes(event: Event, finding: Finding) -> Iterator[Cause]:
    if isinstance(event, TrainingStarted):
        yield Cause(finding.rule, _ROWS.sub("", finding.message), event.model.span)
    elif isinstance(event, Rejected):
        yield Cause(finding.rule, finding.message, (finding.span.path, finding.span.line))
        if event.mismatch.problem is Problem.SYMBOLIC and finding.calls:  # a model that is written for Keras 2
            yield Cause(finding.rule, "", (finding.calls, finding.span.path))
        if (call := event.mismatch.fact("given by")) is not None:  # a None, wherever it is used
            yield Cause(finding.rule, "", (call, "None"))
        if event.layer is not None:
            yield Cause(finding.rule, _ROWS.sub("", finding.message), event.layer.span)
        elif event.stage in DATA_GIVEN:
            if finding.trace:  # else what is given is written at each call: a list of numbers
                yield Cause(finding.rule, "", finding.trace)  # the validation data here are the test data there
                yield Cause(finding.rule, _ROWS.sub("", finding.message), FITTED)
        elif finding.calls and finding.trace:
            yield Cause(finding.rule, finding.message, (finding.calls, finding.trace))


def _is_first(cause: Cause, event: Event, first: Finding) -> bool:
    """Whether one change mends both: two calls of fit() may be given data that are made wrong apart from each other; a
    layer that refuses is told where it is made the first time that a sequential model is run, then where it is run."""
    if isinstance(event, TrainingStarted) or cause.about == FITTED:
        return _is_after_fit(event)
    return not isinstance(cause.about, Span) or first.span == cause.about


def _is_after_fit(event: Event) -> bool:
    return (getattr(event, "method", "") or getattr(event, "stage", "")) in AFTER_FIT


def _also(first: Finding, span: Span) -> Finding:
    if span in (first.span, *first.also) or len(first.also) >= MOST_PLACES:
        return first
    return replace(first, also=(*first.also, span))
