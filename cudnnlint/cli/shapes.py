"""`cudnnlint shapes`: every layer of a program with its shapes and parameters, without running it."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN, FAILED, warn
from cudnnlint.cli._extents import Extents
from cudnnlint.cli._output import color_for_stdout, emit
from cudnnlint.cli._piped import piped
from cudnnlint.cli._settings import checked_paths, settings_for

if TYPE_CHECKING:
    from cudnnlint.engine.settings.declared import Settings
    from cudnnlint.interp.wanted import Wanted
    from cudnnlint.source import SourceError


@click.command("shapes", short_help="Print the shapes that were inferred, layer by layer.",
               epilog="Exit codes: 0, or 2 for wrong usage, wrong configuration, a named file that cannot be read, or "
                      "an internal error.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--output-format", type=_options.NearestChoice(["full", "json"]), default="full", show_default=True,
              help="Tables for people or JSON for programs.")
@click.option("--annotate", is_flag=True, help="Print the source with the shapes as comments at the line ends.")
@click.option("--model", metavar="NAME", default="", help="Only what this function, class or variable makes.")
@click.option("--input", "inputs", type=Extents(), multiple=True, metavar="224x224x3",
              help="An input, without the batch: for --model, and for models that nothing calls. Repeatable.")
@click.option("--batch-size", type=click.IntRange(min=1), metavar="N", help="Print N for the batch instead of B.")
@click.option("--output-file", metavar="FILE", help="Write there instead of printing.")
@click.option("--color/--no-color", default=None, help="Colour always or never; by default on a terminal.")
@click.option("--stdin-filename", metavar="NAME", help="What to call the code that is read from `-`.")
@_options.files
@_options.project
def command(paths: tuple[str, ...], output_format: str, annotate: bool, output_file: str | None,
            **options: Any) -> int:
    """Print the layers of the models in PATHS (`-`: standard input): place, input and output shape, dtype, parameters.

    Like model.summary(), without running or importing anything. Shapes count the batch as B.
    """
    from cudnnlint.interp.wanted import Wanted

    if annotate and output_format == "json":
        raise click.UsageError("--annotate and --output-format json exclude each other", click.get_current_context())
    named = checked_paths(paths)
    settings = settings_for(named, options)
    wanted = Wanted(options["model"], options["inputs"], options["batch_size"])
    color = options["color"] is True if output_file is not None else color_for_stdout(options["color"])
    unreadable: list[SourceError] = []
    with piped(named, options["stdin_filename"]) as found:
        text = _text(found, settings, wanted, color, _columns(output_file), unreadable, annotate=annotate,
                     rows=output_format == "json")
    emit(text, output_file)
    for error in unreadable:
        warn(f"error: {error}")
    return FAILED if unreadable else CLEAN


def _text(found: list[str], settings: Settings, wanted: Wanted, color: bool, columns: int | None,
          unreadable: list[SourceError], *, annotate: bool, rows: bool) -> str:
    if rows:
        from cudnnlint.engine.tables.shapes import inferred

        return json.dumps(inferred(found, settings, wanted, unreadable)) + "\n"
    if annotate:
        return _annotated(found, settings, wanted, color, unreadable)
    return _tables(found, settings, wanted, color, columns, unreadable)


def _tables(paths: list[str], settings: Settings, wanted: Wanted, color: bool, columns: int | None,
            unreadable: list[SourceError]) -> str:
    from cudnnlint.engine.tables.shapes import tables
    from cudnnlint.report.shapes.table import render

    found, vain = [], list[str]()
    for followed, shapes in tables(paths, settings, wanted, unreadable):
        found.append(shapes)
        vain += [followed.vain] if followed.made or wanted.model else ()
    if vain and all(vain):  # one file may use what another one does not
        warn(f"warning: {vain[0]}")
    if not unreadable and not any(shapes.tables for shapes in found):
        warn("no layers found" + (f" in what {wanted.model} makes" if wanted.model else ""))
    return render(found, color=color, batch=wanted.batch_size, columns=columns)


def _annotated(paths: list[str], settings: Settings, wanted: Wanted, color: bool,
               unreadable: list[SourceError]) -> str:
    from cudnnlint.engine.tables.annotations import annotated_files
    from cudnnlint.report.shapes.annotate import render

    return render(list(annotated_files(paths, settings, wanted, unreadable)), color=color)


def _columns(output_file: str | None) -> int | None:
    """The terminal's width; None where nothing is to be cut: in a pipe or a file."""
    if output_file is not None or sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
