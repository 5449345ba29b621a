"""Runs a program under real Keras and says where what is inferred of it agrees, is not known, or is wrong.

    python -m cudnnlint.devtools.truth train.py [--keras 2] [--python PATH] [--output-format json]
    python -m cudnnlint.devtools.truth --call "package.module:build_model(10)" [--folder DIR]

The program runs on the CPU in a child process. Training is cut to a step, data sets of keras.datasets are zeros of
their true sizes, nothing is saved; a statement that fails is left out and counted. A place is a call that constructs a
layer: exact if every output that it gave is inferred with its dtype and nothing contradicts, partial if some are,
missed if none is, wrong if a shape, dtype or number of parameters is claimed that no run of it had. So it is with a
training: rows of the first batch, number of batches, shapes and dtypes of the batch's arrays, the optimizer. Exit
codes: 0, 1 if anything is wrong, 2 if nothing could be recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from cudnnlint.devtools.truth import verdicts
from cudnnlint.devtools.truth.child import Program, Record, record
from cudnnlint.devtools.truth.inference import inferred, stack_of_record
from cudnnlint.devtools.truth.verdicts import MODELS, SITES, Verdict
from cudnnlint.engine.errors import UsageError
from cudnnlint.source import SourceError


@dataclass(frozen=True, slots=True)
class Comparison:
    """One program: its record, and the verdicts on its sites and models."""

    name: str
    record: Record
    sites: list[Verdict]
    models: list[Verdict]
    fits: list[Verdict]

    @property
    def wrong(self) -> list[Verdict]:
        return [each for each in (*self.sites, *self.models, *self.fits) if each.kind == "wrong"]


ORDER = ("exact", "equal", "partial", "missed", "unknown", "wrong")


def compare(program: Program, found: Record) -> Comparison:
    """An empty one if nothing was recorded. What is wrong or missed is judged again without what failed."""
    if "error" in found:
        return Comparison(program.name, found, [], [], [])
    whole = _judged(program, found)
    if not found["failed"] or all(each.kind in ORDER[:2] for each in (*whole.sites, *whole.models, *whole.fits)):
        return whole
    ran = _judged(replace(program, text=without(program.text, found["failed"]), whole=False), found)
    return Comparison(program.name, found, *(
        [min(both, key=lambda verdict: ORDER.index(verdict.kind)) for both in zip(*pair, strict=True)]
        for pair in ((whole.sites, ran.sites), (whole.models, ran.models), (whole.fits, ran.fits))))


def _judged(program: Program, found: Record) -> Comparison:
    claims = inferred(program, stack_of_record(found))
    return Comparison(program.name, found, list(verdicts.on_sites(found["sites"], claims)),
                      list(verdicts.on_models(found["models"], claims)),
                      list(verdicts.on_fits(found.get("fits", ()), claims)))


def without(text: str, failed: Sequence[Record]) -> str:
    """The program that ran: of a statement that failed nothing is claimed, and names have the values from before.

    >>> without("x = 1\\nx = f(\\n  2)\\n", [{"line": 2, "end_line": 3}])
    'x = 1\\npass\\n\\n'
    """
    rows = text.splitlines(keepends=True)
    for each in failed:
        first, last = each["line"], each.get("end_line") or each["line"]
        if first is not None and last <= len(rows):
            row = rows[first - 1]
            rows[first - 1:last] = [row[:len(row) - len(row.lstrip())] + "pass\n", *["\n"] * (last - first)]
    return "".join(rows)


def lines(comparison: Comparison) -> list[str]:
    """For people: every place and every model."""
    found = comparison.record
    if "error" in found:
        return [f"{comparison.name}: {found['error']}"]
    versions = found["versions"]
    return [f"{comparison.name}: Keras {versions['keras']}, TensorFlow {versions['tensorflow']}, "
            f"Python {versions['python']}; {found['statements']} statements, {len(found['failed'])} failed, "
            f"{found['seconds']:g} s",
            *(f"  line {each['line']} left out: {each['error']}" for each in found["failed"]),
            *(line for each in comparison.sites for line in _place(each, _shape)),
            *(line for each in comparison.models for line in _place(each, lambda count: f"{count} parameters")),
            *(line for each in comparison.fits for line in _place(each, _fit))]


def _place(verdict: Verdict, show: Any) -> list[str]:
    where = ":".join(str(part) for part in (os.path.relpath(verdict.path), verdict.line, verdict.column)
                     if part is not None)
    first = f"  {verdict.kind:8}{where}  {verdict.layer}  {'; '.join(map(show, verdict.seen))}"
    if verdict.kind in ("exact", "equal"):
        return [first]
    told = verdict.against or verdict.claims
    return [first, f"          inferred: {'; '.join(map(show, told)) or 'nothing'}"]


def _shape(row: Any) -> str:
    return f"{_dims(row['input_shape'])} -> {_dims(row['output_shape'])} {row['dtype']}, params {row['params']}"


def _fit(row: Any) -> str:
    facts = {"batch": row["batch"], "steps": row["steps"], "shapes": row["shapes"] and _dims(row["shapes"]),
             "dtypes": row["dtypes"] and " ".join(map(str, row["dtypes"])), "optimizer": row["optimizer"]}
    return ", ".join(f"{name} {value}" for name, value in facts.items() if value is not None)


def _dims(shape: Any) -> str:
    return json.dumps(shape).replace("null", "?").replace('"', "")


def totals(comparisons: Sequence[Comparison]) -> dict[str, dict[str, int]]:
    return {"sites": verdicts.counted((each for one in comparisons for each in one.sites), SITES),
            "models": verdicts.counted((each for one in comparisons for each in one.models), MODELS),
            "fits": verdicts.counted((each for one in comparisons for each in one.fits), SITES)}


def summary(counts: dict[str, int], what: str) -> str:
    """A line of counts.

    >>> summary({"exact": 3, "missed": 1}, "sites")
    'sites 4: exact 3 (75.0 %), missed 1 (25.0 %)'
    """
    total = sum(counts.values())
    return f"{what} {total}: " + ", ".join(f"{kind} {count} ({100 * count / max(total, 1):.1f} %)"
                                          for kind, count in counts.items())


def document(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """For programs."""
    kept = ("error", "versions", "statements", "failed", "problems", "seconds")
    programs = [{"name": one.name, **{key: one.record[key] for key in kept if key in one.record},
                 "sites": list(map(asdict, one.sites)), "models": list(map(asdict, one.models)),
                 "fits": list(map(asdict, one.fits))}
                for one in comparisons]
    return {"programs": programs, "totals": totals(comparisons)}


def parser() -> argparse.ArgumentParser:
    told = argparse.ArgumentParser(prog="python -m cudnnlint.devtools.truth", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("scripts", nargs="*", metavar="SCRIPT.py")
    told.add_argument("--call", action="append", default=[], metavar="package.module:build(10)")
    told.add_argument("--folder", default=".", metavar="DIR", help="where the module of --call is imported from")
    told.add_argument("--python", default=sys.executable, metavar="PATH", help="the interpreter that has Keras")
    told.add_argument("--keras", type=int, choices=(2, 3), default=3, help="2: tf_keras, as keras and tf.keras")
    told.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="for all programs together")
    told.add_argument("--seconds", type=float, default=120, help="of CPU time, for each statement")
    told.add_argument("--output-format", choices=("full", "json"), default="full")
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    told = parser()
    options = told.parse_args(arguments)
    try:
        programs = [*map(Program.of_script, options.scripts),
                    *(Program.of_call(call, options.folder) for call in options.call)]
    except (UsageError, SourceError) as error:
        told.error(str(error))
    programs = [replace(program, seconds=options.seconds) for program in programs]
    if not programs:
        told.error("a script or --call is needed")
    found = record(programs, python=options.python, keras=options.keras, timeout=options.timeout)
    comparisons = [compare(program, found[program.name]) for program in programs]
    if options.output_format == "json":
        print(json.dumps(document(comparisons)))
    else:
        counts = totals(comparisons)
        print("\n".join([*(line for one in comparisons for line in lines(one)),
                         *(summary(counts[what], what) for what in counts)]))
    if all("error" in each for each in found.values()):
        return 2
    return 1 if any(one.wrong for one in comparisons) else 0


if __name__ == "__main__":
    sys.exit(main())
