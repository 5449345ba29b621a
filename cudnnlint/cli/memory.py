"""`cudnnlint memory`: how much GPU memory each training call takes, and which batch fits, without running it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._batches import Batches
from cudnnlint.cli._ending import CLEAN, FAILED, warn
from cudnnlint.cli._extents import Extents
from cudnnlint.cli._output import emit
from cudnnlint.cli._piped import piped
from cudnnlint.cli._replacing import check_targets, replace
from cudnnlint.cli._settings import checked_paths, settings_for

if TYPE_CHECKING:
    from cudnnlint.engine.memory import Fit
    from cudnnlint.memory.gpus import GPU
    from cudnnlint.source import SourceError

ALL = "all"


@click.command("memory", short_help="Print how much GPU memory training takes, and which batch fits.",
               epilog="Exit codes: 0, or 2 for wrong usage, wrong configuration, a named file that cannot be read, or "
                      "an internal error.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--gpu", metavar="NAME", help="T4, RTX 3090, A100-1g.5gb, 2xT4, ...; a size such as 16GiB; "
                                                        "auto for that of this machine; or all.  "
                                                        "[default: that of the configuration, or T4]")
@click.option("--batch-size", "batches", type=Batches(), default=(), metavar="N|N..M|N,M",
              help="Another batch size than the program's, or a curve of several.")
@click.option("--input", "inputs", type=Extents(), multiple=True, metavar="224x224x3",
              help="An input, without the batch, for models that nothing calls. Repeatable.")
@click.option("--timeline", is_flag=True, help="Also print the memory over forward and backward, layer by layer.")
@click.option("--html", metavar="FILE", help="Also write a page with pictures: areas by layer, and the GPU's limit.")
@click.option("--svg", metavar="FILE", help="Also write the pictures alone.")
@click.option("--output-format", type=_options.NearestChoice(["full", "json"]), default="full", show_default=True,
              help="Text for people or JSON for programs.")
@click.option("--output-file", metavar="FILE", help="Write there instead of printing.")
@click.option("--stdin-filename", metavar="NAME", help="What to call the code that is read from `-`.")
@_options.files
@_options.project
def command(paths: tuple[str, ...], gpu: str | None, batches: tuple[int, ...], timeline: bool, html: str | None,
            svg: str | None, output_format: str, output_file: str | None, **options: Any) -> int:
    """Estimate the GPU memory of the training calls in PATHS (`-` for standard input), without running anything.

    Prints the terms, the layers that take most, and the largest batch that fits.
    """
    from cudnnlint.engine.gpus import gpu_for
    from cudnnlint.engine.halved import with_halves
    from cudnnlint.engine.memory import Asked, fits
    from cudnnlint.memory.gpus import ASSUMED

    check_targets(html, svg)
    named = checked_paths(paths)
    settings = settings_for(named, options)
    every = gpu is not None and gpu.strip().lower() == ALL
    chosen = ASSUMED if every and not settings.gpu else gpu_for(None if every else gpu, settings.gpu)
    unreadable: list[SourceError] = []
    crashes, apart, vain = dict[str, None](), dict[str, None](), list[str]()
    asked = Asked(batches, chosen.count, timeline or bool(html or svg), inputs=options["inputs"])
    with piped(named, options["stdin_filename"]) as found:
        told = list(fits(found, settings, asked, unreadable, crashes, apart, vain))
        told = with_halves(told, settings, asked, chosen)
    for error in (*unreadable, *crashes):
        warn(f"error: {error}")
    for reason in vain:
        warn(f"warning: {reason}")
    if apart:
        first, *others = apart
        more = f" and {len(others)} more" if others else ""
        warn(f"{first}{more}: memory of PyTorch is not estimated, only that of Keras and TensorFlow")
    elif not told and not unreadable and not crashes:
        warn("no training calls and no models that could be followed"
             + " (--input 224x224x3 would be fed to those that nothing calls)" * (not options["inputs"]))
    _draw(told, chosen, html, svg)
    text = _json(told, chosen, every, timeline) if output_format == "json" else _text(told, chosen, every, timeline)
    emit(text, output_file)
    return FAILED if unreadable or crashes else CLEAN


def _draw(told: list[Fit], gpu: GPU, html: str | None, svg: str | None) -> None:
    """One picture a training call; what exists is kept where writing fails."""
    if html is None and svg is None:
        return
    from cudnnlint.report.memory import page, picture
    from cudnnlint.report.memory.text import heading, needs

    pictures = [picture.Picture(f"{fit.place}  {heading(fit.model, fit.estimate, fit.stack)}",
                                needs(fit.estimate, here), fit.estimate, here, fit.mixed, fit.curve)
                for fit in told for here in (fit.estimate.on(gpu),)]
    for path, render in ((html, page.page), (svg, picture.svg)):
        if path is not None:
            replace(path, render(pictures))


def _json(told: list[Fit], gpu: GPU, every: bool, timeline: bool) -> str:
    from cudnnlint.memory.gpus import CATALOGUE
    from cudnnlint.report.memory.rows import row

    rows = []
    for fit in told:
        for estimate in [made for _, made in fit.curve] or [fit.estimate]:
            for one in CATALOGUE if every else (gpu,):
                mixed = fit.mixed if estimate is fit.estimate else None
                rows.append(row(fit.path, fit.model, estimate, estimate.on(one), timeline, mixed))
    return json.dumps({"fits": rows}) + "\n"


def _text(told: list[Fit], gpu: GPU, every: bool, timeline: bool) -> str:
    from cudnnlint.memory.gpus import CATALOGUE
    from cudnnlint.report.memory.tables import curve, over_gpus
    from cudnnlint.report.memory.text import block, is_trifle
    from cudnnlint.report.memory.timeline import timeline as over_time

    lines: list[str] = []
    for fit in told:
        here = fit.estimate.on(gpu)
        lines += block(fit.place, fit.model, fit.estimate, fit.stack, here, fit.mixed)
        if not is_trifle(fit.estimate):  # of which that says all
            lines += over_gpus(fit.estimate, [fit.estimate.on(one) for one in CATALOGUE]) if every else ()
            lines += over_time(fit.estimate, here) if timeline else ()
            lines += curve(fit.curve, here) if fit.curve else ()
        lines.append("")
    return "\n".join(lines)
