"""How `cudnnlint memory` words what is known in part, and what several GPUs do."""

from __future__ import annotations

from pathlib import Path

from cudnnlint.memory.amounts import amount
from tests.cli.conftest import Run
from tests.cli.test_memory import FIT, told

SPREAD = """import numpy as np
import tensorflow as tf

with tf.distribute.MirroredStrategy().scope():
    model = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(512), tf.keras.layers.Dense(4)])
    model.compile("sgd", "mse")
model.fit(np.zeros((640, 64)), np.zeros((640, 4)), batch_size=64)
"""


def test_what_is_known_in_part_takes_at_least_what_it_surely_takes(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT.replace("layers.Dense(10,", "layers.Dense(int(input()),"))
    assert row["lower_bound"] and row["least_bytes"] < row["bytes"]["total"]
    said, least = run("memory", "net.py").stdout, amount(row["least_bytes"])
    assert f"needs at least {least} of" in said
    assert f"of these surely {least}\n" in said and "allocator +" not in said, "the terms add up to more than that"
    assert run("memory", "net.py", "--html", "net.html").exit_code == 0
    html = (here / "net.html").read_text("utf-8")
    assert f"<td>of these surely</td><td>{least}</td>" in html and "<td>all</td>" not in html


LARGE = """import keras

model = keras.Sequential([keras.Input((4096,)), keras.layers.Dense(8192), keras.layers.Dense(int(input()))])
model.predict(load(), batch_size=8)
"""


def test_it_needs_at_least_its_variables_and_fits_what_cannot_be_said(run: Run, here: Path) -> None:
    (row,) = told(run, here, LARGE)
    assert row["least_bytes"] >= row["bytes"]["weights"] > 0.95 * row["bytes"]["total"]
    (here / "net.py").write_text(LARGE.replace("predict", "compile('sgd', 'mse')\nmodel.fit"))
    assert "fits: not known" in run("memory", "net.py").stdout, "nor is what it is fed"
    (here / "net.py").write_text(LARGE.replace("4096", "1").replace("8192", "16"))
    text = run("memory", "net.py").stdout
    assert "what it needs is not known" in text and "needs at least" not in text
    assert "fits: not known" in text and "top layers" not in text, "of next to nothing any batch fits"


def test_several_gpus_are_told_with_what_is_said_of_them(run: Run, here: Path) -> None:
    (here / "net.py").write_text(SPREAD)
    text = run("memory", "net.py", "--gpu", "4xT4").stdout
    assert "usable on each of 4 T4\n" in text and " on 4 T4 together\n" in text
    assert "usable on T4\n" in run("memory", "net.py").stdout


def test_predictions_are_compiled_by_default_too(run: Run, here: Path) -> None:
    """keras/src/trainers/trainer.py: Trainer.jit_compile, which predict() asks without compile()."""
    only_made = FIT.partition("net.compile")[0]
    rows = told(run, here, only_made)
    assert {(row["method"], row["regime"]) for row in rows} == {("predict", "XLA"), ("fit", "XLA")}
    (here / "net.py").write_text(only_made.replace("import keras", "import tf_keras as keras"))
    assert "Keras 2" in run("memory", "net.py").stdout and "XLA" not in run("memory", "net.py").stdout


TORCH = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 10)

    def forward(self, x):
        return torch.relu(self.first(x))


net = Net().cuda()
head = nn.Sequential(nn.Linear(10, 2))
optimizer = torch.optim.Adam(net.parameters())
for x in torch.zeros(640, 64).split(64):
    head(net(x.cuda())).sum().backward()
    optimizer.step()
"""


def test_memory_of_pytorch_is_said_not_to_be_estimated(run: Run, here: Path) -> None:
    (here / "net.py").write_text(TORCH)
    result = run("memory", "net.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "net.py:14: net and 1 more: memory of PyTorch is not estimated" in result.stderr
    (row,) = told(run, here, FIT + "\n" + TORCH)
    assert row["optimizer"] == "Adam" and not row["lower_bound"], "what Keras trains is, beside it"


UNREAD = """import keras
from clicks import x, y

model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, epochs=3)
"""


def test_the_batch_is_that_of_keras_where_labels_are_given_beside_what_is_not_known(run: Run, here: Path) -> None:
    (here / "net.py").write_text(UNREAD)
    assert "batch_size 32: Keras' default for arrays" in run("memory", "net.py").stdout
    for other in (UNREAD.replace("x, y, ", "x, "), UNREAD.replace("epochs=3", "steps_per_epoch=count()")):
        (here / "net.py").write_text(other)
        assert "batch_size 32: the program's is not known" in run("memory", "net.py").stdout, other
