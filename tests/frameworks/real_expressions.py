"""Tables of expressions as people write them: what was inferred of each beside what the real library gives.

A line of a table is `statement; statement; expression`. One that begins with `?` may stay open; of all others shape and
dtype must be known. `since 3.13: ...` holds from that release of the library on. The names that the head of the table
binds are there, anew for each line.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import plain
from cudnnlint.values import Symbol, Tensor, Unknown
from cudnnlint.values.numpy_int import NumpyFloat, NumpyInt
from cudnnlint.values.stack import parse_version
from tests.frameworks.real_data import tensorflow
from tests.interpret import events_of, names_of, of_kind
from tests.oracle.harness import installed_stack

FOLDER = Path(__file__).with_name("expressions")


@dataclass(frozen=True)
class Line:
    """One line of a table. `open` if it may stay unknown; `since` is the release from which on it holds."""

    text: str
    open: bool
    since: tuple[int, ...] = ()

    @property
    def statements(self) -> tuple[str, str]:
        """(statements, expression)."""
        *before, last = ast.parse(self.text).body
        assert isinstance(last, ast.Expr), self.text
        return "\n".join(map(ast.unparse, before)), ast.unparse(last)


def table(name: str) -> tuple[str, list[Line]]:
    """The statements that come first, and the lines."""
    head, _, body = (FOLDER / name).read_text(encoding="utf-8").partition("\n---\n")
    lines = [line for line in body.splitlines() if line.strip() and not line.startswith("#")]
    return head, [_line(line) for line in lines]


def _line(written: str) -> Line:
    text = written.lstrip("? ")
    since = re.match(r"since ([\d.]+): ", text)
    return Line(text[since.end():] if since else text, written.startswith("?"),
                parse_version(since[1]) if since else ())


def program(head: str, lines: Sequence[Line]) -> str:
    """All lines as one program: what each gives is `r0`, `r1`, ..."""
    parts = [head]
    for i, line in enumerate(lines):
        before, expression = line.statements
        body = "".join(f"    {one}\n" for one in before.splitlines())
        parts.append(f"def f{i}():\n{body}    return {expression}\nr{i} = f{i}()\n")
    return "\n".join(parts)


def verdicts(name: str, package: str = "keras") -> Iterator[tuple[Line, str]]:
    """Of each line "exact", "open", or what is wrong; `package` is the Keras that the table imports."""
    head, lines = table(name)
    head = head.replace("import keras\n", f"import {package} as keras\n").replace("from keras.", f"from {package}.")
    text, stack = program(head, lines), installed_stack(package) if package != "keras" else None
    names = names_of(text, stack)
    refused = {event.span.line: event.mismatch.message for event in of_kind(events_of(text, stack), Rejected)}
    starts = [row for row, line in enumerate(text.splitlines(), 1) if line.startswith("def f")]
    for i, line in enumerate(lines):
        message = next((said for row, said in refused.items() if i == sum(start <= row for start in starts) - 1), None)
        try:
            is_ = real(head, line)
        except Exception as error:
            yield line, f"the library refuses it: {error}"
            continue
        yield line, f"refused: {message}" if message else against(names.get(f"r{i}", Unknown()), is_)


def real(head: str, line: Line) -> Any:
    """What the library gives."""
    names: dict[str, Any] = {}
    exec(head, names)
    before, expression = line.statements
    exec(before, names)
    return eval(expression, names)


def against(ours: Any, is_: Any) -> str:
    """Our value beside the real one."""
    found = set(_leaves(strip(plain(ours)), is_))
    wrong = sorted(found - {"exact", "open"})
    return wrong[0] if wrong else "open" if "open" in found else "exact"


def _leaves(ours: Any, is_: Any) -> Iterator[str]:
    array = getattr(ours, "as_array", None)
    ours = array if isinstance(array, Tensor) else ours
    if isinstance(ours, Unknown):
        yield "open"
    elif isinstance(ours, Tensor):
        yield _tensor(ours, is_)
    elif isinstance(ours, Mapping | list | tuple):
        yield from _parts(ours, is_)
    elif ours is None or isinstance(ours, bool | int | float | str):
        yield "exact" if _same(ours, is_) else f"{ours!r}, it is {is_!r}"
    else:
        yield "open"


def _same(ours: Any, is_: Any) -> bool:
    """A Python number stands for NumPy's of the same kind, too."""
    kind = getattr(getattr(is_, "dtype", None), "kind", None) if getattr(is_, "shape", None) == () else None
    made = {NumpyInt: int, NumpyFloat: float}.get(type(ours)) if kind else None  # NumPy's numbers are no Python ones
    mine = made or type(ours)
    alike = {"i": int, "f": float, "b": bool}.get(kind or "", type(is_)) is mine
    return alike and (bool(ours == is_) or (isinstance(ours, float) and math.isnan(ours)))


def _parts(ours: Any, is_: Any) -> Iterator[str]:
    alike = isinstance(is_, Mapping) if isinstance(ours, Mapping) else isinstance(is_, list | tuple) \
        or type(is_).__name__ == "TensorShape"
    if not alike or len(ours) != len(is_):
        yield f"{ours!r}, it is {is_!r}"
        return
    if isinstance(ours, Mapping):
        is_ = [is_[key] for key in ours]
        ours = list(ours.values())
    for a, b in zip(ours, is_, strict=True):
        yield from _leaves(a, b)


def _tensor(ours: Tensor, is_: Any) -> str:
    shape, dtype = described(is_)
    if shape is None:
        return f"{ours}, it is {type(is_).__name__} {is_!r}"
    if isinstance(ours.dtype, str) and ours.dtype != dtype:
        return f"{ours}, it is {dtype}{list(shape)}"
    if not isinstance(ours.shape, tuple):
        return "open"
    pairs = list(zip(ours.shape, shape, strict=False))
    if len(ours.shape) != len(shape) or any(isinstance(a, int) and a != b for a, b in pairs):
        return f"{ours}, it is {dtype}{list(shape)}"
    known = all(isinstance(a, int | Symbol) for a, _ in pairs)  # a batch that varies is no number
    return "exact" if known and isinstance(ours.dtype, str) else "open"


def described(is_: Any) -> tuple[Any, Any]:
    """(shape, dtype) of an array, a tensor or a table; (None, None) of anything else."""
    if not hasattr(is_, "shape"):
        return None, None
    shape = is_.shape
    shape = tuple(shape.as_list()) if hasattr(shape, "as_list") else tuple(shape)
    dtype = getattr(is_, "dtype", None)
    if dtype is None:  # a table
        kinds = {str(kind) for kind in is_.dtypes}
        dtype = kinds.pop() if len(kinds) == 1 else "object"
    name = getattr(dtype, "name", str(dtype))
    return shape, "string" if name.startswith(("str", "bytes")) else name.removesuffix("_ref")


def make_files(folder: Path) -> None:
    """Pictures, texts and sounds of two kinds, four of each."""
    tf = tensorflow()
    encoded = tf.io.encode_png(tf.zeros((10, 12, 3), tf.uint8)).numpy()
    sound = tf.audio.encode_wav(tf.zeros((80, 1)), 8000).numpy()
    for parent, name, content in (("pictures", "png", encoded), ("texts", "txt", b"some words"),
                                  ("sounds", "wav", sound)):
        for kind in ("cat", "dog"):
            place = folder / parent / kind
            place.mkdir(parents=True)
            for i in range(4):
                (place / f"{i}.{name}").write_bytes(content)


def report(name: str, package: str = "keras") -> None:
    """For whoever writes a table: what is wrong or open in it."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        os.chdir(folder)
        told = [(line, verdict) for line, verdict in verdicts(name, package)]
    for line, verdict in told:
        if verdict != "exact":
            print(f"{verdict:60} {'? ' if line.open else ''}{line.text}")
    print({kind: sum(v == kind for _, v in told) for kind in ("exact", "open")}, len(told))


if __name__ == "__main__":
    import sys

    report(*sys.argv[1:])
