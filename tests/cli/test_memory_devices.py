"""What the program says of the GPU's memory counts in estimates and findings, and is told with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_memory import FIT, told

MIB = 1 << 20
T4, WHOLE = 13750 * MIB, 15100 * MIB
"""What TensorFlow has of a T4, and about what the driver says of it: its reserve of 1050 and a context of 300 more."""
SET = """\
import tensorflow as tf
gpus = tf.config.list_physical_devices("GPU")
"""
LOGICAL = ("tf.config.set_logical_device_configuration(gpus[0], "
           "[tf.config.LogicalDeviceConfiguration(memory_limit={})])\n")
V1 = "import tensorflow as tf\nconfig = tf.compat.v1.ConfigProto()\n"
ENVIRON = "import os\nos.environ[{!r}] = {!r}\n"
SMALL = FIT.replace("batch_size=512", "batch_size=64")


@pytest.mark.parametrize(("head", "usable", "said"), [
    (SET + LOGICAL.format(1024), 1024 * MIB, "memory_limit of 1.00 GiB (line 3)"),
    (SET + LOGICAL.format(64 * 1024), T4 + 1050 * MIB, "memory_limit of 64.0 GiB (line 3)"),
    (SET + "if gpus:\n  try:\n    " + LOGICAL.format(2048) + "  except RuntimeError as error:\n    print(error)\n",
     2048 * MIB, "memory_limit of 2.00 GiB (line 5)"),
    (SET + "if len(gpus) > 0:\n  tf.config.experimental.set_virtual_device_configuration(gpus[0], [\n"
           "    tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)] * 2)\n",
     1024 * MIB, "memory_limit of 1.00 GiB, 2 logical GPUs (line 4)"),
    (SET + "def limit(mib):\n  " + LOGICAL.format("mib") + "limit(512)\n", 512 * MIB, "memory_limit of 512 MiB"),
    (SET + "def never():\n  " + LOGICAL.format(512), T4, ""),
    (SET + "import sys\nif len(sys.argv) > 1:\n  " + LOGICAL.format(512), T4,
     "memory_limit (line 5) is not counted: it may not be set"),
    (SET + LOGICAL.format("int(input())"), T4, "memory_limit (line 3) is not counted: its value is not known"),
    (SET + "tf.constant(1)\n" + LOGICAL.format(512), T4, ""),
    (SET + LOGICAL.format(512).replace("gpus[0]", "gpus[1]"), T4, ""),
    (SET + LOGICAL.format(512).replace("gpus[0]", "gpus[int(input())]"), T4, "is not counted: it may not be set"),
    (SET + "for gpu in gpus:\n  " + LOGICAL.format(512).replace("gpus[0]", "gpu"), 512 * MIB, "512 MiB (line 4)"),
    (SET + "for gpu in gpus:\n  tf.config.experimental.set_memory_growth(gpu, True)\n", T4, "memory growth"),
    (SET + "tf.config.experimental.set_memory_growth(gpus[0], False)\n", T4, ""),
    (V1 + "config.gpu_options.per_process_gpu_memory_fraction = 0.5\ntf.compat.v1.Session(config=config)\n",
     WHOLE // 2, "per_process_gpu_memory_fraction=0.5 (line 4)"),
    (V1 + "config.gpu_options.allow_growth = True\ns = tf.compat.v1.InteractiveSession(config=config)\n", T4,
     "memory growth: taken as it is needed, up to the same limit (line 4)"),
    (V1 + "config.gpu_options.per_process_gpu_memory_fraction = 0.5\n", T4, ""),
    ("import tensorflow as tf\no = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.25)\n"
     "s = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(gpu_options=o))\n", WHOLE // 4, "=0.25 (line 3)"),
    (ENVIRON.format("TF_FORCE_GPU_ALLOW_GROWTH", "true"), T4, "TF_FORCE_GPU_ALLOW_GROWTH=true: taken as it is needed"),
    (ENVIRON.format("TF_GPU_ALLOCATOR", "cuda_malloc_async"), T4, "TF_GPU_ALLOCATOR=cuda_malloc_async"),
    (ENVIRON.format("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "500"), T4 + 550 * MIB, "_IN_MB=500 (line 2)"),
    (ENVIRON.format("SOMETHING_ELSE", "500"), T4, ""),
    (ENVIRON.format("KERAS_BACKEND", "jax"), WHOLE * 3 // 4, "KERAS_BACKEND=jax, which takes 75 % of the GPU's memory"),
    (ENVIRON.format("KERAS_BACKEND", "jax") + ENVIRON.format("XLA_PYTHON_CLIENT_MEM_FRACTION", ".5"), WHOLE // 2,
     "default (line 2); XLA_PYTHON_CLIENT_MEM_FRACTION=0.5 (line 4)"),
])
def test_what_is_set_counts_and_is_told(run: Run, here: Path, head: str, usable: int, said: str) -> None:
    (row,) = told(run, here, head + SMALL)
    assert row["usable_bytes"] == usable
    about = [text for text in row["assumptions"] if "GPU of free" not in text and "op-by-op" not in text]
    assert (len(about), said in "; ".join(about)) == (len([*filter(None, said.split("; "))]), True)


def test_the_largest_batch_fits_into_the_limit(run: Run, here: Path) -> None:
    (whole,), (half,) = told(run, here, SMALL), told(run, here, SET + LOGICAL.format(13750 // 2) + SMALL)
    assert half["largest_batch_size"] == pytest.approx(whole["largest_batch_size"] / 2, rel=0.02)
    text = run("memory", "net.py", "--gpu", "all").stdout
    assert text.count("6.71 GiB") > 20, "in the table too, on all GPUs that have more"


def test_out_of_memory_is_told_for_what_the_program_takes(run: Run, here: Path) -> None:
    def findings(text: str) -> Any:
        (here / "net.py").write_text(text)
        return run("check", "net.py", "--select", "out-of-memory").stdout

    assert "out-of-memory" not in findings(SMALL)
    found = findings(SET + LOGICAL.format(1024) + SMALL)
    assert "more than the 1.00 GiB of a T4" in found and "  memory_limit of 1.00 GiB" in found
    assert "out-of-memory" not in findings(SET + LOGICAL.format(6000) + SMALL)


def test_how_many_gpus_share_a_batch_must_be_known(run: Run, here: Path) -> None:
    text = FIT.replace("net = ", "import tensorflow as tf\nwith tf.distribute.MirroredStrategy().scope():\n  net = ")
    text = text.replace("net.compile(", "with tf.distribute.MirroredStrategy().scope():\n  net.compile(")
    (here / "net.py").write_text(text)
    found = {}
    for gpus in ("", "RTX 3070", "2x RTX 3070", "8x RTX 3070"):
        (here.parent / "pyproject.toml").write_text(f'[tool.cudnnlint]\ngpu = "{gpus}"\n')
        found[gpus] = run("check", "net.py", "--select", "out-of-memory", "--output-format", "concise").stdout
    assert [gpus for gpus, said in found.items() if "out-of-memory" in said] == ["2x RTX 3070"]
    assert "batch size 512 on 2 replicas needs" in found["2x RTX 3070"] and "on each" in found["2x RTX 3070"]


def test_logical_gpus_are_replicas_of_a_strategy_that_takes_all(run: Run, here: Path) -> None:
    spread = SMALL.replace("net = ", "with tf.distribute.MirroredStrategy().scope():\n  net = ").replace(
        "net.compile(", "with tf.distribute.MirroredStrategy().scope():\n  net.compile(")
    head = SET + LOGICAL.format(4096).replace(")])", ")] * 4)")
    (row,) = told(run, here, head + spread)
    assert (row["replicas"], row["usable_bytes"]) == (4, 4096 * MIB)
    assert any("4 replicas" in text for text in row["assumptions"])


LOOP = """\
import numpy as np
import tensorflow as tf
import keras
from keras import layers

strategy = tf.distribute.MirroredStrategy()
BATCH = 64 * strategy.num_replicas_in_sync
with strategy.scope():
    net = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(64, 3), layers.Flatten(), layers.Dense(10)])
    optimizer = keras.optimizers.Adam()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
data = tf.data.Dataset.from_tensor_slices((np.zeros((6400, 32, 32, 3), "float32"), np.zeros(6400, "int32")))


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_of(y, net(x, training=True)), global_batch_size=BATCH)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))


for x, y in strategy.experimental_distribute_dataset(data.batch(BATCH, drop_remainder=True)):
    strategy.run(step, args=(x, y))
"""


def test_a_batch_of_so_many_for_each_gpu_is_known_once_they_are_counted(run: Run, here: Path) -> None:
    for gpus in ("T4", "2xT4", "5xT4"):
        (row,) = told(run, here, LOOP, "--gpu", gpus)
        assert (row["method"], row["batch_size"], row["lower_bound"]) == ("GradientTape", 64, False), gpus
        assert any("the batch is that of one" in text for text in row["assumptions"]) == (gpus != "T4")
    fit = LOOP[:LOOP.index("def step")].replace("    optimizer", '    net.compile("adam", "mse")\n    optimizer')
    (row,) = told(run, here, fit + "net.fit(data.batch(BATCH))\n", "--gpu", "3xT4")
    assert (row["batch_size"], row["replicas"]) == (192, 3)
