"""Records what an installed cuDNN answers, as numbers and statuses, for tests that replay it without one.

    python -m cudnnlint.devtools.cudnn_answers [--cudnn-lib PATH]

Runs the jobs of tests/verify/cudnn_answers.json with the worker of `--verify cudnn` and writes there the status of each
call, in the column of that library's version. Numbers, statuses and version only: nothing of the library, no text of
its. For a machine with a GPU and a cuDNN of its own, as its licence wants it; handles are not asked for.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from cudnnlint.verify.cudnn_found import cudnn_in, library_in
from cudnnlint.verify.session import WORKER

ANSWERS = Path("tests", "verify", "cudnn_answers.json")
UNWATCHED = frozenset({"cudnnGetVersion", "cudnnGetErrorString", "cudnnGetLastErrorString", "cudnnSetCallback"})
Answer = Callable[[str, list[Any], tuple[Any, ...]], int]
"""The status of a call: its function, its arguments as plain data, and as ctypes has them."""


def worker(name: str) -> Any:
    """A module of the worker, which is no package."""
    if str(WORKER.parent) not in sys.path:
        sys.path.append(str(WORKER.parent))
    return importlib.import_module(name)


class Watched:
    """A library whose calls are told as plain data: of a descriptor what was last written into it."""

    def __init__(self, answer: Answer, library: Any) -> None:
        self._answer, self._library = answer, library
        self._written: dict[int | None, list[Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in UNWATCHED or name.startswith(("cudnnCreate", "cudnnBackendCreate")):
            return getattr(self._library, name)
        return lambda *given: self._called(name, given)

    def _called(self, name: str, given: tuple[Any, ...]) -> int:
        if name == "cudnnBackendSetAttribute":
            return self._set(given)
        codes = worker("worker_cudnn").SIGNATURES[name]
        sets = name.startswith("cudnnSet")
        told = [self._plain(code, value) for code, value in zip(codes[sets:], given[sets:], strict=True) if code != "o"]
        status = self._answer(name, told, given)
        if sets and status == 0:
            before = self._written.get(given[0].value, []) if name.endswith("GroupCount") else []
            self._written[given[0].value] = [*before, *told]
        return status

    def _set(self, given: tuple[Any, ...]) -> int:
        """An attribute of the graph API: its number and values. What is refused is refused by the end."""
        made, name, _, _, values = given
        told = [self._written.get(each) if values._type_ is ctypes.c_void_p else each for each in values]
        self._written[made.value] = [*self._written.get(made.value, []), [name.value, told]]
        return int(self._library.cudnnBackendSetAttribute(*given))

    def _plain(self, code: str, value: Any) -> Any:
        if code == "a":
            return list(value)
        if code == "p":
            return self._written.get(value.value) if value.value is not None else None
        return float(f"{value.value:.9g}") if code in "df" else value.value


def read(path: Path) -> dict[str, Any]:
    """versions: names; jobs: what is asked; calls: function, arguments, and the status in each version, null for none.
    """
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return told


def written(answers: dict[str, Any]) -> str:
    """A line a job, and a line a call."""
    parts = [f' "versions": {json.dumps(answers["versions"])}']
    parts += [f' "{name}": [\n' + ",\n".join(f"  {json.dumps(each)}" for each in answers[name]) + "\n ]"
              for name in ("jobs", "calls")]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def recorded(answers: dict[str, Any], library: str) -> dict[str, Any]:
    """With a column for the version of a library, in place of the one that there was."""
    heard: dict[str, int] = {}
    jobs = worker("worker_cudnn_jobs")

    def load(path: str) -> Any:
        real = ctypes.CDLL(path)

        def answer(name: str, told: list[Any], given: tuple[Any, ...]) -> int:
            status = heard[json.dumps([name, told])] = int(getattr(real, name)(*given))
            return status

        return Watched(answer, real)

    asked = jobs.Libraries(library, load)
    for number, job in enumerate(answers["jobs"]):
        jobs.answer(asked, {**job, "id": number})
    version = asked.versions("cudnn")["cudnn"]
    return merged(answers, version, heard)


def merged(answers: dict[str, Any], version: str, heard: dict[str, int]) -> dict[str, Any]:
    """`heard`: function and arguments, as JSON -> status."""
    versions = [*(each for each in answers["versions"] if each != version), version]
    table = {json.dumps(call[:2]): dict(zip(answers["versions"], call[2], strict=True)) for call in answers["calls"]}
    for key, status in heard.items():
        table.setdefault(key, {})[version] = status
    calls = [[*json.loads(key), [statuses.get(each) for each in versions]] for key, statuses in table.items()]
    return {"versions": versions, "jobs": answers["jobs"], "calls": calls}


@click.command()
@click.option("--cudnn-lib", default="", help="The library, or its directory; by default what the environment has.")
def main(cudnn_lib: str) -> None:
    """Record what an installed cuDNN answers."""
    library = library_in(cudnn_lib) if cudnn_lib else cudnn_in(sys.path, {}, sys.prefix)
    if not library:
        raise click.UsageError("no cuDNN library found")
    answers = recorded(read(ANSWERS), library)
    ANSWERS.write_text(written(answers), encoding="utf-8")
    click.echo(f"{len(answers['calls'])} calls of cuDNN {answers['versions'][-1]} in {ANSWERS}")


if __name__ == "__main__":
    main()
