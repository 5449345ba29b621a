"""Layers that are called by a name that is nearly theirs."""

from __future__ import annotations

import difflib
from functools import cache

from cudnnlint.facts.changes import REMOVED
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.values import Mismatch, Problem

ROOM = "keras.layers."


@cache
def layer_names() -> dict[str, str]:
    """Names of layers in lower case -> as they are written."""
    return {path.removeprefix(ROOM).lower(): path.removeprefix(ROOM) for path in LAYERS if path.startswith(ROOM)}


def tell_of_unknown(m: Machine, c: Call, external: External) -> None:
    """`layers.Conv2d(8, 3)`: what differs from a layer's name in its case, or in one or two letters of a long one."""
    name = external.path.removeprefix(ROOM)
    if external.path in FUNCTIONS or external.written in REMOVED or external.path in REMOVED or m.trying \
            or not external.written.startswith(("keras.", "tensorflow.keras.", "tf_keras.")) \
            or ".src." in external.written:  # modules of its own hold what is not exported
        return
    known = layer_names()
    close = known.get(name.lower()) or _nearly(name, known)
    if close and close != name:
        refuse(m, c.span, Mismatch(
            Problem.UNKNOWN_NAME, f"keras.layers has no {name}", help=f"did you mean {close}",
            error=f"AttributeError \"module 'keras.layers' has no attribute '{name}'\" or ImportError \"cannot import "
                  f"name '{name}'\""), what=name)


def _nearly(name: str, known: dict[str, str]) -> str:
    """
    >>> _nearly("BatchNormalisation", layer_names()), _nearly("Conv4D", layer_names())
    ('BatchNormalization', '')
    """
    found = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.9)
    digits = [sign for sign in name if sign.isdigit()]
    return known[found[0]] if found and [sign for sign in known[found[0]] if sign.isdigit()] == digits else ""
