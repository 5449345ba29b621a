"""Writes the file that a new rule, layer, framework or output format starts from.

    python -m cudnnlint.devtools.new rule shapes/empty-window
    python -m cudnnlint.devtools.new layer fourier-pooling
    python -m cudnnlint.devtools.new framework flax
    python -m cudnnlint.devtools.new format github
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cudnnlint import __version__
from cudnnlint.devtools import templates
from cudnnlint.engine.registry import rules

ROOT = Path(__file__).parents[2]
COMMAND = "python -m cudnnlint.devtools.new"
GROUPS: Mapping[str, int] = {"shapes": 1, "dtypes": 2, "parameters": 3, "batches": 4, "memory": 5, "training": 6,
                             "api": 7, "environment": 8, "tool": 9}
"""Folder of rules -> first digit of their codes."""
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

Files = dict[str, str]
"""Path in the repository -> text."""


class NameRefusedError(ValueError):
    """A name that cannot be used, in one line."""


def rule(name: str) -> Files:
    """`GROUP/NAME`: its page and its check."""
    group, _, name = name.rpartition("/")
    if group not in GROUPS:
        raise NameRefusedError(f'name a rule as GROUP/NAME, with one of the groups {", ".join(GROUPS)}')
    name = _kebab(name)
    if "-" not in name:
        raise NameRefusedError(f'"{name}" is one word: a rule names its defect, as empty-feature-map does')
    if name in rules():
        raise NameRefusedError(f"there is a rule {name} already")
    folder = f"cudnnlint/rules/{group}"
    text = templates.RULE.format(name=name, code=next_code(group), since=".".join(__version__.split(".")[:2]))
    return {f"{folder}/{name.replace('-', '_')}.py": text}


def next_code(group: str) -> str:
    """The code after the last one of the group: those of removed rules in between are not used again."""
    digit = GROUPS[group]
    taken = [int(known.code[3:]) for known in rules().values() if known.code.startswith(f"CUD{digit}")]
    return f"CUD{max(taken, default=digit * 100) + 1}"


def layer(name: str) -> Files:
    """A layer family, and the configurations that it is compared with Keras over."""
    snake = _kebab(name).replace("-", "_")
    words = {"name": snake, "camel": "".join(part.title() for part in snake.split("_"))}
    return {f"cudnnlint/ops/{snake}.py": templates.LAYER.format(**words),
            f"tests/oracle/configs/{snake}.py": templates.CONFIGS.format(**words)}


def framework(name: str) -> Files:
    """A modelled library: import roots and handlers."""
    snake = _kebab(name).replace("-", "_")
    return {f"cudnnlint/frameworks/{snake}.py": templates.FRAMEWORK.format(name=snake)}


def format_(name: str) -> Files:
    """An output format: its name is the value of --output-format."""
    snake = _kebab(name).replace("-", "_")
    return {f"cudnnlint/report/{snake}.py": templates.FORMAT.format(name=snake)}


def _kebab(name: str) -> str:
    if not _KEBAB.fullmatch(name):
        raise NameRefusedError(f'"{name}" is not in kebab-case')
    return name


KINDS: Mapping[str, tuple[Callable[[str], Files], str]] = {
    "rule": (rule, templates.AFTER_RULE), "layer": (layer, templates.AFTER_LAYER),
    "framework": (framework, templates.AFTER_FRAMEWORK), "format": (format_, templates.AFTER_FORMAT),
}


def create(kind: str, name: str, root: Path = ROOT) -> list[Path]:
    """Write the files; nothing is overwritten."""
    files = {root / path: text for path, text in KINDS[kind][0](name).items()}
    for path in files:
        if path.exists():
            raise NameRefusedError(f"{path.relative_to(root)} is there already")
    for path, text in files.items():
        package = path.parent / "__init__.py"
        if not package.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            package.write_text(f'"""Rules about {path.parent.name}."""\n', encoding="utf-8")
        path.write_text(text, encoding="utf-8")
    return list(files)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", metavar="NAME", help="in kebab-case; a rule as GROUP/NAME")
    options = parser.parse_args(arguments)
    try:
        written = create(options.kind, options.name)
    except NameRefusedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    print(KINDS[options.kind][1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
