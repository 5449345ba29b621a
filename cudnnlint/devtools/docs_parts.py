"""What the documentation says about rules, settings, formats and bounds, taken from the code."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_type_hints

from cudnnlint.devtools import docs_memory, docs_shapes
from cudnnlint.engine.registry import rules
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.typed import describe
from cudnnlint.interp.limits import Limits, for_linting
from cudnnlint.report import formats, renderer
from cudnnlint.report.model import Report
from cudnnlint.rules.protocol import Rule

SAMPLE = b"""\
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.MaxPooling2D(4)(x)
x = layers.Conv2D(64, 5)(x)
"""
VERSIONS = Settings(keras="3.15", tensorflow="2.21")
"""For everything that is printed as an example, whatever the repository depends on."""
EXAMPLE = "examples/train.py"


def sections(root: Path) -> dict[str, str]:
    """Generated parts of hand-written pages, by the name in their marker. The working directory must be `root`."""
    report = check([EXAMPLE], VERSIONS)
    first = Report.of(report.findings[:1], report.sources, report.files, (), report.stacks)
    return {
        "finding": fenced(renderer("full")(first, quiet=True), "text"),
        "findings": fenced(renderer("concise")(report), "text"),
        "rules": rule_table(rules().values(), "docs/rules/"),
        "rules-here": rule_table(rules().values(), "rules/"),
        "bounds": bounds(),
        "packages": packages(root / "cudnnlint"),
        **docs_shapes.sections(),
        **docs_memory.sections(),
    }


def bounds() -> str:
    """Every bound of an analysis: what a file has of it, and what each of its lines adds."""
    least, longer = for_linting(0), for_linting(1)
    values = {key.name: (getattr(least, key.name), getattr(longer, key.name) - getattr(least, key.name))
              for key in fields(Limits)}
    rows = [(name, f"{value:,}" + (f" + {more} a line" if more else "")) for name, (value, more) in values.items()]
    return table(("bound", "value"), rows) + f"\n{inspect.getdoc(Limits)}\n"


def packages(top: Path) -> str:
    """The packages within rooms, each with the first line of what it says of itself."""
    rows = []
    for path in sorted(top.glob("*/*/__init__.py")):
        meant = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0].rstrip(".")
        rows.append((f"`{path.parent.relative_to(top).as_posix()}`", meant))
    return table(("package", "what it is for"), [row for row in rows if row[1]])


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars in cells are escaped.

    >>> print(table(("a", "b"), [("1", "x|y")]), end="")
    | a | b |
    |---|---|
    | 1 | x\\|y |
    """
    names = list(head)
    lines = [names, *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    texts = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([texts[0], "|" + "---|" * len(names), *texts[1:]]) + "\n"


def fenced(text: str, language: str) -> str:
    """A code block."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def rule_table(known: Iterable[Rule], folder: str) -> str:
    """One row a rule, linked to its page."""
    return table(("code", "rule", "level", "what is found"),
                 [(rule.code, f"[{rule.name}]({folder}{rule.name}.md)", _level(rule), rule.summary.rstrip("."))
                  for rule in known])


def _level(rule: Rule) -> str:
    return rule.level.value if rule.default else f"{rule.level.value}, off by default"


def rule_pages() -> dict[str, str]:
    """The page of each rule by its name."""
    return {name: _rule_page(rule) for name, rule in rules().items()}


def _rule_page(rule: Rule) -> str:
    default = "on by default" if rule.default else "off unless selected"
    head = f"# {rule.name} ({rule.code})\n\n*{rule.level.value}, since {rule.since}, {default}*\n\n"
    return head + rule.page.strip() + "\n" + "".join(_options(rule, "\n## Options\n\n"))


def rules_page() -> str:
    """The index of the rule pages."""
    return ("# Rules\n\n`cudnnlint rule NAME` prints the page of a rule. Every example on these pages is linted by "
            "the test suite.\n\n" + rule_table(rules().values(), ""))


def settings_page() -> str:
    """Every key of the configuration, and the options of rules."""
    hints = get_type_hints(Settings)
    keys = [key for key in fields(Settings) if key.metadata.get("key", True)]
    rows = [(f"`{key.name.replace('_', '-')}`", describe(hints[key.name]), _default(key), key.metadata["help"])
            for key in keys]
    options = "".join(part for rule in rules().values() for part in _options(rule, f"\n### {rule.name}\n\n"))
    return f"{_SETTINGS}\n{table(('key', 'type', 'default', 'meaning'), rows)}\n## Options of rules\n\n" + (
        f"Under `[tool.cudnnlint.rules.<name>]`.\n{options}" if options else "No rule has options yet.\n") + _VARIABLES


_VARIABLES = """
## What is kept

What is found in a file is kept, and told again in the next run, of `cudnnlint` and of flake8, as long as nothing that
it hangs on has changed: the file, the modules and data files that it reads, requirements, files that might come to be
found first, settings, cudnnlint, Python. A change of a module concerns the files that import it. Nothing in a report
tells whether it was kept.

It lies in `.cudnnlint_cache` beside the configuration file, else with the caches of the user (on Linux
`~/.cache/cudnnlint/check`). `--cache-dir` names another directory, `--no-cache` looks at everything anew,
`cudnnlint clean` removes it; so may you, at any time. At 256 MiB the oldest half goes. A file of it that is damaged is
looked past, which `--verbose` tells. flake8 has `--cudnnlint-no-cache`, on its command line and in its configuration.

## Environment variables

| variable | what it does |
|---|---|
| `CUDNNLINT_CACHE_DIR` | where findings are kept; `--cache-dir` wins, `cache-dir` of a configuration does not |
| `CUDNNLINT_NO_CACHE` | set to 1, none are |
| `NO_COLOR`, `FORCE_COLOR` | no colour, or colour where no terminal reads; `--color` and `--no-color` win |
| `VIRTUAL_ENV`, `CONDA_PREFIX` | the active environment: `--verify-python` by default, `--python` by the former |
| `CUDNNLINT_VERIFY_CACHE` | where answers of `--verify` are kept ([verify.md](verify.md)) |
| `CUDNNLINT_TRACEBACK` | set to anything, an internal error shows its traceback |
"""

_SETTINGS = """\
# Settings

In `pyproject.toml` under `[tool.cudnnlint]`, or at the top level of a `cudnnlint.toml` or `.cudnnlint.toml`. The
nearest file above it counts for each linted file, whichever are named beside it; files are not merged. Options of the
command line win over them, `--config` chooses one file for all, `--isolated` none; `--show-settings` prints what
holds.

```toml
[tool.cudnnlint]
keras = "3"
tensorflow = "2.16"
extend-exclude = ["vendored"]
ignore = ["unequal-strides"]

[tool.cudnnlint.per-file-ignores]
"tests/**" = ["empty-batch"]
```

Rules are meant by name (`empty-feature-map`), code (`CUD101`), the beginning of a code (`CUD1`), or `ALL`.
Where no version is set, it is read from the project's lock file, requirements or `pyproject.toml`, else from its
comments (`# pip install tensorflow==2.10`, `# /// script`), else told from the imports (`tf_keras` is Keras 2,
`keras.ops` is Keras 3) or from what only old versions have (`tf.Session`, `tf.contrib`, spellings of Keras 1), else
assumed to be the newest; `--verbose` says which it was.
"""


def _options(rule: Rule, heading: str) -> Iterator[str]:
    if rule.options is None:
        return
    hints = get_type_hints(rule.options)
    rows = [(f"`{key.name.replace('_', '-')}`", describe(hints[key.name]), _default(key),
             _meaning(rule.options, key.name)) for key in fields(rule.options)]
    yield heading + table(("key", "type", "default", "meaning"), rows)


def _meaning(options: type, name: str) -> str:
    """What the docstring of the class, or of one that it inherits from, says of a field."""
    for cls in options.__mro__:
        if (found := re.search(rf"^\s*{name}(?::|  )\s*(.+?)\.?$", cls.__doc__ or "", re.M)) is not None:
            return found[1]
    return ""


def _default(key: Field[Any]) -> str:
    value = key.default_factory() if key.default_factory is not MISSING else key.default
    return _toml(value) or "none"


def _toml(value: Any) -> str:
    """A default as it would be written in TOML; "" for nothing.

    >>> _toml(True), _toml(("a", "b")), _toml(None), _toml({})
    ('`true`', '`["a", "b"]`', '', '')
    """
    if value in (None, "", (), {}):
        return ""
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in value) + "]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def formats_page() -> str:
    """Each output format with the same finding printed in it."""
    report = check(["-"], VERSIONS, stdin=SAMPLE, stdin_filename="train.py")
    return _FORMATS + "".join(_format(name, report) for name in formats())


def _format(name: str, report: Report) -> str:
    module = importlib.import_module(f"cudnnlint.report.{name}")
    language = _LANGUAGES.get(name, "text")
    return f"\n## {name}\n\n{(module.__doc__ or '').strip()}\n\n{fenced(renderer(name)(report), language)}"


_LANGUAGES = {"json": "json", "sarif": "json", "gitlab": "json", "junit": "xml"}
_FORMATS = f"""\
# Output formats

`cudnnlint --output-format NAME`. What each prints about this file:

{fenced(SAMPLE.decode(), "python")}"""


__all__ = ["fenced", "formats_page", "rule_pages", "rule_table", "rules_page", "sections", "settings_page",
           "table"]
