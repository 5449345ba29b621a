"""Expressions as people write them, against the real libraries: what is inferred is exact, or open where it may be."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import pytest

from cudnnlint.values.stack import parse_version
from tests.frameworks.real_expressions import Line, make_files, table, verdicts

TABLES = {"numpy.txt": ("numpy",), "keras_ops.txt": ("keras",), "tensorflow.txt": ("tensorflow",),
          "sources.txt": ("keras", "tf_keras"), "generators.txt": ("tf_keras",)}
"""Table -> the libraries with which it is run."""
NEWEST = {"keras": (3, 15)}
"""Older releases may lack functions that the tables have."""
LACKS = re.compile(r"^the library refuses it: module 'keras\.ops[\w.]*' has no attribute '\w+'$")
LINES = [(name, package, line) for name, packages in TABLES.items() for package in packages
         for line in table(name)[1]]


@cache
def judged(name: str, package: str) -> dict[Line, str]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        if "keras" in package:
            make_files(Path(folder))
        os.chdir(folder)
        try:
            return dict(verdicts(name, package if "keras" in package else "keras"))
        finally:
            os.chdir(before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "package", "line"), LINES,
                         ids=[f"{package}-{line.text}" for _, package, line in LINES])
def test_an_expression_is_what_the_library_makes_of_it(name: str, package: str, line: Line) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = judged(name, package)[line]
    if found.startswith("the library refuses it") and any(name in found for name in ("PIL", "pandas", "scipy")):
        pytest.skip(found)  # what reads pictures and tables is not installed
    version = parse_version(importlib.metadata.version(package))
    if version < line.since or (version < NEWEST.get(package, ()) and LACKS.search(found)):
        pytest.skip(f"{package} {'.'.join(map(str, version))}: {found}")
    assert found in (("exact", "open") if line.open else ("exact",))
