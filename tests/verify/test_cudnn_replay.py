"""Real answers of nine cuDNNs, 8.9.7 to 9.28.0, replayed: which calls are made of a program, and what is read of them.

`cudnn_answers.json` has the status of each call in each version, measured without a GPU; a call that is not in it fails
the test. A call that came before the one that was measured succeeded there. What the graph API of 9.28.0 says was
measured with a file for it to find in the driver's place.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.devtools.cudnn_answers import Watched, read, recorded, worker, written
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding, Verification
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.verify.cudnn import judged, planned, question_in
from tests.verify.cudnn_double import compiled, needs_compiler

FILE = Path(__file__).with_name("cudnn_answers.json")
ANSWERS = read(FILE)
VERSIONS = tuple(ANSWERS["versions"])
TABLE = {json.dumps(call[:2]): dict(zip(VERSIONS, call[2], strict=True)) for call in ANSWERS["calls"]}
NAMES = {3: "CUDNN_STATUS_BAD_PARAM", 9: "CUDNN_STATUS_NOT_SUPPORTED", 2000: "CUDNN_STATUS_BAD_PARAM",
         3000: "CUDNN_STATUS_NOT_SUPPORTED"}
"""cudnnStatus_t of cuDNN 8 and of 9"""


class Replayed:
    """The functions that answer the same whatever they are given."""

    def __init__(self, version: str) -> None:
        major, minor, patch = map(int, version.split("."))
        number = major * (10000 if major >= 9 else 1000) + minor * 100 + patch
        self.made = 0
        self.cudnnGetVersion = Function(lambda: number)
        self.cudnnGetErrorString = Function(lambda status: NAMES[status.value].encode())

    def __getattr__(self, name: str) -> Any:
        if name == "cudnnBackendSetAttribute":
            return lambda *given: 0
        if not name.startswith(("cudnnCreate", "cudnnBackendCreate")):
            raise AttributeError(name)
        return self._create

    def _create(self, *given: Any) -> int:
        self.made += 1
        given[-1].contents.value = self.made
        return 0


class Function:
    """A function that takes a result type, as those of ctypes do."""

    restype: Any = None

    def __init__(self, run: Any) -> None:
        self._run = run

    def __call__(self, *given: Any) -> Any:
        return self._run(*given)


def reply(version: str, job: dict[str, Any]) -> dict[str, Any]:
    """Of the worker's own code, in this process."""
    def answer(name: str, told: list[Any], given: tuple[Any, ...]) -> int:
        status = TABLE.get(json.dumps([name, told]), {}).get(version)
        assert status is not None, f"not measured: {name} {told}"
        return int(status)

    def load(path: str) -> Any:
        if "libcuda" in path or "nvcuda" in path:
            raise OSError("no driver")
        return Watched(answer, Replayed(version))

    jobs = worker("worker_cudnn_jobs")
    found: dict[str, Any] = jobs.answer(jobs.Libraries("libcudnn.so", load), {**job, "id": 0})
    assert "not measured" not in str(found["error"]), found["error"]
    return found


def findings(code: str, stack: Stack | None = None) -> tuple[Finding, ...]:
    head = "import keras\nimport numpy as np\nimport tensorflow as tf\nimport torch\nfrom keras import layers\n"
    source = Source.from_text("model.py", head + textwrap.dedent(code))
    return tuple(check_source(source, Settings(), stack or Stack()))


def verdict(version: str, code: str, stack: Stack | None = None) -> Verification:
    """Of the one finding in some code."""
    (finding,) = findings(code, stack)
    question = question_in(finding.claim)
    assert question is not None
    made = planned(question, "libcudnn.so")
    assert not made.reason
    return judged(question, reply(version, made.job))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_job_makes_the_calls_that_were_measured(version: str) -> None:
    for job in ANSWERS["jobs"]:
        found = reply(version, job)
        assert found["outcome"] in ("ran", "raised"), job
        assert found["versions"] == {"cudnn": version}


FIRST = 'data_format="channels_first"'


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("code", "at"), [
    (f"layers.Conv2D(4, 5, {FIRST})(tf.zeros((2, 3, 3, 3)))", "cudnnGetConvolution2dForwardOutputDim"),
    (f"layers.Conv2D(4, 4, strides=2, {FIRST})(tf.zeros((2, 3, 3, 3)))", "cudnnGetConvolution2dForwardOutputDim"),
    (f"layers.Conv2D(4, 3, dilation_rate=4, {FIRST})(tf.zeros((2, 3, 8, 8)))", "cudnnGetConvolution2dForwardOutputDim"),
    ("torch.nn.Conv2d(3, 4, 5)(torch.zeros(2, 3, 3, 3))", "cudnnGetConvolution2dForwardOutputDim"),
    ("torch.nn.Conv2d(4, 4, 3)(torch.zeros(2, 3, 8, 8))", "cudnnGetConvolution2dForwardOutputDim"),
    (f"layers.MaxPooling2D(3, strides=1, {FIRST})(tf.zeros((2, 3, 2, 2)))", "cudnnGetPooling2dForwardOutputDim"),
    (f"layers.MaxPooling2D(5, strides=2, {FIRST})(tf.zeros((2, 3, 2, 2)))", "cudnnGetPooling2dForwardOutputDim"),
    ("tf.nn.lrn(tf.zeros((1, 3, 4, 5)), depth_radius=8, bias=2, alpha=1e-4 / 17, beta=0.75)", "cudnnSetLRNDescriptor"),
    ("tf.nn.lrn(tf.zeros((1, 3, 4, 5)), 2, 9e-6, 2e-5, 0.75)", "cudnnSetLRNDescriptor"),
    ("tf.nn.lrn(tf.zeros((1, 3, 4, 5)), 2, 2, 2e-5, beta=0.009)", "cudnnSetLRNDescriptor"),
])
def test_what_a_program_asks_for_is_refused_by_the_function_that_looks_at_it(version: str, code: str, at: str) -> None:
    found = verdict(version, code)
    assert (found.verdict, found.error, found.device) == ("confirmed", f"CUDNN_STATUS_BAD_PARAM: {at}", "descriptors")
    assert found.backend == f"cuDNN {version}"


@pytest.mark.parametrize("version", VERSIONS)
def test_what_tensorflow_refuses_and_cudnn_takes_is_neither_confirmed_nor_refuted(version: str) -> None:
    """A window of one channel, depth_radius 0."""
    found = verdict(version, "tf.nn.lrn(tf.zeros((1, 3, 4, 5)), 0, 2, 1e-4, 0.75)")
    assert (found.verdict, found.error) == ("inconclusive", "")


def sequences(lengths: list[int], order: str, status: str = "CUDNN_STATUS_BAD_PARAM") -> dict[str, Any]:
    job = {"ask": "sequences", "rows": 3, "steps": 5, "features": 4, "lengths": lengths, "order": order,
           "dtype": "float32"}
    return {"job": job, "at": ["cudnnSetRNNDataDescriptor"], "status": status, "own": True}


@pytest.mark.parametrize(("lengths", "order", "told"), [
    ([5, 4, 3], "time", "refuted refuted refuted refuted"),
    ([5, 0, 3], "time", "refuted different refuted refuted"),
    ([0, 0, 0], "time", "refuted different confirmed refuted"),
    ([5, 0, 3], "packed", "refuted different refuted confirmed"),
    ([3, 4, 5], "packed", "refuted refuted refuted confirmed"),
    ([4, 4, 3], "packed", "confirmed confirmed confirmed confirmed"),
    ([6, 4, 3], "batch", "confirmed confirmed confirmed confirmed"),
    ([5, -1, 3], "time", "confirmed confirmed confirmed confirmed"),
])
def test_empty_sequences_are_judged_by_the_version_that_is_there(lengths: list[int], order: str, told: str) -> None:
    """Only cuDNN 9.1 refuses each of them, and as NOT_SUPPORTED."""
    for version, expected in zip(("8.9.7", "9.1.0", "9.3.0", "9.28.0"), told.split(), strict=True):
        question = sequences(lengths, order)
        found = judged(question, reply(version, question["job"]))
        assert (version, found.verdict) == (version, expected)
        if expected == "different":
            assert found.error.startswith("CUDNN_STATUS_NOT_SUPPORTED: cudnnSetRNNDataDescriptor")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_tensor_of_2_to_the_31_elements_is_not_supported_and_one_less_is(version: str) -> None:
    tensor = {"ask": "tensor", "dtype": "float32", "format": "NCHW"}
    question = {"at": ["cudnnSetTensor"], "status": "CUDNN_STATUS_NOT_SUPPORTED", "own": True}
    for extents, expected in (([2, 1, 32768, 32768], "confirmed"), ([1, 1, 1, 2147483647], "refuted"),
                              ([0, 3, 4, 5], "different")):
        job = {**tensor, "x": extents}
        assert judged({**question, "job": job}, reply(version, job)).verdict == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_groups_that_do_not_divide_the_filters_are_refused_by_the_graph_api_alone(version: str) -> None:
    descriptors = next(job for job in ANSWERS["jobs"] if job["ask"] == "convolution" and job["kernel"] == [4, 2, 3, 3])
    assert descriptors["groups"] == 3 and reply(version, descriptors)["outcome"] == "ran"
    question = question_in(findings("torch.nn.Conv2d(4, 5, 3, groups=2)")[0].claim)
    assert question is not None
    job = {**question["job"], "x": [2, 4, 8, 8]}
    found = judged(question, reply(version, job))
    assert (found.verdict, found.error) == ("confirmed", "CUDNN_STATUS_BAD_PARAM: cudnnBackendFinalize")


def test_the_file_is_as_the_tool_writes_it() -> None:
    assert FILE.read_text() == written(ANSWERS)


@needs_compiler
def test_the_tool_records_a_column_for_the_library_that_it_is_given(tmp_path: Path) -> None:
    library = compiled("cudnn.c", tmp_path / "libcudnn.so.9", "-DVERSION=99901")
    found = recorded(ANSWERS, str(library))
    assert found["versions"] == [*VERSIONS, "9.99.1"]
    statuses = {json.dumps(call[:2]): call[2] for call in found["calls"]}
    assert statuses[json.dumps(["cudnnSetLRNDescriptor", [17, 1e-4, 0.75, 2.0]])] == [3, *[2000] * 8, 2000]
    assert statuses[json.dumps(["cudnnSetTensor4dDescriptor", [0, 0, 1, 3, -1, 5]])][-1] == 0
    assert recorded(found, str(library)) == found
