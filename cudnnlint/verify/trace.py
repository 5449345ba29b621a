"""Jobs kept for the user: each a script that runs by hand what the worker ran, and what came of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path

from cudnnlint.finding import Finding, Verification
from cudnnlint.verify.plan import Plan
from cudnnlint.verify.session import WORKER

SCRIPT = """\
# Runs one job of cudnnlint with any Python that has the library: python {name}
import json
import os
import sys

ABOUT = {about}
VERDICT = {verdict}
JOB = json.loads({job})

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker"))
import serve

print(ABOUT)
serve.by_hand(JOB, {backend}, {device})
"""


JOB = re.compile(rb"^== job (\d+)\r?\n", re.MULTILINE)


def keep_logs(scratch: str, directory: str) -> None:
    """What the workers printed, whole and job by job, and the profiles, each beside its script."""
    names = {int(script.stem.partition("-")[0]): script.stem for script in Path(directory).glob("[0-9]*-*.py")}
    log = Path(scratch, "worker.log")
    if log.exists():
        text = log.read_bytes()
        Path(directory, "worker.log").write_bytes(text)
        parts = JOB.split(text)[1:]
        for number, said in zip(map(int, parts[::2]), parts[1::2], strict=True):
            if number in names:
                Path(directory, f"{names[number]}.log").write_bytes(said)
    for number, name in names.items():
        profile, target = Path(scratch, f"{number:03}"), Path(directory, f"{name}.profile")
        if profile.is_dir() and any(profile.iterdir()):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(profile, target)


class Trace:
    """A directory of scripts, and `verdicts.jsonl` with a line a finding."""

    def __init__(self, directory: str, backend: str, device: str) -> None:
        self._place, self._backend, self._device = Path(directory), backend, device
        self.directory = directory
        self._place.mkdir(parents=True, exist_ok=True)
        (self._place / "verdicts.jsonl").write_text("", encoding="utf-8")
        target = self._place / "worker"
        target.mkdir(exist_ok=True)
        for source in WORKER.parent.glob("*.py"):
            shutil.copyfile(source, target / source.name)

    def keep(self, number: int, finding: Finding, plan: Plan, verdict: Verification) -> None:
        """One finding; all that comes from the program is quoted as Python or JSON quotes it."""
        about = f"{finding.span.path}:{finding.span.line}:{finding.span.column + 1}: {finding.rule} {finding.message}"
        told = {"finding": about, "job": plan.job, "verification": asdict(verdict)}
        with open(self._place / "verdicts.jsonl", "a", encoding="utf-8") as lines:
            lines.write(json.dumps(told) + os.linesep)
        if plan.reason:
            return
        name = f"{number:03}-{finding.rule}.py"
        text = SCRIPT.format(name=name, about=ascii(about), verdict=ascii(verdict.verdict),
                             job=ascii(json.dumps({**plan.job, "id": number})), backend=ascii(self._backend),
                             device=ascii(self._device))
        (self._place / name).write_text(text, encoding="utf-8")
