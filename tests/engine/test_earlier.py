"""What fails on older versions only, where nothing names one: silent unless the rule is selected, then a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding, Level
from cudnnlint.source import Source

SMALL = """
import tensorflow as tf
tf.raw_ops.FusedBatchNorm(x=tf.zeros([2, 8, 8, 4]), scale=tf.ones([4]), offset=tf.zeros([4]), mean=[], variance=[],
                          epsilon=1e-8)
"""
MANY = """
import torch
from torch import nn
nn.BatchNorm1d(3).cuda().eval()(torch.rand(70000, 3, 1).cuda())
"""
STEPS = """
import numpy as np
from tensorflow import keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 1)), steps_per_epoch=0)
"""


def found(text: str, project: Path, **settings: Any) -> list[Finding]:
    return check_source(Source.from_text(str(project / "train.py"), text), Settings(**settings))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(("text", "rule", "versions"), [
    (SMALL, "small-batchnorm-epsilon", "with cuDNN before 7.5"),
    (MANY, "batchnorm-inference-batch-too-large", "with PyTorch before 1.4"),
    (STEPS, "empty-training-run", "with Keras before 3"),
])
def test_it_is_advice_to_who_asks(text: str, rule: str, versions: str, project: Path) -> None:
    assert found(text, project) == []
    for settings in ({"select": ("ALL",)}, {"extend_select": (rule,)}):
        told, = [finding for finding in found(text, project, **settings) if finding.rule == rule]
        assert told.level is Level.WARNING
        assert told.message.endswith(f"(only {versions}; nothing here names a version)")


@pytest.mark.parametrize(("settings", "levels"), [
    ({"tensorflow": "2.21"}, []), ({"keras": "3"}, []), ({"tensorflow": "1.15"}, [Level.ERROR]),
    ({"cudnn": "9"}, []), ({"torch": "2.4"}, [Level.WARNING]),
])
def test_where_a_version_is_named_it_decides(settings: dict[str, str], levels: list[Level], project: Path) -> None:
    told = found(SMALL, project, extend_select=("small-batchnorm-epsilon",), **settings)
    assert [finding.level for finding in told] == levels


def test_a_requirement_names_a_version(project: Path) -> None:
    (project / "requirements.txt").write_text("torch>=1.0\n")
    assert found(MANY, project, select=("ALL",)) == []


def test_what_left_first_is_told_of_functions_that_nothing_calls(project: Path) -> None:
    text = "import tensorflow as tf\n\n\ndef a():\n    return tf.placeholder(tf.float32, [None, 3])\n\n\n" \
           "def b():\n    return tf.placeholder(tf.float32, [None, 4])\n"
    assert [(each.rule, each.span.line) for each in found(text, project)] == [("unpinned-old-api", 5)]
