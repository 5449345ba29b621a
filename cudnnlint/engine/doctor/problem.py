"""What is wrong with an environment, as data."""

from __future__ import annotations

from cudnnlint.finding import Level
from cudnnlint.records import record


@record(frozen=True, slots=True)
class Problem:
    """`error` is the text that a program is stopped with, or that TensorFlow logs; `help` what to do."""

    name: str
    level: Level
    message: str
    error: str = ""
    help: str = ""
