"""Provenance: the steps that led to a value, as labels for the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.finding import Label
from cudnnlint.source import Span
from cudnnlint.values import Tensor
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.tensor import tensors

LONGEST = 24
"""Steps kept of one chain: the reports shorten further."""


def provenance(about: Any, span: Span) -> tuple[Label, ...]:
    """Labels of the first-parent chains of the tensors in `about`, oldest first, one label a line: of what is made
    side by side on one line, such as data and labels, it tells all."""
    steps: list[Label] = []
    beside: list[Label] = []
    for tensor in tensors(about)[:3]:
        seen = {_line(span), *(_line(step.span) for step in steps)}
        labels: dict[tuple[str, int], Label] = {}
        for place, label in enumerate(_chain(tensor)):
            if _line(label.span) not in seen and label.span.end_column:  # else of no line of the program
                labels.setdefault(_line(label.span), label)
            elif place == 0:
                beside.append(label)
        steps = _merged(steps, reversed(labels.values()))
    return tuple(_together(step, beside) for step in steps) if beside else tuple(steps)


def _together(step: Label, beside: list[Label]) -> Label:
    """A step with what else is made on its line, as it is written there."""
    told = [step, *(label for label in beside if _line(label.span) == _line(step.span))]
    told.sort(key=lambda label: label.span.column)
    return Label(step.span, ", ".join(dict.fromkeys(label.text for label in told)))


def newest(about: Any) -> Label | None:
    """The last step of the one tensor in `about`: what is handed over."""
    found = tensors(about)
    return next(iter(_chain(found[0])), None) if len(found) == 1 else None


def _line(span: Span) -> tuple[str, int]:
    return span.path, span.line


def _merged(first: list[Label], second: Iterable[Label]) -> list[Label]:
    """Both, each in its own order; where they stand in one file, what is written first comes first."""
    merged, rest = list[Label](), list(first)
    for label in second:
        while rest and (rest[0].span.path != label.span.path or rest[0].span.line < label.span.line):
            merged.append(rest.pop(0))
        merged.append(label)
    return [*merged, *rest]


def _chain(tensor: Tensor) -> Iterable[Label]:
    """From the tensor back to where it began: of steps that leave shape and dtype alone the one that made them; a line
    seen twice keeps its latest shape."""
    current: Tensor | None = tensor
    count, run = 0, None
    while current is not None and current.step is not None and count < LONGEST:
        text = str(current)
        if run is not None and run.text != text:
            yield run
            count += 1
        run = Label(current.step.span, text)
        current = current.step.parents[0] if current.step.parents else None
    if run is not None and count < LONGEST:
        yield run


def assumptions_of(about: Any, more: Assumptions) -> Assumptions:
    """All that the tensors in `about` or the control flow rest on."""
    return more.union(*(tensor.assumptions for tensor in tensors(about)))


def assumption_texts(about: Any, more: Assumptions, home: str | None = None) -> tuple[str, ...]:
    """The same as text, sorted, for a reader of the file `home`."""
    return tuple(sorted(assumption.text if home is None else assumption.seen_from(home)
                        for assumption in assumptions_of(about, more)))
