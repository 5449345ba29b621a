"""`cudnnlint rule`: prints the page of a rule, or the list of all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli._options import NearestChoice
from cudnnlint.cli._output import color_for_stdout, emit

if TYPE_CHECKING:
    from cudnnlint.rules.protocol import Rule


@click.command("rule", short_help="Print a rule's page, or list all rules.")
@click.argument("name", metavar="NAME|CODE", required=False)
@click.option("--all", "everything", is_flag=True, help="List all rules with their summaries.")
@click.option("--output-format", type=NearestChoice(["text", "json"]), default="text", show_default=True,
              help="Text for people or JSON for programs.")
@click.option("--color/--no-color", default=None, help="Render the page always or never; by default on a terminal.")
def command(name: str | None, everything: bool, output_format: str, color: bool | None) -> int:
    """Print the page of the rule NAME (empty-feature-map) or CODE (CUD101): why it is bad, examples, where it fails."""
    if everything == (name is not None):
        raise click.UsageError("give the name or code of one rule, or --all", click.get_current_context())
    from cudnnlint.engine.registry import find_rule, rules

    if name is not None:
        rule = find_rule(name)
        emit(_json(_described(rule)) if output_format == "json" else _page(rule, color=color_for_stdout(color)))
        return 0
    known = sorted(rules().values(), key=lambda rule: rule.code)
    emit(_json({"rules": [_described(rule) for rule in known]}) if output_format == "json" else _table(known))
    return 0


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
