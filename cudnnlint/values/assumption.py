"""What a result rests on besides the program text: defaults that a run may override."""

from __future__ import annotations

from cudnnlint.records import record

LONGEST = 60
"""Characters of a default that are told."""


@record(frozen=True, slots=True)
class Assumption:
    """One default taken for granted, e.g. `batch_size = 64 (default of --batch-size, line 9)`.

    is_none  the default is None: in its place stands what is given, which is something else
    path     the file whose `line` the text names, if it names one
    """

    text: str
    is_none: bool = False
    path: str = ""
    line: int = 0

    @classmethod
    def of_default(cls, name: str, value: object, source: str, path: str, line: int) -> Assumption:
        """That `name` has the default which `source` gives it: as Python writes it, of an array its dtype and shape."""
        text = repr(value) if isinstance(value, str) else str(value)
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST - 3]}..."
        return cls(f"{name} = {shown} (default of {source}, line {line})", value is None, path, line)

    def seen_from(self, home: str) -> str:
        """The text for a reader of the file `home`: lines of other files say so, those of a notebook count otherwise.

        >>> Assumption.of_default("rows", 8, "--rows", "app/train.py", 9).seen_from("app/model.py")
        'rows = 8 (default of --rows, train.py line 9)'
        """
        if not self.path or (self.path == home and not home.endswith(".ipynb")):
            return self.text
        other = f", {self.path.replace(chr(92), '/').rpartition('/')[2]} line {self.line})"
        return self.text.replace(f", line {self.line})", other if not self.path.endswith(".ipynb") else ")")


Assumptions = frozenset[Assumption]
NONE: Assumptions = frozenset()


@record(frozen=True, slots=True)
class Assumed:
    """A plain Python value that holds only under `assumptions`; never nested."""

    value: object
    assumptions: Assumptions
