"""`check --verify`: findings put to the real library, with the interpreter that the command line names."""

from __future__ import annotations

import glob
import os
import sys
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

F = TypeVar("F", bound=Callable[..., Any])
MEANS = ("auto", "cpu", "gpu", "cudnn")
CUDNN = ("nvidia/cudnn/lib/libcudnn.so*", "nvidia/cudnn/bin/cudnn64_*.dll")

verify_options: Callable[[F], F] = _options.combined(
    click.option("--verify", type=_options.NearestChoice(MEANS), metavar="MEANS",
                 help="Put findings to the real library: cpu, gpu, cudnn, or auto for what is there."),
    click.option("--verify-gpu", is_flag=True, help="The same as --verify gpu."),
    click.option("--confirmed-only", is_flag=True, help="With --verify: report, and fail on, confirmed findings only."),
    click.option("--verify-python", metavar="PATH",
                 help="The interpreter or environment that --verify runs; by default that of --python, else of "
                      "VIRTUAL_ENV, else the one that runs cudnnlint."),
    click.option("--trace-dir", metavar="DIR", help="With --verify: keep each job there, to be run by hand."),
)


def asked(options: Mapping[str, Any]) -> bool:
    """Whether to verify; UsageError for options that need it."""
    if options["verify"] is not None or options["verify_gpu"]:
        return True
    for name in ("confirmed_only", "trace_dir", "verify_python"):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --verify", click.get_current_context())
    return False


def verified_report(report: Report, options: Mapping[str, Any]) -> Report:
    """The report with a verdict on each finding. UsageError where the means that were asked for are not there."""
    from cudnnlint.verify.run import UnavailableError, verified
    from cudnnlint.verify.trace import Trace

    means = options["verify"] or "gpu"
    interpreter = _interpreter(options)
    if means == "cudnn":
        raise UsageError(_cudnn(interpreter))
    directory, device = options["trace_dir"], "gpu" if means == "gpu" else "cpu"
    trace = Trace(directory, interpreter.backend, device) if directory else None
    try:
        findings = verified(report.findings, interpreter, device=device,
                            keep=trace.keep if trace else None, log=directory)
    except UnavailableError as error:
        if means != "auto":
            raise UsageError(f"--verify {means}: {error}") from None
        return replace(report, notes=(*report.notes, f"not verified: {error}"))
    if not options["quiet"] and findings:
        warn(f"note: verified: {_counted(findings)}")
    if options["confirmed_only"]:
        findings = tuple(each for each in findings
                         if each.verification is not None and each.verification.verdict == "confirmed")
    return replace(report, findings=findings)


def _counted(findings: Iterable[Finding]) -> str:
    """`7 confirmed, 1 not verifiable`."""
    verdicts = Counter(each.verification.verdict for each in findings if each.verification is not None)
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())


def _interpreter(options: Mapping[str, Any]) -> Interpreter:
    """The one that the command line or the shell names: never one that a file of the project names."""
    from cudnnlint.engine.environment import site_packages
    from cudnnlint.verify.interpreter import Interpreter

    path = options["verify_python"] or options["python"] or os.environ.get("VIRTUAL_ENV") or sys.executable
    found = Interpreter.of(path, site_packages(path))
    if found is None:
        raise UsageError(f"--verify: {path} is no interpreter")
    return found


def _cudnn(interpreter: Interpreter) -> str:
    """Why cuDNN itself cannot be asked."""
    found = any(glob.glob(os.path.join(top, name)) for top in interpreter.paths for name in CUDNN)
    if found:
        return "--verify cudnn: checks against cuDNN itself are not there yet"
    return f"--verify cudnn: {interpreter.executable} has no cuDNN library"
