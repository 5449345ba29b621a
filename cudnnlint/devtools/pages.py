"""Runs the examples in pages: what their comments claim about each line must be so, and nothing else be found.

A page is Markdown, or a module whose docstring is. Each block fenced as ```python is linted as a file of its own
by every rule; comments in it are claims:

    x = layers.Conv2D(64, 5)(x)   # error: [empty-feature-map]      a finding of this rule starts on this line
    x = layers.Conv2D(64, 3)(x)   # revealed: float32[B, 6, 6, 64]  what the line assigns, or its layer gives
    n = tricky()                  # todo-revealed: 3                a known gap: fails the day it is closed
    y = layer(tricky())           # todo-error: [empty-batch]       likewise

In the middle of an expression, `reveal_shape(x)` tells of `x` and gives it back: `f(reveal_shape(x))  # revealed: ...`.
A value that rests on assumptions is written `16 if batch_size = 16 (default of --batch-size, line 3)`; values that
differ from pass to pass are written `1 | 2 | 3`. After ```python may stand versions, `keras=2.15 tensorflow=2.15`,
and `file=config.py`, for a block that the later ones of its page can import; a block of another language that has a
`file=` (```json file=settings.json) is a file beside them. Rules that are off by default only speak in blocks that ask
for one of them, `select=off-cudnn-path`. A block whose `file=` lists requirements (```requirements
file=requirements.txt) is linted too, as what it is.
"""

from __future__ import annotations

import ast
import io
import re
import tempfile
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudnnlint.engine import registry
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.requirements.files import is_requirements
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_requirements, check_source
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.events import Event, LayerApplied
from cudnnlint.finding import Finding
from cudnnlint.interp import analyse
from cudnnlint.interp.convert import strip
from cudnnlint.source import Source, Span
from cudnnlint.values import Stack

Values = dict[int, list[str]]
"""Line -> what it gave, pass by pass."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: `line` is where its code begins in the page, `info` what follows the language's name."""

    page: str
    number: int
    line: int
    code: str
    info: Mapping[str, str]
    language: str = "python"

    def __str__(self) -> str:
        return f"{self.page}, block {self.number}"


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion of a comment: kind as written before the colon, text after it, line within the block."""

    kind: str
    line: int
    text: str


KINDS = ("error", "revealed", "todo-error", "todo-revealed")
_CLAIM = re.compile(rf"#\s*({'|'.join(KINDS)}):\s*([^#]*)")
_FENCE = re.compile(r"^```(\w*)[ \t]*(.*)$")


def is_linted(block: Block) -> bool:
    """Whether a block is checked, not only a file beside others."""
    return block.language == "python" or is_requirements(block.info.get("file", ""))


def blocks_of(path: Path, root: Path) -> list[Block]:
    """The Python blocks of a Markdown file, or of a module's docstring, and the files beside them, in order."""
    text, first = path.read_text(encoding="utf-8"), 1
    if path.suffix == ".py":
        head = ast.parse(text).body[:1]
        if not head or ast.get_docstring(ast.parse(text)) is None:
            return []
        first = head[0].lineno
        text = "\n".join(text.splitlines()[first - 1: head[0].end_lineno])
    return list(_blocks(path.relative_to(root).as_posix(), text, first))


def _blocks(page: str, text: str, first: int) -> Iterator[Block]:
    inside: list[str] | None = None
    start, number, language, info = 0, 0, "", ""
    for line, content in enumerate(text.splitlines(), first):
        fence = _FENCE.match(content)
        if inside is None and fence:
            inside, start, language, info = [], line + 1, fence[1], fence[2]
        elif inside is not None and content.startswith("```"):
            options = dict(part.partition("=")[::2] for part in info.split())
            if language == "python" or "file" in options:
                number += 1
                yield Block(page, number, start, "\n".join(inside) + "\n", options, language)
            inside = None
        elif inside is not None:
            inside.append(content)


def claims_of(code: str) -> list[Claim]:
    """Every claim of the comments in a block."""
    found: list[Claim] = []
    for line, comment in _comments(code):
        found += [Claim(kind, line, text.strip()) for kind, text in _CLAIM.findall(comment)]
    return found


def _comments(code: str) -> Iterator[tuple[int, str]]:
    try:
        yield from [(token.start[0], token.string) for token in tokenize.generate_tokens(io.StringIO(code).readline)
                    if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):  # a requirements file
        yield from ((line, text[text.index("#"):]) for line, text in enumerate(code.splitlines(), 1) if "#" in text)


def failures(block: Block, siblings: Iterable[Block] = ()) -> list[str]:
    """What is not as the block says, one line each; `siblings` are blocks of the page that it may import."""
    with tempfile.TemporaryDirectory(prefix="cudnnlint-page-") as folder:
        for other in siblings:
            if "file" in other.info:
                file = Path(folder) / other.info["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(other.code, encoding="utf-8")
        path = str(Path(folder) / block.info.get("file", "example.py"))
        source = Source.from_text(path, block.code)
        return [f"{block.page}:{block.line + line - 1}: block {block.number}: {text}"
                for line, text in sorted(_failures(block, source))]


def findings_of(block: Block, source: Source | None = None) -> list[Finding]:
    """What all rules find in a block, on the stack that it names."""
    if block.language != "python":
        path = source.path if source is not None else block.info["file"]
        return check_requirements(path, block.code, _settings(block))
    source = source or Source.from_text("example.py", block.code)
    return check_source(source, _settings(block), stack_of(source, _settings(block)))


def _failures(block: Block, source: Source) -> Iterator[tuple[int, str]]:
    found = [finding for finding in findings_of(block, source) if finding.span.path == source.path]
    claims = claims_of(block.code)
    yield from _errors(claims, found)
    if any(claim.kind.endswith("revealed") for claim in claims):
        values = reveal(source, stack_of(source, _settings(block)))
        for claim in claims:
            if claim.kind.endswith("revealed"):
                yield from _revealed(claim, values.get(claim.line, []))


def _settings(block: Block) -> Settings:
    asked = block.info.get
    return Settings(extend_select=(asked("select", ""),) if asked("select") else (), keras=asked("keras", ""),
                    tensorflow=asked("tensorflow", ""), cudnn=asked("cudnn", ""), torch=asked("torch", ""))


def _errors(claims: Iterable[Claim], found: Iterable[Finding]) -> Iterator[tuple[int, str]]:
    """Claims about findings against the findings."""
    left = {(finding.span.line, finding.rule): finding for finding in found}
    for claim in claims:
        for name in re.findall(r"\[([\w-]+)\]", claim.text) if claim.kind.endswith("error") else ():
            there = left.pop((claim.line, name), None)
            if there is None and claim.kind == "error":
                yield claim.line, f"no {name} here"
            elif there is not None and claim.kind == "todo-error":
                yield claim.line, f"{name} is found now: write error instead of todo-error"
    for (line, name), finding in left.items():
        yield line, f"unexpected {name}: {finding.message}"


def _revealed(claim: Claim, values: list[str]) -> Iterator[tuple[int, str]]:
    actual = " | ".join(dict.fromkeys(values)) or "nothing"
    if claim.kind == "revealed" and actual != claim.text:
        yield claim.line, f"revealed {actual}, not {claim.text}"
    elif claim.kind == "todo-revealed" and actual == claim.text:
        yield claim.line, f"{actual} is revealed now: write revealed instead of todo-revealed"


def reveal(source: Source, stack: Stack) -> Values:
    """What each line assigns; where it assigns nothing, what the layer written there gives."""
    registry.load()
    assigned: Values = {}
    outputs: Values = {}

    def note(values: Values, span: Span, value: Any) -> None:
        for line in {span.line, span.end_line} if span.path == source.path else ():
            values.setdefault(line, []).append(show(value))

    def emit(event: Event) -> None:
        if isinstance(event, LayerApplied):
            note(outputs, event.span, event.output)

    analyse(source, stack=stack, emit=emit, roots=import_roots(source.path),
            watch=lambda span, value: note(assigned, span, value))
    return outputs | assigned


def show(value: Any) -> str:
    """A value as pages write it: tensors by dtype and shape, Unknown as ?, assumptions after `if`."""
    rests: set[Any] = set()
    text = _text(strip(value, rests))
    rests |= getattr(value, "assumptions", frozenset())
    return f"{text} if {', '.join(sorted(item.text for item in rests))}" if rests else text


_BRACKETS: Mapping[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_text(item)}" for key, item in value.items()) + "}"
    if type(value) in _BRACKETS:
        opening, closing = _BRACKETS[type(value)]
        return opening + ", ".join(map(_text, value)) + closing
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    has_text = any("__str__" in vars(base) for base in type(value).__mro__[:-1])
    return str(value) if has_text else _named(value)


def _named(value: Any) -> str:
    """Objects without a text of their own go by their class' or their own name."""
    return str(getattr(value, "display", getattr(value, "name", type(value).__name__)))
