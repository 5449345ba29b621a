"""Where something stands, as a person reads it beside the file that is spoken of."""

from __future__ import annotations

import os

from cudnnlint.source import Source, Span

OWN = {"GradientTape": "a training loop", "train_step": "train_step()"}

def at(span: Span | None, home: Source) -> str:
    """`line 3`; in a notebook `cell 2, line 3`; `models.py, line 3` of another file.

    >>> home = Source.from_text("train.py", "")
    >>> at(Span("train.py", 3, 0, 3, 1), home), at(Span("models.py", 3, 0, 3, 1), home), at(None, home)
    ('line 3', 'models.py, line 3', '')
    """
    if span is None or not span.path:
        return ""
    if span.path != home.path:
        return f"{_shown(span.path)}, line {span.line}"
    cell, line = home.locate(span.line)
    return f"line {line}" if cell is None else f"cell {cell}, line {line}"


def heading(span: Span, home: Source) -> str:
    """`train.py:3`, or `nb.ipynb:cell 2:3`."""
    if span.path and span.path != home.path:
        return f"{_shown(span.path)}:{span.line}"
    cell, line = home.locate(span.line)
    return f"{home.path}:{line}" if cell is None else f"{home.path}:cell {cell}:{line}"


def call_of(method: str) -> str:
    """What people call that which trains or runs a model: of events.TrainingStarted the `method`.

    >>> call_of("fit"), call_of("GradientTape")
    ('model.fit(...)', 'a training loop')
    """
    return OWN.get(method, f"model.{method}(...)")


def _shown(path: str) -> str:
    """Short where it lies below the working directory."""
    here = os.getcwd() + os.sep
    return path[len(here):] if path.startswith(here) else path
