"""Hands each event to the rules that subscribed to its class; a rule that crashes stops nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cudnnlint.engine.select import asked_for
from cudnnlint.engine.settings import Settings
from cudnnlint.events import BoundHit, Crashed, Event, RejectedBefore
from cudnnlint.finding import Claim, Finding, Level
from cudnnlint.rules.protocol import Rule
from cudnnlint.rules.wording import stacks
from cudnnlint.values import Where

_PACKAGE = Path(__file__).parents[2]


class Dispatcher:
    """Rules by the event class they subscribed to; `emit` collects what they find in one file."""

    def __init__(self, rules: Iterable[Rule], settings: Settings) -> None:
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self._rules = tuple(rules)
        self._options = {rule.name: _settled(settings.rules.get(rule.name) or rule.options(), settings)
                         for rule in self._rules if rule.options is not None}
        self._asked = asked_for(settings, self._rules)
        self._table: dict[type[Event], tuple[Rule, ...]] = {}
        self._crashed: set[str] = set()

    def emit(self, event: Event) -> None:
        """One event; never raises."""
        if isinstance(event, RejectedBefore):
            self._rejected_before(event)
            return
        rules = self._subscribed(type(event))
        if isinstance(event, BoundHit):
            self.notes.append(f"{event.span.path}:{event.span.line}: not followed: {event.what}")
        if isinstance(event, Crashed):
            if event.where in self._crashed:
                return
            self._crashed.add(event.where)
        for rule in rules:
            found = self._found(rule, event)
            self.findings += [replace(finding, rule=rule.name, code=rule.code, level=rule.level,
                                      claim=finding.claim or _claim(event, finding, rule.name)) for finding in found]
            if not found and rule.earlier and event.stack.before and rule.name in self._asked:
                self._look_back(rule, event)

    def crash(self, where: str, error: BaseException, event: Event) -> None:
        """Turns a crash of ours at `event` into an internal-error finding."""
        self.emit(Crashed(span=event.span, stack=event.stack, calls=event.calls, uncalled=event.uncalled,
                          where=where, error=told(error)))

    def _subscribed(self, kind: type[Event]) -> tuple[Rule, ...]:
        rules = self._table.get(kind)
        if rules is None:
            rules = self._table[kind] = tuple(rule for rule in self._rules if issubclass(kind, rule.events))
        return rules

    def _found(self, rule: Rule, event: Event) -> list[Finding]:
        options = self._options.get(rule.name)
        try:
            return list(rule.check(event) if options is None else rule.check(event, options))
        except Exception as error:
            if isinstance(event, Crashed):
                self.notes.append(f"internal-error itself crashed: {told(error)}")
            else:
                self.crash(f"rule {rule.name}", error, event)
            return []

    def _rejected_before(self, event: RejectedBefore) -> None:
        """Told to who selects the rule, as are findings of `earlier` versions."""
        for rule in self._subscribed(type(event.rejected)):
            if rule.name in self._asked:
                found = self._found(rule, event.rejected)
                self.findings += [_of_the_past(finding, rule, event.mismatch.where) for finding in found]

    def _look_back(self, rule: Rule, event: Event) -> None:
        """What a rule finds on the newest of the older stacks that it asks for."""
        for where in rule.earlier:
            older = next((stack for stack in event.stack.before if where.holds(stack)), None)
            found = self._found(rule, replace(event, stack=older)) if older is not None else []
            self.findings += [_of_the_past(finding, rule, where) for finding in found]
            if found:
                return


NOT_ASKED = Claim("not-verifiable", (("reason", "it is about older versions than the one at hand"),))


def _of_the_past(finding: Finding, rule: Rule, where: Where) -> Finding:
    """A finding that holds on older versions only, where nothing says which one it is: advice."""
    text = f"{finding.message} (only {stacks(where)}; nothing here names a version)"
    return replace(finding, message=text, rule=rule.name, code=rule.code, level=Level.INFO, fix=None, claim=NOT_ASKED)


def _claim(event: Event, finding: Finding, rule: str) -> Claim | None:
    """Most files have no finding, and need not load what makes claims."""
    from cudnnlint.engine.claims import claim_of

    return claim_of(event, finding, rule)


def _settled(options: Any, settings: Settings) -> Any:
    """Options with the GPU of the settings, where they have one and name none of their own."""
    return replace(options, gpu=settings.gpu) if settings.gpu and getattr(options, "gpu", None) == "" else options


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
