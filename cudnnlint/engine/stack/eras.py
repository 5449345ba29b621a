"""Which TensorFlow the other files of a project are written for, where a module itself does not tell."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudnnlint.engine.requirements.dependencies import levels
from cudnnlint.engine.stack.clues import code_of, is_half_ported, read_clues
from cudnnlint.source import disk
from cudnnlint.source.asked import is_recorded, note, remembered, unheard

MOST_FILES, MOST_BYTES = 100, 1 << 20
"""More would take longer than what asks."""
LARGEST = 1 << 19
"""Bytes of a file that are looked at; larger ones are data, or notebooks full of pictures."""
SKIPPED = frozenset({"node_modules", "site-packages", "venv", "env", "build", "dist", "__pycache__"})

_TWO = tuple(text.encode() for text in (
    "@tf.function", "tf.GradientTape", "tf.random.set_seed(", "tf.random.normal(", "tf.random.uniform(",
    "tf.data.AUTOTUNE", "mixed_precision", "MultiHeadAttention", "summary.create_file_writer", "jit_compile",
    "enable_v2_behavior", "run_functions_eagerly"))
"""What only TensorFlow 2 has, or Keras beside it."""
_TWO_PATTERNS = (
    (b"tf.config", rb"tf\.config\.(?:experimental\.)?(?:list|set|get)_"),
    (b"keras.", rb"keras\.(?:ops|saving|random)\b"),
    (b"ops", rb"from(?<!\wfrom)\s+keras\s+import\s+ops\b"),
    *((name, rb"\b(?:import|from)\s+%s\b" % name) for name in (
        b"tf_keras", b"keras_hub", b"keras_nlp", b"keras_cv", b"keras_tuner", b"keras_core", b"tensorflow_federated",
        b"tensorflow_addons", b"tensorflow_recommenders")),
)
"""The same, where plain bytes do not tell; those beside a pattern are in whatever it matches."""
_BOTH = rb"\bcompat(?:\.v1\b| import v1\b)"
"""What is written for both."""


class _Signs(NamedTuple):
    """What files tell: why it is TensorFlow 1, or "", and whether anything says that it is 2."""

    one: str = ""
    two: bool = False


def project_of_1(directory: Path, data: bytes) -> str:
    """Why a module of `directory` is taken to be of TensorFlow 1, as the files nearest to it are; "" if nothing says.

    Its own directory counts first, then what is below that and below those above it, up to the project's root: the
    first in which a file tells either.
    """
    data = _code(data)
    if _is_two(data) or (_is_of_both(data) and not is_half_ported(data)):
        return ""
    around = levels(directory)
    for each, below in ((around[0], False), *((each, True) for each in around)):
        signs = _signs(each, below)
        if signs.one or signs.two:
            return "" if signs.two else signs.one
    return ""


def still(directory: str, below: bool, told: Any) -> bool:
    """Whether the files in a directory tell what they told."""
    files = _files(directory, below)
    stamp, *signs = told
    if stamp and stamp == _stamp(files):
        return True
    return bool([*_signs_of(files)] == signs)


@remembered
def _signs(directory: str, below: bool) -> _Signs:
    """Of the files in a directory, or in all that are below it.

    Most changes of a file change nothing about that: it is one question, not one about each of the files.
    """
    recorded = is_recorded()
    with unheard():
        files = _files(directory, below)
        stamp = _stamp(files) if recorded else ""
        found = _signs_of(files)
    note(("signs", directory, *(("below",) if below else ())), [stamp, *found])
    return found


def _stamp(files: Sequence[str]) -> str:
    """What files they are, and as of when; "" if they were changed right now."""
    times = [disk.settled(file) for file in files]
    return disk.digest(repr([*zip(files, times, strict=True)]).encode("utf-8", "replace")) if all(times) else ""


def _signs_of(files: Sequence[str]) -> _Signs:
    """Of these files; none if they are too much to look at."""
    if len(files) > MOST_FILES or sum(min(_size(file), LARGEST) for file in files) > MOST_BYTES:
        return _Signs(two=True)
    found = ""
    for file in files:
        one, two = _sign(file)
        if two:
            return _Signs(two=True)
        found = found or one
    return _Signs(found)


@remembered
def _sign(file: str) -> _Signs:
    """Of one file."""
    data = _code(_read(file))
    if b"tensorflow" not in data and b"keras" not in data:
        return _Signs()
    clues = read_clues(data)
    if clues.keras_3 or clues.legacy or _is_two(data):
        return _Signs(two=True)
    return _Signs(f"{clues.tensorflow_1} in {os.path.basename(file)}" if clues.tensorflow_1 else "")


def _is_of_both(data: bytes) -> bool:
    return (b"compat.v1" in data or b"compat import v1" in data) and re.search(_BOTH, data) is not None


def _is_two(data: bytes) -> bool:
    return any(text in data for text in _TWO) \
        or any(text in data and re.search(pattern, data) for text, pattern in _TWO_PATTERNS)


def _read(file: str) -> bytes:
    try:
        return disk.read(file) if _size(file) <= LARGEST else b""
    except OSError:
        return b""


def _size(file: str) -> int:
    try:
        return disk.size(file)
    except OSError:
        return 0


def _code(data: bytes) -> bytes:
    return code_of(data) if b'"output_type"' in data else data


def _files(directory: str, below: bool) -> list[str]:
    """Modules and notebooks, one more than are looked at if there are so many."""
    files = disk.walk(directory, (".py", ".ipynb"), lambda name: below and name not in SKIPPED)
    return [*itertools.islice(files, MOST_FILES + 1)]
