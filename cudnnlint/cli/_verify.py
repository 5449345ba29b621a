"""`check --verify`: findings put to the real library, with the interpreter that the command line names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import warn
from cudnnlint.engine.errors import UsageError

if TYPE_CHECKING:
    from cudnnlint.finding import Finding
    from cudnnlint.report.model import Report
    from cudnnlint.verify.interpreter import Interpreter
    from cudnnlint.verify.kept import Replies

F = TypeVar("F", bound=Callable[..., Any])
MEANS = ("auto", "cpu", "gpu", "cudnn")

verify_options: Callable[[F], F] = _options.combined(
    click.option("--verify", type=_options.NearestChoice(MEANS), metavar="MEANS",
                 help="Put findings to the real library: cpu, gpu, cudnn, or auto for what is there."),
    click.option("--verify-gpu", is_flag=True, help="The same as --verify gpu."),
    click.option("--confirmed-only", is_flag=True, help="With --verify: report, and fail on, confirmed findings only."),
    click.option("--verify-python", metavar="PATH",
                 help="The interpreter or environment that --verify runs; by default that of --python, else of "
                      "VIRTUAL_ENV, else the one that runs cudnnlint."),
    click.option("--cudnn-lib", metavar="PATH",
                 help="The cuDNN that --verify asks, a file or its directory; by default the one of the environment, "
                      "else of the system."),
    click.option("--no-verify-cache", is_flag=True,
                 help="With --verify: ask the library again, whatever it answered before, and keep no answers."),
    click.option("--trace-dir", metavar="DIR", help="With --verify: keep each job there, to be run by hand."),
)


def asked(options: Mapping[str, Any]) -> bool:
    """Whether to verify; UsageError for options that need it."""
    if options["verify"] is not None or options["verify_gpu"]:
        return True
    for name in ("confirmed_only", "trace_dir", "verify_python", "cudnn_lib", "no_verify_cache"):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --verify", click.get_current_context())
    return False


def verified_report(report: Report, options: Mapping[str, Any]) -> Report:
    """The report with a verdict on each finding. UsageError where the means that were asked for are not there."""
    from cudnnlint.verify.run import UnavailableError

    means = options["verify"] or "gpu"
    interpreter = _interpreter(options)
    library, findings, notes = _library(options, interpreter), report.findings, report.notes
    try:
        if means != "cudnn":
            findings = _by_frameworks(findings, interpreter, means, options)
    except UnavailableError as error:
        if means != "auto":
            raise UsageError(f"--verify {means}: {error}") from None
        notes = (*notes, f"not verified: {error}")
    try:
        if means == "cudnn" or (library and means != "cpu"):
            findings = _by_cudnn(findings, interpreter, library, options)
    except UnavailableError as error:
        if means == "cudnn":
            raise UsageError(f"--verify cudnn: {error}") from None
        notes = (*notes, f"cuDNN was not asked: {error}")
    counted = _counted(findings)
    if not options["quiet"] and counted:
        warn(f"note: verified: {counted}")
    if options["confirmed_only"] and (counted or not findings):
        findings = tuple(each for each in findings
                         if each.verification is not None and each.verification.verdict == "confirmed")
    return replace(report, findings=findings, notes=notes)


def _by_frameworks(findings: tuple[Finding, ...], interpreter: Interpreter, means: str,
                   options: Mapping[str, Any]) -> tuple[Finding, ...]:
    """On the device that is asked for; what only a CPU shows is put to a CPU then."""
    from cudnnlint.verify.plan import ONLY_CPU
    from cudnnlint.verify.run import UnavailableError

    if means == "cpu" or (means == "auto" and not _has_gpu()):
        return _on("cpu", findings, interpreter, options, options["trace_dir"])
    try:
        told = _on("gpu", findings, interpreter, options, options["trace_dir"])
    except UnavailableError:
        if means == "gpu":
            raise
        return _on("cpu", findings, interpreter, options, options["trace_dir"])
    left = {place: findings[place] for place, each in enumerate(told)
            if each.verification is not None and each.verification.note == ONLY_CPU}
    beside = os.path.join(options["trace_dir"], "cpu") if options["trace_dir"] else None
    again = dict(zip(left, _on("cpu", tuple(left.values()), interpreter, options, beside), strict=True)) if left else {}
    return tuple(again.get(place, each) for place, each in enumerate(told))


def _on(device: str, findings: tuple[Finding, ...], interpreter: Interpreter, options: Mapping[str, Any],
        directory: str | None) -> tuple[Finding, ...]:
    from cudnnlint.verify.run import verified
    from cudnnlint.verify.trace import Trace

    trace = Trace(directory, interpreter.backend, device) if directory else None
    return verified(findings, interpreter, device=device, keep=trace.keep if trace else None, log=directory,
                    replies=None if options["no_verify_cache"] or directory else _replies(interpreter, device))


def _has_gpu() -> bool:
    from cudnnlint.engine.doctor.probe import gpus

    try:
        return bool(gpus()[2])
    except (OSError, AttributeError):
        return False


def _replies(interpreter: Interpreter, device: str) -> Replies | None:
    """What was answered before; None where there is no place for it."""
    from cudnnlint.verify.kept import Replies, cache_dir

    try:
        return Replies(cache_dir(), interpreter, device)
    except (ImportError, OSError):
        return None


def _by_cudnn(findings: tuple[Finding, ...], interpreter: Interpreter, library: str,
              options: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Those that have no verdict of a framework's; the jobs are kept in a directory of their own."""
    from cudnnlint.verify.cudnn import asked_cudnn
    from cudnnlint.verify.trace import Trace

    directory = os.path.join(options["trace_dir"], "cudnn") if options["trace_dir"] else None
    trace = Trace(directory, "cudnn", "gpu") if directory and library else None
    return asked_cudnn(findings, interpreter, library, keep=trace.keep if trace else None, log=directory)


def _counted(findings: Iterable[Finding]) -> str:
    """`7 confirmed, 1 not verifiable`."""
    verdicts = Counter(each.verification.verdict for each in findings if each.verification is not None)
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())


def _interpreter(options: Mapping[str, Any]) -> Interpreter:
    """The one that the command line or the shell names: never one that a file of the project names."""
    from cudnnlint.engine.requirements.environment import site_packages
    from cudnnlint.verify.interpreter import Interpreter, active

    path = options["verify_python"] or options["python"] or active(os.environ)
    found = Interpreter.of(path, site_packages(path))
    if found is None:
        raise UsageError(f"--verify: {path} is no interpreter")
    return found


def _library(options: Mapping[str, Any], interpreter: Interpreter) -> str:
    """A file of the cuDNN that is asked, or "": the one that the command line names, else what is installed."""
    from cudnnlint.verify.cudnn_found import cudnn_in, library_in

    if not options["cudnn_lib"]:
        prefix = os.path.dirname(os.path.dirname(interpreter.executable))
        return cudnn_in(interpreter.paths, os.environ, prefix)
    if found := library_in(os.path.expanduser(options["cudnn_lib"])):
        return found
    raise UsageError(f"--cudnn-lib: no cuDNN library in {options['cudnn_lib']}")
