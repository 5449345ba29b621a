"""Compares estimates of memory with what training steps really take.

    python benchmarks/memory.py             measures each run and prints what the estimates are off by
    python benchmarks/memory.py --freeze    and keeps what was measured, in tests/memory/frozen.json
    python benchmarks/memory.py --known     of graphs that know the batch, as fit() has them where it divides the rows
    python benchmarks/memory.py --xla       asks XLA's compiler for CUDA instead, of TensorFlow's own graphs
    python benchmarks/memory.py --fits      looks for the largest batch that TensorFlow's allocator takes

Steps are run on the CPU with the allocator and the order of a GPU (tests/oracle/memory_step.py). The compiler is JAX's
(pip install "jax[cuda12]"); where that is not installed beside TensorFlow, XLA_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.memory.compared import FROZEN, advised, estimated  # noqa: E402
from tests.oracle.memory_limits import LIMITS, largest  # noqa: E402
from tests.oracle.memory_runs import compiled, full, key, runs, source  # noqa: E402


def measured(kind: str, sources: dict[str, str]) -> dict[str, int]:
    """Bytes of each run, told by scripts of the oracle in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for number, (name, text) in enumerate(sources.items()):
            files[str(number)] = name
            Path(folder, f"{number}.py").write_text(text)
        programs = [Path(folder, f"{number}.py") for number in files]
        if kind == "xla":
            asked(sys.executable, "memory_graph.py", folder, *programs)
            graphs = [program.with_suffix(".hlo") for program in programs]
            lines = asked(os.environ.get("XLA_PYTHON", sys.executable), "memory_xla.py", *graphs)
        else:
            lines = asked(sys.executable, "memory_step.py", *programs)
    return {files[Path(told["path"]).stem]: told["total"] for told in map(json.loads, lines)}


def asked(python: str, script: str, *arguments: str | Path) -> list[str]:
    """The lines that a script prints."""
    done = subprocess.run([python, ROOT / "tests" / "oracle" / script, *arguments], stdout=subprocess.PIPE, text=True,
                          check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return done.stdout.splitlines()


def told(found: dict[str, int], ours: dict[str, int]) -> None:
    errors = {name: ours[name] / total - 1 for name, total in found.items()}
    for name, error in errors.items():
        print(f"{name:60} {found[name]:14,d} {100 * error:+7.2f} %")
    sizes = [abs(error) for error in errors.values()]
    print(f"{len(sizes)} runs, median {100 * statistics.median(sizes):.2f} %, from {100 * min(errors.values()):+.1f} % "
          f"to {100 * max(errors.values()):+.1f} %")


def main(arguments: Iterable[str]) -> None:
    given = set(arguments)
    kind = next((kind for kind in ("xla", "fits", "known") if f"--{kind}" in given), "steps")
    if kind == "steps":
        os.environ["OPEN"] = "1"
    if kind == "fits":
        found = {" ".join(map(str, limit)): largest(*limit) for limit in LIMITS}
        ours = {" ".join(map(str, limit)): advised(*limit) for limit in LIMITS}
    else:
        some = full() if kind == "known" else runs()
        sources = compiled() if kind == "xla" else {key(run): source(run) for run in some}
        ours = {name: estimated(text, kind).terms.total for name, text in sources.items()}
        found = measured(kind, sources)
    if "--freeze" in given:
        FROZEN.write_text(json.dumps({**json.loads(FROZEN.read_text()), kind: found}, indent=1) + "\n")
    told(found, ours)


if __name__ == "__main__":
    main(sys.argv[1:])
