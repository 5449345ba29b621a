"""What cuDNN is asked about a finding: whether the job says it, and a function that is named is called by it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.devtools.cudnn_answers import worker
from cudnnlint.devtools.pages import blocks_of, findings_of
from cudnnlint.engine import registry
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.verify.cudnn import planned, question_in

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "cudnnlint" / "rules").rglob("*.py"))
HEAD = "import keras\nimport tensorflow as tf\nimport torch\nfrom keras import layers\n"
KERAS_2 = Stack(keras=(2, 15), tensorflow=(2, 15))
FIRST = 'data_format="channels_first"'


class Willing:
    """A library that takes everything, and keeps the names of what was called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def function(*given: Any) -> int:
            self.called.append(name)
            return 90300 if name == "cudnnGetVersion" else 0

        return function


def taken(job: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The worker's reply to a job that nothing refuses, on a GPU that is none, and the calls."""
    library, jobs = Willing(), worker("worker_cudnn_jobs")
    reply = jobs.answer(jobs.Libraries("libcudnn.so", lambda path: library), {**job, "id": 0})
    return reply, library.called


def asked(code: str, stack: Stack | None = None) -> dict[str, Any]:
    """What is asked about the one finding in some code."""
    source = Source.from_text("model.py", HEAD + textwrap.dedent(code))
    (finding,) = check_source(source, Settings(), stack or Stack())
    question = question_in(finding.claim)
    assert question is not None, finding.message
    return dict(question)


@pytest.fixture(scope="module")
def shown() -> list[Finding]:
    """The findings that pages of rules show."""
    registry.load()
    return [finding for page in PAGES for block in blocks_of(page, ROOT) if block.language == "python"
            for finding in findings_of(block)]


def test_no_question_fails(shown: list[Finding]) -> None:
    assert [finding.message for finding in shown if "reason" in (question_in(finding.claim) or {})] == []


def test_a_question_that_fails_costs_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr("cudnnlint.engine.claims.making.question_of", fails)
    question = asked("layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))")
    assert planned(question, "libcudnn.so").reason == "an internal error: RuntimeError: ours"


def test_what_pages_show_leads_to_jobs_that_the_worker_runs(shown: list[Finding]) -> None:
    for finding in shown:
        question = question_in(finding.claim)
        if question is None:
            continue
        reply, called = taken(planned(question, "libcudnn.so").job)
        assert reply["outcome"] == "ran", (finding.message, reply)
        names = {name.partition(" ")[0].replace("Nd", "2d") for name in question["at"]}
        made = {each.replace("Nd", "2d") for each in called}
        assert all(any(each.startswith(name) for each in made) for name in names), (finding.message, names, called)


def test_the_documentation_names_the_rules_that_cudnn_is_asked_about(shown: list[Finding]) -> None:
    text = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    table = text.partition("| findings | what is asked |")[2].partition("\n\n")[0]
    told = {name for line in table.splitlines() for name in re.findall(r"`([a-z-]+)`", line.split("|")[1:2][0])}
    known = {finding.rule for finding in shown}
    assert {finding.rule for finding in shown if question_in(finding.claim)} <= told <= known


@pytest.mark.parametrize(("code", "job"), [
    ("layers.Conv2D(32, 11)(keras.Input((8, None, 3)))",
     {"x": [2, 3, 8, 32], "kernel": [32, 3, 11, 11], "format": "NHWC", "strides": [1, 1], "padding": [0, 0]}),
    (f"layers.Conv1D(32, 11, strides=2, {FIRST})(tf.zeros((4, 8, 5)))",
     {"x": [4, 8, 1, 5], "kernel": [32, 8, 1, 11], "format": "NCHW", "strides": [1, 2]}),
    ("layers.Conv3D(4, (2, 3, 9), dilation_rate=(1, 2, 1))(tf.zeros((1, 8, 8, 8, 3)))",
     {"x": [1, 3, 8, 8, 8], "kernel": [4, 3, 2, 3, 9], "dilation": [1, 2, 1]}),
    ("layers.DepthwiseConv2D(9, depth_multiplier=2)(tf.zeros((1, 8, 8, 4)))",
     {"kernel": [8, 1, 9, 9], "groups": 4, "x": [1, 4, 8, 8]}),
    ("layers.Conv2D(9, 3, groups=3)(tf.zeros((1, 8, 8, 4)))", {"x": [1, 4, 8, 8], "kernel": [9, 1, 3, 3], "groups": 3}),
    ("c = layers.Conv2D(8, 3, groups=2)\nc(keras.Input((8, 8, 4)))\nc(keras.Input((8, 8, 6)))",
     {"x": [2, 6, 8, 8], "kernel": [8, 2, 3, 3], "groups": 2}),
    ("layers.Conv2DTranspose(8, 3, strides=0)", {"strides": [0, 0], "x": [2, 8, 32, 32], "kernel": [8, 8, 3, 3]}),
    ("torch.nn.ConvTranspose2d(3, 8, 3, padding=9)(torch.zeros(2, 3, 4, 4))",
     {"x": [2, 3, 4, 4], "y": [2, 8, -12, -12], "kernel": [3, 8, 3, 3], "padding": [9, 9]}),
    ("torch.nn.Conv2d(3, 8, 9, padding=(1, 2))(torch.zeros(3, 4, 4))",
     {"x": [1, 3, 4, 4], "kernel": [8, 3, 9, 9], "padding": [1, 2], "format": "NCHW"}),
    ("layers.AveragePooling3D((2, 2, 9))(tf.zeros((2, 8, 8, 8, 5)))",
     {"ask": "pooling", "mode": "average", "x": [2, 5, 8, 8, 8], "window": [2, 2, 9], "strides": [2, 2, 9]}),
    ("layers.MaxPooling1D(9, strides=2)(tf.zeros((2, 8, 5)))",
     {"x": [2, 5, 1, 8], "window": [1, 9], "strides": [1, 2], "mode": "max"}),
    ("layers.Bidirectional(layers.GRU(32))(keras.Input((160000, 7)))",
     {"ask": "sequences", "rows": 2, "steps": 160000, "features": 7}),
    ("tf.nn.conv2d(tf.zeros((2, 4, 5, 3)), tf.zeros((9, 8, 3, 6)), [1, 2, 3, 1], 'VALID')",
     {"x": [2, 3, 4, 5], "kernel": [6, 3, 9, 8], "strides": [2, 3], "format": "NHWC", "padding": [0, 0]}),
    ("tf.nn.conv2d(tf.zeros((2, 8, 8, 6)), tf.zeros((3, 3, 3, 7)), 1, 'SAME')",
     {"ask": "operation", "x": [2, 6, 8, 8], "kernel": [7, 3, 3, 3], "groups": 2, "padding": [1, 1]}),
    ("tf.nn.conv2d(tf.zeros((2, 8, 8, 3)), tf.zeros((4, 3, 5, 8)), 2, 'SAME')",
     {"x": [2, 3, 8, 9], "kernel": [8, 5, 4, 3], "padding": [1, 0], "strides": [2, 2]}),
    ("tf.nn.max_pool2d(tf.zeros((2, 4, 4, 3)), [1, 9, 8, 1], [1, 2, 1, 1], 'VALID')",
     {"ask": "pooling", "mode": "max", "window": [9, 8], "strides": [2, 1], "x": [2, 3, 4, 4]}),
    ("keras.ops.average_pool(tf.zeros((2, 4, 3)), 9)", {"window": [1, 9], "mode": "average", "x": [2, 3, 1, 4]}),
    ("torch.nn.functional.conv2d(torch.zeros(2, 6, 14, 14), torch.zeros(8, 4, 9, 9), groups=2, padding=1)",
     {"x": [2, 6, 14, 14], "kernel": [8, 4, 9, 9], "groups": 2, "padding": [1, 1], "format": "NCHW"}),
    ("torch.nn.functional.max_pool2d(torch.zeros(2, 3, 4, 4), 9, 2)",
     {"window": [9, 9], "strides": [2, 2], "mode": "max"}),
    ("torch.nn.Conv2d(4, 6, 3, groups=4)", {"ask": "operation", "kernel": [6, 1, 3, 3], "groups": 4}),
    ("torch.nn.LSTM(3, 0)", {"ask": "rnn", "cell": "LSTM", "units": 0}),
    ("torch.nn.GRU(3, 3, num_layers=2, dropout=1.5)", {"ask": "dropout", "rate": 1.5}),
    ("layers.GRU(0)", {"ask": "rnn", "cell": "GRU", "units": 0}),
    ("torch.nn.utils.rnn.pack_padded_sequence(torch.zeros(3, 5, 4), [5, 0, 3], batch_first=True)",
     {"order": "packed", "lengths": [5, 0, 3], "rows": 3, "steps": 5, "features": 4}),
    ("tf.nn.lrn(tf.zeros((0, 9, 8, 64)))", {"ask": "tensor", "x": [0, 64, 9, 8]}),
    ("layers.Conv2D(8, 3)(tf.zeros((2, 8, 8, 3), tf.int64))", {"dtype": "int64"}),
])
def test_the_job_is_the_operation_in_cudnns_order(code: str, job: dict[str, Any]) -> None:
    told = asked(code)["job"]
    assert {name: told[name] for name in job} == job


@pytest.mark.parametrize(("code", "stack", "own", "status"), [
    ("layers.LSTM(3)(keras.Input((160000, 7)))", None, True, "CUDNN_STATUS_NOT_SUPPORTED"),
    ("layers.GRU(3)(tf.zeros((0, 5, 7)))", None, True, "CUDNN_STATUS_BAD_PARAM"),
    ("layers.LSTM(3)(tf.zeros((0, 5, 7)))", None, False, "CUDNN_STATUS_BAD_PARAM"),
    ("layers.Conv3D(3, 3)(tf.zeros((0, 8, 8, 8, 3)))", None, False, "CUDNN_STATUS_BAD_PARAM"),
    ("layers.Conv3D(3, 3)(tf.zeros((0, 8, 8, 8, 3)))", Stack(keras=(2, 8), tensorflow=(2, 8)), True,
     "CUDNN_STATUS_BAD_PARAM"),
    ("layers.BatchNormalization()(tf.zeros((70000, 2, 2, 2)), training=False)", KERAS_2, True,
     "CUDNN_STATUS_NOT_SUPPORTED"),
    ("layers.BatchNormalization(epsilon=-1e-5)", KERAS_2, False, "CUDNN_STATUS_BAD_PARAM"),
    ("layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))", None, False, ""),
    ("tf.nn.lrn(tf.zeros((1, 3, 4, 5)), beta=0.001)", None, False, ""),
])
def test_only_a_failure_of_cudnns_own_can_be_refuted_by_it(code: str, stack: Stack | None, own: bool,
                                                           status: str) -> None:
    told = asked(code, stack)
    assert (told["own"], told["status"]) == (own, status)


@pytest.mark.parametrize(("code", "stack"), [
    ("layers.Conv2D(4, 3, strides=2, dilation_rate=2)", None),  # cuDNN takes both
    ("layers.DepthwiseConv2D(3, strides=(1, 2), padding='same')(keras.Input((32, 64, 3)))", None),
    ("layers.BatchNormalization(epsilon=-1e-5)", None),  # Keras 3 does not use it
    ("layers.Conv2D(4, 3)(tf.zeros((0, 8, 8, 3)))", None),  # a GPU returns nothing, cuDNN is not asked
    ("layers.Dense(-1)", None),
    ("layers.Conv2D(4, 3)(tf.zeros((2, 8, 8, 3), tf.int32))", None),  # its descriptor is taken
    ("torch.nn.MaxPool2d(3, dilation=9)(torch.zeros(2, 3, 8, 8))", None),
])
def test_what_cudnn_has_no_say_in_is_not_asked(code: str, stack: Stack | None) -> None:
    source = Source.from_text("model.py", HEAD + code)
    (finding,) = check_source(source, Settings(), stack or Stack())
    assert question_in(finding.claim) is None
    assert planned(question_in(finding.claim), "libcudnn.so").reason
