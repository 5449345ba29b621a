"""The command group: commands found by their modules, `check` when none is named, and how every run ends."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from cudnnlint import cli
from cudnnlint.cli._ending import ended

DEFAULT = "check"
NOT_COMMANDS = frozenset({"main"})
OF_THE_GROUP = frozenset({"--help", "-h", "--version", "-V"})


class Commands(click.Group):
    """Each module of `cudnnlint.cli` without a leading underscore is a command of that name; imported when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = (module.name for module in pkgutil.iter_modules(cli.__path__))
        return sorted(name for name in names if not name.startswith("_") and name not in NOT_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        found: click.Command = importlib.import_module(f"cudnnlint.cli.{cmd_name}").command
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `check` before arguments that start with a path or an option."""
        known = {*self.list_commands(ctx), *OF_THE_GROUP}
        return super().parse_args(ctx, args if args and args[0] in known else [DEFAULT, *args])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # the overloads differ in what is returned
        """Never returns: exits with 0 (clean), 1 (findings), 2 (usage or internal error) or 130 (interrupted)."""
        extra["standalone_mode"] = False
        sys.exit(ended(lambda: super(Commands, self).main(args, prog_name or "cudnnlint", **extra)))
