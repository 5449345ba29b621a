"""Options that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class NearestChoice(click.Choice[str]):
    """A choice that says which one was probably meant."""

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> Any:
        value = message.split("'")[1] if "'" in message else ""
        super().fail(message.rstrip(".") + did_you_mean(value, list(map(str, self.choices))), param, ctx)


def did_you_mean(word: str, known: list[str]) -> str:
    """` (did you mean full?)`, or nothing.

    >>> did_you_mean("ful", ["full", "json"])
    ' (did you mean full?)'
    """
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def comma_list(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """`--select A,B --select C` -> (A, B, C); None when the option was not given."""
    if not values:
        return None
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def rule_list(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """The same of rules to check, of which there is one at least: `--select "$RULES"` with RULES unset would pass."""
    found = comma_list(ctx, param, values)
    if found == ():
        raise click.BadParameter("no rule is named", ctx, param)
    return found


def by_pattern(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any] | None:
    """`tests/*:CUD401,CUD5` and `a.py:CUD1,b.py:CUD2`, as flake8 and Ruff take them; None when it was not given."""
    found: dict[str, tuple[str, ...]] = {}
    for value in values:
        pattern = ""
        for part in filter(None, (part.strip() for part in value.split(","))):
            before, colon, rule = part.rpartition(":")
            pattern = before.strip() if colon else pattern
            if not pattern or not rule.strip():
                raise click.BadParameter(f'"{part}" is not like tests/*:CUD401', ctx, param)
            found[pattern] = (*found.get(pattern, ()), rule.strip())
    return found or None


def listed(name: str, help_text: str, metavar: str, callback: Callable[..., Any] = comma_list) -> Callable[[F], F]:
    """A repeatable option of comma-separated values."""
    return click.option(name, multiple=True, callback=callback, metavar=metavar, help=help_text)


def combined(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in --help in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


selection: Callable[[F], F] = combined(
    listed("--select", "Rules to check: names, codes, prefixes of codes, or ALL.", "RULES", rule_list),
    listed("--ignore", "Rules to leave out.", "RULES"),
    listed("--extend-select", "Rules to check besides those selected.", "RULES"),
    listed("--extend-ignore", "Rules to leave out besides those ignored.", "RULES"),
    click.option("--per-file-ignores", multiple=True, callback=by_pattern, metavar="PATTERN:RULES",
                 help="Rules to leave out of the files that a pattern means, besides those of the configuration."),
)

files: Callable[[F], F] = combined(
    listed("--exclude", "Patterns of paths to skip, instead of the defaults.", "PATTERNS"),
    listed("--extend-exclude", "Patterns of paths to skip besides the defaults.", "PATTERNS"),
    click.option("--force-exclude", is_flag=True, help="Skip excluded files even when they are named."),
    click.option("--respect-gitignore/--no-respect-gitignore", default=None,
                 help="Skip what .gitignore names, or not."),
)

project: Callable[[F], F] = combined(
    click.option("--config", metavar="FILE", help="The pyproject.toml or cudnnlint.toml to read."),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option("--keras", metavar="VERSION", help="The Keras version that the code will run on."),
    click.option("--tensorflow", metavar="VERSION", help="The TensorFlow version that the code will run on."),
    click.option("--torch", metavar="VERSION", help="The PyTorch version that the code will run on."),
    click.option("--python", metavar="PATH", help="The interpreter or environment whose packages are followed, "
                                                  "never run; by default that of VIRTUAL_ENV."),
)

cache: Callable[[F], F] = combined(
    click.option("--no-cache", is_flag=True, envvar="CUDNNLINT_NO_CACHE",
                 help="Look at every file anew, and keep nothing."),
    click.option("--cache-dir", metavar="DIR", envvar="CUDNNLINT_CACHE_DIR",
                 help="Where findings are kept from run to run; by default .cudnnlint_cache beside the configuration."),
)

talk: Callable[[F], F] = combined(
    click.option("--quiet", "-q", is_flag=True, help="Print findings only."),
    click.option("--verbose", "-v", is_flag=True, help="Say what was assumed and what was given up."),
    click.option("--color/--no-color", default=None, help="Colour always or never; by default on a terminal."),
)
