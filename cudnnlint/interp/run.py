"""One analysis: the module's body, then what nothing called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from cudnnlint.events import Event, ModuleFinished
from cudnnlint.facts.libraries import Libraries
from cudnnlint.interp import (  # noqa: F401 - they fill the dispatch tables
    builtin_code,
    builtin_objects,
    builtin_sequences,
    comprehensions,
    contexts,
    definitions,
    expressions,
    flow,
    loops,
    modules,
    ordering,
)
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import Raised
from cudnnlint.interp.later import open_attributes
from cudnnlint.interp.layers import LayerV, policy_of
from cudnnlint.interp.limits import Limits, OutOfBounds
from cudnnlint.interp.machine import Frame, Machine
from cudnnlint.interp.managers import ContextV
