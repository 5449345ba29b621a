"""From what an analysis met to tables: models in the order met, each with its layers, and the layers of no model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.engine.tables.follow import Followed, Made, is_users_model
from cudnnlint.engine.tables.rows import Rows
from cudnnlint.engine.tables.tally import tally_of
from cudnnlint.engine.tables.words import best_name, is_automatic, open_batch
from cudnnlint.events import LayerApplied, ModelBuilt
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children, sublayers
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.report.shapes.model import Layer, Shapes, Table
from cudnnlint.source import Source, Span
from cudnnlint.values import Unknown
from cudnnlint.values.tensor import tensors


def shapes_of(followed: Followed, name: str = "", rows: Rows | None = None) -> Shapes:
    """Everything, or only what `name` makes: empty if that is nothing."""
    rows = rows or Rows(followed)
    kept = _listed(followed)
    if name:
        kept = [made for made in kept if is_called(made, name, followed)]
    tables = [table_of(made, rows) for made in kept]
    outside = list(_outside(rows, followed, name)) if not (name and tables) else []
    ordered = sorted([*_merged(tables), *outside], key=lambda pair: pair[0])
    sources = {path: source for path, source in followed.sources.items() if source is not None}
    return Shapes(followed.source.path, tuple(table for _, table in ordered), sources, followed.cut)


def told(followed: Followed, name: str) -> set[int]:
    """ids of the events that the tables of `name` are about."""
    rows = Rows(followed)
    shapes_of(followed, name, rows)
    built = {id(made.event) for made in followed.made.values() if is_called(made, name, followed)}
    return {id(event) for event in followed.events
            if (id(event) in built if isinstance(event, ModelBuilt) else event.number in rows.told)}


def table_of(made: Made, rows: Rows) -> tuple[int, Table]:
    """(when it was met, the table)."""
    model, event = made.model, made.event
    layers, notes = rows.model(model)
    span = model.span if model.span is not None else event.span
    if event.uncalled:
        notes = (*notes, "nothing in this file calls this: parameters without a default are open")
    kind = f"subclassed model {model.cls.name}" if isinstance(model, InstanceV) else f"{model.kind} model"
    inputs, output = rows.ends
    table = Table(title(made), span, layers, kind, inputs, output, event.calls, notes,
                  rows.assumptions(layers, event), tally_of(made, rows.followed.stack))
    return model.born, table


def ends_of(made: Made, followed: Followed) -> tuple[Any, Any]:
    """(inputs, output) of a model: declared, or of the first call that gives anything."""
    model = made.model
    if isinstance(model, ModelV) and model.inputs is not None:
        return model.inputs, model.outputs
    calls = [event for event in followed.calls.get(id(model), ()) if tensors(event.output)]
    return (open_batch(calls[0], calls[0].inputs), open_batch(calls[0], calls[0].output)) if calls else (None, None)


def title(made: Made) -> str:
    """The name that the user gave the model, its variable's, its class', or Keras' own."""
    held = made.model.extra if isinstance(made.model, InstanceV) else made.model
    name = getattr(held, "name", "")
    if name and not is_automatic(made.model, name):
        return str(name)
    if made.names:
        return best_name(made.names)
    return made.model.cls.name if isinstance(made.model, InstanceV) else str(name)


def is_called(made: Made, name: str, followed: Followed) -> bool:
    """Whether `name` is one of the model's, its class', or that of a function under whose call it was made."""
    held = made.model.extra if isinstance(made.model, InstanceV) else made.model
    classes = [cls.name for cls in made.model.cls.mro if hasattr(cls, "name")] if isinstance(made.model, InstanceV) \
        else []
    names = {*made.names, *(each.removeprefix("self.") for each in made.names), getattr(held, "name", ""), *classes}
    if name in names:
        return True
    spans = [made.event.span, *made.event.calls]
    return any(_is_within(span, region) for region in regions(followed, name) for span in spans)


def regions(followed: Followed, name: str) -> list[Span]:
    """Where functions and classes of that (dotted) name are written, in the file."""
    return [span for known, span in definitions(followed.source) if known == name or known.endswith(f".{name}")]


def _is_within(span: Span, region: Span) -> bool:
    return span.path == region.path and region.line <= span.line <= region.end_line


def definitions(source: Source) -> Iterator[tuple[str, Span]]:
    """Every function and class with its dotted name, outer ones first."""

    def walk(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Span]]:
        for node in body:
            inner = prefix
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield f"{prefix}{node.name}", source.span(node)
                inner = f"{prefix}{node.name}."
            for part in ("body", "orelse", "finalbody"):
                yield from walk(getattr(node, part, []), inner)

    yield from walk(source.tree().body, "")


def _listed(followed: Followed) -> list[Made]:
    """The models that have a table of their own: those that are more than a part of another."""
    models = [made.model for made in followed.made.values()]
    inside = {id(part) for model in models for part in _descendants(model)}
    bases = {id(_part(model)) for model in models}
    held = {id(item) for model in models if isinstance(model, InstanceV) for item in sublayers_of(model)}

    def stands_alone(made: Made) -> bool:
        if id(made.model) in bases:
            return False
        named = any("." not in name for name in made.names) or (made.names and id(made.model) not in held)
        return id(made.model) not in inside or bool(named)

    return [made for made in followed.made.values() if stands_alone(made)]


def sublayers_of(holder: InstanceV) -> list[Any]:
    """What the attributes of a user's object hold."""
    return [plain(item) for value in holder.items.values() for item in sublayers(value)]


def _part(value: Any) -> Any:
    return value.extra.model if isinstance(value, InstanceV) and isinstance(value.extra, LayerV) else None


def _descendants(value: Any) -> list[Any]:
    found: list[Any] = []
    todo, seen = [value], {id(value)}
    while todo:
        for part in _direct(todo.pop()):
            if id(part) not in seen:
                seen.add(id(part))
                found.append(part)
                todo.append(part)
    return found


def _direct(value: Any) -> list[Any]:
    """The layers one level below; of a layer that wraps another, that one."""
    wrapped = getattr(getattr(value, "op", None), "layer", None)
    parts = children(value)
    found = [] if isinstance(parts, Unknown) else [plain(part) for part in parts]
    return [*found, wrapped] if isinstance(wrapped, LayerV | ModelV | InstanceV) else found


def _merged(tables: list[tuple[int, Table]]) -> Iterator[tuple[int, Table]]:
    """Models that were made at the same place and are alike in all that is printed become one table."""
    found: dict[Any, tuple[int, Table]] = {}
    for when, table in tables:
        key = (table.span, repr(_looks(table.layers)), table.totals)
        first = found.get(key)
        found[key] = (when, table) if first is None else (first[0], replace(first[1], alike=first[1].alike + 1))
    yield from found.values()


def _looks(layers: tuple[Layer, ...]) -> list[Any]:
    return [(layer.label.partition(" ")[0] if layer.span is None else layer.span, _text(layer.inputs),
             _text(layer.output), layer.totals, _looks(layer.within)) for layer in layers]


def _text(value: Any) -> str:
    return ", ".join(map(str, tensors(value)))


def _outside(rows: Rows, followed: Followed, name: str) -> Iterator[tuple[int, Table]]:
    """Layers of no model by the function, or module, that they are applied in."""
    named: dict[str, list[tuple[str, Span]]] = {}
    groups: dict[tuple[str, Span], list[LayerApplied]] = {}
    only = regions(followed, name) if name else None
    held = {id(part) for made in followed.made.values() for part in _descendants(made.model)}
    for number, event in sorted(followed.applied.items()):
        if number in rows.told or any(outer in followed.applied for outer in event.within) \
                or isinstance(event.maker, ModelV) or is_users_model(event.maker) \
                or (event.uncalled and id(event.maker) in held):
            continue
        source = followed.text_of(event.span.path)
        if event.span.path not in named:
            named[event.span.path] = list(definitions(source)) if source is not None else []
        inside = [(known, span) for known, span in named[event.span.path] if _is_within(event.span, span)]
        if only is not None and not any(_is_within(span, region) for region in only
                                        for span in (event.span, *event.calls)):
            continue
        whole = Span(event.span.path, 1, 0, 1, 0)
        groups.setdefault((inside[-1][0] + "()", inside[-1][1]) if inside else ("", whole), []).append(event)
    for (title_, span), events in groups.items():
        layers = rows.listed(events)
        yield events[0].maker.born, Table(title_, span, layers, assumptions=rows.assumptions(layers, None))


def is_known(followed: Followed, name: str) -> bool:
    """Whether the file has anything of that name: `build` also stands for `Trainer.build`."""
    return any(known == name or known.endswith(f".{name}") for known in known_names(followed))


def known_names(followed: Followed) -> list[str]:
    """What `--model` could name."""
    found = [name for name, _ in definitions(followed.source)]
    for made in followed.made.values():
        held = made.model.extra if isinstance(made.model, InstanceV) else made.model
        found += [name.removeprefix("self.") for name in made.names] + [getattr(held, "name", "")]
    return [name for name in dict.fromkeys(found) if name]
