"""Scripts that name no framework: followed where modules of the project that they import name one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.engine.entries import worth_parsing
from cudnnlint.engine.run import check

NET = """
from tensorflow import keras


def build(size):
    model = keras.Sequential([keras.Input((size, size, 3)), keras.layers.Flatten(), keras.layers.Dense(2)])
    model.compile("adam", "mse")
    return model
"""
SCRIPT = """
import numpy as np
{imports}

model = build(32)
model.fit(np.zeros((10, 32, 32, 1)), np.zeros((10, 2)))
"""


@pytest.mark.parametrize(("imports", "files"), [
    ("from net import build", {"net.py": NET}),
    ("import net as n; build = n.build", {"net.py": NET}),
    ("from nets import build", {"nets/__init__.py": "from .small import build\n", "nets/small.py": NET}),
    ("from nets import small\nbuild = small.build", {"nets/__init__.py": "", "nets/small.py": NET}),
    ("import importlib\nbuild = importlib.import_module('net').build", {"net.py": NET}),
    ("from importlib import import_module\nname = 'small'\nbuild = import_module(f'nets.{name}').build",
     {"nets/__init__.py": "", "nets/small.py": NET}),
])
def test_what_a_script_feeds_to_a_model_of_another_module_is_judged(
        tmp_path: Path, imports: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "train.py").write_text(SCRIPT.format(imports=imports))
    report = check([str(tmp_path)])
    assert [(Path(found.span.path).name, found.rule) for found in report.findings] == \
        [("train.py", "input-shape-mismatch")]


def test_others_are_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import os\n")
    (tmp_path / "net.py").write_text(NET)
    assert not worth_parsing(str(tmp_path / "a.py"), b"import os, sys\nfrom plain import thing\nfrom .. import x\n")
    assert not worth_parsing(str(tmp_path / "a.py"), b"from a import b  # itself\n# from net import build\n")
    assert worth_parsing(str(tmp_path / "a.py"), b"def late():\n    from net import (build,\n        other)\n")
    assert worth_parsing(str(tmp_path / "a.py"), b"from . import net\n")
