"""The `cudnnlint` command: the group that all commands hang on."""

from __future__ import annotations

import atexit
import gc
from typing import NoReturn

import click

from cudnnlint import __version__
from cudnnlint.cli._group import Commands

EPILOG = """\b
Exit codes:
  0  no findings that count
  1  findings
  2  wrong usage, wrong configuration or an internal error

`cudnnlint PATHS` is short for `cudnnlint check PATHS`."""


@click.group(cls=Commands, epilog=EPILOG, options_metavar="", subcommand_metavar="[check] PATHS... | COMMAND ...",
             context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="cudnnlint", message="%(prog)s %(version)s")
def program() -> None:
    """Find what will fail in GPU model code before it runs: shapes, dtypes, batches, cuDNN limits."""


COLLECT_AFTER = (3_000_000, 100, 100)
"""A file's objects go as soon as it is done (interp/run.py): looking for circles among them costs a tenth of the time
and finds hardly any. A run over 2,271 files ends before the first look, with 84 MiB more than half of this takes."""


def main() -> NoReturn:
    """The entry point of the console script and of `python -m cudnnlint`."""
    gc.set_threshold(*COLLECT_AFTER)
    atexit.register(gc.freeze)  # the process ends: looking through all that it holds once more frees nothing
    program.main()
