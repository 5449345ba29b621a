"""One analysis of a file for `cudnnlint shapes`, with everything kept that tables and annotations are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.engine import registry
from cudnnlint.events import (
    BoundHit,
    Event,
    LayerApplied,
    LayerFed,
    ModelAsked,
    ModelBuilt,
    ModelMade,
    ModelRun,
    Rejected,
    TrainingStarted,
)
from cudnnlint.facts.libraries import Libraries
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.registry import ancestry
from cudnnlint.interp.wanted import NOT_USED, Wanted
from cudnnlint.records import record
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import Mismatch, Stack, Unknown
from cudnnlint.values.tensor import tensors

_TARGETS = re.compile(r"\s*([\w.]+(?:\s*,\s*[\w.]+)*)\s*(?::[^=()]*)?=(?!=)")


@record(slots=True)
class Made:
    """A model: the object, the event that told of it, and the names that it was given.

    unfinished  what it is made of when it is done is not known: the code that makes it was not followed to its end
    """

    model: Any
    event: Event
    names: list[str]
    unfinished: bool = False


class Followed:
    """What happened in one analysis.

    applied  applications by number, as they ended
    calls    id of what was applied -> its applications, as they ended
    steps    id of the step that made a tensor -> number of the application
    made     models by id, in the order met
    values   what each statement assigned, in order
    failed   number of an application that fails -> what is wrong with it
    trained  fit() and its kin, and loops that apply gradients
    given_up what was not followed
    fed      layers of models that were fed what they had not been built for
    real     numbers of the applications that data go through in a model which is run
    whole    where models were made: what a library made within such a call has the call's place
    """

    def __init__(self, source: Source, stack: Stack) -> None:
        self.source, self.stack = source, stack
        self.sources: dict[str, Source | None] = {source.path: source}
        self.given_up: list[BoundHit] = []
        self.whole: set[Span] = set()
        self.forget()

    def forget(self) -> None:
        """Nothing of what happened so far was asked for."""
        self.events: list[LayerApplied | ModelBuilt] = []
        self.trained: list[TrainingStarted] = []
        self.fed: list[LayerApplied] = []
        self.real: set[int] = set()
        self.applied: dict[int, LayerApplied] = {}
        self.calls: dict[int, list[LayerApplied]] = {}
        self.steps: dict[int, int] = {}
        self.made: dict[int, Made] = {}
        self.values: list[tuple[Span, Any]] = []
        self.failed: dict[int, Mismatch] = {}
        self._rejected: Rejected | None = None

    def listen(self, event: Event) -> None:
        if isinstance(event, LayerApplied):
            self._layer(event)
        elif isinstance(event, ModelBuilt):
            self.events.append(event)
            self.whole.add(event.applied.layer.span)
            self._model(event.applied.maker, event)
        elif isinstance(event, ModelMade):
            self._model(event.model, event)
        elif isinstance(event, TrainingStarted):
            self.trained.append(event)
        elif isinstance(event, Rejected):
            self._rejected = event
        elif isinstance(event, LayerFed):
            self.fed.append(event.applied)
        elif isinstance(event, ModelRun):
            self._run(event.model)
        elif isinstance(event, ModelAsked):
            self.forget()
        elif isinstance(event, BoundHit):
            self.given_up.append(event)
            if event.cut:
                for made in self.made.values():
                    made.unfinished |= _may_change(made.model) and id(made.model) not in self.calls

    @property
    def cut(self) -> tuple[tuple[Span, str], ...]:
        """(where, what ended it) of each part that was not followed to its end: layers may be missing."""
        return tuple(dict.fromkeys((event.span, event.what) for event in self.given_up if event.cut))

    @property
    def vain(self) -> str:
        """Why inputs that the command line gives feed nothing, if so."""
        return next((event.what for event in self.given_up if event.what.startswith(NOT_USED)), "")

    def _layer(self, event: LayerApplied) -> None:
        for tensor in tensors(event.output):
            if tensor.step is not None:
                self.steps[id(tensor.step)] = event.number
        if event.doubtful:
            unknown = Unknown("a loop that is not followed to its end")
            event = replace(event, inputs=unknown, output=unknown, params=unknown)
        self.events.append(event)
        if event.eager and isinstance(event.maker, ModelV):
            self._run(event.maker)
        self.applied[event.number] = event
        self.calls.setdefault(id(owner(event.maker)), []).append(event)
        before = self._rejected
        if before is not None and before.layer is not None and before.layer.span == event.layer.span \
                and before.inputs is event.inputs:
            self.failed[event.number] = before.mismatch
        if is_users_model(event.maker):
            self._model(event.maker, event)

    def _run(self, model: ModelV) -> None:
        """What its layers were only asked for when it was built, of models within it too, they are called on now."""
        todo, seen = list(tensors(model.outputs)), set[int]()
        while todo:
            step = todo.pop().step
            if step is not None and id(step) not in seen:
                seen.add(id(step))
                self.real.add(self.steps.get(id(step), 0))
                todo += (*step.parents, *tensors(step.body))

    def _model(self, model: Any, event: Event) -> None:
        self.made.setdefault(id(model), Made(model, event, []))

    def is_part(self, event: LayerApplied | ModelBuilt) -> bool:
        """Whether a user's layer is applying what it inherits: `super().call(x)`."""
        if isinstance(event, ModelBuilt):
            return False
        outer = (self.applied[number] for number in event.within if number in self.applied)
        return any(owner(each.maker) is owner(event.maker) for each in outer)

    def is_inner(self, event: LayerApplied | ModelBuilt) -> bool:
        """Whether it is a layer of a model that one call of a library made: no constructor of it is in the program."""
        if isinstance(event, ModelBuilt):
            return False
        if isinstance(event.maker, LayerV) and event.layer.span in self.whole:
            return True
        outer = (self.applied[number].maker for number in event.within if number in self.applied)
        return any(isinstance(model, ModelV) and model is not event.maker and model.span == event.layer.span
                   for model in outer)

    def watch(self, span: Span, value: Any) -> None:
        self.values.append((span, value))
        held = plain(value)
        parts = held if isinstance(held, tuple) else (held,)
        if any(isinstance(plain(part), ModelV | InstanceV) for part in parts):
            for name, part in zip(self._names(span, len(parts)), parts, strict=False):
                known = self.made.get(id(plain(part)))
                if known is not None and name not in known.names:
                    known.names.append(name)

    def _names(self, span: Span, count: int) -> list[str]:
        """What the statement assigns to, by its text."""
        found = _TARGETS.match(self.line(span)[span.column:])
        names = [name.strip() for name in found[1].split(",")] if found else []
        return names if len(names) == count else []

    def line(self, span: Span) -> str:
        source = self.text_of(span.path)
        return source.lines[span.line - 1] if source is not None and 1 <= span.line <= len(source.lines) else ""

    def text_of(self, path: str) -> Source | None:
        """The source of any module that was followed."""
        if path not in self.sources:
            try:
                self.sources[path] = Source.read(path)
            except SourceError:
                self.sources[path] = None
        return self.sources[path]


def owner(maker: Any) -> Any:
    """What was applied: the user's object where it was its library part."""
    return maker.user if isinstance(maker, LayerV) and maker.user is not None else maker


def _may_change(model: Any) -> bool:
    """Whether a model gets its layers one by one."""
    return isinstance(model, InstanceV) or (isinstance(model, ModelV) and model.kind == "sequential")


MODELS = frozenset({"keras.Model", "torch.nn.Module"})


def is_users_model(value: Any) -> bool:
    """An instance of a class that the user derived from keras.Model or torch.nn.Module."""
    return isinstance(value, InstanceV) and not MODELS.isdisjoint(ancestry(value.cls.external_base() or ""))


def follow(source: Source, stack: Stack, roots: Sequence[str] = (), wanted: Wanted | None = None,
           libraries: Libraries | None = None) -> Followed:
    """Interpret the file; SourceError if it is not Python."""
    from cudnnlint.interp import analyse

    registry.load()
    followed = Followed(source, stack)
    analyse(source, stack=stack, emit=followed.listen, roots=roots, watch=followed.watch,
            wanted=wanted or Wanted(), libraries=libraries)
    return followed
