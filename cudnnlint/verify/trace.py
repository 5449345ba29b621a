"""Jobs kept for the user: each a script that runs by hand what the worker ran, and what came of it."""

from __future__ import annotations

import json
import os
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


class Trace:
    """A directory of scripts, and `verdicts.jsonl` with a line a finding."""

    def __init__(self, directory: str, backend: str, device: str) -> None:
        self._directory, self._backend, self._device = Path(directory), backend, device
        self._directory.mkdir(parents=True, exist_ok=True)
        (self._directory / "verdicts.jsonl").write_text("", encoding="utf-8")
        target = self._directory / "worker"
        target.mkdir(exist_ok=True)
        for source in WORKER.parent.glob("*.py"):
            shutil.copyfile(source, target / source.name)

    def keep(self, number: int, finding: Finding, plan: Plan, verdict: Verification) -> None:
        """One finding; all that comes from the program is quoted as Python or JSON quotes it."""
        about = f"{finding.span.path}:{finding.span.line}:{finding.span.column + 1}: {finding.rule} {finding.message}"
        told = {"finding": about, "job": plan.job, "verification": asdict(verdict)}
        with open(self._directory / "verdicts.jsonl", "a", encoding="utf-8") as lines:
            lines.write(json.dumps(told) + os.linesep)
        if plan.reason:
            return
        name = f"{number:03}-{finding.rule}.py"
        text = SCRIPT.format(name=name, about=ascii(about), verdict=ascii(verdict.verdict),
                             job=ascii(json.dumps({**plan.job, "id": number})), backend=ascii(self._backend),
                             device=ascii(self._device))
        (self._directory / name).write_text(text, encoding="utf-8")
