"""The inference itself: as rows for programs, as tables for people, as comments in the source."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from typing import Any

from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.errors import UsageError, nearest
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.requirements.environment import packages_for
from cudnnlint.engine.run import readable_sources
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.engine.tables.follow import Followed, follow
from cudnnlint.engine.tables.making import is_known, known_names, shapes_of, told
from cudnnlint.events import LayerApplied, ModelBuilt, tensors
from cudnnlint.facts.libraries import Libraries
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import params_of
from cudnnlint.interp.wanted import Wanted
from cudnnlint.report.shapes.model import Shapes
from cudnnlint.rules.ancestry import behind
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import BATCH, Stack, Tensor, Unknown
from cudnnlint.values.dim import Implied

Row = dict[str, Any]
EVERYTHING = Wanted()


def shape_json(value: Any, opened: bool = False, batch: int | None = None) -> Any:
    """A list of int or None (unknown or varying, or so to Keras while it builds), a list of them for several tensors,
    None when nothing is known.

    With `opened` the first axis is None as well: another call brings another batch. `batch` stands for the batch
    where it is open.
    """
    if isinstance(value, Tensor):
        if isinstance(value.shape, Unknown):
            return None
        dims = [batch if dim == BATCH else dim if isinstance(dim, int) and type(dim) is not Implied else None
                for dim in value.shape]
        return [batch, *dims[1:]] if opened and dims and value.shape[0] != batch else dims
    if isinstance(value, list | tuple):
        given = [item for item in value if strip(item) is not None]  # of (x, None) the tensor alone is an output
        alone = len(given) == 1 < len(value)
        return shape_json(given[0], opened, batch) if alone else _told(_listed(given, opened, batch))
    if isinstance(value, dict):
        return _told(_listed(value.values(), opened, batch))
    return None


def _told(shapes: list[Any]) -> list[Any] | None:
    """None for tensors of which nothing is known: a list of nothing but None is the shape of one tensor."""
    return None if shapes and all(shape is None for shape in shapes) else shapes


def _listed(values: Iterable[Any], opened: bool, batch: int | None) -> list[Any]:
    """One shape a tensor: structures within are told flat, as Keras does."""
    found: list[Any] = []
    for item in values:
        nested = isinstance(item, list | tuple | dict)
        if nested:
            found += _listed(item.values() if isinstance(item, dict) else item, opened, batch)
        else:
            found.append(shape_json(item, opened, batch))
    return found


def _as_asked(event: LayerApplied | ModelBuilt) -> tuple[Any, Any]:
    """Inputs and outputs, in the order of a model's `inputs` and `outputs`, however a call gives them."""
    applied = event if isinstance(event, LayerApplied) else event.applied
    keeps = applied.stack.keras >= (3, 4)
    return _by_name(applied.inputs, keeps), _by_name(applied.output, keeps)


def _by_name(value: Any, keeps: bool) -> Any:
    """Dicts by their keys, as Keras flattens them (keras/src/tree: flatten); with optree, an OrderedDict as it is."""
    if isinstance(value, dict):
        kept = (keeps and isinstance(value, OrderedDict)) or not all(isinstance(name, str) for name in value)
        return {name: _by_name(value[name], keeps) for name in (value if kept else sorted(value))}
    return [_by_name(item, keeps) for item in value] if isinstance(value, list | tuple) else value


def row_of(event: LayerApplied | ModelBuilt, batch: int | None = None) -> Row:
    inputs, output = _as_asked(event)
    built = isinstance(event, ModelBuilt)
    if isinstance(event, ModelBuilt):
        event = event.applied
    outputs = tensors(output)
    dtype = outputs[0].dtype if outputs else None
    torch = any(tensor.kind == "torch" for tensor in tensors(event.inputs))
    span, opened = event.layer.span, event.eager and not event.fixed and not torch
    return {"path": span.path, "line": span.line, "column": span.column + 1, "layer": event.layer.name,
            "input_shape": shape_json(inputs, opened, batch),
            "output_shape": shape_json(output, opened, batch),
            "dtype": dtype if isinstance(dtype, str) else None,
            "params": _with_later(event) if built else event.params if isinstance(event.params, int) else None}


def _with_later(event: LayerApplied) -> int | None:
    """The parameters of a model, with those of layers that a class derived from it keeps once it is made, and those
    that came to be when data first went through it."""
    instance = getattr(event.maker, "instance", None)
    if instance is None and isinstance(event.params, int):
        return event.params
    later = params_of(event.maker if instance is None else instance)
    if not isinstance(event.params, int):
        return later if isinstance(later, int) and instance is None else None
    return max(event.params, later) if isinstance(later, int) else event.params


def rows_of(source: Source, *, stack: Stack, roots: Sequence[str] = ()) -> list[Row]:
    """One row for each distinct (input, output) that a constructor call takes, in order of first application."""
    return rows_in(follow(source, stack, roots), EVERYTHING)


def rows_in(followed: Followed, wanted: Wanted) -> list[Row]:
    """The same of what was followed; with a model that is asked for, of its layers only."""
    chosen = told(followed, wanted.model) if wanted.model else None
    return _rows_of(followed.events, followed, wanted, chosen)


def fed_rows(followed: Followed, wanted: Wanted = EVERYTHING) -> list[Row]:
    """What layers of a model take and give besides, of the sizes that fit() and its kin bring to open extents."""
    return [] if wanted.model else _rows_of(followed.fed, followed, wanted, None)


def _rows_of(events: Iterable[LayerApplied | ModelBuilt], followed: Followed, wanted: Wanted,
             chosen: Set[int] | None) -> list[Row]:
    rows: dict[Any, Row] = {}
    events = list(events)
    called = {event.layer.span for event in events if isinstance(event, LayerApplied) and _is_real(event, followed)}
    for event in events:
        if (chosen is not None and id(event) not in chosen) or followed.is_part(event) or followed.is_inner(event):
            continue
        if isinstance(event, LayerApplied) and not _is_real(event, followed) \
                and (event.asked or event.layer.span in called):
            continue
        for row in (row_of(event, wanted.batch_size), *inner_rows(event, followed.whole)):
            key = (row["path"], row["line"], row["column"], repr(row["input_shape"]), repr(row["output_shape"]))
            known = rows.setdefault(key, row)
            if known["params"] is None:
                known["params"] = row["params"]
    return list(rows.values())


def _is_real(event: LayerApplied, followed: Followed) -> bool:
    """Whether Keras calls the layer, as what the program does shows."""
    return not (event.asked or event.hypothetical) or event.number in followed.real


def inner_rows(event: LayerApplied | ModelBuilt, whole: Set[Span]) -> Iterator[Row]:
    """Of a model that real tensors are given: what its layers take and give for this batch.

    Not of those at the places `whole`, which a library made as parts of a model.
    """
    if isinstance(event, ModelBuilt):
        return
    model, given = event.maker, tensors(event.inputs)
    if event.layer.path == "keras.layers.TimeDistributed" and event.stack.keras < (3,):
        yield from _folded(event)
    if not isinstance(model, ModelV) or not event.fixed or not given:
        return
    batch = given[0].shape[0] if isinstance(given[0].shape, tuple) and given[0].shape else None
    if not isinstance(batch, int):
        return
    for layer, parents, made in behind(model.outputs):
        opened = isinstance(made.shape, tuple) and made.shape[:1] == (BATCH,)
        if opened and parents and made.step is not None and not made.step.index and layer.span not in whole:
            taken = parents[0] if len(parents) == 1 else list(parents)
            yield {"path": layer.span.path, "line": layer.span.line, "column": layer.span.column + 1,
                   "layer": layer.name, "input_shape": shape_json(taken, False, batch),
                   "output_shape": shape_json(made, False, batch),
                   "dtype": made.dtype if isinstance(made.dtype, str) else None, "params": None}


def _folded(event: LayerApplied) -> Iterator[Row]:
    """What Keras 2 applies the layer within to: steps of any batch as one (tf_keras/src/layers/rnn/time_distributed.py:
    TimeDistributed.call)."""
    inner, x, y = event.layer.arguments.get("layer"), event.inputs, event.output
    layer = inner.info() if isinstance(inner, LayerV) else None
    if layer is None or not layer.path or not isinstance(x, Tensor) or not isinstance(y, Tensor):
        return
    if not isinstance(x.shape, tuple) or not isinstance(y.shape, tuple) or len(x.shape) < 3:
        return
    yield {"path": layer.span.path, "line": layer.span.line, "column": layer.span.column + 1, "layer": layer.name,
           "input_shape": [None, *shape_json(x)[2:]], "output_shape": [None, *shape_json(y)[2:]],
           "dtype": y.dtype if isinstance(y.dtype, str) else None,
           "params": event.params if isinstance(event.params, int) else None}


def followed_files(paths: Sequence[str], settings: Settings, wanted: Wanted | None = None,
                   unreadable: list[SourceError] | None = None) -> Iterator[Followed]:
    """Every file that names a framework, followed; `unreadable` gets why those asked for by name cannot be."""
    libraries = Libraries(packages_for(settings))
    for source in readable_sources(paths, settings, unreadable):
        stack, roots = stack_of(source, settings.at(source.path)), import_roots(source.path)
        yield call_deep(partial(follow, source, stack, roots, wanted, libraries))


def inferred(paths: Sequence[str], settings: Settings, wanted: Wanted = EVERYTHING,
             unreadable: list[SourceError] | None = None) -> dict[str, list[Row]]:
    """Rows of every file that names a framework, those for what its models are fed, and where one was not followed to
    its end."""
    layers: list[Row] = []
    fed: list[Row] = []
    cut: list[Row] = []
    for followed in asked_for(paths, settings, wanted, unreadable):
        layers += call_deep(partial(rows_in, followed, wanted))
        fed += call_deep(partial(fed_rows, followed, wanted))
        cut += [{"path": span.path, "line": span.line, "reason": what} for span, what in followed.cut]
    return {"layers": layers, "fed": fed, "not_followed": cut}


def tables(paths: Sequence[str], settings: Settings, wanted: Wanted = EVERYTHING,
           unreadable: list[SourceError] | None = None) -> Iterator[tuple[Followed, Shapes]]:
    """The tables of every file that has any."""
    for followed in asked_for(paths, settings, wanted, unreadable):
        yield followed, call_deep(partial(shapes_of, followed, wanted.model))


def asked_for(paths: Sequence[str], settings: Settings, wanted: Wanted,
              unreadable: list[SourceError] | None = None) -> Iterator[Followed]:
    """Without a name all files, else those that have it; UsageError if none has."""
    names: list[str] = []
    found = False
    for followed in followed_files(paths, settings, wanted, unreadable):
        if wanted.model and not is_known(followed, wanted.model):
            names += known_names(followed)
            continue
        found = True
        yield followed
    if wanted.model and not found:
        raise UsageError(f'no model, function or class "{wanted.model}"{nearest(wanted.model, names)}')
