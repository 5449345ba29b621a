"""Estimates of what a replica takes against the real step, and the graph that tf.distribute makes of a step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory.test_estimates import estimate
from tests.memory.test_replicas import spread
from tests.oracle.memory_models import program

SCRIPT = Path(__file__).with_name("memory_replicas.py")
RUNS = (("mlp", 16, "adam"), ("mlp", 256, "sgd"), ("normed", 4, "rmsprop"), ("transformer", 2, "adam"))
GRAPH = """
import tensorflow as tf
import keras
cpu, = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    net = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32), keras.layers.Dense(8)])
    net.compile("adam", "mse")
    net.optimizer.build(net.trainable_variables)
step = tf.function(lambda x, y: strategy.run(lambda: net.train_step((x, y))))
graph = step.get_concrete_function(tf.zeros((4, 16)), tf.zeros((4, 8))).graph
print([(op.type, [output.shape.num_elements() for output in op.outputs]) for op in graph.get_operations()
       if op.type in ("ConcatV2", "CollectiveReduceV2", "SplitV") and op.device.endswith("CPU:1")])
"""


def run(*arguments: object) -> str:
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CUDA_VISIBLE_DEVICES": "-1"})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_replica_takes_what_was_estimated(tmp_path: Path) -> None:
    files = []
    for name, batch, optimizer in RUNS:
        files.append(tmp_path / f"{name}-{batch}-{optimizer}.py")
        files[-1].write_text(program(name, batch, optimizer))
    totals = [json.loads(line)["total"] for line in run(SCRIPT, *files).splitlines()]
    for each, total in zip(RUNS, totals, strict=True):
        assert estimate(spread(*each)).terms.total == pytest.approx(total, rel=0.015), each


def test_all_gradients_are_packed_into_one() -> None:
    weights = 16 * 32 + 32 + 32 * 8 + 8
    (packed, one), (reduced, other), (unpacked, parts) = eval(run("-c", GRAPH).splitlines()[-1])
    assert (packed, reduced, unpacked) == ("ConcatV2", "CollectiveReduceV2", "SplitV")
    assert one == other == [weights] and sorted(parts) == [8, 32, 256, 512]
