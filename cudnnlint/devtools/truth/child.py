"""Has programs run under real Keras in a child process and brings back what was recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cudnnlint.engine.errors import UsageError
from cudnnlint.source import Source
from cudnnlint.source.notebook import script_of

RECORDER = Path(__file__).with_name("recorder.py")
Record = dict[str, Any]
"""What recorder.py tells of one program."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run.

    name     what to call it
    path     where its text lies, or would lie
    roots    the files and folders in which a call that constructs a layer is the user's
    folders  what its imports are looked up in
    seconds  of CPU time for each statement
    whole    the text is all of the file's
    """

    name: str
    path: str
    text: str
    roots: tuple[str, ...]
    folders: tuple[str, ...]
    seconds: float = 120
    whole: bool = True

    @classmethod
    def of_script(cls, path: str | Path) -> Program:
        """A script or notebook; the package that it lies in, or else its folder, is the user's."""
        file = Path(path).resolve()
        top = file.parent
        while (top / "__init__.py").exists():
            top = top.parent
        source = Source.read(file)
        text = script_of(source.path, source.cells) if source.cells else source.text
        return cls(str(path), str(file), text, (str(top),), (str(file.parent), str(top)))

    @classmethod
    def of_call(cls, call: str, folder: str | Path = ".", roots: Sequence[str] = ()) -> Program:
        """`package.module:build(10)`; names in the call are the module's. Its module lies in `folder`."""
        module, colon, expression = call.partition(":")
        if not colon:
            raise UsageError(f'"{call}" is not like package.module:build(10)')
        import ast
        import builtins

        try:
            tree = ast.parse(expression, mode="eval")
        except SyntaxError as error:
            raise UsageError(f'"{expression}" is not Python: {error.msg}') from None
        names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(dir(builtins)))
        imports = f"from {module} import {', '.join(names)}\n" if names else f"import {module}\n"
        top = str(Path(folder).resolve())
        return cls(call, os.path.join(top, "called.py"), f"{imports}result = {expression}\n",
                   tuple(roots) or (top,), (top,))


def record(programs: Sequence[Program], *, python: str = sys.executable, keras: int = 3,
           timeout: float = 600) -> dict[str, Record]:
    """What was recorded of each, by name: {"error": why} of those that the child did not come to the end of."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "records"
        job = {"keras": keras, "out": str(out), "programs": [asdict(program) for program in programs]}
        why = _run(python, job, timeout, scratch)
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    records = {record["name"]: record for record in map(json.loads, lines)}
    return {program.name: records.get(program.name, {"error": why or "the child ended early"}) for program in programs}


def _run(python: str, job: Any, timeout: float, scratch: str) -> str:
    """Why it failed, or ""."""
    settings = {"CUDA_VISIBLE_DEVICES": "-1", "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3",
                "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1", "KERAS_HOME": scratch}
    environment = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "TF_USE_LEGACY_KERAS"}}
    try:
        done = subprocess.run([python, str(RECORDER)], input=json.dumps(job), text=True, timeout=timeout, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**environment, **settings})
    except subprocess.TimeoutExpired:
        return f"not done after {timeout:g} s"
    except OSError as error:
        return f"{python}: {(error.strerror or str(error)).lower()}"
    last = done.stderr.strip().splitlines()[-1:] or ["no output"]
    return "" if done.returncode == 0 else f"the child ended with {done.returncode}: {last[0][:300]}"
