"""The layers of a model as rows: found in its graph, in what its call() applied, or in its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.engine.tables.follow import Followed, owner
from cudnnlint.engine.tables.tally import tally
from cudnnlint.engine.tables.words import attribute_names, axis_names, best_name, is_automatic, label, open_batch
from cudnnlint.events import Event, LayerApplied
from cudnnlint.interp.functions import display
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.report.shapes.model import Layer
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

SHOWN_WITHIN = ("keras.layers.Lambda",)
"""Library layers whose inner applications are the user's."""
OPERATORS = {"getitem": "[...]", "neg": "-x", "pos": "+x", "invert": "~x"}

MOST_ROWS = 5_000
"""Rows of a table, beyond which what is within a layer is left out."""


class Rows:
    """Builds the rows of one analysis. `told`: applications that some table has."""

    def __init__(self, followed: Followed) -> None:
        self.followed = followed
        self.told: set[int] = set()
        self._inner: dict[int, list[int]] = {}
        for number, event in sorted(followed.applied.items()):
            parent = next((outer for outer in reversed(event.within) if outer in followed.applied), 0)
            self._inner.setdefault(parent, []).append(number)

    # -- models ---------------------------------------------------------------------------------------

    def model(self, model: Any) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
        """(rows, what is to be said before them) of a model by itself."""
        self._rows = 0
        self._counted: set[int] = {id(model)}
        self._said: set[str] = set()
        self.ends: tuple[Any, Any] = (getattr(model, "inputs", None), getattr(model, "outputs", None))
        return self._structure(model)

    def listed(self, events: Iterable[LayerApplied]) -> tuple[Layer, ...]:
        """Rows of layers that belong to no model."""
        self._rows, self._counted, self._said = 0, set(), set()
        return _joined((self._row(event, "") for event in events), alike=True)

    def assumptions(self, layers: Iterable[Layer], event: Event | None) -> tuple[str, ...]:
        found = {each.text for each in event.control} if event is not None else set()
        todo = list(layers)
        while todo:
            layer = todo.pop()
            todo += layer.within
            found.update(each.text for tensor in (*tensors(layer.inputs), *tensors(layer.output))
                         for each in tensor.assumptions)
        return tuple(sorted(found))

    def _structure(self, model: Any) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
        if isinstance(model, InstanceV):
            return self._instance(model)
        if model.kind == "sequential":
            return self._chain(model)
        rows = self._graph(model)
        why = model.outputs.why if isinstance(model.outputs, Unknown) else ""
        return rows, (f"outputs unknown: {why}",) if why else ()

    def _inner_structure(self, model: ModelV) -> tuple[Layer, ...]:
        """Of a model within another: its inputs are those of the row above."""
        return tuple(layer for layer in self._structure(model)[0] if layer.inputs is not None or layer.output is None)

    def _instance(self, model: InstanceV) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
        part = getattr(model.extra, "model", None)
        calls = self.followed.calls.get(id(model), [])
        best = next((event for event in calls if tensors(event.output)), calls[0] if calls else None)
        self.told.update(event.number for event in calls)
        if best is not None:
            self.ends = open_batch(best, best.inputs), open_batch(best, best.output)
        if isinstance(part, ModelV) and (part.outputs is not None or not best):
            return self._structure(part)
        if best is None:
            return self._unapplied(model), ("never called: --input gives it an input",)
        return self._applied_within(best), ()

    def _chain(self, model: ModelV) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
        if model.layers.unknown:
            return (), (f"layers unknown: {model.layers.unknown.why}",)
        if model.inputs is None:
            calls = self.followed.calls.get(id(model), [])
            self.told.update(event.number for event in calls)
            best = next((event for event in calls if tensors(event.output)), None)
            if best is not None:
                self.ends = open_batch(best, best.inputs), open_batch(best, best.output)
                return self._applied_within(best), ()
            return tuple(self._bare(layer, "") for layer in model.layers.items), \
                ("never built: no input shape is given, and nothing calls it; --input gives one",)
        left = self._nodes(model.outputs)
        rows = []
        for item in map(plain, model.layers.items):
            event = next((event for _, event in left if isinstance(event, LayerApplied)
                          and owner(event.maker) is item), None)
            event = event or next((event for event in self.followed.calls.get(id(item), ()) if not event.within), None)
            left = [node for node in left if node[1] is not event]
            rows.append(self._row(event, "") if event is not None else self._bare(item, ""))
        return _joined(rows), ()

    def _graph(self, model: ModelV) -> tuple[Layer, ...]:
        """Inputs first, then what the program applied in its order."""
        nodes = self._nodes(model.outputs)
        first = [self._input(tensor) for tensor in tensors(model.inputs)]
        given = {id(tensor.step) for tensor in tensors(model.inputs)}
        rows = [self._row(event, "") if event is not None else self._function(tensor)
                for tensor, event in nodes if id(tensor.step) not in given]
        return (*first, *_joined(row for row in rows if row is not None))

    def _nodes(self, outputs: Any) -> list[tuple[Tensor, LayerApplied | None]]:
        """The applications in the graph that leads to `outputs`, each once, as the program came to them."""
        found: dict[Any, tuple[tuple[int, ...], Tensor, LayerApplied | None]] = {}
        keys: dict[int, tuple[int, ...]] = {}
        stack = [(tensor, False) for tensor in reversed(tensors(outputs))]
        seen: set[int] = set()
        while stack:
            tensor, done = stack.pop()
            step = tensor.step
            if step is None:
                continue
            if not done:
                if id(step) not in seen:
                    seen.add(id(step))
                    stack.append((tensor, True))
                    stack.extend((parent, False) for parent in reversed(step.parents))
                continue
            number = self.followed.steps.get(id(step))
            event = self.followed.applied[number] if number is not None else None
            behind = max((keys.get(id(parent.step), ()) for parent in step.parents), default=())
            key = (number,) if number is not None else (*behind, 0)
            keys[id(step)] = key
            found.setdefault(number or (step.maker if isinstance(step.maker, str) else id(step), _call_of(step)),
                             (key, tensor, event))
        return [(tensor, event) for _, tensor, event in sorted(found.values(), key=lambda node: node[0])]

    # -- rows -----------------------------------------------------------------------------------------

    def _row(self, event: LayerApplied, attribute: str) -> Layer:
        self.told.add(event.number)
        maker = owner(event.maker)
        shared = id(maker) in self._counted
        totals = None if shared and event.params != 0 else tally(maker, self.followed.stack)
        within: tuple[Layer, ...] = ()
        self._rows += 1
        full = self._rows > MOST_ROWS
        wrapped = getattr(getattr(maker, "op", None), "layer", None)
        if not full and (isinstance(maker, ModelV | InstanceV) or isinstance(wrapped, ModelV | InstanceV)
                         or getattr(maker, "path", "") in SHOWN_WITHIN):
            within = self._applied_within(event) or (self._inner_structure(maker) if isinstance(maker, ModelV) else ())
        self._counted.add(id(maker))
        inputs, output = (open_batch(event, value) for value in (event.inputs, event.output))
        return Layer(label(maker, attribute or self._variable(maker)), event.layer.span, inputs, output, totals,
                     shared, (*self._notes(event), *(("what is within is not shown",) if full else ())), within)

    def _variable(self, maker: Any) -> str:
        """The name of the variable that holds a model, unless the user named the model itself."""
        made = self.followed.made.get(id(maker))
        own = getattr(maker.extra if isinstance(maker, InstanceV) else maker, "name", "")
        return best_name(made.names) if made is not None and is_automatic(maker, own) else ""

    def _applied_within(self, event: LayerApplied) -> tuple[Layer, ...]:
        """What one application applied, and below it what the object holds but did not apply."""
        maker = owner(event.maker)
        part = getattr(maker.extra, "model", None) if isinstance(maker, InstanceV) else None
        names = attribute_names(maker) if isinstance(maker, InstanceV) else {}
        rows: list[Layer] = []
        for number in self._inner.get(event.number, ()):
            inner = self.followed.applied[number]
            if (part is not None and inner.maker is part) or owner(inner.maker) is maker:
                self.told.add(number)
                rows += self._applied_within(inner) or (self._inner_structure(part) if part is not None else ())
            else:
                rows.append(self._row(inner, names.get(id(owner(inner.maker)), "")))
        if isinstance(maker, InstanceV):
            rows += self._unapplied(maker)
        return _joined(rows)

    def _unapplied(self, model: InstanceV) -> tuple[Layer, ...]:
        """Layers held and not met so far."""
        found = children(model)
        names = attribute_names(model)
        parts = [] if isinstance(found, Unknown) else [part for part in map(plain, found) if not self._is_met(part)]
        return tuple(self._bare(part, names.get(id(part), "")) for part in parts)

    def _is_met(self, layer: Any) -> bool:
        """Whether a row has it, or one of those that it may be."""
        return any(id(each) in self._counted for each in (layer, *getattr(layer, "options", ())))

    def _bare(self, layer: Any, attribute: str) -> Layer:
        """A layer that the model's call did not apply; nor anything else, or there would be shapes to show."""
        if isinstance(layer, Unknown):
            return Layer("?", notes=(f"layer unknown: {layer.why}",) if layer.why else ())
        for event in self.followed.calls.get(id(layer), ()):
            if event.uncalled:
                return self._row(event, attribute)
        self._counted.add(id(layer))
        if isinstance(layer, ObjectV):
            return Layer(label(layer, attribute), layer.span, None, Unknown(), tally(layer, self.followed.stack))
        within = self._unapplied(layer) if isinstance(layer, InstanceV) else ()
        return Layer(label(layer, attribute), getattr(layer, "span", None), None, None,
                     tally(layer, self.followed.stack), within=within)

    def _input(self, tensor: Tensor) -> Layer:
        maker = tensor.step.maker if tensor.step is not None else None
        name = label(maker, "") if isinstance(maker, LayerV) else "InputLayer"
        return Layer(name, tensor.step.span if tensor.step is not None else None, None, tensor, None,
                     notes=tuple(self._unknowns(tensor, None)))

    def _function(self, tensor: Tensor) -> Layer | None:
        """A function between layers; values that the graph starts from are none."""
        step = tensor.step
        if step is None or not isinstance(step.maker, str) or step.maker == JOIN or not step.parents:
            return None
        name = display(step.maker)
        parents = [parent for parent in step.parents if parent.kind == "keras"] or list(step.parents)
        return Layer(OPERATORS.get(name, name), step.span, parents[0] if len(parents) == 1 else parents, tensor,
                     notes=tuple(self._unknowns(tensor, None)))

    def _notes(self, event: LayerApplied) -> Iterator[str]:
        failed = self.followed.failed.get(event.number)
        if failed is not None:
            yield f"fails: {failed.message}"
        else:
            for tensor in tensors(event.output):
                yield from self._unknowns(tensor, event)
            if isinstance(event.output, Unknown) and event.output.why:
                yield from self._once(f"output unknown: {event.output.why}")

    def _unknowns(self, tensor: Tensor, event: LayerApplied | None) -> Iterator[str]:
        """Why extents are not known: each reason once in a table."""
        if isinstance(tensor.shape, Unknown):
            yield from self._once(f"shape unknown: {tensor.shape.why or 'its origin is not followed'}")
            return
        axes: dict[str, list[str]] = {}
        names = axis_names(len(tensor.shape), event)
        for axis, dim in enumerate(tensor.shape):
            if isinstance(dim, Unknown):
                axes.setdefault(_origin(dim.why, event) or "its origin is not followed", []).append(names[axis])
        for why, which in axes.items():
            named = "shape" if len(which) == len(tensor.shape) else " and ".join(which)
            yield from self._once(why, f"{named} unknown: {why}")

    def _once(self, why: str, text: str = "") -> Iterator[str]:
        if why not in self._said:
            self._said.add(why)
            yield text or why


RANK = frozenset({"rank", "input rank"})
"""What layers say that cannot tell anything because their input is not known."""


def _origin(why: str, event: LayerApplied | None) -> str:
    """The reason of the input, where a layer only says that it does not know that."""
    if why not in RANK or event is None:
        return why
    shapes = [tensor.shape for tensor in tensors(event.inputs)]
    return next((shape.why for shape in shapes if isinstance(shape, Unknown) and shape.why), why)


def _call_of(step: Step) -> int:
    return id(step.arguments[0]) if step.arguments else 0


def _joined(rows: Iterable[Layer], *, alike: bool = False) -> tuple[Layer, ...]:
    """Rows of the same layer with the same shapes become one, where the first stands; with `alike` of others too."""
    found: dict[Any, Layer] = {}
    for row in rows:
        key: Any = (row.label, row.span, _plain(row.inputs), _plain(row.output))
        first = found.get(key) if row.shared or alike else None
        if first is not None:
            found[key] = replace(first, times=first.times + row.times)
        else:
            found[key if key not in found else (key, len(found))] = row
    return tuple(found.values())


def _plain(value: Any) -> str:
    return ", ".join(map(str, tensors(value)))
