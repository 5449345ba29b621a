"""`cudnnlint memory`: how much GPU memory each training call takes, and which batch fits, without running it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN, warn
from cudnnlint.cli._output import emit
from cudnnlint.cli._settings import checked_paths, settings_for

if TYPE_CHECKING:
    from cudnnlint.engine.memory import Fit
    from cudnnlint.memory.gpus import GPU

MOST = 2**31
ALL = "all"


class Batches(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.3
    """`64`, or `8..256` for the sizes between, each twice the one before."""

    name = "batches"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d{1,12})(?:\.\.(\d{1,12}))?", value.strip())
        if found is None:
            self.fail(f'"{value}" is not a batch size, or two like 8..256', param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if not 1 <= first <= last <= MOST:
            self.fail(f'"{value}" is not between 1 and {MOST}', param, ctx)
        sizes = [first]
        while sizes[-1] * 2 <= last:
            sizes.append(sizes[-1] * 2)
        return tuple(sizes if sizes[-1] == last else [*sizes, last])


@click.command("memory", short_help="Print how much GPU memory training takes, and which batch fits.",
               epilog="Exit codes: 0, or 2 for wrong usage, wrong configuration or an internal error.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--gpu", metavar="NAME", default="", help="T4, A100-40, RTX 3090, ...; a size such as 16GiB; or all.  "
                                                        "[default: that of the configuration, or T4]")
@click.option("--batch-size", "batches", type=Batches(), default=(), metavar="N|N..M",
              help="Another batch size than the program's, or a curve of several.")
@click.option("--output-format", type=_options.NearestChoice(["full", "json"]), default="full", show_default=True,
              help="Text for people or JSON for programs.")
@click.option("--output-file", metavar="FILE", help="Write there instead of printing.")
@_options.files
@_options.project
def command(paths: tuple[str, ...], gpu: str, batches: tuple[int, ...], output_format: str, output_file: str | None,
            **options: Any) -> int:
    """Estimate the GPU memory of the training calls in PATHS from the source, without running or importing anything.

    Prints the terms, the layers that take most, and the largest batch that fits.
    """
    from cudnnlint.engine.memory import Asked, fits
    from cudnnlint.memory.gpus import ASSUMED

    found = checked_paths(paths)
    settings = settings_for(found, options)
    chosen = _gpu(gpu if gpu.lower() != ALL else "") or _gpu(settings.gpu) or ASSUMED
    told = list(fits(found, settings, Asked(batches)))
    if not told:
        warn("no training calls and no models found")
    text = _json(told, chosen, gpu) if output_format == "json" else _text(told, chosen, gpu)
    emit(text, output_file)
    return CLEAN


def _gpu(text: str) -> GPU | None:
    """None for none; UsageError, with the nearest names, for one that is not known."""
    from cudnnlint.engine.errors import UsageError
    from cudnnlint.memory.gpus import find, unknown

    found = find(text) if text else None
    if text and found is None:
        raise UsageError(f"--gpu: {unknown(text)}")
    return found


def _json(told: list[Fit], gpu: GPU, asked: str) -> str:
    from cudnnlint.memory.gpus import CATALOGUE
    from cudnnlint.report.memory.rows import row

    rows = []
    for fit in told:
        for estimate in [made for _, made in fit.curve] or [fit.estimate]:
            for one in CATALOGUE if asked.lower() == ALL else (gpu,):
                rows.append(row(fit.path, fit.model, estimate, one))
    return json.dumps({"fits": rows}) + "\n"


def _text(told: list[Fit], gpu: GPU, asked: str) -> str:
    from cudnnlint.memory.gpus import CATALOGUE
    from cudnnlint.report.memory.text import block, curve, over_gpus

    lines: list[str] = []
    for fit in told:
        lines += block(fit.estimate.span.path or fit.path, fit.model, fit.estimate, fit.stack, gpu)
        if asked.lower() == ALL:
            lines += over_gpus(fit.estimate, sorted(CATALOGUE, key=lambda one: one.usable))
        if fit.curve:
            lines += curve(fit.curve, gpu)
        lines.append("")
    return "\n".join(lines)
