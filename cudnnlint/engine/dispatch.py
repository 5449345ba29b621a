"""Hands each event to the rules that subscribed to its class; a rule that crashes stops nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from cudnnlint.engine.causes import Causes
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.select import asked_for
from cudnnlint.events import BoundHit, Crashed, Event, LayerApplied, LayerCreated, Rejected, RejectedBefore
from cudnnlint.finding import Claim, Finding, Level
from cudnnlint.rules.listing import Listed
from cudnnlint.rules.protocol import Check, Rule
from cudnnlint.values import Where

_PACKAGE = Path(__file__).parents[2]
Told = tuple[tuple[Rule, Check], ...]


OF_LAYERS = frozenset({LayerApplied, LayerCreated})
"""Most events are."""


class Listeners:
    """Which of some rules are told of a class of events: the same for every file that they are run on."""

    def __init__(self, rules: tuple[Listed, ...]) -> None:
        self._rules = rules
        self._known: dict[type[Event], tuple[Listed, ...]] = {}

    def of(self, kind: type[Event]) -> tuple[Listed, ...]:
        """Those that subscribed to the class or to one that it is derived from."""
        if kind not in self._known:
            names = {cls.__name__ for cls in kind.__mro__}
            self._known[kind] = tuple(row for row in self._rules if not names.isdisjoint(row.events))
        return self._known[kind]


_listeners = lru_cache(maxsize=8)(Listeners)


class Dispatcher:
    """Rules by the event class they subscribed to; `emit` collects what they find in one file.

    A rule is loaded when the first event comes that it is told of.
    """

    def __init__(self, rules: Iterable[Listed], settings: Settings) -> None:
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self._rules = tuple(rules)
        self._listeners = _listeners(self._rules)
        self._settings = settings
        self._asked = asked_for(settings, self._rules)
        self._table: dict[type[Event], Told] = {}
        self._by_layer: dict[tuple[type[Event], str], Told] = {}
        self._crashed: set[str] = set()
        self._causes = Causes()

    def emit(self, event: Event) -> bool:
        """One event; never raises. Whether anything was found."""
        kind = type(event)
        if kind in OF_LAYERS:
            return self._check(event, self._of_layer(event))  # type: ignore[arg-type]
        if isinstance(event, RejectedBefore):
            self._rejected_before(event)
            return True
        if isinstance(event, BoundHit):
            self.notes.append(f"{event.span.path}:{event.span.line}: not followed: {event.what}")
        if event.uncalled and isinstance(event, Rejected) and event.made_of_none:
            return False  # whoever calls the function gives the argument
        if isinstance(event, Crashed):
            if event.where in self._crashed:
                return True
            self._crashed.add(event.where)
        return self._check(event, self._subscribed(kind))

    def _check(self, event: Event, rules: Told) -> bool:
        """What these rules find in it."""
        any_found = False
        for rule, check in rules:
            try:
                found = tuple(check(event))  # without a frame of our own: most find nothing
                for finding in found:
                    self._tell(_of_now(finding, rule, check, event), event)
                any_found = any_found or bool(found)
            except Exception as error:
                self._failed(rule, event, error)
                continue
            if not found and rule.earlier and rule.name in self._asked and event.stack.before:
                any_found = self._look_back(rule, check, event) or any_found
        return any_found

    def _tell(self, finding: Finding, event: Event) -> None:
        if not self._causes.told(event, finding, self.findings):
            self.findings.append(finding)

    def crash(self, where: str, error: BaseException, event: Event) -> None:
        """Turns a crash of ours at `event` into an internal-error finding."""
        self.emit(Crashed(span=event.span, stack=event.stack, calls=event.calls, uncalled=event.uncalled,
                          where=where, error=told(error)))

    def _of_layer(self, event: LayerApplied | LayerCreated) -> Told:
        """Those of them that are told of its layer."""
        key = type(event), event.layer.path
        known = self._by_layer.get(key)
        if known is None:
            known = self._by_layer[key] = tuple((rule, check) for rule, check in self._subscribed(key[0])
                                                if not rule.layers or key[1] in rule.layers)
        return known

    def _subscribed(self, kind: type[Event]) -> Told:
        """The rules that are told of a class of events, with their options."""
        known = self._table.get(kind)
        if known is None:
            rules = (row.rule() for row in self._listeners.of(kind))
            known = self._table[kind] = tuple((rule, self._with_options(rule)) for rule in rules if rule is not None)
        return known

    def _with_options(self, rule: Rule) -> Check:
        """A check of one event: its options have the GPU of the settings, where they name none of their own."""
        if rule.options is None:
            return rule.check
        options = self._settings.rules.get(rule.name) or rule.options()
        gpu = self._settings.gpu
        if gpu and getattr(options, "gpu", None) == "":
            options = replace(options, gpu=gpu)
        return partial(rule.check, options=options)

    def _failed(self, rule: Rule, event: Event, error: Exception) -> None:
        if isinstance(event, Crashed):
            self.notes.append(f"internal-error itself crashed: {told(error)}")
        else:
            self.crash(f"rule {rule.name}", error, event)

    def _rejected_before(self, event: RejectedBefore) -> None:
        """Told to who selects the rule, as are findings of `earlier` versions."""
        for rule, check in self._subscribed(type(event.rejected)) if self._asked else ():
            if rule.name in self._asked:
                self._past(rule, check, event.rejected, event.mismatch.where)

    def _look_back(self, rule: Rule, check: Check, event: Event) -> bool:
        """Whether a rule finds something on the newest of the older stacks that it asks for."""
        for where in rule.earlier:
            older = next((stack for stack in event.stack.before if where.holds(stack)), None)
            if older is not None and self._past(rule, check, replace(event, stack=older), where):
                return True
        return False

    def _past(self, rule: Rule, check: Check, event: Event, where: Where) -> bool:
        """Whether it finds anything."""
        try:
            found = [*check(event)]
        except Exception as error:
            self._failed(rule, event, error)
            return False
        self.findings += [_of_the_past(finding, rule, where) for finding in found]
        return bool(found)


def _of_now(finding: Finding, rule: Rule, check: Check, event: Event) -> Finding:
    options = check.keywords.get("options") if isinstance(check, partial) else None
    claim = finding.claim or _claim(event, finding, rule.name, options)
    return replace(finding, rule=rule.name, code=rule.code, level=rule.level, claim=claim)


NOT_ASKED = Claim("not-verifiable", (("reason", "it is about older versions than the one at hand"),))


def _of_the_past(finding: Finding, rule: Rule, where: Where) -> Finding:
    """A finding that holds on older versions only, where nothing says which one it is: it may fail."""
    from cudnnlint.rules.wording import stacks

    text = f"{finding.message} (only {stacks(where)}; nothing here names a version)"
    return replace(finding, message=text, rule=rule.name, code=rule.code, level=Level.WARNING, fix=None,
                   claim=NOT_ASKED)


def _claim(event: Event, finding: Finding, rule: str, options: Any) -> Claim | None:
    """Most files have no finding, and need not load what makes claims."""
    from cudnnlint.engine.claims.making import claim_of

    return claim_of(event, finding, rule, options)


def told(error: BaseException) -> str:
    """Type, message and the line of ours that raised, in one short line.

    >>> told(KeyError("axis"))
    "KeyError: 'axis'"
    """
    text = " ".join(str(error).split())
    message = f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
    return f"{message}{_place(error)}"


def _place(error: BaseException) -> str:
    """The innermost line of ours, for whoever mends it."""
    found, at = "", error.__traceback__
    while at is not None:
        file = Path(at.tb_frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE):
            found = f" ({file.relative_to(_PACKAGE).as_posix()}:{at.tb_lineno})"
        at = at.tb_next
    return found
