"""Measures what one file of 50,000 lines costs, of several kinds, and writes it into docs/benchmarks.md.

    python benchmarks/long_files.py [--lines N] [--dry-run]

A file as long as that is no one's, or a machine wrote it: it is to end within ten seconds, whatever it holds. CPU time
of a process of its own, started cold, with what starting takes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from itertools import chain, count, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from run import cost, machine, tell

LINES = 50_000
HEAD = "import os\nimport sys\n\nimport keras\nimport numpy as np\nimport tensorflow as tf\nfrom keras import layers\n"
HEAD += "\nx = keras.Input((8,))\ndata, labels = np.zeros((64, 8)), np.zeros((64, 1))\n"
KINDS: dict[str, Callable[[int], str]] = {
    "a layer on each line": lambda i: f"x = layers.Dense({i % 64 + 1})(x)",
    "models, compiled and trained": lambda i: (
        f"m{i} = keras.Sequential([keras.Input((8,)), layers.Dense(4), layers.Dense(1)])\n"
        f"m{i}.compile('adam', 'mse')\nm{i}.fit(data, labels, batch_size=8)"),
    "functions that nothing calls": lambda i: (
        f"def f{i}(x, n={i}):\n    x = layers.Dense(n + 1)(x)\n    return layers.Activation('relu')(x)"),
    "classes of layers": lambda i: (
        f"class L{i}(layers.Layer):\n    def __init__(self, n):\n        super().__init__()\n"
        f"        self.dense = layers.Dense(n)\n    def call(self, x):\n        return self.dense(x)"),
    "tests": lambda i: (f"def test_{i}():\n    x = keras.Input((8,))\n    m = keras.Model(x, layers.Dense({i + 1})(x))"
                        f"\n    assert m.output_shape == (None, {i + 1})"),
    "loops over what is not known": lambda i: f"for arg in sys.argv:\n    d{i} = layers.Dense({i + 1})",
    "while loops": lambda i: f"while len(sys.argv) > {i}:\n    d{i} = layers.Dense({i + 1})\n    break",
    "branches": lambda i: f"if os.environ.get('A') == '{i}':\n    d{i} = layers.Dense({i + 1})\nelse:\n    d{i} = None",
    "datasets": lambda i: f"d{i} = tf.data.Dataset.from_tensor_slices(np.zeros(({i + 9}, 4))).batch(4).repeat(2)",
    "sums of tensors": lambda i: f"t{i} = tf.nn.relu(tf.ones((64, 8)) * {i}. + tf.zeros((64, 1)))",
    "imports that may fail": lambda i: f"try:\n    import p{i}\nexcept ImportError:\n    p{i} = None",
    "prints": lambda i: f"print('step {i}', {i}, sys.argv)",
}


def written(kind: Callable[[int], str], lines: int) -> str:
    """A module of so many lines, or a few less: no statement is cut in two."""
    more = lines - HEAD.count("\n") - kind(0).count("\n")
    every = kind(0).count("\n") + 1
    return HEAD + "\n".join(chain(map(kind, islice(count(), more // every)), [""]))


def report(lines: int) -> str:
    linting = [sys.executable, "-m", "cudnnlint", "check", "--isolated", "--exit-zero", "--quiet"]
    rows = [f"{machine()} Files of {lines:,} lines.\n", "| one file of | CPU time, peak memory | target |",
            "|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "long.py"
        for name, kind in KINDS.items():
            file.write_text(written(kind, lines), encoding="utf-8")
            spent = cost([*linting, str(file)])
            rows.append(f"| {name} | {spent.seconds:.1f} s, {spent.memory:.0f} MiB | 10 s |")
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--dry-run", action="store_true", help="print, and leave docs/benchmarks.md as it is")
    options = parser.parse_args()
    tell("long files", report(options.lines), options.dry_run)


if __name__ == "__main__":
    main()
