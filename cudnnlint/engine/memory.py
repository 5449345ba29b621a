"""Estimates of memory for the training calls of programs, or for their models where nothing is trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cudnnlint.engine import registry
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.dispatch import told
from cudnnlint.engine.located import located
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.requirements.environment import packages_for
from cudnnlint.engine.run import readable_sources
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.engine.tables.follow import Followed, Made
from cudnnlint.engine.tables.making import title
from cudnnlint.events import Crashed, Event, StepContinued, TrainingStarted
from cudnnlint.facts.libraries import Libraries
from cudnnlint.interp.wanted import Wanted
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.models import estimates_of_model, is_of_torch, parts_of
from cudnnlint.memory.places import call_of, heading
from cudnnlint.records import record
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import Stack

Curve = tuple[tuple[int, Estimate], ...]
"""Estimates by batch size."""
TRAINING = frozenset({"fit", "train_on_batch", "GradientTape", "train_step"})
UNSAID = 32
"""The batch size that is counted where the program's is not known."""


@record(frozen=True, slots=True)
class Asked:
    """Batch sizes that the command line asks for, instead of the program's; () for its own.

    gpus      how many there are
    timeline  whether to tell the step over time
    policy    dtype policy that programs start with, instead of float32
    inputs    extents of the inputs of models that nothing calls
    """

    batches: tuple[int, ...] = ()
    gpus: int = 1
    timeline: bool = False
    policy: str = ""
    inputs: tuple[tuple[int | None, ...], ...] = ()


@record(frozen=True, slots=True)
class Fit:
    """One training call (or a model without one): its estimate, and those for other batch sizes that were asked for.

    place   of the call, for people; model: what the program calls it
    stack   the versions that it is estimated for
    mixed   the same in mixed precision, where that was looked at
    """

    path: str
    place: str
    model: str
    estimate: Estimate
    stack: Stack
    curve: Curve = ()
    mixed: Estimate | None = None


class Listener(Followed):
    """Takes the estimates as the calls happen: what they are made of may change afterwards.

    still    where training calls are whose batch size is not the program's, but one that is taken in its place
    crashes  failures of our own, as they are told; missing: whether an estimate is lost to one
    apart    models of PyTorch, whose memory is not estimated, and where they are made
    """

    def __init__(self, source: Source, stack: Stack, asked: Asked, still: frozenset[Span] = frozenset()) -> None:
        super().__init__(source, stack)
        self.asked, self.still = asked, still
        self.found: dict[Any, tuple[TrainingStarted, Estimate, Curve]] = {}
        self.crashes: dict[str, None] = {}
        self.apart: dict[str, None] = {}
        self.missing = False

    def listen(self, event: Event) -> None:
        if isinstance(event, TrainingStarted) and event.memory is not None:
            self._training(event, event.memory)
        elif isinstance(event, StepContinued):
            self._training(event.started, event.started.memory, again=True)
        elif isinstance(event, Crashed):
            self.crash(event.span, f"{event.where}: {event.error}")
        else:
            super().listen(event)

    def crash(self, span: Span, what: str) -> None:
        """A bug of ours: what else the program trains is still told."""
        self.crashes[f"{heading(span, self.source)}: internal error in {what} (a bug in cudnnlint)"] = None

    def _training(self, event: TrainingStarted, memory: Any, again: bool = False) -> None:
        try:
            self._estimated(event, memory, again)
        except Exception as error:
            self.missing = True
            self.crash(event.span, f"the estimate of {call_of(event.method)}: {told(error)}")

    def _estimated(self, event: TrainingStarted, memory: Any, again: bool) -> None:
        batches = self.asked.batches
        made: Estimate = memory(batches[0] if len(batches) == 1 else None, self.asked.gpus, self.asked.timeline)
        curve = tuple((batch, memory(batch, self.asked.gpus)) for batch in batches) if len(batches) > 1 else ()
        for key, (_, before, _) in list(self.found.items()):  # gradients that the whole step applies too
            if before.span in made.covers and (before.span != made.span or again) and before.calls == made.calls:
                del self.found[key]
        made = self._assumed(made)
        key = (made.span, made.terms, made.regime, made.counted)
        self.found.setdefault(key, (event, made, curve))


    def _assumed(self, made: Estimate) -> Estimate:
        """That the batch size is not the program's, where nobody gave it."""
        if self.asked.batches or made.span not in self.still or made.batch_size is None:
            return made
        said = f"batch_size {made.batch_size}: the program's is not known"
        return replace(made, batch_size=None, assumptions=(said, *made.assumptions))


def fits(paths: Sequence[str], settings: Settings, asked: Asked, unreadable: list[SourceError] | None = None,
         crashes: dict[str, None] | None = None, apart: dict[str, None] | None = None,
         vain: list[str] | None = None) -> Iterator[Fit]:
    """Of every file that names a framework; `unreadable` gets why those asked for by name cannot be followed,
    `crashes` where we failed ourselves, `apart` models of PyTorch, `vain` why inputs that were given feed nothing in
    any file with models."""
    reasons = list[str]()
    libraries = Libraries(packages_for(settings))
    for source in readable_sources(paths, settings, unreadable):
        found, heard = call_deep(partial(fits_in, source, settings.at(source.path), asked, libraries))
        if crashes is not None:
            crashes.update(heard.crashes)
        if apart is not None:
            apart.update(heard.apart)
        if heard.made:
            reasons.append(heard.vain)
        yield from found
    if vain is not None and all(reasons):
        vain += reasons[:1]


def fits_in(source: Source, settings: Settings, asked: Asked,
            libraries: Libraries) -> tuple[list[Fit], Listener]:
    """What is trained, and who listened: it knows our own failures too."""
    registry.load()
    stack = stack_of(source, settings)
    heard = _heard(source, stack, asked, libraries)
    if still := frozenset(made.span for event, made, _ in heard.found.values() if _is_open(event, made)):
        again = _heard(source, stack, asked, libraries, still)
        heard = again if len(again.found) >= len(heard.found) and not again.missing else heard
    found = list(heard.found.values())
    most = max((made.needs() for event, made, _ in found if event.method in TRAINING), default=-1)
    found = [each for each in found if each[0].method in TRAINING or each[1].needs() > most]  # on all at once
    if not found and not heard.missing:
        return list(_of_models(source, heard, asked)), heard
    return [Fit(source.path, heading(made.span, source), _named(heard, event, made), located(made, source), stack,
                _located(curve, source)) for event, made, curve in found], heard


def _heard(source: Source, stack: Stack, asked: Asked, libraries: Libraries,
           still: frozenset[Span] = frozenset()) -> Listener:
    """The program followed; where it was and its calls on these lines were `still` open, with a batch size."""
    from cudnnlint.interp import analyse

    batch = (asked.batches[0] if asked.batches else UNSAID) if still else None
    heard = Listener(source, stack, asked, still)
    wanted = Wanted(inputs=asked.inputs, batch_size=batch, policy=asked.policy, gpus=asked.gpus)
    analyse(source, stack=stack, emit=heard.listen, roots=import_roots(source.path), watch=heard.watch, wanted=wanted,
            libraries=libraries)
    return heard


def _is_open(event: TrainingStarted, made: Estimate) -> bool:
    """Whether parts are not known, maybe for want of a batch size: of an option, an argument or a file."""
    asked: Any = event.memory
    return asked.batch() is None and (bool(made.unknown) or asked.is_open())


def _named(heard: Followed, event: TrainingStarted, made: Estimate) -> str:
    """What `cudnnlint shapes` calls the model."""
    known = heard.made.get(id(getattr(event.memory, "model", None))) or _made_at(heard, event.model.span)
    return (title(known) if known is not None else made.model) or "a model"


def _made_at(heard: Followed, span: Span | None) -> Made | None:
    """The model that is made there, by the program itself or around what it makes."""
    found = [made for made in heard.made.values() if getattr(made.model, "span", None) == span]
    return next((made for made in found if made.names), found[0] if found else None)


def _of_models(home: Source, heard: Listener, asked: Asked) -> Iterator[Fit]:
    """Inference and training of one sample, for each model that is not part of another; equal ones once."""
    inner = {id(part) for made in heard.made.values() for part in parts_of(made.model)}
    told_of: set[Any] = set()
    for made in heard.made.values():
        if id(made.model) in inner:
            continue
        span = getattr(made.model, "span", None)
        name = title(made if made.names else _made_at(heard, span) or made) or "a model"
        if is_of_torch(made.model):
            heard.apart[f"{heading(span or made.event.span, home)}: {name}"] = None
            continue
        try:
            calls = heard.calls.get(id(made.model))
            every = list(_with_batches(made.model, heard.stack, asked,
                                       (calls[-1].inputs, calls[-1].output) if calls else (None, None)))
        except Exception as error:
            heard.crash(span or made.event.span, f"the estimate of {name}: {told(error)}")
            continue
        for estimate, curve in every:
            key = (estimate.span, estimate.method, estimate.terms)
            if key not in told_of:
                told_of.add(key)
                made_so = located(replace(estimate, model=name), home)
                yield Fit(home.path, heading(estimate.span, home), name, made_so, heard.stack, _located(curve, home))


def _located(curve: Curve, home: Source) -> Curve:
    return tuple((batch, located(made, home)) for batch, made in curve)


def _with_batches(model: Any, stack: Stack, asked: Asked, called: tuple[Any, Any]) -> Iterator[tuple[Estimate, Curve]]:
    """A prediction and a step of training, of one sample where no batch is asked for."""
    every = [tuple(estimates_of_model(model, stack, batch, asked.timeline, called)) for batch in asked.batches or (1,)]
    for same in zip(*every, strict=True):
        yield same[0], tuple(zip(asked.batches, same, strict=True)) if len(asked.batches) > 1 else ()
