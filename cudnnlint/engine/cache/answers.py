"""The questions that an outcome hangs on, as JSON, and whether each still has the answer that it had."""

from __future__ import annotations

import os
from typing import Any

from cudnnlint.source import disk
from cudnnlint.source.asked import Answers, Question


def encoded(answers: Answers) -> dict[str, list[Any]]:
    """By directory, since most are about few: [kind, name, answer, what else was asked ...]."""
    told: dict[str, list[Any]] = {}
    for (kind, subject, *more), answer in answers.items():
        directory, name = os.path.split(subject) if kind != "library" else ("", subject)
        told.setdefault(directory, []).append([kind, name, answer, *more])
    return told


class Still:
    """Asks each question once in a run."""

    def __init__(self) -> None:
        self._known: dict[tuple[Question, Any], bool] = {}

    def holds(self, told: Any) -> bool:
        """Whether every answer is still what it was; ValueError and the like for what we would not have written."""
        return all(self._same((kind, os.path.join(directory, name), *more), answer)
                   for directory, rows in told.items() for kind, name, answer, *more in rows)

    def _same(self, question: Question, answer: Any) -> bool:
        key = question, tuple(answer) if isinstance(answer, list) else answer
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _still(question, answer)
        return known


def _still(question: Question, answer: Any) -> bool:
    if question[0] == "signs":
        from cudnnlint.engine.stack import eras

        return eras.still(question[1], question[2:] == ("below",), answer)
    if question[0] == "sets":
        from cudnnlint.engine.stack import started

        return started.still(question[1], answer)
    return disk.still(question, answer)
