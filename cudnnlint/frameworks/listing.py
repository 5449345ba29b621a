"""What the modules of this package register, so that each is imported when a program first asks for any of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from cudnnlint.interp.registry import ATTRIBUTES, CALLS, CONSTANTS, PARENTS, PREFIXES, ROOTS, bring, expect

INDEX = Path(__file__).with_name("index.txt")
"""A paragraph a kind and module, "calls keras.training", with a line for each path, so that version control merges what
two branches add. Generated with the documentation."""
TABLES: dict[str, dict[str, Any]] = {"calls": CALLS, "attributes": ATTRIBUTES, "constants": CONSTANTS}
"""What waits until its path is asked for. The rest is known from the start: "roots", "prefixes" and "parents"; the
modules that are imported "at-once", since they replace builtins of Python; and the "others", which register nothing."""


@cache
def load() -> None:
    """Fill the tables of the interpreter; modules that the index does not name yet are imported for it."""
    named = set()
    for kind, module, *words in map(str.split, INDEX.read_text(encoding="utf-8").split("\n\n")):
        if kind in TABLES:
            expect(TABLES[kind], words, f"{__package__}.{module}")
            named.add(module)
        elif kind == "roots":
            ROOTS.update(words)
        elif kind in ("prefixes", "parents"):
            pairs = [word.partition(">") for word in words]
            (PREFIXES if kind == "prefixes" else PARENTS).update((path, target) for path, _, target in pairs)
        else:
            named.update(words)
            if kind == "at-once":
                for each in words:
                    bring(f"{__package__}.{each}")
    for each in sorted(set(modules()) - named):
        bring(f"{__package__}.{each}")


def modules() -> Iterator[str]:
    """The modules that are there: `keras_training`, `_torch.methods`."""
    top = os.path.dirname(__file__)
    for folder in ("", *(name for name in os.listdir(top) if "." not in name and name != "__pycache__")):
        for name in os.listdir(os.path.join(top, folder)):
            if name.endswith(".py") and name != "__init__.py":
                yield f"{folder}.{name[:-3]}".lstrip(".")
