"""Where output goes, and whether it is coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import click

from cudnnlint.cli._ending import hush


def wants_color(flag: bool | None, *, terminal: bool, environment: Mapping[str, str]) -> bool:
    """The option decides, then NO_COLOR (https://no-color.org), then FORCE_COLOR, then whether a terminal reads us."""
    if flag is not None:
        return flag
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def color_for_stdout(flag: bool | None) -> bool:
    """The decision for standard output."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return wants_color(flag, terminal=terminal, environment=os.environ)


def emit(text: str, path: str | None = None) -> None:
    """To the file, replaced as a whole, or to standard output. Raises OSError for a file that cannot be written."""
    if path is not None:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    try:
        click.echo(text, nl=False, color=True)
    except BrokenPipeError:
        hush()
