"""The worker and a real shared library: what arrives at its functions, what comes back, hangs and crashes."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.finding import Finding, Level, Verification
from cudnnlint.verify.run import UnavailableError
from tests.verify.cudnn_double import LRN, asked, calls, compiled, needs_compiler, question, verdicts

pytestmark = needs_compiler
IMAGE = {"dtype": "float32", "format": "NHWC"}
CONV = {"ask": "convolution", "x": [2, 6, 32, 16], "kernel": [4, 3, 5, 7], "strides": [2, 3], "dilation": [4, 5],
        "padding": [1, 2], "groups": 2, **IMAGE}
VOLUME = {"ask": "convolution", "x": [2, 3, 8, 7, 6], "kernel": [4, 3, 1, 2, 3], "strides": [1, 2, 3],
          "dilation": [1, 1, 2], "padding": [0, 1, 2], "groups": 1, "dtype": "float64", "format": "NCHW"}
OPERATION = {"ask": "operation", "x": [2, 4, 8, 8], "kernel": [5, 2, 3, 3], "strides": [3, 1], "dilation": [1, 2],
             "padding": [0, 1], "groups": 2, **IMAGE}
POOL = {"ask": "pooling", "mode": "average", "x": [2, 3, 8, 9], "window": [2, 3], "strides": [4, 5], "padding": [0, 1],
        **IMAGE}
VOLUME_POOL = {**POOL, "mode": "max", "x": [2, 3, 8, 9, 7], "window": [2, 3, 4], "strides": [4, 5, 6],
               "padding": [0, 1, 2]}
SEQUENCES = {"ask": "sequences", "rows": 3, "steps": 5, "features": 4, "lengths": [5, 0, 3], "order": "packed",
             "dtype": "bfloat16"}
RNN = {**SEQUENCES, "ask": "rnn", "cell": "GRU", "units": 32, "bidirectional": True, "features": 16, "lengths": None,
       "order": "time", "dtype": "float32"}
NORM = {"ask": "batch_norm", "x": [2, 8, 4, 4], "epsilon": 0.001, "training": True, **IMAGE}
DROPOUT = {"ask": "dropout", "rate": 0.25}
CTC = {"ask": "ctc", "x": [50, 2, 28], "longest": 257, "dtype": "float32"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("cudnn.c", tmp_path_factory.mktemp("cudnn") / "libcudnn.so.9")


@pytest.mark.parametrize(("job", "told"), [
    (LRN, ["LRN n 17 alpha 17 beta 0.5 k 1"]),
    (CONV, ["Tensor format 1 type 0 2,6,32,16", "Convolution pad 1,2 stride 2,3 dilation 4,5 mode 1 type 0",
            "Convolution groups 2", "Filter type 0 format 1 4,3,5,7", "extents of Convolution Tensor Filter"]),
    (VOLUME, ["Tensor format 0 type 1 nd=2,3,8,7,6",
              "Convolution pad=0,1,2 stride=1,2,3 dilation=1,1,2 mode 1 type 1", "Filter type 1 format 0 nd=4,3,1,2,3",
              "extents of Convolution Tensor Filter 5"]),
    ({**CONV, "y": [2, 4, 9, 9]}, [
        "Tensor format 1 type 0 2,6,32,16", "Convolution pad 1,2 stride 2,3 dilation 4,5 mode 1 type 0",
        "Convolution groups 2", "Filter type 0 format 1 4,3,5,7", "Tensor format 1 type 0 2,4,9,9",
        "extents of Convolution Tensor Filter"]),
    (POOL, ["Tensor format 1 type 0 2,3,8,9", "Pooling mode 2 nan 0 window 2,3 pad 0,1 stride 4,5",
            "extents of Pooling Tensor"]),
    (VOLUME_POOL, ["Tensor format 1 type 0 nd=2,3,8,9,7", "Pooling mode 0 nan 0 window=2,3,4 pad=0,1,2 stride=4,5,6",
                   "extents of Pooling Tensor 5"]),
    (SEQUENCES, ["RNNData type 9 layout 1 5,3,4 lengths=5,0,3 fill 0"]),
    (RNN, ["RNN algo 0 cell 3 bias 2 direction 1 input 0 type 0 math 0 0 features 16 hidden 32 projected 32 layers 1 "
           "dropout 0 flags 1", "RNNData type 0 layout 0 5,3,16 lengths=5,5,5 fill 0"]),
    (OPERATION, [
        "convolution 100 int 0", "convolution 101 int 1", "convolution 102 1 2", "convolution 103 3 1",
        "convolution 104 0 1", "convolution 105 0 1", "convolution 106 2", "convolution done with 7",
        "tensor 900 16", "tensor 901 int 0", "tensor 902 5 2 3 3", "tensor 903 18 9 3 1", "tensor 906 0",
        "tensor done with 5", "tensor 900 16", "tensor 901 int 0", "tensor 902 2 4 8 8", "tensor 903 256 64 8 1",
        "tensor 906 1", "tensor done with 5", "tensor 900 16", "tensor 901 int 0", "tensor 902 2 5 2 6",
        "tensor 903 60 12 6 1", "tensor 906 2", "tensor done with 5", "operation 700 float 1", "operation 701 float 0",
        "operation 702 convolution", "operation 703 tensor", "operation 704 tensor", "operation 705 tensor",
        "operation done with 6"]),
    ({"ask": "tensor", "x": [2, 3, 4, 5], "dtype": "bool", "format": "NCHW"}, ["Tensor format 0 type 11 2,3,4,5"]),
])
def test_functions_get_what_the_job_says(library: Path, tmp_path: Path, job: dict[str, Any], told: list[str]) -> None:
    assert calls(library, tmp_path, job) == told


@pytest.fixture
def with_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver in LD_LIBRARY_PATH, which a worker gets."""
    compiled("cuda.c", tmp_path / "driver" / "libcuda.so.1")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "driver"))
    monkeypatch.setenv("CUDA_HOME", "/nowhere")


@pytest.mark.usefixtures("with_gpu")
@pytest.mark.parametrize(("job", "told"), [
    (NORM, ["Tensor format 1 type 0 2,8,4,4", "derived Tensor of Tensor mode 1",
            "training handle mode 1 1 0 Tensor Tensor Tensor factor 1 epsilon 0.001 scale 0 1", "synchronized"]),
    ({**NORM, "training": False}, [
        "Tensor format 1 type 0 2,8,4,4", "derived Tensor of Tensor mode 1",
        "inference handle mode 1 1 0 Tensor Tensor Tensor epsilon 0.001 1", "synchronized"]),
    (DROPOUT, ["size for handle", "Dropout handle rate 0.25 states 1 size 1048576 seed 0", "synchronized"]),
    (CTC, ["CTCLoss type 0 norm 1 gradients 0 longest 257", "Tensor format 0 type 0 nd=50,2,28",
           "workspace handle 0 CTCLoss Tensor Tensor"]),
])
def test_what_only_a_gpu_answers_is_run_there(library: Path, tmp_path: Path, job: dict[str, Any],
                                              told: list[str]) -> None:
    assert calls(library, tmp_path, job) == told


@pytest.mark.usefixtures("with_gpu")
def test_a_gpu_is_named_in_the_verdict(library: Path) -> None:
    (found,) = asked(library, question({**NORM, "epsilon": -1e-5}, "cudnnBatchNormalizationForward"))
    assert verdicts([found]) == [("confirmed", "CUDNN_STATUS_BAD_PARAM: cudnnBatchNormalizationForwardTraining: "
                                               "epsilon < 0.0", "")]
    assert found.verification is not None and found.verification.device == "NVIDIA Double 0"
    assert dict(found.verification.versions) == {"cudnn": "9.1.0", "driver_cuda": "12.4"}


def test_without_a_gpu_epsilon_is_not_judged(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_HOME", raising=False)
    found = asked(library, question({**NORM, "epsilon": -1e-5}))
    ((verdict, _, note),) = verdicts(found)
    assert verdict == "inconclusive" and "on a GPU" in note and note.endswith("its least epsilon is 0.0")


def test_the_least_epsilon_is_that_of_the_headers_beside_the_library(tmp_path: Path,
                                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_HOME", raising=False)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cudnn.h").write_text("#define CUDNN_BN_MIN_EPSILON 1e-5 /* minimum */\n")
    library = compiled("cudnn.c", tmp_path / "lib" / "libcudnn.so.7", "-DVERSION=7401")
    ((_, _, note),) = verdicts(asked(library, question(NORM)))
    assert note.endswith("its least epsilon is 1e-5")


@pytest.mark.parametrize(("number", "told"), [(90100, "9.1.0"), (91002, "9.10.2"), (8907, "8.9.7"), (7605, "7.6.5")])
def test_the_version_is_the_librarys_own(tmp_path: Path, number: int, told: str) -> None:
    (found,) = asked(compiled("cudnn.c", tmp_path / "libcudnn.so", f"-DVERSION={number}"), question(LRN))
    assert found.verification is not None
    assert (found.verification.backend, found.verification.device) == (f"cuDNN {told}", "descriptors")


@pytest.mark.parametrize("options", [(), ("-DSILENT",)])
def test_the_innermost_reason_is_told(tmp_path: Path, options: tuple[str, ...]) -> None:
    """By the callback, or where there is none by the last error."""
    library = compiled("cudnn.c", tmp_path / "libcudnn.so.9", *options)
    assert verdicts(asked(library, question(LRN, "cudnnSetLRN"))) == [
        ("confirmed", "CUDNN_STATUS_BAD_PARAM: cudnnSetLRNDescriptor: n > 16", "")]


def test_the_part_of_an_operation_that_is_refused_is_told_apart(library: Path) -> None:
    for at, verdict in (("operation", "confirmed"), ("tensor", "different")):
        assert verdicts(asked(library, question(OPERATION, f"cudnnBackendFinalize of the {at}"))) == [
            (verdict, "CUDNN_STATUS_BAD_PARAM: cudnnBackendFinalize: 0 != wDimA[0] % g", "")]


def test_a_refusal_without_a_reason_names_the_function(library: Path) -> None:
    assert verdicts(asked(library, question(POOL, "cudnnGetPooling"))) == [
        ("confirmed", "CUDNN_STATUS_BAD_PARAM: cudnnGetPooling2dForwardOutputDim", "")]


def test_parts_are_asked_without_what_stands_before_them(tmp_path: Path) -> None:
    """libcudnn.so.9 ends the process where one of its parts is missing."""
    (tmp_path / "libcudnn.so.9").write_bytes(b"no library")
    compiled("cudnn.c", tmp_path / "libcudnn_ops.so.9")
    assert verdicts(asked(tmp_path / "libcudnn.so.9", question(LRN)))[0][0] == "confirmed"


def test_parts_are_found_by_the_file_that_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "libcudnn.so.9.1.0").write_bytes(b"no library")
    compiled("cudnn.c", tmp_path / "real" / "libcudnn_graph.so.9")
    (tmp_path / "libcudnn.so").symlink_to(tmp_path / "real" / "libcudnn.so.9.1.0")
    assert verdicts(asked(tmp_path / "libcudnn.so", question(LRN)))[0][0] == "confirmed"


def test_a_part_is_opened_when_one_of_its_functions_is_called(tmp_path: Path) -> None:
    compiled("cudnn.c", tmp_path / "libcudnn_graph.so.9", "-DcudnnSetRNNDataDescriptor=elsewhere")
    (tmp_path / "libcudnn_ops.so.9").write_bytes(b"no library")
    found = asked(tmp_path / "libcudnn_graph.so.9", question(LRN), question(SEQUENCES))
    assert [each[0] for each in verdicts(found)] == ["confirmed", "inconclusive"]
    assert "OSError" in verdicts(found)[1][2]


def test_a_crash_is_a_verdict_and_the_next_job_is_asked(library: Path) -> None:
    found = asked(library, question({**LRN, "depth_radius": 20}), question(LRN))
    assert verdicts(found) == [("different", "the process died with SIGSEGV", ""),
                               ("confirmed", "CUDNN_STATUS_BAD_PARAM: cudnnSetLRNDescriptor: n > 16", "")]


def test_a_hang_is_ended_by_the_limit(library: Path) -> None:
    began = time.monotonic()
    found = asked(library, question({**LRN, "depth_radius": 21}), question(LRN))
    assert [each[0] for each in verdicts(found)] == ["inconclusive", "confirmed"] and time.monotonic() - began < 30
    assert verdicts(found)[0][2] == "no answer within 3 s"


@pytest.mark.parametrize(("finding", "verdict"), [
    (question({**LRN, "depth_radius": 5}, own=True), ("refuted", "", "")),
    (question({**LRN, "depth_radius": 5}), ("inconclusive", "", "cuDNN's descriptors take it; what is told refuses it "
                                                                "before cuDNN is asked")),
    (question(LRN, "cudnnSetTensor"), ("different", "CUDNN_STATUS_BAD_PARAM: cudnnSetLRNDescriptor: n > 16", "")),
    (question(LRN, status="CUDNN_STATUS_NOT_SUPPORTED"),
     ("different", "CUDNN_STATUS_BAD_PARAM: cudnnSetLRNDescriptor: n > 16", "")),
    (question({**SEQUENCES, "steps": 65536}, status="CUDNN_STATUS_NOT_SUPPORTED"),
     ("confirmed", "CUDNN_STATUS_NOT_SUPPORTED: cudnnSetRNNDataDescriptor: maxSeqLength > 65535", "")),
    (question(LRN, where={"cudnn": "<7.5"}), ("inconclusive", "", "it is about cuDNN <7.5, this is cuDNN 9.1.0")),
    (question({**LRN, "depth_radius": 22}), ("inconclusive", "", "cuDNN could not answer: "
                                             "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED cudnnSetLRNDescriptor")),
    (question({**SEQUENCES, "features": 2**31}),
     ("inconclusive", "", "2147483648 does not fit into an int, which cuDNN takes")),
    (question({**LRN, "beta": float("nan")}), ("not verifiable", "", "its numbers cannot be told as JSON")),
    (question({**SEQUENCES, "dtype": "complex64"}), ("inconclusive", "", "cuDNN has no complex64")),
])
def test_what_an_answer_means(library: Path, finding: Finding, verdict: tuple[str, str, str]) -> None:
    (found,) = asked(library, finding)
    assert verdicts([found]) == [verdict]
    assert found.level is (Level.INFO if verdict[0] == "refuted" else Level.ERROR)


@pytest.mark.parametrize(("before", "job", "told"), [
    ("confirmed", LRN, "confirmed by Keras"), ("refuted", LRN, "refuted by Keras"),
    ("different", LRN, "different by Keras"), ("inconclusive", LRN, "confirmed by cuDNN 9.1.0"),
    ("not verifiable", LRN, "confirmed by cuDNN 9.1.0"),
    ("not verifiable", {**LRN, "depth_radius": 5}, "inconclusive by cuDNN 9.1.0"),
    ("inconclusive", {**LRN, "depth_radius": 5}, "inconclusive by Keras"),
])
def test_what_a_framework_said_goes_before(library: Path, before: str, job: dict[str, Any], told: str) -> None:
    finding = replace(question(job), verification=Verification(before, "Keras"))
    (found,) = asked(library, finding)
    assert found.verification is not None
    assert f"{found.verification.verdict} by {found.verification.backend}" == told


def test_a_function_that_an_old_cudnn_lacks_is_told(tmp_path: Path) -> None:
    library = compiled("cudnn.c", tmp_path / "libcudnn.so.7", "-DVERSION=7605", "-DcudnnSetRNNDescriptor_v8=older")
    assert verdicts(asked(library, question(RNN))) == [
        ("inconclusive", "", "this cuDNN has no cudnnSetRNNDescriptor_v8")]


def test_what_is_no_library_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "libcudnn.so.9").write_bytes(b"\x7fELF nothing")
    with pytest.raises(UnavailableError, match=r"libcudnn\.so\.9: the library does not load: OSError: .+") as caught:
        asked(tmp_path / "libcudnn.so.9", question(LRN))
    assert len(str(caught.value).splitlines()) == 1
