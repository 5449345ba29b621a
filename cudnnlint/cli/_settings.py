"""From options to settings: the configuration file that applies, overridden by what the command line says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.engine.errors import UsageError

if TYPE_CHECKING:
    from cudnnlint.engine.settings.declared import Settings

STDIN = "-"
OVERRIDING = ("select", "ignore", "extend_select", "extend_ignore", "per_file_ignores", "exclude", "extend_exclude",
              "respect_gitignore", "fail_on", "keras", "tensorflow", "torch", "python", "cache_dir")


def settings_for(paths: Sequence[str], options: Mapping[str, Any]) -> Settings:
    """Those of --config, else of the nearest file from the paths upward, else (or with --isolated) the defaults.

    Without --config and --isolated each file has those of the file nearest to it (`Settings.at`).
    """
    from cudnnlint.engine.settings.declared import Settings
    from cudnnlint.engine.settings.nearest import Nearest

    if options["isolated"] and options["config"]:
        raise click.UsageError("--isolated and --config exclude each other", click.get_current_context())
    changes = {name: options[name] for name in OVERRIDING if name in options}
    if changes.get("python"):
        changes["python"] = _environment(changes["python"])
    if changes.get("cache_dir"):
        changes["cache_dir"] = os.path.abspath(os.path.expanduser(changes["cache_dir"]))
    changes["force_exclude"] = options["force_exclude"] or None

    def changed(found: Settings) -> Settings:
        return found.overridden(changes, source="--")

    if options["config"]:
        return changed(Settings.load(options["config"]))
    if options["isolated"]:
        return changed(Settings())
    return Nearest(changed).of(common_start(paths, options.get("stdin_filename")))


def _environment(path: str) -> str:
    """The absolute path; UsageError if there are no packages."""
    from cudnnlint.engine.requirements.environment import site_packages

    if not site_packages(path):
        raise UsageError(f"--python: {path} is no interpreter or environment with packages")
    return os.path.abspath(os.path.expanduser(path))


def common_start(paths: Sequence[str], stdin_filename: str | None) -> str:
    """The deepest directory above all paths: where the search for a configuration begins."""
    named = [stdin_filename or "." if path == STDIN else path for path in paths] or ["."]
    absolute = [os.path.abspath(path) for path in named]
    tops = [path if os.path.isdir(path) else os.path.dirname(path) for path in absolute]
    try:
        return os.path.commonpath(tops)
    except ValueError:  # different drives
        return "."


def checked_paths(paths: Sequence[str]) -> list[str]:
    """The paths, or the working directory; UsageError for one that does not exist and may be a misspelt command."""
    from cudnnlint.engine.errors import nearest
    from cudnnlint.engine.settings.files import reason_missing

    for path in paths:
        if path != STDIN and not os.path.exists(path):
            tip = nearest(path, _commands()) if os.path.basename(path) == path else ""
            raise UsageError(f"{path}: {reason_missing(path)}" + tip.replace('mean "', 'mean the command "'))
    return list(paths) or ["."]


def _commands() -> list[str]:
    root = click.get_current_context().find_root()
    return root.command.list_commands(root) if isinstance(root.command, click.Group) else []
