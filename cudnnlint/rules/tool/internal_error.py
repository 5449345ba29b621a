"""A part of cudnnlint crashed on this code; the rest of the file was checked without it.

## Why is this bad?
It is a bug in cudnnlint, never in your program. The finding names the rule, layer or function that raised
and the line it was looking at; what that part would have said is missing.

## Example
No program should cause it. If one does:

```text
train.py:12:5: CUD900 internal-error: cudnnlint crashed in rule empty-feature-map: KeyError: 'axis'
```

## Use instead
Report it with the lines that the finding points at. Until it is put right, `--ignore` the rule that is named,
or put `# noqa: CUD900` on the line.

## Where it fails
Only here: the training run is not affected.

## Known limits
A part that crashes many times in one file is reported at the first place. Selecting other rules does not turn
this one off; ignoring it does.

## References
* cudnnlint/engine/dispatch.py: what becomes of a crash
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Crashed
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD900", "internal-error", Level.WARNING, since="0.1")
def check(event: Crashed) -> Iterator[Finding]:
    yield event.finding(f"cudnnlint crashed in {event.where}: {event.error}",
                        fails="only here: the program itself is not affected",
                        help="please report it with the lines shown; all other checks went on")
