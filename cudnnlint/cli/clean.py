"""`cudnnlint clean`: removes the findings that are kept from run to run."""

from __future__ import annotations

import os
from typing import Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN, warn
from cudnnlint.cli._settings import checked_paths, settings_for


@click.command("clean", short_help="Remove the findings that are kept from run to run.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--cache-dir", metavar="DIR", envvar="CUDNNLINT_CACHE_DIR", help="The directory that holds them.")
@click.option("--config", metavar="FILE", help="The pyproject.toml or cudnnlint.toml to read.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@_options.talk
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Remove the cache of PATHS (by default the working directory): the next run looks at every file anew."""
    from cudnnlint.engine.cache.place import clean, directory_of

    settings = settings_for(checked_paths(paths), {**options, "force_exclude": False})
    directory = directory_of(settings)
    if directory is None or not os.path.isdir(directory):
        return CLEAN
    if not clean(directory):
        warn(f"warning: {directory} is no cache of cudnnlint: nothing is removed")
    elif not options["quiet"]:
        warn(f"removed {directory}")
    return CLEAN
