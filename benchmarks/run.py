"""Measures what a run costs, in CPU time and as ratios over the same files, and writes docs/benchmarks.md.

    python benchmarks/run.py [--runs N] [--dry-run] DIR...

Every command is a process of its own, started cold; its user and system time count, and its peak memory. Nothing is
kept from one to the next, but for the rows "again, nothing changed".
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
sys.path.insert(0, str(ROOT))

from cudnnlint.engine.settings.declared import Settings  # noqa: E402
from cudnnlint.engine.settings.files import find_files  # noqa: E402
from cudnnlint.source.roots import names_framework  # noqa: E402

PARSE = """
import ast, resource, sys, warnings
warnings.simplefilter("ignore")
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
files = open(sys.argv[1], encoding="utf-8").read().split("\\n")
before = cpu()
for file in files:
    with open(file, "rb") as stream:
        data = stream.read()
    try:
        ast.parse(data)
    except (SyntaxError, ValueError):
        pass
print(cpu() - before)
"""
FLAKE8 = """
import importlib.metadata as metadata, sys
if sys.argv.pop(1) == "alone":
    everything = metadata.distributions
    metadata.distributions = lambda **wanted: [
        one for one in everything(**wanted) if (one.metadata["Name"] or "").lower() != "cudnnlint"]
from flake8.main.cli import main
sys.exit(main())
"""
SOME = 300
"""Files at most that flake8 is run over."""
TRIVIAL = "import keras\n\nx = keras.Input((8,))\n"
UNRELATED = "print('hello')\n"


class Cost(NamedTuple):
    """CPU seconds, and peak memory in MiB."""

    seconds: float
    memory: float
    output: str = ""


class Row(NamedTuple):
    """One line of the table; `target` is empty where there is none."""

    what: str
    ours: str
    base: str
    ratio: str
    target: str


def cost(command: Sequence[str], environment: dict[str, str] | None = None) -> Cost:
    """One process, started cold."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "CUDNNLINT_NO_CACHE": "1", **(environment or {})}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: with its byte code
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=variables)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command[:6])} ... ended with {process.returncode}")
        output.seek(0)
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output.read())


def least(runs: int, *measured: Callable[[], Cost]) -> list[Cost]:
    """The cheapest run of each, taken in turn so that a busy minute meets all of them."""
    rounds = [[measure() for measure in measured] for _ in range(runs)]
    return [min(column, key=lambda one: one.seconds) for column in zip(*rounds, strict=True)]


class Bench:
    """The measurements over one set of directories."""

    def __init__(self, folders: Sequence[str], runs: int, scratch: Path) -> None:
        self.runs, self.scratch = runs, scratch
        settings = Settings(respect_gitignore=False)
        self.folders = {folder: [file for file in find_files([folder], settings) if file.endswith(".py")]
                        for folder in folders}
        self.all = list(dict.fromkeys(file for files in self.folders.values() for file in files))
        self.stdlib = [file for file in find_files([os.path.dirname(os.__file__)], settings)
                       if file.endswith(".py") and f"{os.sep}test{os.sep}" not in file]
        self.naming = naming(self.all)
        self.mixed = [*tenth(self.naming, self.stdlib), *self.stdlib]

    def parse(self, files: Sequence[str]) -> Cost:
        """Reading and `ast.parse` alone, without Python's own start."""
        listed = self.scratch / "files.txt"
        listed.write_text("\n".join(files), encoding="utf-8")
        done = cost([sys.executable, "-c", PARSE, str(listed)])
        return Cost(float(done.output), done.memory)

    def kept(self) -> dict[str, str]:
        """The environment of a run that keeps what it finds."""
        return {"CUDNNLINT_NO_CACHE": "0", "CUDNNLINT_CACHE_DIR": str(self.scratch / "cache")}

    def lint(self, files: Sequence[str], environment: dict[str, str] | None = None) -> Cost:
        return cost([sys.executable, "-m", "cudnnlint", "check", "--isolated", "--exit-zero", "--output-format",
                     "concise", *files], environment)

    def flake8(self, how: str, files: Sequence[str], environment: dict[str, str] | None = None) -> Cost:
        """With the plugin found by its entry point, or without it, in one process."""
        info = self.scratch / "cudnnlint-0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cudnnlint\nVersion: 0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("[flake8.extension]\nCUD = cudnnlint.flake8_plugin:Plugin\n",
                                               encoding="utf-8")
        return cost([sys.executable, "-c", FLAKE8, how, "--isolated", "--jobs", "1", "--exit-zero", *files],
                    {"PYTHONPATH": os.pathsep.join([str(ROOT), str(self.scratch)]), **(environment or {})})

    def over_parse(self, name: str, files: Sequence[str], target: str) -> Row:
        ours, base = least(self.runs, lambda: self.lint(files), lambda: self.parse(files))
        return ratio(f"`cudnnlint`, cold, over {name}", ours, base, "`ast.parse`", target)

    def over_flake8(self, name: str, files: Sequence[str], target: str) -> Row:
        ours, base = least(self.runs, lambda: self.flake8("with", files), lambda: self.flake8("alone", files))
        return ratio(f"flake8 with the plugin over {name}", ours, base, "flake8 alone", target)

    def again(self, name: str, files: Sequence[str]) -> Row:
        """A second run, where nothing changed."""
        self.lint(files, self.kept())
        ours, base = least(self.runs, lambda: self.lint(files, self.kept()), lambda: self.parse(files))
        return ratio(f"`cudnnlint` again, nothing changed, over {name}", ours, base, "`ast.parse`", "")

    def flake8_again(self, name: str, files: Sequence[str]) -> Row:
        self.flake8("with", files, self.kept())
        ours, base = least(self.runs, lambda: self.flake8("with", files, self.kept()),
                           lambda: self.flake8("alone", files))
        return ratio(f"flake8 with the plugin again, nothing changed, over {name}", ours, base, "flake8 alone", "")

    def start(self, name: str, text: str, target: str) -> Row:
        """One small file, over bare Python."""
        file = self.scratch / "trivial.py"
        file.write_text(text, encoding="utf-8")
        ours, base = least(max(5, self.runs), lambda: self.lint([str(file)]),
                           lambda: cost([sys.executable, "-c", "pass"]))
        return Row(name, f"{ours.seconds:.3f} s", f"{base.seconds:.3f} s (bare Python)",
                   f"+{ours.seconds - base.seconds:.3f} s", target)

    def rows(self) -> list[Row]:
        self.flake8("with", [__file__])  # and byte code for everything
        self.lint([__file__])
        named, together = "files that name a framework", "a mixed tree"
        return [self.over_parse(named, self.naming, "12"), self.over_parse(together, self.mixed, "2"),
                self.again(named, self.naming), self.again(together, self.mixed),
                self.over_flake8(f"at most {SOME} of them", some(self.naming), "1.5"),
                self.over_flake8(f"at most {SOME} of the mixed tree", some(self.mixed), "1.5"),
                self.flake8_again(f"at most {SOME} of them", some(self.naming)),
                self.start("one file of three lines with Keras", TRIVIAL, "0.15 s"),
                self.start("one file that names no framework", UNRELATED, "0.15 s"),
                *(self.over_parse(os.path.basename(os.path.normpath(folder)), files, "")
                  for folder in self.folders if len(self.folders) > 1 and (files := naming(self.folders[folder])))]

    def corpus(self) -> str:
        """What was measured over, in one paragraph."""
        named = naming(self.mixed)
        share = 100 * kib(named) / kib(self.mixed)
        return (f"{len(self.naming)} files that name a framework ({kib(self.naming):,} KiB), of {len(self.all)}. The "
                f"mixed tree: {len(named)} of them beside {len(self.stdlib)} files of the standard library, "
                f"{share:.0f} % of the bytes.")


def naming(files: Sequence[str]) -> list[str]:
    return [file for file in files if names_framework(Path(file).read_bytes())]


def tenth(files: Sequence[str], others: Sequence[str]) -> Sequence[str]:
    """Every so many-th of the files, so that they are a tenth of the bytes beside the others."""
    return files[::max(1, round(9 * kib(files) / kib(others)))]


def some(files: Sequence[str]) -> Sequence[str]:
    """Every so many-th: flake8 itself is slow."""
    return files[::-(-len(files) // SOME)]


def kib(files: Sequence[str]) -> int:
    return sum(os.path.getsize(file) for file in files) // 1024


def ratio(what: str, ours: Cost, base: Cost, base_name: str, target: str) -> Row:
    return Row(what, used(ours), f"{used(base)} ({base_name})", f"{ours.seconds / base.seconds:.2f}x", target)


def used(cost: Cost) -> str:
    return f"{cost.seconds:.2f} s, {cost.memory:.0f} MiB"


def machine() -> str:
    """Processor, cores, system, Python."""
    model = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists() and (found := re.search(r"model name\s*: (.*)", info.read_text())):
        model = found[1]
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}."


def report(bench: Bench) -> str:
    lines = [" | ".join(("", *row, "")).strip() for row in bench.rows()]
    head = "| what | CPU time, peak memory | against | ratio | target |\n|---|---|---|---|---|\n"
    about = textwrap.fill(f"{machine()} {bench.corpus()} Best of {bench.runs}.", 118)
    return f"{about}\n\n{head}" + "\n".join(lines) + "\n"


def tell(section: str, text: str, dry_run: bool) -> None:
    """Print what was measured, and write it into its section of docs/benchmarks.md."""
    print(text)
    if not dry_run:
        page = PAGE.read_text(encoding="utf-8")
        marked = re.compile(rf"(<!-- measured: {section} -->\n).*?(<!-- end -->)", re.DOTALL)
        PAGE.write_text(marked.sub(lambda found: found[1] + text + found[2], page), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--runs", type=int, default=3, help="of each command; the least counts")
    parser.add_argument("--dry-run", action="store_true", help="print, and leave docs/benchmarks.md as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(scratch, "byte-code")
        text = report(Bench(options.folders, options.runs, Path(scratch)))
    tell("results", text, options.dry_run)


if __name__ == "__main__":
    main()
