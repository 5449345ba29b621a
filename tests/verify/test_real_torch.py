"""Findings put to the PyTorch that the tests run with."""

from __future__ import annotations

import sys
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import verified

if find_spec("torch") is None:
    pytest.skip("the real library is asked", allow_module_level=True)

PROGRAM = """\
import torch
from torch import nn

x = torch.zeros(2, 3, 8, 8)
nn.Conv2d(4, 8, 3)(x)
nn.Conv2d(3, 8, 11)(x)
nn.Linear(5, 3)(x)
nn.Conv2d(3, 8, 3, groups=2)
torch.cat([torch.zeros(2, 3), torch.zeros(2, 4)])
torch.zeros(2, 3) @ torch.zeros(2, 3)
"""


def test_what_fails_is_confirmed() -> None:
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    settings = Settings(torch=version("torch").partition("+")[0])
    found = verified(check_source(Source.from_text("m.py", PROGRAM), settings), interpreter)
    told = {each.span.line: each.verification for each in found}
    assert {line: each.verdict for line, each in told.items() if each} == dict.fromkeys(range(5, 11), "confirmed"), told
    assert all(each is not None and each.backend.startswith("PyTorch ") for each in told.values())
