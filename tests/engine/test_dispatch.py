"""Which rules are told of an event: those of its class, and of a layer's those that are about that layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.events import LayerApplied, LayerCreated, LayerInfo
from cudnnlint.finding import Finding, Level
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.rules.listing import Listed
from cudnnlint.rules.protocol import RULES, Rule
from cudnnlint.source import Span
from cudnnlint.values import Stack

DENSE, CONV = "keras.layers.Dense", "keras.layers.Conv2D"


def say(event: LayerApplied | LayerCreated) -> Iterator[Finding]:
    yield event.finding(event.layer.path)


def told(monkeypatch: pytest.MonkeyPatch, layers: frozenset[str], *paths: str) -> list[str]:
    """What a rule about these layers says when those paths are made and applied."""
    rule = Rule("CUD701", "says", Level.ERROR, "0.1", say, "p", (LayerApplied, LayerCreated), None, True, (), layers)
    monkeypatch.setitem(RULES, "says", rule)
    dispatcher = Dispatcher([Listed.of(rule)], Settings())
    for line, path in enumerate(paths, 1):
        known: dict[str, Any] = {"span": Span("a.py", line, 0, line, 1), "stack": Stack()}
        layer = LayerInfo(path=path, name=path.rpartition(".")[2], span=known["span"])
        dispatcher.emit(LayerCreated(**known, layer=layer))
        dispatcher.emit(LayerApplied(**known, layer=layer, inputs=None, output=None))
    return [finding.message for finding in dispatcher.findings]


def test_a_rule_is_told_of_its_layers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, frozenset({DENSE}), DENSE, CONV, "", DENSE) == [DENSE] * 4
    assert told(monkeypatch, frozenset(), DENSE, CONV) == [DENSE, DENSE, CONV, CONV]


@pytest.mark.parametrize("name", sorted(registry.rules()))
def test_layers_that_a_rule_names_exist(name: str) -> None:
    unknown = [path for path in registry.rules()[name].layers
               if path not in LAYERS and path not in ("keras.Model", "keras.Sequential")]
    assert not unknown
