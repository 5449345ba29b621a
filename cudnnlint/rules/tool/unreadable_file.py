"""A file or directory cannot be opened, and is not checked.

## Why is this bad?
Nothing is known of what lies there, so that the silence about it means nothing: a run that went on without a word would
pass in continuous integration. Everything else is checked all the same.

## Example
A directory that belongs to someone else, below the one that is linted:

```text
src/vendored:1:1: CUD902 unreadable-file: the directory cannot be read: permission denied
```

## Use instead
Make it readable (`chmod -R u+rX src/vendored`), or leave it out:

```toml
[tool.cudnnlint]
extend-exclude = ["src/vendored"]
```

## Where it fails
Only here: the program itself may run, as another user. Told of files and directories that the operating system does not
open (permissions, a disk that fails), of files that were there when the directory was listed and are gone when they
are read, and of files of more than 256 MiB.

## Known limits
A path that is named and does not exist is wrong usage, with exit code 2. Symbolic links that lead nowhere are passed
over in silence, and so are requirements files that cannot be read.

## References
* https://docs.python.org/3/library/exceptions.html#os-exceptions
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import SourceBroken
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD902", "unreadable-file", Level.ERROR, since="0.1")
def check(event: SourceBroken) -> Iterator[Finding]:
    if event.unread:
        yield event.finding(event.message)
