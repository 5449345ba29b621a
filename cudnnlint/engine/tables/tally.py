"""Counts the parameters of a layer or model, and says what it could not count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.engine.tables.follow import Made
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.memory.weights import variables
from cudnnlint.report.shapes.model import Totals
from cudnnlint.values import Stack, Unknown

CUT = "what makes it is not followed to its end"


def tally_of(made: Made, stack: Stack) -> Totals:
    """The same of a model that the analysis met; some of one whose making was not followed to its end."""
    totals = tally(made.model, stack)
    return replace(totals, unknown=(*totals.unknown, CUT)) if made.unfinished else totals


def tally(value: Any, stack: Stack) -> Totals:
    """Each variable once; of a functional model that a class derives from it with all that the object holds."""
    if isinstance(value, ModelV) and value.instance is not None:
        value = value.instance
    totals = Totals()
    reasons: dict[str, None] = {}
    for item in variables(value, stack):
        if isinstance(item, str):
            reasons[item] = None
            continue
        size, each, trained = item
        if trained is True:
            totals = replace(totals, trainable=totals.trainable + size, sized=totals.sized and each > 0,
                             trainable_bytes=totals.trainable_bytes + size * each)
        else:
            totals = replace(totals, frozen=totals.frozen + size, frozen_bytes=totals.frozen_bytes + size * each,
                             sized=totals.sized and each > 0, unsure=totals.unsure or isinstance(trained, Unknown))
    return replace(totals, unknown=tuple(reasons))
