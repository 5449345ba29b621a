"""Arguments under a name that is nearly one which a call takes: what the program means by them is not the default."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cudnnlint.values import Mismatch, Problem

CLOSE = 0.8
SHAPELESS = re.compile(r"activation|use_bias|name|dtype|trainable|rate|seed|\w*(initializer|regularizer|constraint)")
"""Arguments of layers that change nothing of their shapes."""


def meant(problems: Sequence[Mismatch], arguments: Mapping[str, Any], given: frozenset[str]) -> tuple[str, ...]:
    """The parameters that nothing is given to, and whose names are nearly those of unknown arguments.

    >>> wrong = [Mismatch(Problem.UNKNOWN_ARGUMENT, "", argument="activaton")]
    >>> meant(wrong, {"units": 3, "activation": None}, frozenset({"units"}))
    ('activation',)
    """
    free = [name for name in arguments if name not in given]
    return tuple(close for problem in problems if problem.problem is Problem.UNKNOWN_ARGUMENT and problem.argument
                 for close in get_close_matches(problem.argument, free, 1, CLOSE))


__all__ = ["SHAPELESS", "meant"]
