"""The table of what left TensorFlow and Keras, against the libraries that are installed."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from typing import Any

import pytest

from cudnnlint.facts.backend import BACKEND
from cudnnlint.facts.changes import (
    ARGUMENTS,
    IMPORTED,
    LAYER_ATTRIBUTES,
    METHODS,
    METRIC_METHODS,
    OPTIMIZER_ATTRIBUTES,
    OPTIMIZER_METHODS,
    OPTIMIZERS,
    REMOVED,
    Change,
)
from cudnnlint.values import Where
from cudnnlint.values.stack import Stack, parse_version
from tests.oracle.harness import library

tf = pytest.importorskip("tensorflow")
KERAS_3, KERAS_2 = library("keras"), library("tf_keras")
STACK = Stack(parse_version(KERAS_3.__version__) if KERAS_3 else (3, 15), parse_version(tf.__version__))


def exists(dotted: str) -> bool:
    """Whether a program can read the name, or import it."""
    if dotted in IMPORTED:
        read = f"import tensorflow as tf; tf.{dotted.removeprefix('tensorflow.')}"
        return subprocess.run([sys.executable, "-c", read], capture_output=True, check=False).returncode == 0
    parts = dotted.split(".")
    found: Any = pytest.importorskip(parts[0])
    for depth, part in enumerate(parts[1:], 2):
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(".".join(parts[:depth]))
        except ImportError:
            return False
    return True


def holds(change: Change) -> bool:
    return Where(keras=change.keras, tensorflow=change.tensorflow).holds(STACK)


@pytest.mark.skipif(KERAS_3 is None, reason="keras with tensorflow is not installed")
@pytest.mark.parametrize("name", sorted(REMOVED))
def test_names_are_gone(name: str) -> None:
    assert exists(name) == holds(REMOVED[name])


@pytest.mark.parametrize("name", sorted(name for name, change in REMOVED.items() if change.tensorflow == "<2"
                                        and not name.startswith(("tensorflow.keras.", "tensorflow.contrib",
                                                                 "tensorflow.config.", "tensorflow.examples."))))
def test_names_of_tensorflow_1_are_in_compat_v1(name: str) -> None:
    found = tf.compat.v1
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert found is not None


@pytest.mark.skipif(KERAS_2 is None, reason="tf_keras is not installed")
@pytest.mark.parametrize("name", sorted(name for name, change in REMOVED.items() if change.keras == "<3"
                                        and name.startswith("keras.")))
def test_names_of_keras_2_are_in_tf_keras(name: str) -> None:
    assert exists("tf_keras." + name.partition(".")[2])


@pytest.mark.skipif(KERAS_3 is None, reason="keras with tensorflow is not installed")
@pytest.mark.parametrize("name", sorted(BACKEND))
def test_what_is_advised_in_place_of_the_backend_exists(name: str) -> None:
    advised = re.match(r"keras(\.\w+)+", REMOVED[f"keras.backend.{name}"].instead)
    assert advised is None or exists(advised[0])


@pytest.mark.skipif(KERAS_3 is None or KERAS_2 is None, reason="both Keras are needed")
@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_are_gone(name: str) -> None:
    assert not hasattr(KERAS_3.Sequential(), name)
    assert hasattr(KERAS_2.Sequential(), name) == (METHODS[name].keras == "<3" or name == "to_yaml")


@pytest.mark.skipif(KERAS_3 is None or KERAS_2 is None, reason="both Keras are needed")
@pytest.mark.parametrize("name", sorted(OPTIMIZER_METHODS))
def test_methods_of_optimizers_are_gone(name: str) -> None:
    assert not hasattr(KERAS_3.mixed_precision.LossScaleOptimizer(KERAS_3.optimizers.SGD()), name)
    assert hasattr(KERAS_2.mixed_precision.LossScaleOptimizer(KERAS_2.optimizers.SGD()), name)


@pytest.mark.skipif(KERAS_3 is None or KERAS_2 is None, reason="both Keras are needed")
@pytest.mark.parametrize("name", sorted(LAYER_ATTRIBUTES))
def test_attributes_of_layers_are_gone(name: str) -> None:
    classes = [held for held in vars(KERAS_3.layers).values() if isinstance(held, type)]
    assert classes and not any(hasattr(each, name) for each in classes if each is not KERAS_3.layers.TorchModuleWrapper)
    assert hasattr(KERAS_2.layers.Layer, name)


@pytest.mark.skipif(KERAS_3 is None or KERAS_2 is None, reason="both Keras are needed")
@pytest.mark.parametrize("name", sorted(OPTIMIZER_ATTRIBUTES))
@pytest.mark.parametrize("path", OPTIMIZERS)
def test_attributes_of_optimizers_are_gone(path: str, name: str) -> None:
    """Those that left before 2.15 are still there in the optimizers of `legacy`."""
    made = path.rpartition(".")[2]
    assert not hasattr(getattr(KERAS_3.optimizers, made)(), name)
    there = Where(keras=OPTIMIZER_ATTRIBUTES[name].keras).holds(Stack(keras=(2, 15)))
    assert hasattr(getattr(KERAS_2.optimizers, made)(), name) == there
    older = getattr(KERAS_2.optimizers.legacy, made, None)
    assert there or older is None or hasattr(older(), name)


def refuses(called: Any, **arguments: Any) -> bool:
    """Whether the callable does not take these arguments."""
    try:
        called(**arguments)
    except (TypeError, ValueError) as error:
        return any(name in str(error) for name in arguments)
    return False


USUAL = {"lr": 0.1, "decay": 0.1, "keep_prob": 0.5, "dim": 0, "dimension": 0, "squeeze_dims": 0, "concat_dim": 0,
         "keep_dims": True, "reduction_indices": 0, "filter": [[[[1.0]]]], "use_cudnn_on_gpu": True, "value": 1.0,
         "align_corners": True, "dtype": "float32", "period": 5, "batch_size": 8, "write_grads": True,
         "loss_scale": 128.0, "dynamic": False, "batch_input_shape": (None, 3), "input": None, "output": None,
         "grayscale": True}


@pytest.mark.skipif(KERAS_3 is None, reason="keras with tensorflow is not installed")
@pytest.mark.parametrize(("path", "name"), sorted((path, name) for path, table in ARGUMENTS.items() for name in table))
def test_arguments_are_gone(path: str, name: str) -> None:
    called: Any = importlib.import_module(path.partition(".")[0])
    for part in path.split(".")[1:]:
        called = getattr(called, part)
    needed: dict[str, dict[str, Any]] = {
        "keras.mixed_precision.Policy": {"name": "mixed_float16"}, "keras.utils.to_categorical": {"x": [0, 1]},
        "keras.callbacks.ModelCheckpoint": {"filepath": "x.keras"}, "keras.utils.load_img": {"path": "x.png"},
        "keras.preprocessing.image.load_img": {"path": "x.png"}}
    others = needed.get(path, {})
    if path.endswith("LossScaleOptimizer"):
        others = {"inner_optimizer": KERAS_3.optimizers.SGD()}
    assert refuses(called, **others, **{name: USUAL[name]}) != holds(ARGUMENTS[path][name])


@pytest.mark.skipif(KERAS_3 is None or KERAS_2 is None, reason="both Keras are needed")
@pytest.mark.parametrize("name", sorted(METRIC_METHODS))
def test_methods_of_metrics_are_gone(name: str) -> None:
    assert not hasattr(KERAS_3.metrics.Mean(), name)
    assert hasattr(KERAS_2.metrics.Mean(), name)
