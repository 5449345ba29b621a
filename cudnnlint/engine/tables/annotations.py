"""What each line of a source gives, as the comments that `--annotate` puts at the line ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.tables.follow import Followed, Made
from cudnnlint.engine.tables.making import ends_of
from cudnnlint.engine.tables.shapes import asked_for
from cudnnlint.engine.tables.tally import tally_of
from cudnnlint.engine.tables.words import open_batch
from cudnnlint.events import ModelBuilt, ModelMade
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import plain
from cudnnlint.interp.wanted import Wanted
from cudnnlint.report.shapes.annotate import Annotated
from cudnnlint.report.shapes.words import params_text, shape_text, tensor_text
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.tensor import tensors

MOST = 3
"""Different shapes that are told of one line, from call to call."""


def annotated_files(paths: Sequence[str], settings: Settings, wanted: Wanted,
                    unreadable: list[SourceError] | None = None) -> Iterator[Annotated]:
    """Every file that names a framework, with what its lines give."""
    for followed in asked_for(paths, settings, wanted, unreadable):
        yield call_deep(partial(annotated, followed, wanted.batch_size))


def annotated(followed: Followed, batch: int | None = None) -> Annotated:
    """Comments by line: what a statement assigns, else what the layers that end there give."""
    given: dict[int, dict[str, None]] = {}
    for span, value in followed.values:
        text = _assigned(value, followed, batch) if span.path == followed.source.path else ""
        if text:
            given.setdefault(span.end_line, {})[text] = None
    texts = {line: _limited(list(found), " | ") for line, found in given.items()}
    texts |= {line: text for line, text in _applied(followed, batch).items() if line not in texts}
    closed = set(_closed(followed.source))
    return Annotated(followed.source, {line: text for line, text in texts.items() if line not in closed})


def _assigned(value: Any, followed: Followed, batch: int | None) -> str:
    """Tensors, and models by what they take and give."""
    made = followed.made.get(id(plain(value)))
    if made is not None:
        return _model_text(made, followed, batch)
    raw = strip(value)
    return _text(raw, batch) if _is_tensors(raw) else ""


def _model_text(made: Made, followed: Followed, batch: int | None) -> str:
    ends = [shape_text(end, batch) for end in ends_of(made, followed)]
    shown = " -> ".join(ends) + ", " if all(ends) and "?" not in ends else ""
    return f"{shown}{params_text(tally_of(made, followed.stack))} parameters"


def _is_tensors(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return 0 < len(value) <= 8 and all(map(_is_tensors, value))
    return isinstance(value, Tensor)


def _text(value: Any, batch: int | None) -> str:
    if isinstance(value, Tensor) and isinstance(value.shape, Unknown):
        why = " ".join(value.shape.why.split())
        return f"{tensor_text(value)} unknown" + (f": {why}" if why else "")
    return tensor_text(value, batch)


def _applied(followed: Followed, batch: int | None) -> dict[int, str]:
    """Outputs of layers, and models, by the line where the call ends."""
    lines: dict[int, dict[Span, dict[str, None]]] = {}

    def note(span: Span, text: str) -> None:
        if span.path == followed.source.path:
            lines.setdefault(span.end_line, {}).setdefault(span, {})[text] = None

    for made in followed.made.values():
        note(made.event.span if isinstance(made.event, ModelBuilt | ModelMade) else made.model.span,
             _model_text(made, followed, batch))
    models = {span for spans in lines.values() for span in spans}
    for event in sorted(followed.applied.values(), key=lambda event: event.number):
        for span in {event.layer.span, event.span} - models if tensors(event.output) else ():
            output = event.output if span == event.span else open_batch(event, event.output)  # of any call, where made
            note(span, _text(output, batch))
    return {line: _of_line(spans) for line, spans in lines.items()}


def _of_line(spans: Mapping[Span, Mapping[str, None]]) -> str:
    """What the outermost calls of a line give: side by side for several, in turn for one that is made again."""
    outer = [span for span in spans if not any(_holds(other, span) for other in spans)]
    return ", ".join(_limited(list(spans[span]), " | ") for span in sorted(outer))


def _holds(outer: Span, inner: Span) -> bool:
    return outer != inner and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


def _limited(texts: list[str], between: str) -> str:
    shown = texts if len(texts) <= MOST + 1 else [*texts[:MOST - 1], "...", texts[-1]]
    return between.join(shown)


def _closed(source: Source) -> Iterator[int]:
    """Lines that can take no comment: they end in a backslash, or inside a string."""
    for number, line in enumerate(source.lines, 1):
        if line.endswith("\\"):
            yield number
    for node in ast.walk(source.tree()):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            yield from range(node.lineno, node.end_lineno or node.lineno)
