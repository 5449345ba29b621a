"""What is inferred of a program that was recorded, on the versions that it ran on."""

from __future__ import annotations

from cudnnlint.devtools.truth.child import Program, Record
from cudnnlint.devtools.truth.verdicts import Claims
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.follow import follow
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.shapes import EVERYTHING, rows_in
from cudnnlint.engine.tally import tally
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.values.stack import parse_version


def stack_of_record(record: Record) -> Stack:
    """The versions that the program ran on."""
    versions = record["versions"]
    return Stack(keras=parse_version(versions["keras"]), tensorflow=parse_version(versions["tensorflow"]),
                 source="recorded")


def inferred(program: Program, stack: Stack) -> Claims:
    """The rows that `cudnnlint shapes` prints, and the parameters of each model."""
    return call_deep(lambda: _inferred(program, stack))


def _inferred(program: Program, stack: Stack) -> Claims:
    roots = tuple(dict.fromkeys((*import_roots(program.path), *program.folders)))
    is_notebook = program.path.endswith(".ipynb")  # its magics are inferred too
    source = Source.read(program.path) if is_notebook else Source.from_text(program.path, program.text)
    followed = follow(source, stack, roots)
    models: dict[tuple[str, int, int], set[int | None]] = {}
    for made in followed.made.values():
        if made.model is None:  # of a library's own
            continue
        span = made.model.span or made.event.span
        totals = tally(made.model, stack)
        counts = models.setdefault((span.path, span.line, span.column + 1), set())
        counts.add(None if totals.unknown else totals.count)
    return Claims(rows_in(followed, EVERYTHING), models)
