"""What is inferred of a program that was recorded, on the versions that it ran on."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.devtools.truth.child import Program, Record
from cudnnlint.devtools.truth.verdicts import Claims, Row
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.tables.follow import follow
from cudnnlint.engine.tables.shapes import EVERYTHING, fed_rows, rows_in, shape_json
from cudnnlint.engine.tables.tally import tally_of
from cudnnlint.events import TrainingStarted
from cudnnlint.frameworks.training.feeding import default_batch
from cudnnlint.interp.convert import strip
from cudnnlint.memory.optimizers import optimizer_of
from cudnnlint.source import Source
from cudnnlint.values import Stack, Tensor
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
    notebook = program.path.endswith(".ipynb")
    if notebook and program.whole:  # its magics are inferred too
        source = Source.read(program.path)
    else:
        source = Source.from_text(program.path, program.text, ast.parse(program.text) if notebook else None)
    followed = follow(source, stack, roots)
    models: dict[tuple[str, int, int], set[int | None]] = {}
    for made in followed.made.values():
        if made.model is None:  # of a library's own
            continue
        span = made.model.span or made.event.span
        totals = tally_of(made, stack)
        counts = models.setdefault((span.path, span.line, span.column + 1), set())
        counts.add(None if totals.unknown else totals.count)
    return Claims([*rows_in(followed, EVERYTHING), *fed_rows(followed)], models, list(map(_training, followed.trained)))


def _training(event: TrainingStarted) -> Row:
    """As recorder_fits.py tells of a training."""
    data, loop = event.data, event.method in ("GradientTape", "train_step")
    arrays = [] if loop else [leaf for value in (data.x, data.y, data.weights) for leaf in _leaves(value)]
    known = not loop and all(isinstance(array, Tensor) for array in arrays)
    steps = data.batches if event.steps_per_epoch is None else event.steps_per_epoch
    optimizer = optimizer_of((event.model.compiled or {}).get("optimizer"), event.stack)
    return {"path": event.span.path, "line": event.span.line, "column": event.span.column + 1,
            "method": event.method, "batch": _batch(event), "steps": _whole(steps),
            "shapes": [shape_json(array) for array in arrays] if known else None,
            "dtypes": [_text(array.dtype) for array in arrays] if known else None,
            "optimizer": optimizer.name if optimizer.known else None}


def _batch(event: TrainingStarted) -> int | None:
    """Rows of the first batch if there are so many."""
    data, given = event.data, event.arguments.get("batch_size")
    if data.kind == "arrays" and "batch_size" in event.arguments:
        size = default_batch(data.rows, event.steps_per_epoch) if given is None else given
        return min(size, data.rows) if isinstance(size, int) and isinstance(data.rows, int) else _whole(size)
    return next((size for size in (event.batch_size, data.full) if isinstance(size, int)), None)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _leaves(value: Any) -> list[Any]:
    """The arrays of a structure, dicts by their keys; Unknown where nothing is known of a part."""
    value = strip(value)
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in _leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in _leaves(item)]
    return [] if value is None else [value]
