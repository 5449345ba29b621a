"""What a result rests on besides the program text: defaults that a run may override."""

from __future__ import annotations

from cudnnlint.records import record

LONGEST = 60
"""Characters of a default that are told."""


@record(frozen=True, slots=True)
class Assumption:
    """One default taken for granted, e.g. `batch_size = 64 (default of --batch-size, line 9)`.

    is_none  the default is None: in its place stands what is given, which is something else
    """

    text: str
    is_none: bool = False

    @classmethod
    def of_default(cls, name: str, value: object, source: str, line: int) -> Assumption:
        """That `name` has the default which `source` gives it."""
        text = repr(value)
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST - 3]}..."
        return cls(f"{name} = {shown} (default of {source}, line {line})", value is None)


Assumptions = frozenset[Assumption]
NONE: Assumptions = frozenset()


@record(frozen=True, slots=True)
class Assumed:
    """A plain Python value that holds only under `assumptions`; never nested."""

    value: object
    assumptions: Assumptions
