"""How a rule is declared: a module docstring for its page, `@rule` on a check that names its event.

    @rule("CUD101", "empty-feature-map", Level.ERROR, since="0.1")
    def check(event: Rejected) -> Iterator[Finding]: ...

The annotation of the first parameter (one event class, or a union) is the subscription.
A frozen dataclass `Options` in the same module, taken as a second annotated parameter, makes the rule configurable.
A rule that is about certain layers says so, `layers=frozenset({"keras.layers.Dense"})`, and is told of no other: most
events are of layers that are made and applied, and nothing may cost as little as not being asked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

from cudnnlint.events import Event
from cudnnlint.finding import Finding, Level
from cudnnlint.records import record
from cudnnlint.values import Where

Check = Callable[..., Iterator[Finding]]


@record(frozen=True, slots=True)
class Rule:
    """`page` is the module docstring; `events` the subscribed classes; `options` the Options class or None.

    earlier  versions on which `check` looks for more than on the newest; what is found on those only is told where
             nothing names a version, and only to who selects the rule
    layers   canonical paths of the layers of which LayerCreated and LayerApplied are told; empty: of all
    """

    code: str
    name: str
    level: Level
    since: str
    check: Check
    page: str
    events: tuple[type[Event], ...]
    options: type | None
    default: bool
    earlier: tuple[Where, ...] = ()
    layers: frozenset[str] = frozenset()

    @property
    def summary(self) -> str:
        return self.page.strip().splitlines()[0]


RULES: dict[str, Rule] = {}
"""By name."""


def rule(code: str, name: str, level: Level, *, since: str, default: bool = True,
         earlier: tuple[Where, ...] = (), layers: frozenset[str] = frozenset()) -> Callable[[Check], Check]:
    """Register a check; `default=False` keeps it off unless selected."""

    def decorate(check: Check) -> Check:
        if name in RULES or any(other.code == code for other in RULES.values()):
            raise ValueError(f"rule {name} or code {code} is taken")
        module = sys.modules[check.__module__]
        hints: dict[str, Any] = get_type_hints(check)
        hints.pop("return", None)
        subscription = next(iter(hints.values()))
        RULES[name] = Rule(code, name, level, since, check, module.__doc__ or "",
                           get_args(subscription) or (subscription,), getattr(module, "Options", None), default,
                           earlier, layers)
        return check

    return decorate
