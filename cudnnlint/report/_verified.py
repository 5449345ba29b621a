"""What came of putting a finding to the real library, in one line."""

from __future__ import annotations

from cudnnlint.finding import Verification

WIDEST = 160
"""Code points of a library's error text that are shown."""


def verdict_text(told: Verification) -> str:
    """
    >>> verdict_text(Verification("confirmed", "Keras 3.15.1 on TensorFlow 2.21.0", "CPU", error="ValueError: no",
    ...                           seconds=0.12))
    'confirmed by Keras 3.15.1 on TensorFlow 2.21.0 (CPU): ValueError: no in 0.1 s'
    >>> verdict_text(Verification("confirmed", "Keras 3.15.1", "CPU", seconds=0.12, note="it ran 0 steps"))
    'confirmed by Keras 3.15.1 (CPU): it ran 0 steps in 0.1 s'
    """
    error = told.error if len(told.error) <= WIDEST else told.error[:WIDEST - 3] + "..."
    where = f"{told.backend} ({told.device})"
    after = f" in {told.seconds:.1f} s" if told.seconds is not None else ""
    note = f", {told.note}" if told.note else ""
    shown = f"{error}{after}{note}" if error else f"{told.note}{after}"
    measured = told.note and not told.note.startswith("with ")  # else it only tells what stood in
    told_as = {"confirmed": f"confirmed by {where}: {shown}",
               "refuted": f"refuted by {where}: {shown if measured else f'nothing is raised{after}{note}'}",
               "different": f"another failure with {where}: {error}{after}{note}"}
    return told_as.get(told.verdict, f"{told.verdict}: {told.note}")
