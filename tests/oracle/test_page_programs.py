"""The examples of rule pages, run by real Keras 3, Keras 2 and PyTorch: what is told to fail does, the rest runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.devtools.pages import Block, blocks_of
from cudnnlint.engine.claims.making import expected
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.finding import Finding
from cudnnlint.source import Source
from cudnnlint.values.stack import parse_version
from cudnnlint.verify.verdict import as_expected

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "cudnnlint" / "rules").rglob("*.py"))
CHILD = Path(__file__).with_name("page_child.py")
ON_GPU = re.compile(r"\bon (a GPU|several GPUs|a machine with|a T4)\b|the memory$|, late$")
SLOW = re.compile("takes time and memory")
"""What is told of what a GPU, or much time, shows."""

NOT_RUN = {
    "cpu_only_tensorflow": "it is about what is installed", "incompatible_cuda_stack": "it is about what is installed",
    "indivisible_global_batch": "devices of a strategy hang in a fork: test_rule_claims.py makes them",
    "replica_starved_batch": "devices of a strategy hang in a fork: test_rule_claims.py makes them",
    "batch_not_split_by_strategy": "devices of a strategy hang in a fork: test_rule_claims.py makes them",
    "model_outside_strategy_scope": "devices of a strategy hang in a fork",
    "memory_growth_on_some_gpus": "there are no GPUs", "memory_growth_too_late": "there are no GPUs",
    "memory_growth_with_limit": "there are no GPUs", "gpu_taken_by_each_process": "there are no GPUs",
    "gpu_used_by_loader_workers": "there are no GPUs", "tensors_on_two_devices": "there are no GPUs",
    "out_of_memory": "the machine's memory decides", "whole_dataset_on_gpu": "the machine's memory decides",
    "oversized_dense_after_flatten": "the machine's memory decides",
    "attention_memory_explodes": "the machine's memory decides",
    "mixed_precision_saves_nothing": "nothing fails, and float16 is slow on a CPU",
    "whole_set_in_one_call": "the machine's memory decides",
    "shuffle_buffer_of_decoded_images": "it reads pictures", "ragged_image_batch": "it reads pictures",
    "removed_tensorflow_gpu": "it is about what is installed",
}
"""Pages whose examples show nothing on a machine without GPUs, files and a network -> why."""
LACKS = re.compile("not compiled with CUDA|Found no NVIDIA driver|urlopen error|No files matched|No such file|"
                   "No module named '(tensorflow_datasets|optuna)'|File not found: filepath|"
                   "EOF when|list index out of range|URL fetch|from 'tf_keras'|module 'tf_keras")
"""What is said where something lacks that an example needs: a GPU, files, a data set, a person, Keras 3."""
NOT_SHOWN = {
    "integer_conv_input:4": "the model is built, nothing runs it",
    "cudnn_layer_on_cpu:1": "the model is built, nothing runs it",
    "cudnn_layer_on_cpu:2": "the model is built, nothing runs it",
    "use_cudnn_impossible:1": "the model is built, nothing runs it",
    "layers_created_in_call:1": "the layer is defined, nothing calls it",
    "embedding_index_out_of_range:6": "the model is built, nothing runs it",
    "input_shape_mismatch:14": "the dataset is made, nothing goes through it",
    "reshape_size_mismatch:3": "the graph is built, nothing runs it",
    "invalid_layer_argument:5": "fit() tells of names of losses and metrics, and nothing calls it",
    "removed_api:5": "Keras 3 asks what the layer declares, nothing runs its call()",
    "unexpected_object:6": "the model is made, nothing builds it",
    "unknown_layer_argument:10": "fit() ends with the first of two",
    "incompatible_merge:7": "the model is made, nothing runs it",
    "rank_mismatch:4": "the model is made, nothing runs it",
}
"""Blocks whose examples do not come to the failure that is told of -> why."""
MISSED = {"input_shape_mismatch:2": "Keras 2 refuses the missing axis in Flatten and Dense only, which is not told of",
          "symbolic_tensor_in_function:5": "Keras 2 refuses NumPy's functions as well, which is not told of",
          "unmatched_outputs:4": "Keras 2 refuses one array for two losses, which is not told of",
          "invalid_layer_argument:7": "a strategy of one CPU runs the step itself"}
"""Blocks in which something fails that is not told of -> what."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A block, what is found in it for the library that ran it, and what its statements raised.

    loosely  it names no version, and Keras 2 ran it, which has words of its own for many failures
    """

    block: Block
    found: tuple[Finding, ...]
    raised: tuple[dict[str, Any], ...]
    ended: str
    loosely: bool = False

    def place(self, line: int) -> str:
        return f"{Path(self.block.page).stem}:{self.block.line + line - 1}"

    def reached(self, line: int) -> bool:
        """Whether no name was missing there, as after another failure."""
        return not any(each["types"][0] == "NameError" and each["line"] <= line <= each["end"] for each in self.raised)

    def failures(self) -> list[dict[str, Any]]:
        return [each for each in self.raised
                if each["types"][0] not in ("NameError", "TooLongError") and not LACKS.search(each["text"])]

    @property
    def is_cut_short(self) -> bool:
        """Whether something that is not the program's fault ended a statement."""
        return bool(self.ended) or any(each["types"][0] == "TooLongError" or LACKS.search(each["text"])
                                       for each in self.raised)


def is_for(block: Block, library: str, settings: Settings) -> bool:
    """Whether a block is about the release that is installed, or about any."""
    if ("torch" in block.code) is not (library == "torch") or block.language != "python":
        return False
    if block.info.get("torch") or Path(block.page).stem in NOT_RUN:
        return False
    if library == "torch":
        return True
    asked = parse_version(block.info.get("keras", "") or {"2": ""}.get(block.info.get("tensorflow", "")[:1], ""))
    generation = 3 if library == "keras" else 2
    if block.info.get("tensorflow") and parse_version(block.info["tensorflow"]) < (2, 15):
        return False
    if asked:
        return asked[0] == generation and (generation == 2 or asked[:2] == parse_version(version("keras"))[:2])
    implied = stack_of(Source.from_text("example.py", block.code), Settings()).keras
    return implied >= (3,) or (generation == 2 and implied >= (2, 15))


def settings_of(library: str, block: Block) -> Settings:
    selected = (block.info["select"],) if "select" in block.info else ()
    if library == "torch":
        return Settings(extend_select=selected, torch=version("torch").partition("+")[0])
    return Settings(extend_select=selected, keras=version(library), tensorflow=version("tensorflow"))


@pytest.fixture(scope="module", params=["keras", "tf_keras", "torch"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Ran]:
    library: str = request.param
    if find_spec(library) is None or (library != "torch" and find_spec("tensorflow") is None):
        pytest.skip(f"{library} is not installed")
    if library == "keras" and not version("keras").startswith("3.15."):
        pytest.skip("pages are about the newest Keras")
    blocks = [block for page in PAGES for block in blocks_of(page, ROOT)
              if is_for(block, library, settings_of(library, block))]
    jobs = []
    for block in blocks:
        folder = tmp_path_factory.mktemp(Path(block.page).stem)
        for other in blocks_of(ROOT / block.page, ROOT):
            if other.number < block.number and "file" in other.info:
                file = folder / other.info["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(other.code, encoding="utf-8")
        jobs.append({"name": str(block), "folder": str(folder), "code": block.code})
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3",
              "TF_ENABLE_ONEDNN_OPTS": "1"}  # of which pages speak
    done = subprocess.run([sys.executable, str(CHILD)], input=json.dumps({"library": library, "blocks": jobs}),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=hidden, check=True)
    told = {each["name"]: each for each in map(json.loads, done.stdout.splitlines())}
    return [Ran(block, tuple(check_source(Source.from_text("example.py", block.code), settings_of(library, block))),
                tuple(told[str(block)]["raised"]), told[str(block)]["ended"],
                library == "tf_keras" and not block.info.keys() & {"keras", "tensorflow"}) for block in blocks]


def matching(finding: Finding, one: Ran) -> list[dict[str, Any]]:
    predicted = [{"error": "", "texts": []}] if one.loosely else expected(finding.fails)
    return [each for each in one.failures() if as_expected(predicted, each["types"], each["text"])]


def is_shown(finding: Finding) -> bool:
    """Whether an exception is told that a CPU raises."""
    head = finding.fails.partition(":")[0]
    later = ON_GPU.search(head) or SLOW.search(finding.fails)
    return not finding.fails.startswith("silently") and bool(expected(finding.fails)) and not later


def unseen(ran: list[Ran]) -> Iterator[str]:
    for one in ran:
        for finding in one.found if not one.is_cut_short else ():
            if is_shown(finding) and one.reached(finding.span.line) and not matching(finding, one) \
                    and f"{Path(one.block.page).stem}:{one.block.number}" not in NOT_SHOWN:
                others = [f"{each['types'][0]} {each['text'][:200]}" for each in one.failures()]
                yield f"{one.place(finding.span.line)} {finding.rule}: {finding.fails}; raised {others}"


def test_what_is_told_to_fail_fails_as_told(ran: list[Ran]) -> None:
    assert list(unseen(ran)) == []


def test_what_is_not_told_of_runs(ran: list[Ran]) -> None:
    wrong = []
    for one in (one for one in ran if not (one.loosely and (one.is_cut_short or one.found))
                and f"{Path(one.block.page).stem}:{one.block.number}" not in MISSED):
        told = [id(each) for finding in one.found for each in matching(finding, one)]
        wrong += [f"{one.place(each['line'])} {each['types'][0]} {each['text'][:300]}" for each in one.failures()
                  if id(each) not in told]
    assert wrong == []


def test_most_of_what_is_told_is_seen(ran: list[Ran]) -> None:
    seen = {finding.rule for one in ran for finding in one.found if is_shown(finding) and matching(finding, one)}
    assert len(seen) >= (8 if "torch" in ran[0].block.code else 25)


def test_reasons_are_of_pages_that_are_there() -> None:
    assert NOT_RUN.keys() <= {page.stem for page in PAGES}
