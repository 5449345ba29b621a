"""Which files are worth parsing: a byte search that most of a repository fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

ROOTS = (b"keras", b"tensorflow", b"torch")
"""Any one of these in a file means that it may use a framework. "keras" covers tf.keras and tf_keras, "torch"
torchvision."""


def names_framework(data: bytes) -> bool:
    """Whether a file could use a framework we know, judged without parsing it.

    >>> names_framework(b"import tensorflow as tf")
    True
    >>> names_framework(b"import os")
    False
    """
    return any(root in data for root in ROOTS)


IMPORTS = re.compile(
    rb"^[ \t]*\"?[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import\b[ \t(]*([\w \t,]*)|import[ \t]+([\w., \t]+))", re.M)


def import_statements(data: bytes) -> Iterator[tuple[bytes, ...]]:
    """The dots, module and names of each `from . import`, or the modules of an `import`: only lines that have the word
    are matched, and most have not.

    >>> list(import_statements(b"import os, sys\\nfrom ..nets import unet, head\\n"))
    [(b'', b'', b'', b'os, sys'), (b'..', b'nets', b'unet, head', b'')]
    """
    at = data.find(b"import")
    while at >= 0:
        found = IMPORTS.match(data, data.rfind(b"\n", 0, at) + 1)
        if found is not None:
            yield found.groups(b"")
        end = data.find(b"\n", at)
        at = data.find(b"import", end) if end >= 0 else -1
