"""`cudnnlint check`, the default command: lints files and reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN, FAILED, FINDINGS, warn
from cudnnlint.cli._failing import fails
from cudnnlint.cli._output import color_for_stdout, emit
from cudnnlint.cli._settings import STDIN, checked_paths, settings_for
from cudnnlint.cli._verify import asked, verify_options
from cudnnlint.report import formats

if TYPE_CHECKING:
    from cudnnlint.engine.settings.declared import Settings
    from cudnnlint.report.model import Report
    from cudnnlint.values import Stack


@click.command("check", short_help="Lint files, directories, notebooks or standard input (the default).",
               epilog="Exit codes: 0 no findings that count, 1 findings, 2 wrong usage, wrong configuration or an "
                      "internal error.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_options.selection
@click.option("--output-format", type=_options.NearestChoice(formats()), default="full", show_default=True,
              help="How findings are printed.")
@click.option("--output-file", metavar="FILE", help="Write the report there instead of printing it.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--fail-on", type=_options.NearestChoice(["error", "warning", "info"]), metavar="LEVEL",
              help="Exit with 1 for findings of this level (error, warning, info) or a graver one only.  "
                   "[default: warning, and info of rules that are selected]")
@click.option("--show-files", is_flag=True, help="Print the files that would be linted, and lint none.")
@click.option("--show-settings", is_flag=True, help="Print the settings and where they come from, and lint nothing.")
@click.option("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe, then report what is left.")
@click.option("--unsafe-fixes", is_flag=True,
              help="With --fix, --fix-only or --diff: also those that change what a program computes.")
@click.option("--fix-only", is_flag=True, help="Like --fix, without reporting what is left.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing.")
@click.option("--stdin-filename", metavar="NAME", help="What to call the code that is read from `-`.")
@verify_options
@_options.files
@_options.project
@_options.cache
@_options.talk
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Lint PATHS: files, directories (by default the working directory) or `-` for standard input."""

    found = checked_paths(paths)
    settings = settings_for(found, options)
    if options["show_files"] or options["show_settings"]:
        from cudnnlint.cli._showing import shown_files, shown_settings

        emit(shown_files(found, settings) if options["show_files"] else shown_settings(settings))
        return CLEAN
    report = _lint(found, settings, options)

    def again(some: Sequence[str] | None) -> Report:
        return _lint(found if some is None else some, settings, options)

    if options["diff"]:
        return _whole(report) or _diff(report, again, options)
    if options["fix"] or options["fix_only"]:
        from cudnnlint.cli._fixing import fix

        report = fix(report, again, unsafe=options["unsafe_fixes"])
        if options["fix_only"]:
            return _whole(report)
    if asked(options):
        from cudnnlint.cli._verify import verified_report

        report = verified_report(report, options)
    emit(_rendered(report, options), options["output_file"])
    failed = _whole(report)
    _tell(report, verbose=options["verbose"], quiet=options["quiet"])
    if failed:
        return failed
    return FINDINGS if not options["exit_zero"] and fails(report.findings, settings) else CLEAN


def _lint(paths: Sequence[str], settings: Settings, options: Mapping[str, Any]) -> Report:
    """One run over the paths; standard input is read here, where an interrupt ends it."""
    from cudnnlint.engine.run import check

    if STDIN not in paths:
        return check(paths, settings, cached=not options["no_cache"])
    for name in ("fix", "fix_only", "diff"):
        if options[name]:
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} cannot change standard input", click.get_current_context())
    return check(paths, settings, cached=not options["no_cache"], stdin=sys.stdin.buffer.read(),
                 stdin_filename=options["stdin_filename"])


def _rendered(report: Report, options: Mapping[str, Any]) -> str:
    from cudnnlint.report import DOCUMENTS, renderer

    name, quiet = options["output_format"], options["quiet"]
    if options["statistics"] and name not in DOCUMENTS:  # a document is always whole
        from cudnnlint.report import statistics

        return statistics(report)
    to_file = options["output_file"] is not None
    color = options["color"] is True if to_file else color_for_stdout(options["color"])
    return renderer(name)(report, color=color, quiet=quiet)


def _whole(report: Report) -> int:
    """Tells on standard error what of cudnnlint itself is missing, and that nothing was found to lint."""
    for missing in report.unloaded:
        warn(f"error: {missing}; what it knows was not looked for")
    if not report.files:
        warn("warning: no Python files or notebooks found")
    return FAILED if report.unloaded else CLEAN


def _tell(report: Report, *, verbose: bool, quiet: bool) -> None:
    """What else goes there: versions that findings rest on though nothing says them, and with --verbose the notes and
    all versions.
    """
    if not verbose:
        for stack in () if quiet else assumed(report):
            warn(f"note: nothing says which versions, {stack} assumed; [tool.cudnnlint] sets keras and tensorflow")
        return
    for note in report.notes:
        warn(f"note: {note}")
    for stack in dict.fromkeys(report.stacks.values()):
        count = sum(other == stack for other in report.stacks.values())
        warn(f"note: {count} file{'' if count == 1 else 's'} checked for {stack} ({stack.source})")


def assumed(report: Report) -> list[Stack]:
    """The stacks that nothing in the project names, of findings about particular versions."""
    stacks = dict.fromkeys(report.stack_of(finding) for finding in report.findings
                           if finding.fails.startswith("with "))
    return [stack for stack in stacks if stack is not None and stack.source.startswith("assumed: no version")]


def _diff(report: Report, again: Callable[[Sequence[str] | None], Report], options: Mapping[str, Any]) -> int:
    from cudnnlint.cli._fixing import diff

    text = diff(report, again, unsafe=options["unsafe_fixes"])
    emit(text)
    return FINDINGS if text and not options["exit_zero"] else CLEAN
