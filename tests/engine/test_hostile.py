"""Programs that no one could run to their end: what is said of them is said at once, and the rest is followed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudnnlint.engine.errors import UsageError
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings

TWICE = "for _ in range(60):\n    "
PROGRAMS = [
    "sorted(range(10**10))", "max(range(10**10))", "any(range(10**10))", "tuple(reversed(range(10**10)))",
    "print(*range(10**10))", "x = [*range(10**10)]", "a.extend(range(10**10))", "a += range(10**10)",
    "p, *q = range(10**10)", "','.join(map(str, range(10**10)))", "dict(zip(range(10**10), range(10**10)))",
    "list(zip(range(10**10), input()))", "functools.reduce(operator.mul, range(1, 10**10))",
    "list(itertools.product(range(1000), repeat=9))", "for i in range(2**70): pass", "x = [i for i in range(2**70)]",
    "pow(3, 10**9)", "np.power(3, 10**9)", "round(3, -10**9)", "operator.mul('a', 10**10)",
    "math.prod(range(1, 10**5))", "f'{1:{10**9}}'", "'{:1000000000}'.format(1)", "'%1000000000d' % 3",
    "'%*d' % (10**9, 3)", "('a' * 90000).replace('a', 'a' * 90000)", "('a' * 90000).join(['a'] * 16000)",
    TWICE + "a = a + a", TWICE + "a += a", TWICE + "a.extend(a)", TWICE + "a = [*a, *a]", TWICE + "t = t + t",
    TWICE + "t = (*t, *t)", TWICE + "s = s + s", TWICE + "s = f'{s}{s}'", TWICE + "s = '%s%s' % (s, s)",
    TWICE + "t = (t, t)\nprint(hash(t), t == t)\nkeras.Input(t)", TWICE + "a = [a, a]\nnp.array(a)\na == a",
    "keras" + ".a" * 1400, "b'%1000000000d' % 3", TWICE + "d = {'a': d, 'b': d}\nstr(d)",
]
BEFORE = """import functools, itertools, math, operator
import numpy as np
import keras
a, t, s, d = [1], (1,), 'ab', {}
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_has_no_end_is_given_up_at_once(tmp_path: Path, program: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"{BEFORE}{program}\nkeras.layers.Dense(-1)\n")
    began = time.process_time()
    report = check([file], Settings())
    assert [finding.rule for finding in report.findings] == ["non-positive-argument"]
    assert time.process_time() - began < 5


def test_lists_within_lists_that_a_recursion_makes_are_steps(tmp_path: Path) -> None:
    (tmp_path / "tree.py").write_text("import keras\nkeras.layers.Dense(-1)\ndef tree(n):\n"
                                      "    return [tree(n - 1) for _ in range(10)] if n else 0\ntree(20)\n")
    began = time.process_time()
    report = check([tmp_path], Settings())
    assert [finding.rule for finding in report.findings] == ["non-positive-argument"]
    assert report.notes == (f"{tmp_path / 'tree.py'}:1: not followed: step limit",)
    assert time.process_time() - began < 5


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is not limited elsewhere")
def test_what_has_no_end_takes_no_memory(tmp_path: Path) -> None:
    """All of them in a process that may have 700 MiB, most of which the interpreter's threads only reserve."""
    for number, program in enumerate(PROGRAMS):
        (tmp_path / f"program_{number}.py").write_text(f"{BEFORE}{program}\nkeras.layers.Dense(-1)\n")
    limited = "import resource, runpy; resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20)); " \
              "runpy.run_module('cudnnlint', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", limited, "--isolated", "--no-cache", "--output-format", "json",
                           str(tmp_path)], capture_output=True, text=True, check=False)
    found = [(finding["rule"], Path(finding["path"]).name) for finding in json.loads(done.stdout)["findings"]]
    assert sorted(found) == sorted(("non-positive-argument", f"program_{number}.py")
                                   for number in range(len(PROGRAMS))), done.stdout


@pytest.mark.parametrize(("expression", "units"), [
    ("len(range(10**10)) - 10**10 - 1", "-1"), ("-len(list(zip(range(10**10), 'ab')))", "-2"),
    ("-next(iter(reversed(range(8))))", "-7"), ("-pow(2, 3)", "-8"), ("-sum(range(100000))", "-4999950000"),
    ("-len(list(itertools.product('abc', 'ab')))", "-6"), ("-len(f'{7:>12}')", "-12"), ("-len('%5d' % 3)", "-5"),
])
def test_what_is_short_is_still_known(tmp_path: Path, expression: str, units: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"import itertools\nimport keras\nkeras.layers.Dense({expression})\n")
    assert [finding.message for finding in check([file], Settings()).findings] == [f"units is {units}"]


def test_a_product_that_is_cut_short_has_no_length(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("import itertools\nimport keras\n"
                    "keras.layers.Dense(-len(list(itertools.product(range(200), range(200)))))\n")
    assert not check([file], Settings()).findings


def test_a_file_without_an_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    with pytest.raises(UsageError, match=r"endless\.py: not a regular file"):
        check([tmp_path / "endless.py"], Settings())


def test_a_file_larger_than_any_program_is_told(tmp_path: Path) -> None:
    with open(tmp_path / "large.py", "wb") as file:
        file.truncate((256 << 20) + 1)
    found = check([tmp_path / "large.py"], Settings()).findings
    assert [finding.message for finding in found] == ["cannot be read: larger than 256 MiB"]


def test_data_written_as_a_program_are_noted_and_left(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import keras\nx = [\n" + "1,\n" * 6_000_000 + "]\n")
    (tmp_path / "net.py").write_text("import keras\nkeras.layers.Dense(-1)\n")
    began = time.process_time()
    report = check([tmp_path], Settings())
    assert [finding.span.path for finding in report.findings] == [str(tmp_path / "net.py")]
    assert f"{tmp_path / 'data.py'}: not followed: 17 MiB of code are data" in report.notes
    assert time.process_time() - began < 5
