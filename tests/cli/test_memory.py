"""`cudnnlint memory` tells what a training call takes, and answers plainly to what it cannot use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

NET = """\
import numpy as np
import keras
from keras import layers

net = keras.Sequential([
    keras.Input((256, 256, 3)),
    layers.Conv2D(64, 3, padding="same", activation="relu", name="first"),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.GlobalAveragePooling2D(), layers.Dense(10, activation="softmax"),
])
"""
FIT = NET + """
net.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
net.fit(np.zeros((4096, 256, 256, 3), "float32"), np.zeros(4096), batch_size=512)
"""
KEYS = {"path", "line", "model", "batch_size", "regime", "optimizer", "dtype_policy", "bytes", "needs_bytes",
        "lower_bound", "gpu", "usable_bytes", "largest_batch_size", "assumptions"}
TERMS = {"weights", "gradients", "optimizer", "input", "activations", "transient", "total"}


def told(run: Run, here: Path, text: str, *options: str) -> list[dict[str, Any]]:
    (here / "net.py").write_text(text)
    result = run("memory", "net.py", "--output-format", "json", *options)
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)["fits"]
    return rows


def test_a_call_of_fit_is_told_with_its_terms(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    assert row.keys() >= KEYS
    assert row["bytes"].keys() == TERMS
    assert sum(size for name, size in row["bytes"].items() if name != "total") == row["bytes"]["total"]
    assert (row["line"], row["model"], row["batch_size"], row["optimizer"]) == (13, "net", 512, "Adam")
    assert (row["regime"], row["dtype_policy"], row["gpu"], row["lower_bound"]) == ("op-by-op", "float32", "T4", False)
    assert row["bytes"]["activations"] + row["bytes"]["transient"] >= 3 * 512 * 256 * 256 * 64 * 4
    assert row["needs_bytes"] > row["usable_bytes"] and 0 < row["largest_batch_size"] < 512


def test_the_text_says_what_fits(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT)
    text = run("memory", "net.py").stdout
    assert "net.py:13  model.fit(...)  net, batch 512, float32, Adam" in text
    assert "does not fit" in text and "first (line 7)" in text and "on T4" in text


def test_the_largest_batch_fits(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    (again,) = told(run, here, FIT, "--batch-size", str(row["largest_batch_size"]))
    assert again["batch_size"] == row["largest_batch_size"]
    assert again["needs_bytes"] <= again["usable_bytes"]


def test_other_gpus_and_batch_sizes(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT, "--gpu", "2GiB")
    assert row["usable_bytes"] == 2 << 30
    assert len({row["gpu"] for row in told(run, here, FIT, "--gpu", "all")}) > 30
    curve = told(run, here, FIT, "--batch-size", "8..64")
    assert [row["batch_size"] for row in curve] == [8, 16, 32, 64]
    assert [row["bytes"]["total"] for row in curve] == sorted(row["bytes"]["total"] for row in curve)
    assert [row["batch_size"] for row in told(run, here, FIT, "--batch-size", "24,8..16")] == [8, 16, 24]
    assert "RTX-3090" in run("memory", "net.py", "--gpu", "all").stdout


@pytest.mark.parametrize(("options", "said"), [
    (("--gpu", "T5"), "T4"), (("--gpu", "RTX 9999"), "RTX"), (("--gpu", "0GiB"), "no memory"),
    (("--batch-size", "-1"), "not a batch size"), (("--batch-size", "0"), "not between"),
    (("--batch-size", "9223372036854775808"), "not between"), (("--batch-size", "64..8"), "runs backwards: 8..64"),
    (("--batch-size", "8,,16"), "not a batch size"), (("--batch-size", "1e3"), "not a batch size"),
    (("--batch-size", ",".join(map(str, range(1, 200)))), "more than 100"),
    (("--gpu", "NVIDIA"), "T4"), (("--gpu", "0xT4"), "one GPU at least"), (("--gpu=-5GiB",), "no memory"),
    (("--gpu", "2xT5"), "T4"), (("--gpu", ""), "no GPU"), (("--gpu", " "), "no GPU"),
    (("--gpu", "T4-1g.5gb"), "no GPU"),
])
def test_what_cannot_be_used_is_refused_in_one_line(run: Run, here: Path, options: tuple[str, ...], said: str) -> None:
    (here / "net.py").write_text(FIT)
    result = run("memory", "net.py", *options)
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_without_a_training_call_the_models_are_told(run: Run, here: Path) -> None:
    predicted, trained = told(run, here, NET)
    assert (predicted["method"], trained["method"], trained["optimizer"]) == ("predict", "fit", "Adam")
    assert predicted["bytes"]["total"] < trained["bytes"]["total"] and predicted["bytes"]["optimizer"] == 0


def test_a_file_without_a_model_has_nothing_to_tell(run: Run, here: Path) -> None:
    assert told(run, here, "import keras\n") == []


def test_each_call_is_told_once_also_in_a_loop(run: Run, here: Path) -> None:
    again = FIT.replace("net.fit(", "for epoch in range(3):\n    net.fit(")
    assert [row["line"] for row in told(run, here, again)] == [14]
    twice = FIT + FIT.splitlines()[-1].replace("512", "16")
    assert [row["batch_size"] for row in told(run, here, twice)] == [512, 16]


@pytest.mark.parametrize("batch", ["10**30", "2**63", "-5", "0", "int(input())", "None", "64.0"])
def test_absurd_batch_sizes_of_the_program_are_survived(run: Run, here: Path, batch: str) -> None:
    rows = told(run, here, FIT.replace("batch_size=512", f"batch_size={batch}"))
    assert all(row["bytes"]["total"] > 0 for row in rows)


def test_the_gpu_of_the_configuration_counts_for_findings_and_estimates(run: Run, here: Path) -> None:
    config = here.parent / "pyproject.toml"
    small = FIT.replace("batch_size=512", "batch_size=64")
    (here / "net.py").write_text(small)
    assert "out-of-memory" not in run("check", "net.py", "--output-format", "concise").stdout
    config.write_text('[tool.cudnnlint]\ngpu = "GTX 1650"\n')
    assert "out-of-memory" in run("check", "net.py", "--output-format", "concise").stdout
    (row,) = told(run, here, small)
    assert row["gpu"] == "GTX-1650"
    config.write_text('[tool.cudnnlint.rules.out-of-memory]\ngpu = "24GiB"\n')
    assert "out-of-memory" not in run("check", "net.py", "--output-format", "concise").stdout
    for text in ('[tool.cudnnlint]\ngpu = "T5"\n', '[tool.cudnnlint.rules.out-of-memory]\ngpu = "T5"\n'):
        config.write_text(text)
        result = run("check", "net.py")
        assert result.exit_code == 2 and "T4" in result.stderr


def test_the_curve_shows_where_the_gpu_ends(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    largest = row["largest_batch_size"]
    head, *rows = run("memory", "net.py", "--batch-size", "8..512").stdout.splitlines()[6:]
    assert "usable on T4" in head
    assert [int(line.split()[0]) for line in rows] == sorted([8, 16, 32, 64, 128, 256, 512, largest])
    end = head.index("|")
    assert all(line[end] == "|" for line in rows), "one line down through all of them"
    for line in rows:
        batch, filled = int(line.split()[0]), line[end + 1:].startswith("#")
        assert filled == ("does not fit" in line) and (filled or batch <= largest or "may fit" in line), line
        assert ("the largest that surely fits" in line) == (batch == largest)


def test_a_model_that_nothing_trains_has_a_curve_too(run: Run, here: Path) -> None:
    rows = told(run, here, NET, "--batch-size", "1,2,4")
    assert [(row["method"], row["batch_size"]) for row in rows] == [
        (method, size) for method in ("predict", "fit") for size in (1, 2, 4)]


@pytest.mark.parametrize(("devices", "said"), [
    ([], "no NVIDIA driver"),
    ([{"name": "NVIDIA GeForce RTX 3090", "memory": 24 << 30, "free": 20 << 30, "capability": [8, 6]}], "20.0 GiB"),
    ([{"name": "NVIDIA L4", "memory": 23 << 30, "free": 1 << 28, "capability": [8, 9]}], "only 256 MiB free"),
])
def test_the_gpu_of_this_machine_is_asked_of_its_driver(
        run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, devices: list[dict[str, Any]], said: str) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("cudnnlint.engine.doctor.probe.gpus", lambda: ("550", 12040, devices, "no NVIDIA driver"))
    (row,) = told(run, here, FIT, "--gpu", "auto")
    assert said in row["assumptions"][-1]
    assert row["gpu"] == ("RTX 3090" if "20.0" in said else "T4")
    if "20.0" in said:
        assert row["usable_bytes"] == (20 << 30) - (1536 + 300 << 20)
    else:
        assert "free notebooks" in row["assumptions"][-1]
        (here.parent / "pyproject.toml").write_text('[tool.cudnnlint]\ngpu = "L4"\n')
        assert told(run, here, FIT, "--gpu", "auto")[0]["gpu"] == "L4"


def test_gpus_that_are_hidden_do_not_count(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = [{"name": "NVIDIA L4", "memory": 23 << 30, "free": free << 30, "capability": [8, 9]} for free in (22, 11)]
    monkeypatch.setattr("cudnnlint.engine.doctor.probe.gpus", lambda: ("550", 12040, devices, ""))
    for hidden, gpus, free in (("0", 1, 22), ("1", 1, 11), ("0,1", 2, 11)):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        (row,) = told(run, here, FIT, "--gpu", "auto")
        assert (row["gpu"], row["gpus"], row["usable_bytes"]) == ("L4", gpus, (free << 30) - (1536 + 300 << 20))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert "CUDA_VISIBLE_DEVICES hides all GPUs" in told(run, here, FIT, "--gpu", "auto")[0]["assumptions"][-1]


def test_a_slice_of_a_gpu_has_what_tensorflow_logs_for_it(run: Run, here: Path) -> None:
    """Created device .../device:GPU:0 with 3026 MB memory: name: NVIDIA A100-PCIE-40GB MIG 1g.5gb; 18211 MB: 3g.20gb"""
    for name, seen in (("a100-1g.5gb", 3026), ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", 18211), ("MIG 1g.5gb", 3026)):
        (row,) = told(run, here, FIT, "--gpu", name)
        assert row["usable_bytes"] >> 20 == pytest.approx(seen, rel=0.01)


def test_several_gpus_share_a_batch_where_a_strategy_spreads_it(run: Run, here: Path) -> None:
    text = FIT.replace("net = ", "import tensorflow as tf\nwith tf.distribute.MirroredStrategy().scope():\n  net = ")
    text = text.replace("net.compile(", "with tf.distribute.MirroredStrategy().scope():\n  net.compile(")
    (one,), (four,) = told(run, here, text), told(run, here, text, "--gpu", "4xT4")
    assert (one["replicas"], four["replicas"], four["gpus"]) == (1, 4, 4)
    assert four["bytes"]["weights"] == one["bytes"]["weights"]
    assert four["bytes"]["activations"] < 0.3 * one["bytes"]["activations"]
    assert four["largest_batch_size"] > 3 * one["largest_batch_size"]
    (alone,) = told(run, here, FIT, "--gpu", "4xT4")
    assert alone["replicas"] == 1 and "1 of 4 GPUs is used" in " ".join(alone["assumptions"])


def test_the_step_over_time(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT, "--timeline")
    bands, steps = row["timeline"]["bands"], row["timeline"]["steps"]
    assert max(step["bytes"] for step in steps) == row["bytes"]["total"]
    assert all(len(step["bands"]) == len(bands) and sum(step["bands"]) == step["bytes"] for step in steps)
    assert {"name": "first", "line": 7} in bands and {"name": "weights", "line": None} in bands
    assert "timeline" not in told(run, here, FIT)[0]
    text = run("memory", "net.py", "--timeline").stdout
    assert "   forward   first (line 7)" in text and "   backward  " in text and "  peak of " in text
    assert "backward" not in run("memory", "net.py").stdout.replace("kept for backward", "")


@pytest.mark.parametrize("batch", ["-4", "0", "'32'", "32.5"])
def test_a_batch_size_that_is_none_is_told(run: Run, here: Path, batch: str) -> None:
    text = FIT.replace("batch_size=512", f"batch_size={batch}")
    (row,) = told(run, here, text)
    assert f"batch_size={batch} is no batch size: 32 is counted" in row["assumptions"]
    (row,) = told(run, here, text, "--batch-size", "16")
    assert not any("batch_size=" in text for text in row["assumptions"])


def test_a_batch_that_is_larger_than_the_data_says_so(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT.replace("batch_size=512", "batch_size=10**19"))
    rows = row["batch_size"]
    assert f"batch {rows:,}: there are no more samples, of {10**19:,} asked for" in row["assumptions"]


def test_what_is_known_in_part_fits_at_most(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT.replace("layers.Dense(10,", "layers.Dense(int(input()),"))
    text = run("memory", "net.py", "--gpu", "all").stdout
    assert "needs at least" in text and "fits: at most batch " in text and "not known: " in text
    assert " <= " in text and "  fits  " not in text, "nothing surely fits"
    (here / "net.py").write_text("import keras\nnet = keras.Sequential([keras.layers.Dense(4)])\n"
                                 "net.compile('sgd', 'mse')\nnet.fit(load())\n")
    assert "fits: not known" in run("memory", "net.py").stdout


def test_sizes_beyond_all_measure_are_told(run: Run, here: Path) -> None:
    text = FIT.replace("layers.Dense(10,", "layers.Dense(10**20,")
    (row,) = told(run, here, text)
    assert row["bytes"]["weights"] > 2**63 and row["largest_batch_size"] == 0
    text = run("memory", "net.py").stdout
    assert "EiB" in text and "does not fit" in text and "nothing on T4" in text


def test_a_file_that_is_no_program_says_so(run: Run, here: Path) -> None:
    (here / "net.py").write_text("import keras\nmodel = (\n")
    result = run("memory", "net.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("cudnnlint: error: net.py:2:9: ") and result.stderr.count("\n") == 1
    (here / "good.py").write_text(FIT)
    result = run("memory", ".")
    assert "good.py:13" in result.stdout and result.stderr == "", "of a folder only what can be followed is told"


def test_places_in_notebooks_and_in_other_files(run: Run, here: Path) -> None:
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
             for text in ("import tensorflow as tf\n", NET, FIT[len(NET):])]
    (here / "net.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    text = run("memory", "net.ipynb").stdout
    assert text.startswith("net.ipynb:cell 3:3  model.fit(...)") and "first (cell 2, line 7)" in text
    row = json.loads(run("memory", "net.ipynb", "--output-format", "json").stdout)["fits"][0]
    assert {each["at"] for each in row["layers"]} == {"cell 2, line 7", "cell 2, line 8", "cell 2, line 9"}

    (here / "nets.py").write_text(NET)
    (here / "net.ipynb").unlink()
    (row,) = told(run, here, FIT.replace(NET, "from nets import *\n"))
    assert {each["at"] for each in row["layers"]} == {f"nets.py, line {line}" for line in (7, 8, 9)}
    assert "first (nets.py, line 7)" in run("memory", "net.py").stdout


def test_mixed_precision_is_told_where_it_holds_more(run: Run, here: Path) -> None:
    text = FIT.replace("GlobalAveragePooling2D", "GlobalMaxPooling2D")  # a mean is computed in float32
    (row,) = told(run, here, text)
    more = row["mixed_float16"]["largest_batch_size"]
    assert row["largest_batch_size"] < more < 2.2 * row["largest_batch_size"]
    assert f" · with mixed_float16 batch {more}\n" in run("memory", "net.py").stdout
    policy = text.replace("net = ", 'keras.mixed_precision.set_global_policy("mixed_float16")\nnet = ')
    (set_,) = told(run, here, policy)
    assert (set_["dtype_policy"], set_["largest_batch_size"]) == ("mixed_float16", more), "as if the program set it"
    assert "mixed_float16" not in set_ and "with mixed_float16" not in run("memory", "net.py").stdout
    (fitting,) = told(run, here, text, "--batch-size", "16")
    assert "mixed_float16" not in fitting, "where it fits nothing needs to be changed"


def test_layers_with_a_dtype_of_their_own_gain_nothing(run: Run, here: Path) -> None:
    text = FIT.replace("Conv2D(64, 3, ", 'Conv2D(64, 3, dtype="float32", ').replace(
        "GlobalAveragePooling2D()", 'GlobalAveragePooling2D(dtype="float32")').replace(
        "Dense(10, ", 'Dense(10, dtype="float32", ')
    (row,) = told(run, here, text)
    assert "mixed_float16" not in row


def test_a_last_layer_in_float32_does_not_hide_mixed_precision(run: Run, here: Path) -> None:
    text = FIT.replace("net = ", 'keras.mixed_precision.set_global_policy("mixed_float16")\nnet = ')
    (row,) = told(run, here, text.replace("Dense(10, ", 'Dense(10, dtype="float32", '))
    assert row["dtype_policy"] == "mixed_float16"
    (row,) = told(run, here, FIT.replace("Dense(10, ", 'Dense(10, dtype="float32", '))
    assert (row["dtype_policy"], "mixed_float16" in row) == ("float32", True)


def test_defaults_that_an_estimate_rests_on_are_told(run: Run, here: Path) -> None:
    (here / "sizes.py").write_text("""\
import argparse
import keras, numpy as np
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int, default=64)
p.add_argument("--size", type=int, default=128)
args = p.parse_args()
m = keras.Sequential([keras.Input((args.size, args.size, 3)), keras.layers.Conv2D(8, 3)])
m.compile("adam", "mse")
""")
    size = "size = 128 (default of --size, line 5)"
    assert f"no training call; {size}" in run("memory", "sizes.py").stdout
    with (here / "sizes.py").open("a") as program:
        program.write("m.fit(np.zeros((640, 128, 128, 3)), np.zeros((640, 126, 126, 8)), batch_size=args.batch_size)\n")
    found = json.loads(run("memory", "sizes.py", "--output-format", "json").stdout)["fits"][0]
    assert found["batch_size"] == 64
    assert found["assumptions"][:2] == ["batch_size = 64 (default of --batch-size, line 4)", size]


def test_defaults_that_move_no_number_are_not_told_and_others_stand_together(run: Run, here: Path) -> None:
    (here / "trainer.py").write_text("""\
import keras
from keras import layers


class Trainer:
    def __init__(self, filters=32, rate=0.1, epsilon=1e-5, batch_size=16, lr=1e-3, epochs=5):
        x = inputs = keras.Input((64, 64, 3))
        x = layers.BatchNormalization(epsilon=epsilon)(layers.Conv2D(filters, 3)(x))
        self.model = keras.Model(inputs, layers.Dropout(rate)(x))
        self.batch_size, self.epochs = batch_size, epochs
        self.model.compile(keras.optimizers.Adam(lr), "mse")

    def run(self, x, y):
        self.model.fit(x, y, batch_size=self.batch_size, epochs=self.epochs)
""")
    told = "assumes: batch_size = 16, filters = 32 (defaults of __init__, line 6);"
    assert told in run("memory", "trainer.py").stdout
