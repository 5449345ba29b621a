"""The texts that TensorFlow, Keras and NumPy take in places where they take one of a few, against these."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.facts.choices import CHOICES, FOLDERS, NAMED, OF_FOLDERS

np = pytest.importorskip("numpy", reason="numpy is not installed")
tf = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
OF_ONE = {"auto", "mean", "mean_with_sample_weight"}
"""Reductions that only one of Keras 2 and 3 takes."""


def real(path: str) -> Any:
    library, *parts = path.replace(".ImageDataGenerator.flow", ".ImageDataGenerator().flow").split(".")
    held: Any = {"keras": tf.keras, "tensorflow": tf, "numpy": np}[library]
    for part in parts:
        held = getattr(held, part.removesuffix("()"), None)
        held = held(validation_split=0.5) if part.endswith("()") else held
    return held


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pictures")
    picture = tf.io.encode_png(tf.zeros((4, 4, 3), tf.uint8))
    for name in ("a/0.png", "a/1.png", "b/0.png", "b/1.png"):
        (made / name).parent.mkdir(exist_ok=True)
        tf.io.write_file(str(made / name), picture)
    return made


def given(path: str, argument: str, folder: Path) -> tuple[list[Any], dict[str, Any]]:
    """What else a callable needs."""
    if path in OF_FOLDERS:
        return [folder], {"seed": 1, **({"validation_split": 0.5} if argument == "subset" else {})}
    if path.startswith("tensorflow.nn."):
        axes = {"1d": 1, "3d": 3}.get(path[-2:], 2)
        size = tf.zeros((*(2,) * axes, 3, 3)) if "conv" in path else 2
        strides = [1] * (axes + 2) if path.endswith(("conv3d", "wise_conv2d")) else 1
        return [tf.zeros((1, *(4,) * axes, 3)), size, strides], {}
    return {"load_img": [folder / "a/0.png"], "flow_from_directory": [str(folder)], "pad_sequences": [[[1, 2]]],
            "resize": [tf.zeros((4, 4, 3)), (2, 2)], "ModelCheckpoint": ["a.keras"], "cast": [tf.ones(2)],
            "BackupAndRestore": ["a"],
            "pad": [tf.zeros((4, 4)) if path.startswith("tensor") else np.ones((4, 4)), [[1, 1], [1, 1]]],
            }.get(path.rpartition(".")[2], []), {}


CASES = [(path, argument) for path, argument in CHOICES
         if not path.startswith("torch.") and not path.endswith(FOLDERS[1:]) and real(path) is not None]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "argument"), CASES)
def test_a_text_is_taken_or_refused_as_listed(path: str, argument: str, folder: Path) -> None:
    if "torch" in sys.modules:
        pytest.skip("TensorFlow's threads end the process where PyTorch was imported beside it")
    if path.endswith(("load_img", "flow_from_directory")):
        pytest.importorskip("PIL", reason="Keras reads pictures with pillow")
    others, named = given(path, argument, folder)
    try:
        for text in CHOICES[path, argument].texts:
            if text not in OF_ONE and text != "EXPLICIT" and not (path in OF_FOLDERS and text == "both"):
                real(path)(*others, **named, **{argument: text})
        with pytest.raises(Exception, match=r"."):
            real(path)(*others, **named, **{argument: "nonsense"})
    finally:
        tf.keras.backend.set_floatx("float32")
        tf.keras.mixed_precision.set_global_policy("float32")
        tf.keras.backend.set_image_data_format("channels_last")


@pytest.mark.parametrize(("path", "argument"), CASES)
def test_arguments_lie_where_they_are_listed(path: str, argument: str) -> None:
    names, position = list(signature(real(path)).parameters), CHOICES[path, argument].position
    assert position == NAMED or names[position] == argument
