"""`cudnnlint rule`: prints the page of a rule, the list of all, or the rules that an error text may come from."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli._ending import CLEAN, FINDINGS, warn
from cudnnlint.cli._options import NearestChoice
from cudnnlint.cli._output import color_for_stdout, emit
from cudnnlint.cli._settings import STDIN

if TYPE_CHECKING:
    from cudnnlint.rules.protocol import Rule


@click.command("rule", short_help="Print a rule's page, list all rules, or find those of an error.",
               epilog="Exit codes: 0 found, 1 no rule is like the text of --search, 2 wrong usage.")
@click.argument("name", metavar="NAME|CODE", required=False)
@click.option("--all", "everything", is_flag=True, help="List all rules with their summaries.")
@click.option("--search", metavar="TEXT",
              help="Find the rules whose errors are like TEXT, or what is piped in for `-`.")
@click.option("--output-format", type=NearestChoice(["text", "json"]), default="text", show_default=True,
              help="Text for people or JSON for programs.")
@click.option("--color/--no-color", default=None, help="Render the page always or never; by default on a terminal.")
def command(name: str | None, everything: bool, search: str | None, output_format: str, color: bool | None) -> int:
    """Print the page of the rule NAME (empty-feature-map) or CODE (CUD101): why it is bad, examples, where it fails.

    With --search, paste the error that you got, with its numbers, paths and log prefixes: the rules that it may come
    from are listed, the likeliest first.
    """
    if [name is not None, everything, search is not None].count(True) != 1:
        raise click.UsageError("give the name or code of one rule, --all or --search", click.get_current_context())
    from cudnnlint.engine.registry import find_rule, rules

    if search is not None:
        return _search(sys.stdin.read() if search == STDIN else search, output_format)
    if name is not None:
        rule = find_rule(name)
        emit(_json(_described(rule)) if output_format == "json" else _page(rule, color=color_for_stdout(color)))
        return 0
    known = sorted(rules().values(), key=lambda rule: rule.code)
    emit(_json({"rules": [_described(rule) for rule in known]}) if output_format == "json" else _table(known))
    return 0


def _search(text: str, output_format: str) -> int:
    """One line a rule; 1 if there is none."""
    from cudnnlint.engine.search import search

    found = search(text)
    if output_format == "json":
        emit(_json({"rules": [_described(rule) for rule in found]}))
    elif found:
        emit(_table(found))
        warn("`cudnnlint rule NAME` prints a page")
    else:
        warn("no rule tells of an error like this")
    return CLEAN if found else FINDINGS


def _described(rule: Rule) -> dict[str, Any]:
    return {"name": rule.name, "code": rule.code, "level": rule.level.value, "summary": rule.summary,
            "since": rule.since, "default": rule.default, "page": rule.page.strip()}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


def _table(rules: Iterable[Rule]) -> str:
    """`CUD101 empty-feature-map  error  summary`, one line a rule."""
    rows = [(rule.code, rule.name, rule.level.value + ("" if rule.default else ", off"), rule.summary)
            for rule in rules]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    padded = [[text.ljust(width) for text, width in zip(row, [*widths, 0], strict=True)] for row in rows]
    return "".join("  ".join(row) + "\n" for row in padded)


def _page(rule: Rule, *, color: bool) -> str:
    """Markdown as it stands, or laid out for a terminal."""
    default = "on by default" if rule.default else "off unless selected"
    text = f"# {rule.name} ({rule.code})\n\n{rule.level.value}, since {rule.since}, {default}\n\n{rule.page.strip()}\n"
    if not color:
        return text
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(force_terminal=True)
    with console.capture() as captured:
        console.print(Markdown(text))
    return captured.get()
