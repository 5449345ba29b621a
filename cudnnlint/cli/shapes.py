"""`cudnnlint shapes`: what every layer call of a program takes and gives."""

from __future__ import annotations

import json
from typing import Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN
from cudnnlint.cli._output import emit


@click.command("shapes", short_help="Print the shapes that were inferred, layer by layer.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--output-format", type=_options.NearestChoice(["json"]), default="json", show_default=True,
              help="How shapes are printed.")
@click.option("--output-file", metavar="FILE", help="Write there instead of printing.")
@_options.files
@_options.project
def command(paths: tuple[str, ...], output_format: str, output_file: str | None, **options: Any) -> int:
    """Print the layers of PATHS with their input and output shapes, dtype and number of parameters."""
    from cudnnlint.cli._settings import checked_paths, settings_for
    from cudnnlint.engine.shapes import rows

    found = checked_paths(paths)
    emit(json.dumps({"layers": list(rows(found, settings_for(found, options)))}) + "\n", output_file)
    return CLEAN
