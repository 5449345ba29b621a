"""The inference itself, as rows: what every layer's constructor call takes and gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from cudnnlint.engine import registry
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.run import readable_sources
from cudnnlint.engine.settings import Settings
from cudnnlint.engine.stack import stack_of
from cudnnlint.events import Event, LayerApplied, ModelBuilt, tensors
from cudnnlint.source import Source
from cudnnlint.values import Stack, Tensor, Unknown

Row = dict[str, Any]


def shape_json(value: Any, eager: bool = False) -> Any:
    """A list of int or None (unknown or varying), nested for several tensors, None when nothing is known.

    With `eager` the first axis is None as well: another call may bring another batch.
    """
    if isinstance(value, Tensor):
        if isinstance(value.shape, Unknown):
            return None
        dims = [dim if isinstance(dim, int) else None for dim in value.shape]
        return [None, *dims[1:]] if eager and dims else dims
    if isinstance(value, list | tuple):
        return [shape_json(item, eager) for item in value]
    if isinstance(value, dict):
        return [shape_json(item, eager) for item in value.values()]
    return None


def row_of(event: LayerApplied | ModelBuilt) -> Row:
    if isinstance(event, ModelBuilt):
        event = event.applied
    outputs = tensors(event.output)
    dtype = outputs[0].dtype if outputs else None
    span = event.layer.span
    return {"path": span.path, "line": span.line, "column": span.column + 1, "layer": event.layer.name,
            "input_shape": shape_json(event.inputs, event.eager),
            "output_shape": shape_json(event.output, event.eager),
            "dtype": dtype if isinstance(dtype, str) else None,
            "params": event.params if isinstance(event.params, int) else None}


def rows_of(source: Source, *, stack: Stack, roots: Sequence[str] = ()) -> list[Row]:
    """One row for each distinct (input, output) that a constructor call takes, in order of first application."""
    from cudnnlint.interp import analyse

    registry.load()
    rows: dict[Any, Row] = {}

    def listen(event: Event) -> None:
        if isinstance(event, LayerApplied | ModelBuilt):
            row = row_of(event)
            key = (row["path"], row["line"], row["column"], repr(row["input_shape"]), repr(row["output_shape"]))
            known = rows.setdefault(key, row)
            if known["params"] is None:
                known["params"] = row["params"]

    analyse(source, stack=stack, emit=listen, roots=roots)
    return list(rows.values())


def rows(paths: Sequence[str], settings: Settings) -> Iterator[Row]:
    """Rows of every file that names a framework."""
    for source in readable_sources(paths, settings):
        stack, roots = stack_of(source, settings), import_roots(source.path)
        yield from call_deep(partial(rows_of, source, stack=stack, roots=roots))
